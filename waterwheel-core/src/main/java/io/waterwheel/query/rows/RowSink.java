package io.waterwheel.query.rows;

import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.tuple.TupleBlock;

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
     * Whether rows are still wanted; asked before each leaf that is read and about each millisecond of work within one,
     * because a scan that finds little hands over nothing for long. Once false, the scan ends where it is, and what it
     * gave is not the whole.
     */
    default boolean wanted() {
        return true;
    }

    /**
     * Whether a scan of the cache alone may look at {@code tuples} more; asked before each leaf. Once false, the scan
     * fails, and what it gave is void.
     */
    default boolean mayLookAt(long tuples) {
        return true;
    }

    /** What a scan reserves its memory from, in parts that it closes. */
    default Reservation memory() {
        return Reservation.unlimited();
    }

    /**
     * Is told what a scan looked at, at its end, however it ended; once for several trees whose rows have the same
     * fields. A scan in another process that was ended early tells nothing.
     */
    default void scanned(ScanStatistics what) {}

    /** Is told where the scan of a piece of a chunk ended that was not the last: the next one begins at this leaf. */
    default void pausedAt(int leaf) {}
}
