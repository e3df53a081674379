package io.waterwheel.query.run;

import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;

/**
 * The rows that a tree or a chunk gave to an answer, or some of them, on their way to be merged. One thread at a time:
 * its maker, then {@link MergeQueue}.
 */
final class Part implements AutoCloseable {
    private final List<TupleBlock> blocks;
    private final Reservation held;
    private final long bytes;
    private long found;
    private int merged;

    /**
     * A part.
     *
     * @param blocks its own from now on
     * @param found rows that matched, beside what other parts of the same tree say
     * @param held what the blocks take; its own from now on, closed with it
     */
    Part(List<TupleBlock> blocks, long found, Reservation held) {
        this.blocks = blocks;
        this.found = found;
        this.held = held;
        long sum = 0;
        for (TupleBlock block : blocks) {
            sum += block.allocatedBytes();
        }
        this.bytes = sum;
    }

    /** Bytes that its blocks take, merged ones too. */
    long bytes() {
        return bytes;
    }

    /** Whether there was nothing to merge from the beginning. */
    boolean isEmpty() {
        return found == 0 && blocks.isEmpty();
    }

    /** Whether all of it is merged. */
    boolean isMerged() {
        return merged == blocks.size() && found == 0;
    }

    /** Merges the next block, and before the first one the number of rows; false when no more is wanted. */
    boolean mergeNext(PartialMerge into, RowSink sink) {
        into.found(found);
        found = 0;
        return merged == blocks.size() || into.accept(blocks.get(merged++), sink);
    }

    @Override
    public void close() {
        held.close();
    }
}
