package io.waterwheel.query.exec;

import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.ReadCosts;

/** Takes the rows of an answer, block by block. Called on the thread that scans. */
@FunctionalInterface
public interface RowSink {
    /**
     * Takes a block of at least one row and about 64 KiB at most; the block is the sink's from then on.
     *
     * @return false when no more rows are wanted
     */
    boolean accept(TupleBlock rows);

    /**
     * Whether rows are still wanted; asked before each leaf, because a scan that finds little hands over nothing for
     * long. Once false, the scan ends where it is, and what it gave is not the whole.
     */
    default boolean wanted() {
        return true;
    }

    /** Takes what a chunk's scan took, once it has ended. */
    default void took(ReadCosts costs) {}
}
