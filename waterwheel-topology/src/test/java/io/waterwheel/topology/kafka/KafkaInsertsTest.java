package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of the rows of an INSERT when a producer fails, by Kafka's own producer for tests. */
final class KafkaInsertsTest {
    private static final List<byte[]> RECORDS = List.of(new byte[] {1}, new byte[] {2}, new byte[] {3});

    private final List<Fake> made = new ArrayList<>();
    private final List<Consumer<Fake>> plans = new ArrayList<>();
    private final KafkaInserts inserts = new KafkaInserts(this::next);

    @AfterEach
    void close() throws InterruptedException {
        boolean unused = Thread.interrupted();
        inserts.close();
        assertThat(made).allMatch(Fake::closed);
    }

    /** Closes as Kafka's does: an interrupted thread cannot. */
    private static final class Fake extends MockProducer<byte[], byte[]> {
        Runnable onCommit = () -> {};

        Fake() {
            super(cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        private static Cluster cluster() {
            Node node = new Node(0, "localhost", 9);
            Node[] nodes = {node};
            return new Cluster(
                    "c",
                    List.of(node),
                    List.of(
                            new PartitionInfo("t", 0, node, nodes, nodes),
                            new PartitionInfo("t", 1, node, nodes, nodes)),
                    java.util.Set.of(),
                    java.util.Set.of());
        }

        @Override
        public void commitTransaction() {
            onCommit.run();
            super.commitTransaction();
        }

        @Override
        public void close(Duration timeout) {
            super.close(timeout);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptException(new InterruptedException());
            }
        }
    }

    private Fake next() {
        Fake producer = new Fake();
        if (made.size() < plans.size()) {
            plans.get(made.size()).accept(producer);
        }
        made.add(producer);
        return producer;
    }

    private Map<Integer, Long> append() throws InterruptedException {
        return append(() -> {});
    }

    private Map<Integer, Long> append(Runnable still) throws InterruptedException {
        return inserts.append("t", 2, RECORDS, deadline(), () -> false, still);
    }

    private static long deadline() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    }

    private static void fails(ThrowingCallable call, ErrorCode code) {
        assertThatThrownBy(call).isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(code))
                .as(e.toString())
                .isTrue());
    }

    private List<ProducerRecord<byte[], byte[]>> committed() {
        return made.stream().flatMap(one -> one.history().stream()).toList();
    }

    @Test
    void recordsGoToPartitionsInTurn() throws Exception {
        assertThat(append()).isEqualTo(Map.of(0, 2L, 1, 1L));
        assertThat(append()).isEqualTo(Map.of(0, 3L, 1, 3L));
        assertThat(made).hasSize(1);
        assertThat(committed()).hasSize(6);
    }

    /** After days without an INSERT; the producer wraps the reason in all that it throws from then on. */
    @Test
    void aProducerThatKafkaHasForgottenIsMadeAnew() throws Exception {
        for (RuntimeException forgotten : List.of(
                new InvalidPidMappingException("gone"),
                new KafkaException("in an error state", new InvalidPidMappingException("gone")))) {
            int before = committed().size();
            append();
            made.get(made.size() - 1).sendException = forgotten;
            append();
            assertThat(committed()).hasSize(before + 6);
        }
        assertThat(made).hasSize(3);
    }

    @Test
    void aFailureBeforeTheCommitStoresNothing() throws Exception {
        plans.add(producer ->
                producer.sendException = new KafkaException("in an error state", new TopicAuthorizationException("t")));
        plans.add(producer -> producer.initTransactionException = new KafkaException("away"));
        plans.add(producer -> producer.initTransactionException = new IllegalStateException("a defect"));
        fails(this::append, ErrorCode.NOT_ALLOWED);
        fails(this::append, ErrorCode.KAFKA_UNAVAILABLE);
        assertThatThrownBy(this::append).isInstanceOf(IllegalStateException.class);
        assertThat(committed()).isEmpty();
        assertThat(made).hasSize(3).allMatch(Fake::closed);
        append();
        assertThat(committed()).hasSize(3);
    }

    /** As a server does that closes. */
    @Test
    void theOutcomeOfAnInterruptedCommitIsNotKnown() throws Exception {
        plans.add(producer -> producer.onCommit = () -> {
            throw new InterruptException(new InterruptedException());
        });
        fails(this::append, ErrorCode.OUTCOME_UNKNOWN);
        assertThat(Thread.interrupted()).isTrue();
        // The turn was given back.
        append();
        assertThat(made).hasSize(2);
        assertThat(made.get(0).closed()).isTrue();
    }

    @Test
    void whatIsNotWantedIsNotCommitted() throws Exception {
        fails(() -> inserts.append("t", 2, RECORDS, deadline(), () -> true, () -> {}), ErrorCode.CANCELLED);
        fails(
                () -> inserts.append("t", 2, RECORDS, System.nanoTime() - 1, () -> false, () -> {}),
                ErrorCode.SERVER_BUSY);
        assertThat(made).isEmpty();
        for (int last = 1; last <= 2; last++) {
            int[] asked = {0};
            int refused = last;
            fails(
                    () -> append(() -> {
                        if (++asked[0] == refused) {
                            throw new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "gone");
                        }
                    }),
                    ErrorCode.NO_SUCH_STREAM);
        }
        assertThat(committed()).isEmpty();
        append();
        assertThat(committed()).hasSize(3);
    }

    @Test
    void oneThatIsClosedTakesNothing() throws Exception {
        append();
        inserts.close();
        fails(this::append, ErrorCode.SERVER_CLOSING);
        assertThat(made).hasSize(1);
    }
}
