package io.waterwheel.query.rows;

import io.waterwheel.query.PageToken;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes one answer of the parts that trees and chunks gave. One thread at a time. */
public abstract class PartialMerge {
    /** Keys that are looked up one by one, to tell whether older chunks can be left unread. */
    private static final long MOST_KEYS = 1000;

    /**
     * Takes a block of a part.
     *
     * @param sink takes what can already be handed out
     * @return false when no more is wanted
     */
    public abstract boolean accept(TupleBlock part, RowSink sink);

    /** Takes the number of rows that matched in a part. */
    public void found(long rows) {}

    /**
     * Hands out what is left.
     *
     * @return number of tuples in the answer; of aggregates, the number that went into them
     */
    public abstract long finish(RowSink sink);

    /** After the end: where a page of sorted rows ended; null when there is nothing behind it. */
    public @Nullable PageToken next() {
        return null;
    }

    /**
     * Given that only tuples of these keys match: no tuple before this time can still change the answer.
     *
     * @param keys sorted and disjoint
     */
    public long settledBefore(List<KeyInterval> keys) {
        return Long.MIN_VALUE;
    }

    /** Whether {@link #settledBefore} can ever tell such a time. */
    public boolean canSettle(List<KeyInterval> keys) {
        return false;
    }

    /** Whether these are few enough keys to look at each. */
    protected static boolean areFew(List<KeyInterval> keys) {
        long asked = 0;
        for (KeyInterval interval : keys) {
            long width = interval.high() - interval.low();
            if (width < 0 || width >= MOST_KEYS - asked) {
                return false;
            }
            asked += width + 1;
        }
        return true;
    }

    /**
     * The least of the times of few keys.
     *
     * @param timeOf of a key; {@link Long#MIN_VALUE} when it may still get any row
     */
    protected static long leastTime(List<KeyInterval> keys, LongUnaryOperator timeOf) {
        long settled = Long.MAX_VALUE;
        for (KeyInterval interval : keys) {
            long width = interval.high() - interval.low();
            for (long key = interval.low(); key - interval.low() <= width && settled > Long.MIN_VALUE; key++) {
                settled = Math.min(settled, timeOf.applyAsLong(key));
            }
        }
        return settled;
    }
}
