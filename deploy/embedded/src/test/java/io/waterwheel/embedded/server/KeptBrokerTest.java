package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.topology.kafka.KafkaTopics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.apache.kafka.server.util.ShutdownableThread;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker that lost threads: an interruption ends a request handler as an Error does that Kafka does not catch. */
@Tag("embedded")
@Timeout(900)
final class KeptBrokerTest {
    private static final String TOPIC = "own";

    @TempDir
    Path folder;

    private static List<Thread> handlers(Path folder) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("data-plane-kafka-request-handler-"))
                .filter(thread -> thread.getThreadGroup() != null
                        && thread.getThreadGroup().getName().endsWith(folder.toString()))
                .toList();
    }

    /** Where Kafka names a timer anew, or adds one, this tells (KafkaTimers). */
    private void requireRestingTimers() {
        ThreadGroup group = handlers(folder).get(0).getThreadGroup();
        Waiting.until(
                "none looks several times a second whether a wait is over", () -> KafkaTimersTest.living(group).stream()
                        .filter(ShutdownableThread.class::isInstance)
                        .noneMatch(thread ->
                                KafkaTimers.REAPERS.contains(thread.getClass().getName())));
        assertThat(KafkaTimersTest.living(group))
                .extracting(Thread::getName)
                .filteredOn(name -> name.contains("eaper") || name.contains("timers"))
                .filteredOn(name -> !name.contains("ThrottledChannelReaper"))
                .containsExactlyInAnyOrder(
                        "ExpirationReaper-1-Fetch",
                        "ExpirationReaper-1-ShareFetch",
                        "group-coordinator-reaper",
                        "kafka-patient-timers",
                        "network-partition-metadata-client-reaper",
                        "persister-state-manager-reaper",
                        "raft-expiration-reaper",
                        "share-coordinator-reaper",
                        "share-group-lock-timeout-reaper");
        assertThat(KafkaYammerMetrics.defaultRegistry().newScheduledThreadPool(2, KafkaMeters.POOL))
                .isInstanceOf(KafkaMeters.Together.class);
    }

    @Test
    void oneWhoseRequestHandlersDiedIsStartedAgainAndWhatWasConfirmedIsThere() throws Exception {
        AtomicBoolean writable = new AtomicBoolean(true);
        EmbeddedKafka broker = EmbeddedKafka.start(folder, 0);
        try (KeptPart<EmbeddedKafka> kept = KeptPart.of("Kafka", broker, () -> writable.get() ? "" : "not now");
                KafkaTopics topics = new KafkaTopics(broker.ownBootstrap());
                KafkaProducer<String, String> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", broker.ownBootstrap(), "acks", "all"),
                        new StringSerializer(),
                        new StringSerializer())) {
            topics.ensure(TOPIC, 1);
            assertThat(producer.send(new ProducerRecord<>(TOPIC, "a", "1"))
                            .get()
                            .offset())
                    .isZero();
            assertThat(kept.trouble()).isEmpty();
            requireRestingTimers();
            writable.set(false);
            List<Thread> handlers = handlers(folder);
            assertThat(handlers)
                    .as("of the broker and of its controller")
                    .hasSize(4)
                    .allMatch(Thread::isAlive);
            handlers.forEach(Thread::interrupt);
            Waiting.until("it has ended", () -> kept.trouble().contains("not now"));
            assertThat(folder.resolve("disk-was-never-full")).doesNotExist();
            writable.set(true);
            Waiting.until("it is back", () -> kept.trouble().isEmpty());
            assertThat(folder.resolve("disk-was-never-full")).exists();
            assertThat(producer.send(new ProducerRecord<>(TOPIC, "b", "2"))
                            .get()
                            .offset())
                    .isOne();
            // The others live: the server is told to stop before anybody has noticed.
            handlers(folder).get(0).interrupt();
        }
        assertThat(handlers(folder)).isEmpty();
    }
}
