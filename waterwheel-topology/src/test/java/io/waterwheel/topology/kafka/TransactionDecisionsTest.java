package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.kafka.common.requests.TransactionResult;
import org.junit.jupiter.api.Test;

/** Entries as Kafka's coordinator writes them: version, producer, its epoch, timeout, state. */
final class TransactionDecisionsTest {
    private static final int EMPTY = 0;
    private static final int ONGOING = 1;
    private static final int PREPARE_COMMIT = 2;
    private static final int PREPARE_ABORT = 3;
    private static final int COMPLETE_COMMIT = 4;
    private static final int COMPLETE_ABORT = 5;
    private static final long PRODUCER = 4000;

    private final TransactionDecisions decisions = new TransactionDecisions();

    private void add(int epoch, int state) {
        decisions.add(ByteBuffer.allocate(17)
                .putShort((short) 1)
                .putLong(PRODUCER)
                .putShort((short) epoch)
                .putInt(60_000)
                .put((byte) state)
                .array());
    }

    @Test
    void eachTransactionHasTheEndThatTheLogGivesIt() {
        add(0, EMPTY);
        add(0, ONGOING);
        add(1, PREPARE_ABORT);
        add(1, COMPLETE_ABORT);
        add(1, ONGOING);
        add(2, PREPARE_COMMIT);
        add(2, COMPLETE_COMMIT);
        add(2, ONGOING);
        assertThat(decisions.of(PRODUCER, 0)).isEqualTo(TransactionResult.ABORT);
        assertThat(decisions.of(PRODUCER, 1)).isEqualTo(TransactionResult.COMMIT);
        assertThat(decisions.of(PRODUCER, 2)).as("under way").isNull();
        assertThat(decisions.of(PRODUCER + 1, 0)).isNull();
    }

    /** The produce was refused before a partition was added, and the client aborts. */
    @Test
    void anAbortThatHasNoPartitionDoesNotUndoTheCommitBefore() {
        add(0, ONGOING);
        add(1, PREPARE_COMMIT);
        add(1, COMPLETE_COMMIT);
        add(2, PREPARE_ABORT);
        add(2, COMPLETE_ABORT);
        assertThat(decisions.of(PRODUCER, 0)).isEqualTo(TransactionResult.COMMIT);
    }

    /** Producers of the first version keep their epoch. */
    @Test
    void ofTransactionsWithOneEpochACommitCounts() {
        add(0, ONGOING);
        add(0, PREPARE_COMMIT);
        add(0, COMPLETE_COMMIT);
        add(0, ONGOING);
        add(0, PREPARE_ABORT);
        assertThat(decisions.of(PRODUCER, 0)).isEqualTo(TransactionResult.COMMIT);
    }

    @Test
    void whatIsNoEntryIsPassedOver() {
        decisions.add(null);
        decisions.add(new byte[3]);
        decisions.add(new byte[] {0, 9, 0, 0, 0, 0, 0, 0, 15, (byte) 160, 0, 0, 0, 0, 0, 0, 1});
        assertThat(decisions.of(PRODUCER, 0)).isNull();
    }
}
