package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.embedded.faults.SmallDisk;
import io.waterwheel.store.DiskSpace;
import io.waterwheel.topology.kafka.KafkaTopics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A producer sends while others fill the disk, the broker ends, and comes back. No gate refuses what it sends. */
@Tag("embedded")
@Timeout(900)
final class BrokerOnAFullDiskTest {
    private static final int DISK_MEGABYTES = 64;
    private static final int PARTITIONS = 4;
    private static final int BATCH = 8;
    private static final String TOPIC = "own";
    private static final String VALUE = "some that soon fills what is left of a block".repeat(4);

    @TempDir
    Path folder;

    private final AtomicBoolean enough = new AtomicBoolean();
    private final AtomicLong last = new AtomicLong();

    private record Place(int partition, long offset) {}

    /** A disk that is known to have been full only once somebody has looked. */
    private record Late(WatchedDisk disk, AtomicBoolean looked) implements EmbeddedKafka.Disk {
        @Override
        public boolean endsAlone() {
            return disk.endsAlone();
        }

        @Override
        public boolean wasFullSince(long nanos) {
            return looked.get() && disk.wasFullSince(nanos);
        }

        @Override
        public boolean isWritable() {
            return disk.isWritable();
        }
    }

    @Test
    void everyRecordThatWasConfirmedIsThereOnceAtItsOffset() throws Exception {
        SmallDisk mounted = SmallDisk.mount(folder.resolve("disk"), DISK_MEGABYTES);
        Assumptions.assumeTrue(mounted != null, "no small disk can be mounted here");
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (SmallDisk disk = Objects.requireNonNull(mounted);
                DiskWatch watch = DiskWatch.start(new DiskSpace(disk.folder(), 0))) {
            WatchedDisk own = new WatchedDisk(disk.folder().resolve("kafka"), watch);
            EmbeddedKafka broker = EmbeddedKafka.start(own.folder(), 0, Map.of(), null, own);
            try (KeptPart<EmbeddedKafka> kept = KeptPart.of("Kafka", broker, own::unwritable);
                    KafkaTopics topics = new KafkaTopics(broker.ownBootstrap())) {
                topics.ensure(TOPIC, PARTITIONS);
                Future<Map<String, Place>> sent = threads.submit(() -> send(broker.ownBootstrap()));
                Waiting.until("it is confirmed", () -> last.get() > 100);
                Path filler = disk.folder().resolve("filler");
                SmallDisk.fill(filler);
                long onTheLastBytes = last.get();
                Waiting.until("the broker has ended", () -> !kept.trouble().isEmpty());
                long beforeTheEnd = last.get();
                Files.delete(filler);
                Waiting.until("the broker is back", () -> kept.trouble().isEmpty());
                Waiting.until("what is sent is confirmed again", () -> last.get() > beforeTheEnd + 100);
                enough.set(true);
                Map<String, Place> confirmed = sent.get(5, TimeUnit.MINUTES);
                System.out.printf(
                        "%d records were confirmed, %d of them on the last bytes%n",
                        confirmed.size(), beforeTheEnd - onTheLastBytes);
                assertThat(read(broker.ownBootstrap())).containsAllEntriesOf(confirmed);
            }
        } finally {
            enough.set(true);
            threads.shutdownNow();
        }
    }

    /**
     * A page of an index finds no place on the disk: the append fails with an Error, and the partition has its records
     * in the log. They fit into a block that the log has. What is sent before the watch looks meets the same; later the
     * gate refuses it, until the broker has been started again.
     */
    @Test
    void anIndexPageThatFoundNoPlaceIsNoEnd() throws Exception {
        SmallDisk mounted = SmallDisk.mount(folder.resolve("disk"), DISK_MEGABYTES);
        Assumptions.assumeTrue(mounted != null, "no small disk can be mounted here");
        try (SmallDisk disk = Objects.requireNonNull(mounted);
                DiskWatch watch = DiskWatch.start(new DiskSpace(disk.folder(), 0))) {
            WatchedDisk own = new WatchedDisk(disk.folder().resolve("kafka"), watch);
            // It would notice the full disk by itself, and end, when it writes one of these files.
            Map<String, String> rarely = Map.of(
                    "replica.high.watermark.checkpoint.interval.ms", "600000",
                    "log.flush.offset.checkpoint.interval.ms", "600000",
                    "log.flush.start.offset.checkpoint.interval.ms", "600000");
            AtomicBoolean looked = new AtomicBoolean();
            EmbeddedKafka broker = EmbeddedKafka.start(own.folder(), 0, rarely, () -> "", new Late(own, looked));
            try (KeptPart<EmbeddedKafka> kept = KeptPart.of("Kafka", broker, own::unwritable);
                    KafkaTopics topics = new KafkaTopics(broker.ownBootstrap());
                    KafkaProducer<String, String> producer = new KafkaProducer<>(
                            Map.of(
                                    "bootstrap.servers",
                                    broker.ownBootstrap(),
                                    "acks",
                                    "all",
                                    // A batch goes when it is flushed, whole, however slow the machine is.
                                    "linger.ms",
                                    20_000,
                                    // A handler that dies of what it meets answers no request.
                                    "request.timeout.ms",
                                    10_000,
                                    "delivery.timeout.ms",
                                    40_000),
                            new StringSerializer(),
                            new StringSerializer())) {
                topics.ensure(TOPIC, PARTITIONS);
                Map<String, Place> confirmed = new HashMap<>();
                // Longer than what is between two entries of the index: the next record makes the first.
                for (int p = 0; p < PARTITIONS; p++) {
                    assertThat(sent(producer, p, 30, confirmed)).isTrue();
                }
                List<Path> fillers = new ArrayList<>();
                int failed = 0;
                for (int p = 0; p < PARTITIONS; p++) {
                    // Again for each: the broker may have given a block back meanwhile.
                    fillers.add(disk.folder().resolve("filler-" + p));
                    SmallDisk.fill(fillers.get(p));
                    // It looks by itself several times a second only: all of this may be over by then.
                    watch.look();
                    // Of one record, and of several: some offsets are given to more than one.
                    for (int records = 1; records <= 3; records++) {
                        failed += sent(producer, p, records, confirmed) ? 0 : 1;
                    }
                }
                looked.set(true);
                for (Path filler : fillers) {
                    Files.delete(filler);
                }
                for (int p = 0; p < PARTITIONS; p++) {
                    int partition = p;
                    Waiting.until("records are taken again", () -> sent(producer, partition, 2, confirmed));
                }
                Waiting.until("the broker is back", () -> kept.trouble().isEmpty());
                assertThat(read(broker.ownBootstrap())).containsAllEntriesOf(confirmed);
                // The JVM tells of a page that found no place some time after the write: Kafka may have answered by
                // then.
                Assumptions.assumeTrue(failed > 0, "no batch failed on the full disk");
            }
        }
    }

    /** Sends records as one batch; whether all were confirmed. */
    private boolean sent(
            KafkaProducer<String, String> producer, int partition, int records, Map<String, Place> confirmed)
            throws InterruptedException {
        Map<String, Future<RecordMetadata>> sent = new HashMap<>();
        for (int i = 0; i < records; i++) {
            String id = Long.toString(last.incrementAndGet());
            sent.put(id, producer.send(new ProducerRecord<>(TOPIC, partition, id, VALUE)));
        }
        producer.flush();
        return confirmed(sent, confirmed) == records;
    }

    /** Notes where those are that were confirmed; how many they are. */
    private static int confirmed(Map<String, Future<RecordMetadata>> sent, Map<String, Place> confirmed)
            throws InterruptedException {
        int count = 0;
        for (Map.Entry<String, Future<RecordMetadata>> one : sent.entrySet()) {
            try {
                RecordMetadata at = one.getValue().get();
                confirmed.put(one.getKey(), new Place(at.partition(), at.offset()));
                count++;
            } catch (ExecutionException e) {
                System.out.println("not confirmed: " + one.getKey() + ": " + e.getCause());
            }
        }
        return count;
    }

    /** Returns where each record is that was confirmed. Of others it is not known whether they are there. */
    private Map<String, Place> send(String bootstrap) throws InterruptedException {
        Map<String, Place> confirmed = new HashMap<>();
        long next = 0;
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "acks", "all"),
                new StringSerializer(),
                new StringSerializer())) {
            while (!enough.get()) {
                Map<String, Future<RecordMetadata>> sent = new HashMap<>();
                for (int i = 0; i < BATCH; i++) {
                    String id = Long.toString(next++);
                    sent.put(id, producer.send(new ProducerRecord<>(TOPIC, (int) (next % PARTITIONS), id, VALUE)));
                }
                last.addAndGet(confirmed(sent, confirmed));
            }
        }
        return confirmed;
    }

    /** Reads all from the first record on; no offset and no record may be there twice. */
    private static Map<String, Place> read(String bootstrap) {
        Map<String, Place> all = new HashMap<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(new TopicPartition(TOPIC, i));
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long[] before = new long[PARTITIONS];
            Arrays.fill(before, -1);
            Waiting.until("all is read", Duration.ofMinutes(5), () -> {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    assertThat(record.offset())
                            .as("after %s of partition %s", before[record.partition()], record.partition())
                            .isGreaterThan(before[record.partition()]);
                    before[record.partition()] = record.offset();
                    assertThat(record.value()).isEqualTo(VALUE);
                    assertThat(all.put(record.key(), new Place(record.partition(), record.offset())))
                            .as("record %s is there once", record.key())
                            .isNull();
                }
                return partitions.stream().allMatch(one -> consumer.position(one) >= ends.get(one));
            });
        }
        return all;
    }
}
