package io.waterwheel.embedded.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The embedded broker, killed again and again while it writes transactions: after each start a committed reader gets to
 * the end, and at the end of all each committed transaction is there once and whole, each aborted one is not.
 */
@Tag("embedded")
final class BrokerKillsTest {
    private static final int KILLS = Rounds.of("kills", 1, 5);
    private static final int PRODUCERS = 2;
    private static final int RECORDS = 3;
    private static final int MOST_TRANSACTIONS = 400;
    /** One of so many is aborted. */
    private static final int ABORTED = 7;

    private static final TopicPartition PARTITION = new TopicPartition("rows", 0);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final AtomicInteger transactions = new AtomicInteger();
    /** By the transaction's number: what its producer was told. Guarded by this. */
    private final BitSet committed = new BitSet();

    private final BitSet aborted = new BitSet();

    @Test
    void noTransactionOutlivesTheBrokerThatWasKilled() throws Exception {
        System.err.println("broker kills: seed " + seed);
        ChildProcess broker = start();
        try {
            String bootstrap = bootstrap(broker);
            createTopic(bootstrap);
            for (int kill = 1; kill <= KILLS; kill++) {
                List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
                for (int id = 0; id < PRODUCERS; id++) {
                    producers.add(producer(bootstrap, "t-" + id));
                }
                awaitReadable(bootstrap, kill - 1);
                CountDownLatch written = new CountDownLatch(1 + random.nextInt(MOST_TRANSACTIONS));
                List<CompletableFuture<Void>> writing = producers.stream()
                        .map(producer -> CompletableFuture.runAsync(() -> write(producer, written)))
                        .toList();
                assertThat(written.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as("seed %s, kill %s: transactions are written", seed, kill)
                        .isTrue();
                broker.kill();
                producers.forEach(producer -> producer.close(Duration.ZERO));
                CompletableFuture.allOf(writing.toArray(CompletableFuture[]::new))
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                broker = start();
                assertThat(bootstrap(broker)).isEqualTo(bootstrap);
            }
            for (int id = 0; id < PRODUCERS; id++) {
                producer(bootstrap, "t-" + id).close();
            }
            check(bootstrap, awaitReadable(bootstrap, KILLS));
        } finally {
            broker.close();
        }
    }

    private ChildProcess start() throws IOException, InterruptedException {
        return ChildProcess.launch(
                        "kafka",
                        folder.resolve("logs"),
                        List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"),
                        ServiceProcess.class.getName(),
                        List.of("kafka", folder.resolve("kafka").toString()),
                        ServiceProcess.READY)
                .awaitReady();
    }

    private static String bootstrap(ChildProcess broker) {
        return broker.ready().substring(ServiceProcess.READY.length());
    }

    private static void createTopic(String bootstrap) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(PARTITION.topic(), 1, (short) 1)))
                    .all()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** Its transactions of before are ended when it is there. */
    private static KafkaProducer<byte[], byte[]> producer(String bootstrap, String id) {
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "transactional.id", id, "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    /** Writes transactions until the producer is closed under it. */
    private void write(KafkaProducer<byte[], byte[]> producer, CountDownLatch written) {
        try {
            while (true) {
                int number = transactions.getAndIncrement();
                producer.beginTransaction();
                for (int record = 0; record < RECORDS; record++) {
                    // What becomes of it, the end of its transaction says.
                    var unused = producer.send(new ProducerRecord<>(
                            PARTITION.topic(),
                            PARTITION.partition(),
                            null,
                            ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
                }
                if (number % ABORTED == 0) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
                synchronized (this) {
                    (number % ABORTED == 0 ? aborted : committed).set(number);
                }
                written.countDown();
            }
        } catch (KafkaException | IllegalStateException e) {
            // The broker is gone, and then the producer: what this transaction came to is not known.
            assertThat(written.getCount())
                    .as("seed %s: %s before the broker was killed", seed, e)
                    .isZero();
        }
    }

    /** Waits until a committed reader can read everything; returns the partition's end. */
    private long awaitReadable(String bootstrap, int kill) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            long end = end(admin, IsolationLevel.READ_UNCOMMITTED);
            long readable;
            while ((readable = end(admin, IsolationLevel.READ_COMMITTED)) < end) {
                assertThat(System.nanoTime() - deadline)
                        .as("seed %s, kill %s: readable up to %s of %s", seed, kill, readable, end)
                        .isNegative();
                LockSupport.parkNanos(20_000_000);
            }
            return end;
        }
    }

    private static long end(Admin admin, IsolationLevel isolation) throws Exception {
        return admin.listOffsets(Map.of(PARTITION, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
                .partitionResult(PARTITION)
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .offset();
    }

    private void check(String bootstrap, long end) {
        int[] seen = new int[transactions.get()];
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (consumer.position(PARTITION) < end && System.nanoTime() - deadline < 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    seen[ByteBuffer.wrap(record.value()).getInt()]++;
                }
            }
            assertThat(consumer.position(PARTITION)).as("seed %s", seed).isEqualTo(end);
        }
        synchronized (this) {
            for (int number = 0; number < seen.length; number++) {
                assertThat(seen[number])
                        .as("seed %s: records of transaction %s", seed, number)
                        .isIn(committed.get(number) ? List.of(RECORDS) : List.of(0, RECORDS));
                assertThat(aborted.get(number) && seen[number] > 0)
                        .as("seed %s: transaction %s was aborted", seed, number)
                        .isFalse();
            }
            System.err.println("broker kills: " + KILLS + " kills, " + committed.cardinality()
                    + " committed transactions each there once, " + aborted.cardinality() + " aborted ones not, "
                    + (seen.length - committed.cardinality() - aborted.cardinality()) + " not known");
        }
    }
}
