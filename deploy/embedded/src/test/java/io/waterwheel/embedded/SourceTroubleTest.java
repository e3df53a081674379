package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.SourceOffsets;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.embedded.server.WaterwheelServer;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a topic can do to a stream, on one whole server: each outcome as documented, none of them silent. */
@Tag("embedded")
@Timeout(900)
final class SourceTroubleTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("t", FieldType.TIMESTAMP, false), new Field("k", FieldType.LONG, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    static Path folder;

    private static EmbeddedKafka kafka;
    private static RunningServer server;
    private static WaterwheelClient client;
    private static Admin admin;
    private static KafkaProducer<byte[], byte[]> producer;

    @BeforeAll
    static void start() throws Exception {
        // Apart from the server, so that it can be stopped alone.
        kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0);
        WaterwheelConfig config = WaterwheelConfig.parse(
                "test", "", List.of("source.check-interval=200 ms", "kafka.bootstrap=" + kafka.bootstrap()));
        server = QuickServer.start(
                folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of(WaterwheelServer.External.KAFKA));
        client = WaterwheelClient.connect(server.url());
        admin = Admin.create(Map.of("bootstrap.servers", server.kafka()));
        producer = newProducer();
    }

    private static KafkaProducer<byte[], byte[]> newProducer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka(), "metadata.max.age.ms", 300),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    @AfterAll
    static void stop() {
        producer.close(Duration.ZERO);
        admin.close(Duration.ZERO);
        client.close();
        server.close();
        kafka.close();
    }

    private static void create(String name, int partitions, BadRecords badRecords, LogLoss logLoss) {
        client.createStream(new StreamDefinition(
                name,
                name,
                RecordFormat.CSV,
                partitions,
                SCHEMA,
                StreamPolicy.DEFAULT.withBadRecords(badRecords).withLogLoss(logLoss)));
    }

    /** Sends lines; returns the offset after the last. */
    private static long send(String topic, int partition, String... lines) throws Exception {
        long end = 0;
        for (String line : lines) {
            end = producer.send(new ProducerRecord<>(topic, partition, null, line.getBytes(UTF_8)))
                            .get(5, TimeUnit.MINUTES)
                            .offset()
                    + 1;
        }
        return end;
    }

    private static Verdict count(Query query) {
        try (Cursor cursor = client.query(query.withCount())) {
            while (cursor.next()) {
                // To the end: the verdict comes last.
            }
            return cursor.verdict();
        }
    }

    /** The number of tuples once these positions are reached. */
    private static long tuples(String stream, Map<Integer, Long> seen) {
        return count(Query.of(stream)
                        .withSeen(new SessionPositions(SessionPositions.ANY, seen))
                        .withTimeout(Duration.ofMinutes(5)))
                .tuples();
    }

    private static String run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--server", server.url()));
        PrintStream print = new PrintStream(out, true, UTF_8);
        int code =
                Main.run(all.toArray(String[]::new), new Terminal(InputStream.nullInputStream(), print, print, false));
        return code + " " + out.toString(UTF_8);
    }

    private static void waitForTrouble(String stream, String what) throws Exception {
        Waiting.until(stream + " stands still: " + what, () -> client.offsets(stream).stream()
                .anyMatch(part -> part.trouble().contains(what)));
    }

    /** The classes of what a start rehearses are in its archive only while the statements are answered. */
    @Test
    void theRehearsedStatementsAreAnswered() {
        try {
            assertThat(ServerRehearsal.ask(server.url())).isEmpty();
        } finally {
            assertThat(run("sql", "DROP STREAM IF EXISTS rehearsal")).startsWith("0 ");
        }
    }

    @Test
    void aHaltStopsBeforeTheRecordAndGoesOnByPolicyOrByHand() throws Exception {
        create("halts", 1, BadRecords.HALT, LogLoss.FAIL);
        send("halts", 0, "1,1");
        assertThat(tuples("halts", Map.of(0, 1L))).isEqualTo(1);
        send("halts", 0, "bad", "2,2", "worse", "3,3");
        waitForTrouble("halts", "halted before offset 1");
        assertThat(tuples("halts", Map.of(0, 1L))).isEqualTo(1);
        assertThat(run("status")).contains("halts, partition 0 stands still: halted before offset 1");
        // An answer that waits for what comes after it says so, and what to do.
        String still = "partition 0 stands still: halted before offset 1";
        Query after = Query.of("halts")
                .withSeen(new SessionPositions(SessionPositions.ANY, Map.of(0, 5L)))
                .withTimeout(Duration.ofSeconds(1));
        assertThatThrownBy(() -> count(after))
                .hasMessageContaining("at offset 1 of partition 0, 5 was demanded")
                .hasMessageContaining(still)
                .hasMessageContaining("`waterwheel stream set halts dead-letters=skip`")
                .hasMessageNotContaining("allow more time");
        assertThat(count(after.withPartialAllowed()).missing().toString()).contains(still);
        assertThat(run("dead-letters", "halts")).isEqualTo("0 there are no dead letters of halts\n");

        assertThat(run("offsets", "set", "halts", "0=1")).startsWith("1 ").contains("counted twice");
        assertThat(run("offsets", "set", "halts", "0=99")).startsWith("1 ").contains("the log ends at 5");
        assertThat(run("offsets", "set", "halts", "0=2")).startsWith("0 ").contains("lost: 1 to 1 (set by hand)");
        waitForTrouble("halts", "halted before offset 3");
        assertThat(tuples("halts", Map.of(0, 3L))).isEqualTo(2);

        assertThat(run("stream", "set", "halts", "dead-letters=skip"))
                .isEqualTo("0 stream halts: dead-letters=skip, log-loss=fail\n");
        assertThat(tuples("halts", Map.of(0, 5L))).isEqualTo(3);
        // What is stored again is shown once.
        letterAgain("halts.dead-letters");
        assertThat(run("dead-letters", "halts")).startsWith("0 0\t3\t-1\t").contains("\tworse\n");
        String letters = "SELECT partition_number, record_offset, row_index, record_bytes, record_text"
                + " FROM waterwheel.dead_letter_texts WHERE stream_name = 'halts' AND reason <> ''";
        assertThat(run("sql", letters, "--format", "csv")).endsWith("record_text\n0,3,-1,5,worse\n");
        assertThat(run("stream", "set", "halts", "dead-letters=perhaps")).startsWith("2 ");
        assertThat(run("stream", "describe", "halts")).contains("dead-letters: skip\n");

        // What was given up is named; below a demand it makes the answer incomplete.
        Verdict verdict = count(Query.of("halts").withSeen(new SessionPositions(SessionPositions.ANY, Map.of(0, 5L))));
        assertThat(verdict.complete()).isTrue();
        assertThat(verdict.lost().toString()).contains("offsets 1 to 1 (set by hand)");
        assertThatThrownBy(() -> count(Query.of("halts").withAtLeast(Map.of(0, 5L))))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("lost below what was demanded");
        assertThat(count(Query.of("halts").withAtLeast(Map.of(0, 1L))).complete())
                .isTrue();
        assertThat(run("verify", "halts"))
                .as("its one flush has rows from before and behind what was given up")
                .startsWith("1 ")
                .contains("given up", "NOTHING_TO_COMPARE");
    }

    @Test
    void retentionThatWasQuickerStopsOrIsRecorded() throws Exception {
        create("gone", 1, BadRecords.HALT, LogLoss.FAIL);
        send("gone", 0, "1,1");
        assertThat(tuples("gone", Map.of(0, 1L))).isEqualTo(1);
        // More than is held in memory of a partition that stands still.
        String large = "x".repeat(900_000);
        for (int i = 0; i < 60; i++) {
            send("gone", 0, large);
        }
        long end = send("gone", 0, "2,2");
        waitForTrouble("gone", "halted before offset 1");
        admin.deleteRecords(Map.of(new TopicPartition("gone", 0), RecordsToDelete.beforeOffset(end - 1)))
                .all()
                .get(5, TimeUnit.MINUTES);
        client.alter("gone", BadRecords.SKIP, null, null);
        waitForTrouble("gone", "the log begins at " + (end - 1));
        assertThat(count(Query.of("gone")).tuples()).isEqualTo(1);
        client.alter("gone", null, LogLoss.SKIP, null);
        assertThat(tuples("gone", Map.of(0, end))).isEqualTo(2);
        assertThat(count(Query.of("gone").withSeen(new SessionPositions(SessionPositions.ANY, Map.of(0, end))))
                        .lost()
                        .toString())
                .contains("to " + (end - 2) + " (gone from the log)");
        // Without a demand an answer may stop at positions below; soon it does not.
        Waiting.until("the command line says so too", () -> {
            String said = run("query", "gone", "--count");
            return said.contains("the stream has lost") && said.contains("gone from the log");
        });
    }

    /** Records that are no rows are still there, of the rows none: that compares nothing. */
    @Test
    void ofRowsThatTheTopicHasNoLongerNothingIsSaidToBeRight() throws Exception {
        create("passed", 1, BadRecords.SKIP, LogLoss.FAIL);
        long end = send("passed", 0, "1,1", "2,2");
        assertThat(tuples("passed", Map.of(0, end))).isEqualTo(2);
        assertThat(run("verify", "passed")).startsWith("0 ").endsWith("the answers are right\n");
        long after = send("passed", 0, "no row", "none either");
        assertThat(tuples("passed", Map.of(0, after))).isEqualTo(2);
        assertThat(run("verify", "passed")).startsWith("0 ").endsWith("the answers are right\n");
        admin.deleteRecords(Map.of(new TopicPartition("passed", 0), RecordsToDelete.beforeOffset(end)))
                .all()
                .get(5, TimeUnit.MINUTES);
        assertThat(run("verify", "passed")).startsWith("1 ").contains("2 tuples", "NOTHING_TO_COMPARE");
    }

    @Test
    void aTopicMadeAnewStopsOrGoesOnAtNewPositions() throws Exception {
        create("away", 1, BadRecords.SKIP, LogLoss.FAIL);
        long end = send("away", 0, "1,1", "2,2");
        assertThat(tuples("away", Map.of(0, end))).isEqualTo(2);
        admin.deleteTopics(List.of("away")).all().get(5, TimeUnit.MINUTES);
        waitForTrouble("away", "the topic is not there");
        makeAgain("away");
        waitForTrouble("away", "made anew");
        send("away", 0, "5,5", "6,6", "7,7");
        assertThat(tuples("away", Map.of(0, end))).isEqualTo(2);
        assertThat(run("stream", "set", "away", "log-loss=skip to earliest")).startsWith("0 ");
        Waiting.until("the new log is read", () -> count(Query.of("away")).tuples() == 5);
        SourceOffsets part = client.offsets("away").get(0);
        assertThat(part.base()).isEqualTo(1_000_000_000_000L);
        Map<Integer, Long> read = Map.of(0, 1_000_000_000_003L);
        assertThat(count(Query.of("away").withSeen(new SessionPositions(SessionPositions.ANY, read)))
                        .lost()
                        .toString())
                .contains("from the log");
        // Positions go on, also for whoever appends.
        try (Appender appender = client.appender("away")) {
            appender.append(9, 9);
            Map<Integer, Long> positions = appender.flush();
            assertThat(positions).containsEntry(0, 1_000_000_000_004L);
            assertThat(tuples("away", positions)).isEqualTo(6);
            assertThat(run("verify", "away"))
                    .as("one flush has what is of the log that is gone")
                    .startsWith("1 ")
                    .contains("NOTHING_TO_COMPARE");
            appender.append(10, 10);
            assertThat(tuples("away", appender.flush())).isEqualTo(7);
            assertThat(run("verify", "away"))
                    .startsWith("0 ")
                    .contains("of 7 tuples in chunks 1 are compared")
                    .endsWith("what was compared is right\n");
        }
    }

    private static void makeAgain(String topic) throws Exception {
        Waiting.until("the topic is made again", () -> {
            try {
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                        .all()
                        .get(5, TimeUnit.MINUTES);
                return true;
            } catch (java.util.concurrent.ExecutionException e) {
                return false;
            }
        });
    }

    @Test
    void aLogThatLostItsEndStopsOrGoesOnAtNewPositions() throws Exception {
        create("cut", 1, BadRecords.SKIP, LogLoss.FAIL);
        long end = send("cut", 0, "1,1", "2,2", "3,3", "4,4");
        assertThat(tuples("cut", Map.of(0, end))).isEqualTo(4);
        client.flush("cut");
        // As when the power fails before the last records are on the disk.
        Path file = folder.resolve("kafka").resolve("logs").resolve("cut-0").resolve("00000000000000000000.log");
        kafka.close();
        try (FileChannel log = FileChannel.open(file, StandardOpenOption.WRITE)) {
            // A batch for each record, all of one size.
            log.truncate(log.size() / 4 * 2);
        }
        kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0);
        waitForTrouble("cut", "the log was truncated");
        // The broker has forgotten what it acknowledged to the old one.
        producer.close(Duration.ZERO);
        producer = newProducer();
        // What was read before is answered; what comes now, at offsets that were other records', is not.
        assertThat(send("cut", 0, "5,5", "6,6", "7,7")).isEqualTo(5);
        waitForTrouble("cut", "the log was truncated");
        assertThat(tuples("cut", Map.of(0, end))).isEqualTo(4);
        client.alter("cut", null, LogLoss.SKIP, null);
        Waiting.until(
                "the log is read from where it was cut",
                () -> count(Query.of("cut")).tuples() == 7);
        assertThat(client.offsets("cut").get(0).base()).isEqualTo(1_000_000_000_000L);
    }

    @Test
    void aDamagedTopicIsToldOfAndKeepsNoOtherBack() throws Exception {
        makeAgain("damaged");
        send("damaged", 0, "1,1", "2,2", "3,3");
        Path log = folder.resolve("kafka").resolve("logs").resolve("damaged-0");
        Damage.turnLastByte(log);
        create("beside", 1, BadRecords.SKIP, LogLoss.FAIL);
        create("damaged", 1, BadRecords.SKIP, LogLoss.SKIP);
        waitForTrouble("damaged", "the partition cannot be read");
        for (int i = 0; i < 10; i++) {
            long end = send("beside", 0, i + "," + i);
            assertThat(tuples("beside", Map.of(0, end))).isEqualTo(end);
        }
        waitForTrouble("damaged", "the partition cannot be read");
        assertThat(client.offsets("damaged").get(0).lost()).isEmpty();
        Damage.turnLastByte(log);
        assertThat(tuples("damaged", Map.of(0, 3L))).isEqualTo(3);
        Waiting.until(
                "it goes on", () -> client.offsets("damaged").get(0).trouble().isEmpty());
    }

    @Test
    void whoHasSeenAStreamThatSomebodyElseMakesAnewSeesTheNewOne() throws Exception {
        create("again", 3, BadRecords.SKIP, LogLoss.FAIL);
        for (int partition = 0; partition < 3; partition++) {
            send("again", partition, "1,1", "2,2");
        }
        Waiting.until("all is there", () -> client.query("again").count() == 6);
        try (WaterwheelClient other = WaterwheelClient.connect(server.url())) {
            other.drop("again");
            other.createStream(
                    new StreamDefinition("again", "again.new", RecordFormat.CSV, 1, SCHEMA, StreamPolicy.DEFAULT));
        }
        send("again.new", 0, "1,1");
        Waiting.until(
                "the new one is there",
                () -> client.query("again").timeout(Duration.ofSeconds(30)).count() == 1);
    }

    @Test
    void aTopicThatBecomesCompactedStopsUntilItIsNot() throws Exception {
        create("cleaned", 1, BadRecords.SKIP, LogLoss.SKIP);
        send("cleaned", 0, "1,1");
        assertThat(tuples("cleaned", Map.of(0, 1L))).isEqualTo(1);
        setPolicy("cleaned", "compact,delete");
        waitForTrouble("cleaned", "the topic is compacted");
        setPolicy("cleaned", "delete");
        long end = send("cleaned", 0, "2,2");
        assertThat(tuples("cleaned", Map.of(0, end))).isEqualTo(2);
        assertThat(client.offsets("cleaned").get(0).lost()).isEmpty();
    }

    @Test
    void newPartitionsAreTakenUp() throws Exception {
        create("grows", 1, BadRecords.SKIP, LogLoss.FAIL);
        long end = send("grows", 0, "1,1", "2,2");
        assertThat(tuples("grows", Map.of(0, end))).isEqualTo(2);
        admin.createPartitions(Map.of("grows", NewPartitions.increaseTo(3)))
                .all()
                .get(5, TimeUnit.MINUTES);
        Waiting.until(
                "partition 2 can be written",
                () -> producer.partitionsFor("grows").size() == 3);
        send("grows", 2, "3,3", "bad", "4,4");
        Waiting.until("the server knows", () -> client.offsets("grows").size() == 3);
        assertThat(tuples("grows", Map.of(0, 2L, 2, 3L))).isEqualTo(4);
        assertThat(client.flush("grows")).containsEntry(2, 3L);
        assertThat(run("verify", "grows")).startsWith("0 ").contains("topic: 4 tuples");
        assertThat(tuples("grows", Map.of(2, 3L))).isEqualTo(4);
    }

    @Test
    void aTopicThatWouldForgetNamedAppendsIsRefused() throws Exception {
        create("noted", 1, BadRecords.SKIP, LogLoss.FAIL);
        for (String policy : List.of("delete", "compact,delete")) {
            setPolicy("noted.appends", policy);
            assertThatThrownBy(() -> NamedAppender.open(client.describe("noted"), AppenderSettings.DEFAULT, "n"))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("topic noted.appends")
                    .hasMessageContaining("expected cleanup.policy=compact, got " + policy);
        }
        setPolicy("noted.appends", "compact");
        NamedAppender.open(client.describe("noted"), AppenderSettings.DEFAULT, "n")
                .close();
    }

    /** Makes the topic when there is none. */
    private static void setPolicy(String topic, String policy) throws Exception {
        if (!admin.listTopics().names().get(5, TimeUnit.MINUTES).contains(topic)) {
            makeAgain(topic);
        }
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry("cleanup.policy", policy), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all().get(5, TimeUnit.MINUTES);
        Waiting.until(topic + " has cleanup.policy=" + policy, () -> {
            try {
                return admin.describeConfigs(List.of(resource))
                        .all()
                        .get(30, TimeUnit.SECONDS)
                        .get(resource)
                        .get("cleanup.policy")
                        .value()
                        .equals(policy);
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    // The broker learns of a topic later than the controller that made it.
                    return false;
                }
                throw e;
            }
        });
    }

    /** Stores the first letter of a topic once more, as a dispatcher does that does not know how its sending ended. */
    private static void letterAgain(String topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                        Map.of("bootstrap.servers", server.kafka()),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", server.kafka()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<ConsumerRecord<byte[], byte[]>> letters = new ArrayList<>();
            Waiting.until("a letter", () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(letters::add);
                return !letters.isEmpty();
            });
            ConsumerRecord<byte[], byte[]> first = letters.get(0);
            producer.send(new ProducerRecord<>(topic, 0, first.key(), first.value(), first.headers()))
                    .get(5, TimeUnit.MINUTES);
        }
    }

    @Test
    void whatIsAbortedIsNeverSeen() throws Exception {
        create("transactions", 1, BadRecords.HALT, LogLoss.FAIL);
        try (KafkaProducer<byte[], byte[]> transactional = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka(), "transactional.id", "t"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            transactional.initTransactions();
            long end = 0;
            for (int i = 0; i < 4; i++) {
                transactional.beginTransaction();
                // What is aborted is not even decoded: it cannot halt.
                String line = i % 2 == 0 ? i + "," + i : "aborted";
                end = transactional
                        .send(new ProducerRecord<>("transactions", 0, null, line.getBytes(UTF_8)))
                        .get(5, TimeUnit.MINUTES)
                        .offset();
                if (i % 2 == 0) {
                    transactional.commitTransaction();
                } else {
                    transactional.abortTransaction();
                }
            }
            assertThat(tuples("transactions", Map.of(0, end + 2))).isEqualTo(2);
        }
        List<DeadLetter> letters = new ArrayList<>();
        client.deadLetters("transactions", 10, letters::add);
        assertThat(letters).isEmpty();
    }
}
