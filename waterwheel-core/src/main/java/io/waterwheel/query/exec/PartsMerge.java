package io.waterwheel.query.exec;

import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.TupleBlock;
import java.util.List;

/** Makes one answer of the parts that trees and chunks gave. One thread at a time. */
abstract class PartsMerge {
    /**
     * Takes a block of a part.
     *
     * @param sink takes what can already be handed out
     * @return false when no more is wanted
     */
    abstract boolean accept(TupleBlock part, RowSink sink);

    /** Takes the number of rows that matched in a part. */
    void found(long rows) {}

    /**
     * Hands out what is left.
     *
     * @return number of tuples in the answer; of aggregates, the number that went into them
     */
    abstract long finish(RowSink sink);

    /**
     * Given that only tuples of these keys match: no tuple before this time can change the answer any more.
     *
     * @param keys sorted and disjoint
     */
    long settledBefore(List<KeyInterval> keys) {
        return Long.MIN_VALUE;
    }
}
