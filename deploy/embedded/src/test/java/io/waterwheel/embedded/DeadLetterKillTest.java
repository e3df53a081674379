package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.Schema;
import io.waterwheel.model.StreamDefinition;
import io.waterwheel.query.Query;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every record that cannot be decoded is in the dead letters once, however often the server is killed meanwhile. */
@Tag("kills")
@Timeout(300)
final class DeadLetterKillTest {
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 6_000;

    @TempDir
    Path folder;

    @Test
    void eachBadRecordIsSetAsideOnce() throws Exception {
        long seed = Long.getLong("seed", 3L);
        int kills = Integer.getInteger("waterwheel.letter.kills", 2);
        Random random = new Random(seed);
        Schema schema = new Schema(
                List.of(new Field("t", FieldType.TIMESTAMP, false), new Field("k", FieldType.LONG, false)),
                new KeySpec.Ordered("k"),
                "t");
        Map<Integer, Long> ends = new HashMap<>();
        long good = 0;
        for (int round = 0; round <= kills; round++) {
            try (ServedProcess server = ServedProcess.start(folder);
                    WaterwheelClient client = WaterwheelClient.connect(server.url0, server.url1)) {
                if (round == 0) {
                    client.createStream(new StreamDefinition("bad", "bad", RecordFormat.CSV, PARTITIONS, schema));
                }
                try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", server.bootstrap),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
                    for (int i = 0; i < RECORDS; i++) {
                        int partition = i % PARTITIONS;
                        // Every third is bad: letters are stored all the time.
                        boolean bad = random.nextInt(3) == 0;
                        good += bad ? 0 : 1;
                        ends.merge(partition, 1L, Long::sum);
                        byte[] line = (bad ? "bad " + round + " " + i : i + "," + i).getBytes(UTF_8);
                        var unused = producer.send(new ProducerRecord<>("bad", partition, null, line));
                    }
                    producer.flush();
                }
                if (round < kills) {
                    // In the middle of storing, somewhere.
                    LockSupport.parkNanos(random.nextInt(300) * 1_000_000L);
                    server.kill();
                } else {
                    Query all = Query.of("bad").withAtLeast(ends).withTimeout(Duration.ofSeconds(60));
                    assertThat(client.count(all)).as("seed %s", seed).isEqualTo(good);
                    long total =
                            ends.values().stream().mapToLong(Long::longValue).sum();
                    Map<String, Integer> letters = new TreeMap<>();
                    client.deadLetters("bad", Long.MAX_VALUE, letter -> {
                        assertThat(new String(letter.raw(), UTF_8)).startsWith("bad ");
                        letters.merge(letter.partition() + "/" + letter.offset(), 1, Integer::sum);
                    });
                    assertThat(letters.values()).as("seed %s", seed).allMatch(count -> count == 1);
                    assertThat(letters).as("seed %s", seed).hasSize((int) (total - good));
                }
            }
        }
    }
}
