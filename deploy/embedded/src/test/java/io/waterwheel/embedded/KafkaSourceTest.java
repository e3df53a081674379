package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.LogSource.PollEvent;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.topology.kafka.KafkaDeadLetters;
import io.waterwheel.topology.kafka.KafkaLogReader;
import io.waterwheel.topology.kafka.KafkaSource;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.kafka.LogGapException;
import io.waterwheel.topology.kafka.TopicNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The topology's Kafka package against a broker. Each test has a topic of its own. */
@Tag("embedded")
final class KafkaSourceTest {
    private static final Duration POLL = Duration.ofMillis(50);

    @TempDir
    static Path folder;

    private static EmbeddedKafka kafka;
    private static KafkaTopics topics;

    @BeforeAll
    static void startKafka() throws Exception {
        // Looks for files to delete at once, not after half a minute and every few.
        kafka = EmbeddedKafka.start(
                folder, 0, Map.of("log.retention.check.interval.ms", "200", "log.initial.task.delay.ms", "200"));
        topics = new KafkaTopics(kafka.bootstrap());
    }

    @AfterAll
    static void stopKafka() {
        topics.close();
        kafka.close();
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", kafka.bootstrap());
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void produce(KafkaProducer<byte[], byte[]> producer, String topic, int partition, String value)
            throws Exception {
        producer.send(new ProducerRecord<>(topic, partition, null, value.getBytes(UTF_8)))
                .get(5, TimeUnit.MINUTES);
    }

    /** Collects batches until each partition's reading has come so far; checks that nothing is missing or repeated. */
    private static Map<Integer, NavigableMap<Long, String>> readTo(
            KafkaSource source, int streamId, Map<Integer, Long> targets, Map<Integer, Long> positions)
            throws Exception {
        Map<Integer, NavigableMap<Long, String>> values = new HashMap<>();
        Waiting.until("reading to " + targets, () -> {
            for (PollEvent news : source.poll(POLL)) {
                RecordBatch batch = ((PollEvent.Read) news).batch();
                assertThat(batch.streamId()).isEqualTo(streamId);
                assertThat(batch.from())
                        .as("batches follow each other")
                        .isEqualTo(positions.getOrDefault(batch.partition(), 0L));
                positions.put(batch.partition(), batch.to());
                assertThat(source.position(streamId, batch.partition())).isGreaterThanOrEqualTo(batch.to());
                check(batch, values.computeIfAbsent(batch.partition(), p -> new TreeMap<>()));
            }
            return targets.entrySet().stream()
                    .allMatch(target -> positions.getOrDefault(target.getKey(), 0L) >= target.getValue());
        });
        return values;
    }

    /** One after the last record of each partition, committed or not. */
    private static long[] lastOffsets(String topic, int partitions) throws Exception {
        long[] ends = new long[partitions];
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            for (int p = 0; p < partitions; p++) {
                TopicPartition partition = new TopicPartition(topic, p);
                ends[p] = admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                        .partitionResult(partition)
                        .get(5, TimeUnit.MINUTES)
                        .offset();
            }
        }
        return ends;
    }

    private static void check(RecordBatch batch, NavigableMap<Long, String> values) {
        long last = batch.from() - 1;
        for (int i = 0; i < batch.count(); i++) {
            assertThat(batch.offsets()[i]).isGreaterThan(last).isLessThan(batch.to());
            last = batch.offsets()[i];
            assertThat(values.put(
                            last, UTF_8.decode(batch.values()[i].duplicate()).toString()))
                    .isNull();
        }
    }

    @Test
    void readsWhatWasCommittedAndCoversTheRest() throws Exception {
        long seed = Long.getLong("seed", 7L);
        Random random = new Random(seed);
        topics.ensure("committed", 2);
        Map<Integer, NavigableMap<Long, String>> expected = new HashMap<>();
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("transactional.id", "committed"))) {
            producer.initTransactions();
            for (int round = 0; round < 20; round++) {
                producer.beginTransaction();
                boolean commit = random.nextInt(3) > 0;
                for (int n = random.nextInt(20); n >= 0; n--) {
                    int partition = random.nextInt(2);
                    String value = "r" + round + "-" + n + "x".repeat(random.nextInt(200));
                    long offset = producer.send(
                                    new ProducerRecord<>("committed", partition, null, value.getBytes(UTF_8)))
                            .get(5, TimeUnit.MINUTES)
                            .offset();
                    if (commit) {
                        expected.computeIfAbsent(partition, p -> new TreeMap<>())
                                .put(offset, value);
                    }
                }
                if (commit) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
            // The last transaction's marks follow the answer.
            Waiting.until(
                    "nothing is open",
                    () -> Arrays.equals(
                            topics.states(List.of("committed")).get("committed").ends(), lastOffsets("committed", 2)));
            long[] ends = lastOffsets("committed", 2);
            try (KafkaSource source = new KafkaSource(kafka.bootstrap(), "test", 500)) {
                source.assign(5, "committed", 0, 0, 0);
                source.assign(5, "committed", 1, 0, 0);
                Map<Integer, Long> positions = new HashMap<>();
                assertThat(readTo(source, 5, Map.of(0, ends[0], 1, ends[1]), positions))
                        .as("seed %s", seed)
                        .isEqualTo(expected);
                assertThat(positions).isEqualTo(Map.of(0, ends[0], 1, ends[1]));

                producer.beginTransaction();
                producer.send(new ProducerRecord<>("committed", 0, null, "open".getBytes(UTF_8)))
                        .get(5, TimeUnit.MINUTES);
                assertThat(source.poll(Duration.ofMillis(300)))
                        .as("an open transaction is not told of")
                        .isEmpty();
                producer.commitTransaction();
                assertThat(readTo(source, 5, Map.of(0, ends[0] + 2), positions).get(0))
                        .containsOnly(Map.entry(ends[0], "open"));
            }
        }
    }

    @Test
    void partitionsComeGoPauseAndSeek() throws Exception {
        topics.ensure("moves", 3);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaSource source = new KafkaSource(kafka.bootstrap(), "test", 1 << 20)) {
            assertThat(source.poll(POLL)).isEmpty();
            for (int partition = 0; partition < 3; partition++) {
                for (int i = 0; i < 10; i++) {
                    produce(producer, "moves", partition, partition + ":" + i);
                }
            }
            source.assign(1, "moves", 0, 4, 0);
            Map<Integer, Long> positions = new HashMap<>(Map.of(0, 4L));
            assertThat(readTo(source, 1, Map.of(0, 10L), positions).get(0).firstEntry())
                    .isEqualTo(Map.entry(4L, "0:4"));
            source.assign(1, "moves", 1, 0, 0);
            source.pause(1, 0);
            produce(producer, "moves", 0, "paused");
            assertThat(readTo(source, 1, Map.of(1, 10L), positions)).containsOnlyKeys(1);
            source.resume(1, 0);
            assertThat(readTo(source, 1, Map.of(0, 11L), positions)).containsOnlyKeys(0);
            source.seek(1, 1, 8);
            positions.put(1, 8L);
            assertThat(readTo(source, 1, Map.of(1, 10L), positions).get(1)).hasSize(2);
            source.remove(1, 0);
            produce(producer, "moves", 0, "removed");
            produce(producer, "moves", 1, "still read");
            assertThat(readTo(source, 1, Map.of(1, 11L), positions)).containsOnlyKeys(1);
            assertThatThrownBy(() -> source.assign(2, "moves", 1, 0, 0))
                    .hasMessageContaining("topic moves, partition 1 for stream 2: already read for stream 1");
            assertThatThrownBy(() -> source.seek(1, 0, 0)).hasMessageContaining("is not read here");
        }
    }

    @Test
    void offsetThatIsNotInTheLogIsToldAndNotSkipped() throws Exception {
        KafkaTopics.Topic topic = topics.ensure("gaps", 2);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaSource source = new KafkaSource(kafka.bootstrap(), "test", 1 << 20);
                KafkaLogReader reader = new KafkaLogReader(kafka.bootstrap(), "reader", id -> "gaps");
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            for (int i = 0; i < 10; i++) {
                produce(producer, "gaps", 0, "a" + i);
                produce(producer, "gaps", 1, "b" + i);
            }
            admin.deleteRecords(Map.of(new TopicPartition("gaps", 0), RecordsToDelete.beforeOffset(6)))
                    .all()
                    .get(5, TimeUnit.MINUTES);
            assertThat(topics.startOffsets(topic)).containsExactly(6, 0);
            source.assign(1, "gaps", 0, 3, 0);
            source.assign(1, "gaps", 1, 0, 0);
            List<LogGapException> gaps = new ArrayList<>();
            List<Long> reached = new ArrayList<>();
            Waiting.until("a gap in partition 0 while partition 1 is read", () -> {
                for (PollEvent news : source.poll(POLL)) {
                    if (news instanceof PollEvent.Gap gap) {
                        gaps.add((LogGapException) gap.problem());
                    } else if (news instanceof PollEvent.Read read) {
                        assertThat(read.batch().partition()).isEqualTo(1);
                        reached.add(read.batch().to());
                    }
                }
                return !gaps.isEmpty() && reached.contains(10L);
            });
            assertThat(gaps).hasSize(1);
            assertThat(gaps.get(0)).hasMessageContaining("topic gaps, partition 0: offset 3 is not in the log");
            assertThat(source.position(1, 0)).isEqualTo(3);
            source.seek(1, 0, 6);
            assertThat(readTo(source, 1, Map.of(0, 10L), new HashMap<>(Map.of(0, 6L)))
                            .get(0))
                    .hasSize(4);

            assertThatThrownBy(() -> read(reader, 1, 0, 3, 1000))
                    .hasRootCauseInstanceOf(org.apache.kafka.clients.consumer.OffsetOutOfRangeException.class);
            assertThat(read(reader, 1, 0, 6, 1000).count()).isEqualTo(4);
        }
    }

    @Test
    void aDamagedPartitionKeepsNoOtherBack() throws Exception {
        topics.ensure("damaged", 2);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaSource source = new KafkaSource(kafka.bootstrap(), "test", 1 << 20);
                KafkaLogReader reader = new KafkaLogReader(kafka.bootstrap(), "reader", id -> "damaged")) {
            for (int i = 0; i < 10; i++) {
                produce(producer, "damaged", 0, "a" + i);
                produce(producer, "damaged", 1, "b" + i);
            }
            Damage.turnLastByte(folder.resolve("logs").resolve("damaged-0"));
            source.assign(1, "damaged", 0, 0, 0);
            source.assign(1, "damaged", 1, 0, 0);
            List<PollEvent.Unreadable> failed = new ArrayList<>();
            Map<Integer, Long> reached = new HashMap<>();
            Waiting.until("the damage is met, and the other partition read", () -> {
                for (PollEvent news : source.poll(POLL)) {
                    if (news instanceof PollEvent.Unreadable unreadable) {
                        failed.add(unreadable);
                    } else if (news instanceof PollEvent.Read read) {
                        reached.put(read.batch().partition(), read.batch().to());
                    }
                }
                return !failed.isEmpty() && reached.getOrDefault(1, 0L) == 10;
            });
            assertThat(failed).hasSize(1);
            assertThat(failed.get(0).partition()).isEqualTo(0);
            long sound = reached.getOrDefault(0, 0L);
            assertThat(failed.get(0).problem())
                    .hasMessageContaining("topic damaged, partition 0: cannot be read from offset " + sound);

            CompletableFuture<RecordBatch> damaged = new CompletableFuture<>();
            reader.read(1, 0, 9, 0, KafkaFields.NONE, 1000, (batch, failure) -> damaged.completeExceptionally(failure));
            assertThat(read(reader, 1, 1, 9, 1000).count()).isEqualTo(1);
            assertThatThrownBy(() -> damaged.get(5, TimeUnit.MINUTES)).hasMessageContaining("damaged-0");

            Damage.turnLastByte(folder.resolve("logs").resolve("damaged-0"));
            source.assign(1, "damaged", 0, sound, 0);
            readTo(source, 1, Map.of(0, 10L), new HashMap<>(Map.of(0, sound, 1, 10L)));
            assertThat(read(reader, 1, 0, 9, 1000).count()).isEqualTo(1);
        }
    }

    /** Streams of one topic take turns at a partition; who gives up its read ends nobody else's. */
    @Test
    void readsOfSeveralStreamsOfATopicAllEnd() throws Exception {
        long seed = Long.getLong("seed", 3L);
        Random random = new Random(seed);
        topics.ensure("turns", 2);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaLogReader reader = new KafkaLogReader(kafka.bootstrap(), "reader", id -> "turns")) {
            for (int i = 0; i < 20; i++) {
                produce(producer, "turns", i % 2, "v" + i / 2);
            }
            for (int round = 0; round < Rounds.of(15, 50); round++) {
                Map<List<Integer>, CompletableFuture<RecordBatch>> reads = new HashMap<>();
                Map<List<Integer>, Long> from = new HashMap<>();
                List<List<Integer>> cancelled = new ArrayList<>();
                for (int stream = 1; stream <= 3; stream++) {
                    for (int partition = 0; partition < 2; partition++) {
                        List<Integer> of = List.of(stream, partition);
                        CompletableFuture<RecordBatch> done = new CompletableFuture<>();
                        reads.put(of, done);
                        from.put(of, (long) random.nextInt(11));
                        reader.read(stream, partition, from.get(of), 0, KafkaFields.NONE, 1000, (batch, failure) -> {
                            if (failure != null) {
                                done.completeExceptionally(failure);
                            } else {
                                done.complete(batch);
                            }
                        });
                        if (random.nextInt(4) == 0) {
                            cancelled.add(of);
                            reader.cancel(stream, partition);
                        }
                    }
                }
                reads.forEach((of, done) -> {
                    if (!cancelled.contains(of)) {
                        RecordBatch batch = done.orTimeout(2, TimeUnit.MINUTES).join();
                        long at = from.getOrDefault(of, -1L);
                        assertThat(List.of(batch.streamId(), batch.partition())).isEqualTo(of);
                        assertThat(batch.from()).as("seed %s, %s", seed, of).isEqualTo(at);
                        assertThat(batch.to()).isEqualTo(10);
                        assertThat((long) batch.count()).isEqualTo(10 - at);
                    }
                });
            }
        }
    }

    private static RecordBatch read(KafkaLogReader reader, int streamId, int partition, long from, int maxBytes)
            throws Exception {
        return read(reader, streamId, partition, from, 0, KafkaFields.NONE, maxBytes);
    }

    private static RecordBatch read(
            KafkaLogReader reader, int streamId, int partition, long from, long base, KafkaFields wanted, int maxBytes)
            throws Exception {
        CompletableFuture<RecordBatch> done = new CompletableFuture<>();
        reader.read(streamId, partition, from, base, wanted, maxBytes, (batch, failure) -> {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else {
                done.complete(batch);
            }
        });
        return done.get(5, TimeUnit.MINUTES);
    }

    /** Read live or again, in batches of any size: what Kafka has of a record is with it. */
    @Test
    void whatKafkaHasOfARecordComesWithIt() throws Exception {
        long seed = Long.getLong("seed", 12L);
        Random random = new Random(seed);
        topics.ensure("facts", 1);
        KafkaFields wanted = new KafkaFields(true, true, List.of("a", "b"));
        // Not long ago: the broker's retention, which looks half a minute after its start, goes by them.
        long begun = System.currentTimeMillis();
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaSource source = new KafkaSource(kafka.bootstrap(), "test", 100);
                KafkaLogReader reader = new KafkaLogReader(kafka.bootstrap(), "reader", id -> "facts")) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                byte[] key = random.nextInt(4) == 0 ? null : ("k" + i).getBytes(UTF_8);
                List<Header> headers = new ArrayList<>();
                String last = null;
                for (int h = random.nextInt(3); h > 0; h--) {
                    last = "a" + random.nextInt(100);
                    headers.add(new RecordHeader("a", last.getBytes(UTF_8)));
                }
                headers.add(new RecordHeader("unwanted", new byte[10]));
                headers.add(new RecordHeader("b", null));
                producer.send(new ProducerRecord<>(
                                "facts", 0, begun + i, key, random.nextBoolean() ? null : new byte[20], headers))
                        .get(5, TimeUnit.MINUTES);
                expected.add(i + " " + (begun + i) + " " + (key == null ? null : "k" + i) + " " + last + " null");
            }
            source.assign(1, "facts", 0, 7_000, 7_000, wanted);
            List<String> live = new ArrayList<>();
            Waiting.until("all are read", () -> {
                for (LogSource.PollEvent event : source.poll(Duration.ofMillis(100))) {
                    live.addAll(facts(((LogSource.PollEvent.Read) event).batch()));
                }
                return live.size() == 100;
            });
            assertThat(live).as("seed %s", seed).isEqualTo(expected);
            List<String> again = new ArrayList<>();
            while (again.size() < 100) {
                again.addAll(facts(read(reader, 1, 0, 7_000 + again.size(), 7_000, wanted, 1 + random.nextInt(200))));
            }
            assertThat(again).as("seed %s", seed).isEqualTo(expected);
        }
    }

    private static List<String> facts(RecordBatch batch) {
        List<String> facts = new ArrayList<>();
        for (int i = 0; i < batch.count(); i++) {
            RecordFacts of = Objects.requireNonNull(batch.facts()).at(i);
            facts.add(of.offset() + " " + of.timestamp() + " " + text(of.key()) + " " + text(of.header("a")) + " "
                    + text(of.header("b")));
        }
        return facts;
    }

    private static @Nullable String text(@Nullable ByteBuffer bytes) {
        return bytes == null ? null : UTF_8.decode(bytes.duplicate()).toString();
    }

    @Test
    void logReaderReadsAnyPartAgain() throws Exception {
        long seed = Long.getLong("seed", 11L);
        Random random = new Random(seed);
        topics.ensure("again", 2);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                KafkaLogReader reader =
                        new KafkaLogReader(kafka.bootstrap(), "reader", id -> id == 3 ? "again" : null)) {
            for (int i = 0; i < 200; i++) {
                produce(producer, "again", i % 2, "v" + i);
            }
            for (int step = 0; step < 40; step++) {
                int partition = random.nextInt(2);
                long from = random.nextInt(101);
                int maxBytes = 1 + random.nextInt(100);
                RecordBatch batch = read(reader, 3, partition, from, maxBytes);
                NavigableMap<Long, String> values = new TreeMap<>();
                check(batch, values);
                int bytes = values.values().stream().mapToInt(String::length).sum();
                assertThat(batch.from()).isEqualTo(from);
                assertThat(batch.count()).as("seed %s step %s", seed, step).isEqualTo((int) (batch.to() - from));
                assertThat(from == 100 || batch.count() >= 1).isTrue();
                assertThat(bytes <= maxBytes || batch.count() == 1).isTrue();
                values.forEach((offset, value) -> assertThat(value).isEqualTo("v" + (2 * offset + partition)));
            }
            RecordBatch end = read(reader, 3, 0, 100, 1000);
            assertThat(end.to()).as("the log has nothing further").isEqualTo(100);
            produce(producer, "again", 0, "new");
            assertThat(read(reader, 3, 0, 100, 1000).count()).isEqualTo(1);
            assertThatThrownBy(() -> read(reader, 4, 0, 0, 10)).hasMessageContaining("stream 4 is not in the catalog");
        }
    }

    private static CompletableFuture<String> storing(KafkaDeadLetters letters, int streamId, RefusedRow... rows) {
        CompletableFuture<String> done = new CompletableFuture<>();
        letters.store(streamId, 4, List.of(rows), e -> done.complete(String.valueOf(e)));
        return done;
    }

    private static String store(KafkaDeadLetters letters, int streamId, RefusedRow... rows) throws Exception {
        return storing(letters, streamId, rows).get(5, TimeUnit.MINUTES);
    }

    private static RefusedRow row(long offset, int index, String reason, String raw) {
        return new RefusedRow(offset, index, RefusalKind.VALUE, reason, ByteBuffer.wrap(raw.getBytes(UTF_8)));
    }

    @Test
    void deadLettersKeepTheirPlaceAndReasonUnderAKeyOfTheirOwn() throws Exception {
        topics.ensure("letters", 1);
        byte[] large = new byte[KafkaDeadLetters.MAX_VALUE_BYTES + 5];
        RefusedRow first = row(77, 2, "no number: 'x'", "bad");
        try (KafkaDeadLetters letters = new KafkaDeadLetters(
                kafka.bootstrap(),
                "test",
                "test",
                id -> id == 1 || id == 5 ? "letters" : null,
                topics::ensureDeadLetters)) {
            assertThat(store(letters, 1, first, row(77, 3, "another", "bad"))).isEqualTo("null");
            assertThat(store(letters, 1, first)).as("again").isEqualTo("null");
            assertThat(store(letters, 5, first)).as("of another stream").isEqualTo("null");
            assertThat(store(letters, 1, new RefusedRow(80, -1, RefusalKind.VALUE, "large", ByteBuffer.wrap(large))))
                    .isEqualTo("null");
            assertThat(store(letters, 2, first)).contains("stream 2");
            assertThat(letters.warning(1)).as("one broker by design").isEmpty();
        }
        List<Map<String, String>> found = new ArrayList<>();
        try (var consumer = new org.apache.kafka.clients.consumer.KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrap(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(TopicNames.deadLettersOf("letters"), 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            Waiting.until("all letters", () -> {
                consumer.poll(POLL).forEach(record -> {
                    Map<String, String> texts = new TreeMap<>();
                    for (Header header : record.headers()) {
                        texts.put(header.key(), new String(header.value(), UTF_8));
                    }
                    texts.put("key", new String(record.key(), UTF_8));
                    texts.put("value length", "" + record.value().length);
                    found.add(texts);
                });
                return found.size() == 5;
            });
        }
        assertThat(found.get(0))
                .isEqualTo(Map.ofEntries(
                        Map.entry("key", "1/4/77/2/test"),
                        Map.entry("namespace", "test"),
                        Map.entry("stream", "1"),
                        Map.entry("partition", "4"),
                        Map.entry("offset", "77"),
                        Map.entry("index", "2"),
                        Map.entry("reason", "no number: 'x'"),
                        Map.entry("length", "3"),
                        Map.entry("value length", "3")));
        assertThat(found.get(1)).containsEntry("key", "1/4/77/3/test").containsEntry("value length", "0");
        assertThat(found.get(2)).as("takes the first one's place").isEqualTo(found.get(0));
        assertThat(found.get(3)).containsEntry("key", "5/4/77/2/test");
        assertThat(found.get(4))
                .containsEntry("length", "" + large.length)
                .containsEntry("value length", "" + KafkaDeadLetters.MAX_VALUE_BYTES);
    }

    private static Map<String, String> settings(String topic) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Map<String, String> values = new TreeMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            admin.describeConfigs(List.of(resource))
                    .all()
                    .get(5, TimeUnit.MINUTES)
                    .get(resource)
                    .entries()
                    .forEach(entry -> values.put(entry.name(), entry.value()));
        }
        return values;
    }

    @Test
    void deadLettersAreKeptForEverAlsoInATopicOfAnOlderRelease() throws Exception {
        assertThat(topics.ensureDeadLetters("kept")).isEmpty();
        assertThat(settings("kept.dead-letters"))
                .containsEntry("cleanup.policy", "compact")
                .containsEntry("retention.ms", "-1");
        topics.ensure("older", 1);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            admin.createTopics(List.of(new NewTopic("older.dead-letters", 8, (short) 1)
                            .configs(Map.of("cleanup.policy", "delete", "retention.ms", "604800000"))))
                    .all()
                    .get(5, TimeUnit.MINUTES);
        }
        Waiting.until("the topic shows", () -> topics.find("older.dead-letters").isPresent());
        try (KafkaDeadLetters letters =
                new KafkaDeadLetters(kafka.bootstrap(), "w", "test", id -> "older", topics::ensureDeadLetters)) {
            for (int i = 0; i < 8; i++) {
                assertThat(store(letters, 1, row(i, -1, "bad", "x"))).isEqualTo("null");
            }
        }
        Waiting.until("its retention has no end", () -> "-1"
                .equals(settings("older.dead-letters").get("retention.ms")));
        assertThat(settings("older.dead-letters")).containsEntry("cleanup.policy", "delete");
        assertThat(lastOffsets("older.dead-letters", 8)).containsExactly(8, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void aDeadLetterTopicThatDoesNotAnswerHoldsUpNoOther() throws Exception {
        topics.ensureDeadLetters("answers");
        // A topic that is not there is asked for as long as one without a leader.
        try (KafkaDeadLetters letters = new KafkaDeadLetters(
                kafka.bootstrap(), "s", "test", id -> id == 1 ? "silent" : "answers", topic -> "")) {
            List<CompletableFuture<String>> failures = new ArrayList<>();
            for (int offset = 0; offset < 16; offset++) {
                failures.add(storing(letters, 1, row(offset, -1, "bad", "x")));
            }
            CompletableFuture<String> other = storing(letters, 2, row(0, -1, "bad", "x"));
            assertThat(failures.get(0).get(5, TimeUnit.MINUTES)).isNotEqualTo("null");
            assertThat(other.get(5, TimeUnit.MINUTES)).isEqualTo("null");
            List<String> told = new ArrayList<>();
            for (CompletableFuture<String> failed : failures) {
                told.add(failed.get(5, TimeUnit.MINUTES));
            }
            assertThat(told).doesNotContain("null");
            // One is asked for; the others of that moment fail with it.
            assertThat(told).anyMatch(failure -> failure.contains("silent.dead-letters: failed a moment ago"));
        }
    }

    @Test
    void topicsOfOthersLettersAreNoStreams() {
        for (String name : List.of("orders.dead-letters", "orders.appends", "x".repeat(240))) {
            assertThatThrownBy(() -> topics.ensure(name, 1)).isInstanceOf(WaterwheelException.class);
        }
    }

    @Test
    void aTopicThatIsNotThereKeepsNoOtherBack() {
        KafkaTopics.Topic made = topics.ensure("seen", 2);
        Map<String, KafkaTopics.State> states = topics.states(List.of("seen", "unseen", "not a name!"));
        assertThat(states.get("seen").id()).isEqualTo(made.id());
        assertThat(states.get("seen").ends()).containsExactly(0, 0);
        assertThat(states.get("seen").epochs()).doesNotContain(-1);
        assertThat(states.get("seen").failure()).isEmpty();
        assertThat(states).doesNotContainKey("unseen");
        assertThat(states.get("not a name!").failure()).contains("not a name!");
    }

    @Test
    void topicsAreFoundMadeAndRefused() throws Exception {
        assertThat(topics.find("absent")).isEmpty();
        KafkaTopics.Topic made = topics.ensure("made", 3);
        assertThat(made.partitions()).isEqualTo(3);
        assertThat(made.made()).isTrue();
        assertThat(topics.ensure("made", 5)).isEqualTo(new KafkaTopics.Topic("made", made.id(), 3, false));
        assertThat(topics.states(List.of("made")).get("made").ends()).containsExactly(0, 0, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            admin.createTopics(List.of(
                            new NewTopic("compacted", 1, (short) 1).configs(Map.of("cleanup.policy", "compact"))))
                    .all()
                    .get(5, TimeUnit.MINUTES);
        }
        Waiting.until("the topic shows", () -> topics.find("compacted").isPresent());
        assertThatThrownBy(() -> topics.ensure("compacted", 1))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("topic compacted: expected cleanup.policy=delete, got compact");
    }

    @Test
    void deletedRecordsGiveTheirBytesBackAndThoseWhoWantAllAreLeftAlone() throws Exception {
        KafkaTopics.Topic made = topics.ensure("shrinks", 1, true);
        int records = 80;
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("enable.idempotence", true))) {
            byte[] value = new byte[900_000];
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < records; i++) {
                sent.add(producer.send(new ProducerRecord<>("shrinks", 0, null, value)));
            }
            for (Future<?> one : sent) {
                one.get(5, TimeUnit.MINUTES);
            }
            assertThat(bytes("shrinks-0")).isGreaterThan(70_000_000);
            topics.keepingAll(() -> {
                Thread other =
                        new Thread(() -> topics.unlessAllAreKept(() -> topics.deleteBefore("shrinks", Map.of(0, 80L))));
                other.start();
                other.join();
                return 0;
            });
            assertThat(topics.startOffsets(made)).containsExactly(0);
            topics.unlessAllAreKept(() -> topics.deleteBefore("shrinks", Map.of(0, 79L)));
            assertThat(topics.startOffsets(made)).containsExactly(79);
            Waiting.until("whole files are gone", () -> bytes("shrinks-0") <= 32 << 20);
            assertThatThrownBy(() -> topics.deleteBefore("shrinks", Map.of(0, 81L)))
                    .as("beyond the end")
                    .isInstanceOf(WaterwheelException.class);
            // Its place among the sequences of the producer is kept.
            producer.send(new ProducerRecord<>("shrinks", 0, null, value)).get(5, TimeUnit.MINUTES);
        }
        assertThat(topics.states(List.of("shrinks")).get("shrinks").ends()).containsExactly(records + 1);
    }

    /** Of the records of a partition, those that are about to be removed left out. */
    private static long bytes(String partition) {
        try (Stream<Path> files = Files.list(folder.resolve("logs").resolve(partition))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
