package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends records of which every third or so cannot be decoded, so that dead letters are stored all the time; at the end
 * each of those must be in the dead letters once, and every other in the answers once.
 */
final class LetterFeed implements AutoCloseable {
    private static final String STREAM = "letters";
    private static final int PARTITIONS = 2;
    private static final int RECORDS_AT_ONCE = 20;
    private static final long PAUSE_NANOS = 50_000_000;
    private static final Duration ATTEMPT = Duration.ofSeconds(15);
    /** Longer than any fault lasts: the producer waits for a broker that is away. */
    private static final int DELIVERY_MILLIS = 600_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final Random random;
    private final Thread thread;
    private final Set<String> bad = new HashSet<>();
    private volatile Map<Integer, Long> ends = Map.of();
    private long good;
    private volatile boolean ending;
    private volatile @Nullable Exception failure;

    private LetterFeed(StreamDetails stream, long seed) {
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", stream.topic().bootstrapServers(), "delivery.timeout.ms", DELIVERY_MILLIS),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.random = new Random(seed);
        this.thread = new Thread(this::run, "letter-feed");
        thread.start();
    }

    /** Creates the stream and begins. */
    static LetterFeed start(WaterwheelClient client, long seed) {
        Schema schema = new Schema(
                List.of(new Field("t", FieldType.TIMESTAMP, false), new Field("k", FieldType.LONG, false)),
                new KeySpec.Ordered("k"),
                "t");
        client.createStream(new StreamDefinition(STREAM, STREAM, RecordFormat.CSV, PARTITIONS, schema));
        return new LetterFeed(client.describe(STREAM), seed);
    }

    private void run() {
        try {
            for (long number = 0; !ending; number += RECORDS_AT_ONCE) {
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (long n = number; n < number + RECORDS_AT_ONCE; n++) {
                    sent.add(producer.send(new ProducerRecord<>(STREAM, (int) (n % PARTITIONS), null, line(n))));
                }
                Map<Integer, Long> reached = new HashMap<>(ends);
                for (Future<RecordMetadata> record : sent) {
                    RecordMetadata at = record.get(DELIVERY_MILLIS, TimeUnit.MILLISECONDS);
                    reached.merge(at.partition(), at.offset() + 1, Math::max);
                }
                ends = reached;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (Exception e) {
            failure = e;
        }
    }

    private byte[] line(long number) {
        if (random.nextInt(3) != 0) {
            good++;
            return (number + "," + number).getBytes(UTF_8);
        }
        String line = "bad " + number;
        bad.add(line);
        return line.getBytes(UTF_8);
    }

    /** Ends it; all that was begun is acknowledged then. */
    void end() throws Exception {
        ending = true;
        thread.join();
        Exception e = failure;
        if (e != null) {
            throw new IllegalStateException("sending failed", e);
        }
    }

    /**
     * Waits until everything that is acknowledged by now is answered; says how the stream is when it is not in time.
     */
    void awaitAnswered(WaterwheelClient client, Duration patience) {
        Query query = Query.of(STREAM).withAtLeast(ends).withTimeout(ATTEMPT);
        long begin = System.nanoTime();
        while (true) {
            try {
                var unused = client.count(query);
                return;
            } catch (WaterwheelException e) {
                if (System.nanoTime() - begin > patience.toNanos()) {
                    throw new AssertionError(
                            query + " is not answered: " + e.getMessage() + "; offsets " + client.offsets(STREAM), e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** After the end: what could be decoded is in the answers, the rest in the dead letters, each once. */
    void check(WaterwheelClient client, Duration timeout) {
        Query query = Query.of(STREAM).withAtLeast(ends).withTimeout(timeout);
        long counted = Waiting.answered(() -> client.count(query));
        assertThat(counted).isEqualTo(good);
        Set<String> letters = Waiting.answered(() -> {
            Set<String> found = new HashSet<>();
            client.deadLetters(STREAM, Long.MAX_VALUE, letter -> {
                String line = new String(letter.raw(), UTF_8);
                assertThat(found.add(line))
                        .as("the letter of %s is there twice", line)
                        .isTrue();
            });
            return found;
        });
        assertThat(letters).isEqualTo(bad);
    }

    int letters() {
        return bad.size();
    }

    @Override
    public void close() throws InterruptedException {
        ending = true;
        thread.interrupt();
        thread.join();
        producer.close(Duration.ZERO);
    }
}
