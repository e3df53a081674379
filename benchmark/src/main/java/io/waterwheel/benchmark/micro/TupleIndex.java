package io.waterwheel.benchmark.micro;

import io.waterwheel.tuple.TupleBlock;

/** What the insertion benchmark compares: takes blocks from one thread, counts for others meanwhile. */
interface TupleIndex {
    void insert(TupleBlock block);

    /** Number of tuples within closed bounds. */
    long count(long lowKey, long highKey, long fromTime, long toTime);

    /** Gives memory back. */
    void discard();
}
