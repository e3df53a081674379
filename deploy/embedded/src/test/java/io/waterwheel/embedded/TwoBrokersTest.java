package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.embedded.server.PortRegistry;
import io.waterwheel.embedded.server.ServerFolder;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.topology.kafka.KafkaDeadLetters;
import io.waterwheel.topology.kafka.KafkaTopics;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What depends on whether there is more than one broker, with two of them. */
@Tag("embedded")
@Timeout(900)
final class TwoBrokersTest {
    @TempDir
    static Path folder;

    private static Properties read(Path file) throws Exception {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        return properties;
    }

    /** Another broker in the cluster of one that runs. */
    private static EmbeddedKafka beside(Path first) throws Exception {
        Path second = folder.resolve("second");
        ServerFolder.make(second);
        Files.createDirectories(second.resolve("logs"));
        Files.writeString(
                second.resolve("logs").resolve("meta.properties"),
                "version=1\nnode.id=2\ncluster.id="
                        + read(first.resolve("logs").resolve("meta.properties")).getProperty("cluster.id")
                        + "\ndirectory.id=" + Uuid.randomUuid() + "\n");
        PortRegistry ports = new PortRegistry(second);
        int port = ports.port("broker", 0);
        int ownPort = ports.port("own", 0);
        return EmbeddedKafka.start(
                second,
                port,
                Map.of(
                        "process.roles",
                        "broker",
                        "node.id",
                        "2",
                        "controller.quorum.voters",
                        read(first.resolve("server.properties")).getProperty("controller.quorum.voters"),
                        "listeners",
                        "CLIENTS://127.0.0.1:" + port + ",OWN://127.0.0.1:" + ownPort));
    }

    private static void store(KafkaDeadLetters letters, int streamId) throws Exception {
        CompletableFuture<String> done = new CompletableFuture<>();
        RefusedRow row = new RefusedRow(7, -1, RefusalKind.VALUE, "bad", ByteBuffer.wrap("x".getBytes(UTF_8)));
        letters.store(streamId, 0, List.of(row), e -> done.complete(String.valueOf(e)));
        assertThat(done.get(5, TimeUnit.MINUTES)).isEqualTo("null");
    }

    @Test
    void deadLettersWithOneReplicaAreWarnedOfAndThoseWithTwoAreNot() throws Exception {
        Path first = folder.resolve("first");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(first, 0);
                EmbeddedKafka other = beside(first);
                KafkaTopics topics = new KafkaTopics(kafka.bootstrap());
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            assertThat(other.port()).isNotEqualTo(kafka.port());
            Waiting.until("both brokers", () -> {
                try {
                    return admin.describeCluster()
                                    .nodes()
                                    .get(30, TimeUnit.SECONDS)
                                    .size()
                            == 2;
                } catch (TimeoutException e) {
                    return false;
                }
            });
            admin.createTopics(List.of(new NewTopic("two.dead-letters", 1, (short) 2)
                            .configs(Map.of("cleanup.policy", "compact", "retention.ms", "-1"))))
                    .all()
                    .get(5, TimeUnit.MINUTES);
            try (KafkaDeadLetters letters = new KafkaDeadLetters(
                    kafka.bootstrap(), "w", "test", id -> id == 1 ? "one" : "two", topics::ensureDeadLetters)) {
                store(letters, 1);
                store(letters, 2);
                // The brokers' default is one replica.
                assertThat(letters.warning(1)).startsWith("the topic one.dead-letters has 1 replica: ");
                assertThat(letters.warning(2)).as("two replicas").isEmpty();
            }
            // What the warning advises ends it.
            admin.alterPartitionReassignments(Map.of(
                            new TopicPartition("one.dead-letters", 0),
                            Optional.of(new NewPartitionReassignment(List.of(1, 2)))))
                    .all()
                    .get(5, TimeUnit.MINUTES);
            Waiting.until("two replicas", () -> topics.ensureDeadLetters("one").isEmpty());
        }
    }
}
