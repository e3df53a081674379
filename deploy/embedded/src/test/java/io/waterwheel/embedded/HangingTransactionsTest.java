package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.embedded.server.EmbeddedKafka;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A transaction that is decided and whose mark was never written, made by cutting the mark off the partition's log: the
 * next start of the broker writes it.
 */
@Tag("embedded")
final class HangingTransactionsTest {
    private static final TopicPartition PARTITION = new TopicPartition("rows", 0);

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void theNextStartWritesTheMarkThatIsMissing(boolean commit, boolean initialisedAgain) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0);
                Admin admin = admin(kafka);
                KafkaProducer<byte[], byte[]> producer = producer(kafka)) {
            admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1)))
                    .all()
                    .get(5, TimeUnit.MINUTES);
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(record("one")).get(5, TimeUnit.MINUTES);
            producer.commitTransaction();
            producer.beginTransaction();
            producer.send(record("two")).get(5, TimeUnit.MINUTES);
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
            // The mark follows the answer.
            Waiting.until("both are ended", () -> end(admin, IsolationLevel.READ_COMMITTED) == 4);
            if (initialisedAgain) {
                // The coordinator forgets how the last one ended; its log does not.
                try (KafkaProducer<byte[], byte[]> successor = producer(kafka)) {
                    successor.initTransactions();
                }
            }
        }
        cutLastBatch(folder.resolve("logs").resolve(PARTITION.toString()));

        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder, 0);
                Admin admin = admin(kafka)) {
            // A mark that the broker itself still had to write may follow its start.
            Waiting.until("the mark is there", () -> end(admin, IsolationLevel.READ_COMMITTED) == 4);
            assertThat(end(admin, IsolationLevel.READ_UNCOMMITTED)).isEqualTo(4);
            assertThat(committed(kafka)).isEqualTo(commit ? List.of("one", "two") : List.of("one"));
        }
    }

    /** As if the broker had been killed before it wrote it. */
    private static void cutLastBatch(Path log) throws IOException {
        Path segment;
        try (Stream<Path> files = Files.list(log)) {
            List<Path> all = files.toList();
            segment = all.stream()
                    .filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
            // What it knows of its producers is read from the log again.
            for (Path file : all) {
                if (file.toString().endsWith(".snapshot")) {
                    Files.delete(file);
                }
            }
        }
        Files.deleteIfExists(log.resolveSibling(".kafka_cleanshutdown"));
        int position = -1;
        boolean mark = false;
        try (FileRecords records = FileRecords.open(segment.toFile(), false)) {
            for (FileChannelRecordBatch batch : records.batches()) {
                position = batch.position();
                mark = batch.isControlBatch();
            }
        }
        assertThat(mark).as("the last batch is a mark").isTrue();
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            file.setLength(position);
        }
    }

    private static long end(Admin admin, IsolationLevel isolation) throws Exception {
        return admin.listOffsets(Map.of(PARTITION, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                .partitionResult(PARTITION)
                .get(5, TimeUnit.MINUTES)
                .offset();
    }

    private static List<String> committed(EmbeddedKafka kafka) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", kafka.bootstrap(), "isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            List<String> values = new ArrayList<>();
            Waiting.until("the end is read", () -> {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    values.add(new String(record.value(), UTF_8));
                }
                return consumer.position(PARTITION) >= 4;
            });
            return values;
        }
    }

    private static ProducerRecord<byte[], byte[]> record(String value) {
        return new ProducerRecord<>(PARTITION.topic(), 0, null, value.getBytes(UTF_8));
    }

    private static Admin admin(EmbeddedKafka kafka) {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()));
    }

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedKafka kafka) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap(), "transactional.id", "t"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }
}
