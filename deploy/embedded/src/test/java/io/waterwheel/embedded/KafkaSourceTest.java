package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.ingest.DeadLetters;
import io.waterwheel.ingest.LogSource.News;
import io.waterwheel.ingest.RecordBatch;
import io.waterwheel.ingest.RefusedRow;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.topology.kafka.KafkaDeadLetters;
import io.waterwheel.topology.kafka.KafkaLogReader;
import io.waterwheel.topology.kafka.KafkaSource;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.kafka.LogGapException;
import io.waterwheel.topology.kafka.TopicNames;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
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
        kafka = EmbeddedKafka.start(folder, 0);
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
                .get(30, TimeUnit.SECONDS);
    }

    /** Collects batches until each partition's reading has come so far; checks that nothing is missing or repeated. */
    private static Map<Integer, NavigableMap<Long, String>> readTo(
            KafkaSource source, int streamId, Map<Integer, Long> targets, Map<Integer, Long> positions)
            throws Exception {
        Map<Integer, NavigableMap<Long, String>> values = new HashMap<>();
        Waiting.until("reading to " + targets, () -> {
            for (News news : source.poll(POLL)) {
                RecordBatch batch = ((News.Read) news).batch();
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
                        .get(30, TimeUnit.SECONDS)
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
                            .get(30, TimeUnit.SECONDS)
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
                        .get(30, TimeUnit.SECONDS);
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
                    .get(30, TimeUnit.SECONDS);
            assertThat(topics.startOffsets(topic)).containsExactly(6, 0);
            source.assign(1, "gaps", 0, 3, 0);
            source.assign(1, "gaps", 1, 0, 0);
            List<LogGapException> gaps = new ArrayList<>();
            List<Long> reached = new ArrayList<>();
            Waiting.until("a gap in partition 0 while partition 1 is read", () -> {
                for (News news : source.poll(POLL)) {
                    if (news instanceof News.Gap gap) {
                        gaps.add((LogGapException) gap.problem());
                    } else if (news instanceof News.Read read) {
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
            List<News.Unreadable> failed = new ArrayList<>();
            Map<Integer, Long> reached = new HashMap<>();
            Waiting.until("the damage is met, and the other partition read", () -> {
                for (News news : source.poll(POLL)) {
                    if (news instanceof News.Unreadable unreadable) {
                        failed.add(unreadable);
                    } else if (news instanceof News.Read read) {
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
            reader.read(1, 0, 9, 0, 1000, (batch, failure) -> damaged.completeExceptionally(failure));
            assertThat(read(reader, 1, 1, 9, 1000).count()).isEqualTo(1);
            assertThatThrownBy(() -> damaged.get(30, TimeUnit.SECONDS)).hasMessageContaining("damaged-0");

            Damage.turnLastByte(folder.resolve("logs").resolve("damaged-0"));
            source.assign(1, "damaged", 0, sound, 0);
            readTo(source, 1, Map.of(0, 10L), new HashMap<>(Map.of(0, sound, 1, 10L)));
            assertThat(read(reader, 1, 0, 9, 1000).count()).isEqualTo(1);
        }
    }

    private static RecordBatch read(KafkaLogReader reader, int streamId, int partition, long from, int maxBytes)
            throws Exception {
        CompletableFuture<RecordBatch> done = new CompletableFuture<>();
        reader.read(streamId, partition, from, 0, maxBytes, (batch, failure) -> {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else {
                done.complete(batch);
            }
        });
        return done.get(60, TimeUnit.SECONDS);
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

    private static DeadLetters.Session open(KafkaDeadLetters letters, int streamId, int partition) throws Exception {
        return opening(letters, streamId, partition).get(60, TimeUnit.SECONDS);
    }

    private static CompletableFuture<DeadLetters.Session> opening(
            KafkaDeadLetters letters, int streamId, int partition) {
        CompletableFuture<DeadLetters.Session> opened = new CompletableFuture<>();
        letters.open(streamId, partition, (session, failure) -> {
            if (session != null) {
                opened.complete(session);
            } else {
                opened.completeExceptionally(failure);
            }
        });
        return opened;
    }

    private static String store(DeadLetters.Session session, long since, long until, RefusedRow letter)
            throws Exception {
        CompletableFuture<String> done = new CompletableFuture<>();
        session.store(since, until, List.of(letter), e -> done.complete(String.valueOf(e)));
        return done.get(60, TimeUnit.SECONDS);
    }

    @Test
    void deadLettersKeepTheirPlaceAndReason() throws Exception {
        topics.ensure("letters", 1);
        topics.ensureDeadLetters("letters");
        byte[] large = new byte[KafkaDeadLetters.MAX_VALUE_BYTES + 5];
        try (KafkaDeadLetters letters =
                new KafkaDeadLetters(kafka.bootstrap(), "test", "test", id -> id == 1 || id == 5 ? "letters" : null)) {
            // An earlier session stores, and is shut out by the next, which knows of it.
            DeadLetters.Session earlier = open(letters, 1, 4);
            assertThat(store(
                            earlier,
                            70,
                            78,
                            new RefusedRow(77, 2, "no number: 'x'", ByteBuffer.wrap("bad".getBytes(UTF_8)))))
                    .isEqualTo("null");
            DeadLetters.Session session = open(letters, 1, 4);
            assertThat(session.stored().contains(77)).isTrue();
            assertThat(session.stored().contains(78)).isFalse();
            assertThat(store(earlier, 78, 79, new RefusedRow(78, 0, "late", ByteBuffer.allocate(1))))
                    .isNotEqualTo("null");
            assertThat(store(session, 70, 90, new RefusedRow(80, 2, "large", ByteBuffer.wrap(large))))
                    .isEqualTo("null");
            assertThat(open(letters, 1, 3).stored().contains(77)).isFalse();
            assertThat(open(letters, 5, 4).stored().contains(77))
                    .as("a stream made anew on the same topic has none yet")
                    .isFalse();
            CompletableFuture<Exception> unknown = new CompletableFuture<>();
            letters.open(2, 0, (none, e) -> unknown.complete(e));
            assertThat(unknown.get(30, TimeUnit.SECONDS)).hasMessageContaining("stream 2");
        }
        try (var consumer = new org.apache.kafka.clients.consumer.KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrap(), "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(TopicNames.deadLettersOf("letters"), 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<Map<String, String>> headers = new ArrayList<>();
            Waiting.until("both letters", () -> {
                consumer.poll(POLL).forEach(record -> {
                    Map<String, String> texts = new TreeMap<>();
                    for (Header header : record.headers()) {
                        texts.put(header.key(), new String(header.value(), UTF_8));
                    }
                    texts.put("value length", "" + record.value().length);
                    headers.add(texts);
                });
                return headers.size() == 2;
            });
            assertThat(headers.get(0))
                    .isEqualTo(Map.ofEntries(
                            Map.entry("namespace", "test"),
                            Map.entry("stream", "1"),
                            Map.entry("partition", "4"),
                            Map.entry("offset", "77"),
                            Map.entry("index", "2"),
                            Map.entry("reason", "no number: 'x'"),
                            Map.entry("length", "3"),
                            Map.entry("since", "70"),
                            Map.entry("until", "78"),
                            Map.entry("value length", "3")));
            assertThat(headers.get(1))
                    .containsEntry("length", "" + large.length)
                    .containsEntry("value length", "" + KafkaDeadLetters.MAX_VALUE_BYTES);
        }
    }

    @Test
    void lettersInATopicOfManyPartitionsAreKnownAgain() throws Exception {
        topics.ensure("wide", 1);
        topics.ensure(TopicNames.deadLettersOf("wide"), 8);
        topics.ensureDeadLetters("wide");
        try (KafkaDeadLetters letters = new KafkaDeadLetters(kafka.bootstrap(), "w", "test", id -> "wide")) {
            for (int i = 0; i < 8; i++) {
                // A transaction each: a producer would keep to one partition for a while.
                DeadLetters.Session session = open(letters, 1, 0);
                assertThat(session.stored().contains(i - 1))
                        .as("letter %s", i - 1)
                        .isEqualTo(i > 0);
                assertThat(store(session, i, i + 1, new RefusedRow(i, -1, "bad", ByteBuffer.allocate(1))))
                        .isEqualTo("null");
                session.close();
            }
        }
        assertThat(lastOffsets(TopicNames.deadLettersOf("wide"), 8)).containsExactly(16, 0, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void aDeadLetterTopicThatDoesNotAnswerHoldsUpNoOther() throws Exception {
        topics.ensureDeadLetters("answers");
        // A topic that is not there is asked for as long as one without a leader.
        try (KafkaDeadLetters letters =
                new KafkaDeadLetters(kafka.bootstrap(), "s", "test", id -> id == 1 ? "silent" : "answers")) {
            List<CompletableFuture<Exception>> failures = new ArrayList<>();
            for (int partition = 0; partition < 16; partition++) {
                CompletableFuture<Exception> failed = new CompletableFuture<>();
                failures.add(failed);
                letters.open(1, partition, (none, e) -> failed.complete(e));
            }
            CompletableFuture<DeadLetters.Session> other = opening(letters, 2, 0);
            assertThat(failures.get(0).get(60, TimeUnit.SECONDS)).isNotNull();
            // Before all else: the topic is left alone for some seconds only.
            CompletableFuture<Exception> again = new CompletableFuture<>();
            letters.open(1, 0, (none, e) -> again.complete(e));
            // Opened within its time, which is less than that of two that do not answer at a client's default.
            assertThat(other.get(60, TimeUnit.SECONDS).stored().contains(0)).isFalse();
            for (CompletableFuture<Exception> failed : failures) {
                assertThat(failed.get(60, TimeUnit.SECONDS)).isNotNull();
            }
            assertThat(again.get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("silent.dead-letters: failed a moment ago");
        }
    }

    @Test
    void lettersBehindAnotherPartitionsOpenTransactionAreKnown() throws Exception {
        topics.ensure("hidden", 1);
        topics.ensureDeadLetters("hidden");
        try (KafkaProducer<byte[], byte[]> other = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrap(), "transactional.id", "other"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
                KafkaDeadLetters before = new KafkaDeadLetters(kafka.bootstrap(), "b", "test", id -> "hidden");
                KafkaDeadLetters after = new KafkaDeadLetters(kafka.bootstrap(), "a", "test", id -> "hidden")) {
            DeadLetters.Session writing = open(before, 1, 0);
            other.initTransactions();
            other.beginTransaction();
            other.send(new ProducerRecord<>(TopicNames.deadLettersOf("hidden"), new byte[1]))
                    .get(30, TimeUnit.SECONDS);
            assertThat(store(writing, 7, 8, new RefusedRow(7, -1, "bad", ByteBuffer.allocate(1))))
                    .isEqualTo("null");
            CompletableFuture<DeadLetters.Session> opened = new CompletableFuture<>();
            after.open(1, 0, (session, failure) -> {
                if (session != null) {
                    opened.complete(session);
                } else {
                    opened.completeExceptionally(failure);
                }
            });
            assertThatThrownBy(() -> opened.get(2, TimeUnit.SECONDS))
                    .as("it waits for what may be hidden")
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            other.abortTransaction();
            assertThat(opened.get(60, TimeUnit.SECONDS).stored().contains(7)).isTrue();
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
        assertThat(topics.ensure("made", 5)).isEqualTo(made);
        assertThat(topics.states(List.of("made")).get("made").ends()).containsExactly(0, 0, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            admin.createTopics(List.of(
                            new NewTopic("compacted", 1, (short) 1).configs(Map.of("cleanup.policy", "compact"))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
        Waiting.until("the topic shows", () -> topics.find("compacted").isPresent());
        assertThatThrownBy(() -> topics.ensure("compacted", 1))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("topic compacted: expected cleanup.policy=delete, got compact");
    }
}
