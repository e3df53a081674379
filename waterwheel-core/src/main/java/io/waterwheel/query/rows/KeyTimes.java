package io.waterwheel.query.rows;

import io.waterwheel.tuple.KeyInterval;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** From when on the newest rows of keys are known, given which keys are asked for. */
final class KeyTimes {
    /** Keys that are looked up one by one, to tell whether older chunks can be left unread. */
    private static final long MOST_KEYS = 1000;

    private KeyTimes() {}

    /** Whether these are few enough keys to look at each. */
    static boolean areFew(List<KeyInterval> keys) {
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
    static long least(List<KeyInterval> keys, LongUnaryOperator timeOf) {
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
