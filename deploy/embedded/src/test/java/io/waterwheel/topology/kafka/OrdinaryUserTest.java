package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.ingest.dispatch.RefusedRow;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that refuses what it is told to: what works with the rights of somebody who only reads and writes. */
@Tag("embedded")
@Timeout(900)
final class OrdinaryUserTest {
    @TempDir
    static Path folder;

    private static EmbeddedKafka kafka;
    private static KafkaTopics topics;
    private static Admin admin;

    @BeforeAll
    static void start() throws Exception {
        kafka = EmbeddedKafka.start(
                folder,
                0,
                Map.of(
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found",
                        "true"));
        topics = new KafkaTopics(kafka.bootstrap());
        admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()));
    }

    @AfterAll
    static void stop() {
        admin.close();
        topics.close();
        kafka.close();
    }

    /** A rule shuts out all others: so what is still allowed is said too. */
    private static void forbid(String topic, AclOperation... operations) throws Exception {
        ResourcePattern on = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        AclBinding all =
                new AclBinding(on, new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.ALLOW));
        List<AclBinding> rules = new java.util.ArrayList<>(List.of(all));
        Arrays.stream(operations)
                .map(one -> new AclBinding(on, new AccessControlEntry("User:*", "*", one, AclPermissionType.DENY)))
                .forEach(rules::add);
        admin.createAcls(rules).all().get(5, TimeUnit.MINUTES);
        // The controller has them; the broker learns of them a moment later.
        AclBindingFilter those = new AclBindingFilter(on.toFilter(), AccessControlEntryFilter.ANY);
        Waiting.until("the broker has the rules", () -> {
            try {
                return admin.describeAcls(those)
                        .values()
                        .get(30, TimeUnit.SECONDS)
                        .containsAll(rules);
            } catch (TimeoutException e) {
                return false;
            }
        });
    }

    private static AutoCloseable often(Runnable look) {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        var unused = thread.scheduleWithFixedDelay(look, 50, 50, TimeUnit.MILLISECONDS);
        return thread::shutdownNow;
    }

    private static void store(KafkaDeadLetters letters) throws Exception {
        CompletableFuture<Exception> done = new CompletableFuture<>();
        letters.store(
                1,
                0,
                List.of(new RefusedRow(7, -1, RefusalKind.VALUE, "no tuple", ByteBuffer.wrap("x".getBytes(UTF_8)))),
                failure -> done.complete(failure));
        assertThat(done.get(5, TimeUnit.MINUTES)).isNull();
    }

    @Test
    void aTransactionThatIsLeftOpenIsToldOf() throws Exception {
        topics.ensure("half", 2);
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrap(), "transactional.id", "half-sent");
        try (OpenTransactions open =
                        new OpenTransactions(topics, id -> "half", Duration.ZERO, OrdinaryUserTest::often);
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("half", 1, null, new byte[1])).get(5, TimeUnit.MINUTES);
            Waiting.until("a warning", () -> !open.warning(1, 1).isEmpty());
            assertThat(open.warning(1, 1))
                    .contains("of producer ", "open from offset 0", "its last record has the time 20")
                    .endsWith("abort --topic half --partition 1 --start-offset 0");
            assertThat(open.warning(1, 0)).isEmpty();
            producer.abortTransaction();
            Waiting.until("no warning any longer", () -> open.warning(1, 1).isEmpty());
        }
    }

    @Test
    void whereItMayNotBeLookedAtNothingIsToldAndOthersAreLookedAt() throws Exception {
        topics.ensure("secret", 1);
        topics.ensure("open", 1);
        forbid("secret", AclOperation.READ);
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrap(), "transactional.id", "both");
        try (OpenTransactions open = new OpenTransactions(
                        topics, id -> id == 1 ? "secret" : "open", Duration.ZERO, OrdinaryUserTest::often);
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("secret", 0, null, new byte[1])).get(5, TimeUnit.MINUTES);
            producer.send(new ProducerRecord<>("open", 0, null, new byte[1])).get(5, TimeUnit.MINUTES);
            Waiting.until("a warning of the other topic", () -> {
                assertThat(open.warning(1, 0)).isEmpty();
                return !open.warning(2, 0).isEmpty();
            });
            producer.abortTransaction();
        }
    }

    @Test
    void lettersAreStoredThoughTheirTopicMayNotBeConfigured() throws Exception {
        topics.ensureDeadLetters("few");
        String name = TopicNames.deadLettersOf("few");
        assertThat(topics.ensureDeadLetters("few"))
                .as("one broker can have one replica")
                .isEmpty();
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
        admin.incrementalAlterConfigs(Map.of(
                        resource,
                        List.of(
                                new AlterConfigOp(
                                        new ConfigEntry("cleanup.policy", "delete"), AlterConfigOp.OpType.SET),
                                new AlterConfigOp(
                                        new ConfigEntry("retention.ms", "1000000"), AlterConfigOp.OpType.SET))))
                .all()
                .get(5, TimeUnit.MINUTES);
        forbid(name, AclOperation.ALTER_CONFIGS);
        Waiting.until("the refusal", () -> topics.ensureDeadLetters("few").contains("it may delete letters"));
        forbid(name, AclOperation.DESCRIBE_CONFIGS);
        Waiting.until("the other refusal", () -> topics.ensureDeadLetters("few").contains("right DESCRIBE_CONFIGS"));
        try (KafkaDeadLetters letters =
                new KafkaDeadLetters(kafka.bootstrap(), "l", "n", id -> "few", topics::ensureDeadLetters)) {
            store(letters);
            assertThat(letters.warning(1)).contains("right DESCRIBE_CONFIGS");
        }
    }

    @Test
    void anIdleProducerOfLettersIsClosedAndMadeAgain() throws Exception {
        try (KafkaDeadLetters letters = new KafkaDeadLetters(
                kafka.bootstrap(),
                "idle",
                "n",
                id -> "idle",
                topics::ensureDeadLetters,
                TimeUnit.MILLISECONDS.toNanos(200))) {
            assertThat(letters.isOpen()).isFalse();
            store(letters);
            Waiting.until("it is closed", () -> !letters.isOpen());
            store(letters);
            Waiting.until("it is closed again", () -> !letters.isOpen());
        }
    }
}
