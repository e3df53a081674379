package io.waterwheel.topology.sql;

import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The topics that INSERT statements append to. Thread-safe. */
@FunctionalInterface
public interface InsertLog {
    /**
     * Appends records, all of them or none.
     *
     * @param partitions of the topic, which records go to in turn
     * @param deadlineNanos by {@link System#nanoTime}; not begun after it
     * @param cancelled whether the rows are no longer wanted; asked until they are committed
     * @param still throws a WaterwheelException when the rows must not be stored; called just before they are sent, and
     *     before they are committed
     * @return by partition that has some of them, the offset after the last
     * @throws io.waterwheel.error.WaterwheelException when none was appended; code OUTCOME_UNKNOWN when that is not
     *     known
     */
    Map<Integer, Long> append(
            String topic,
            int partitions,
            List<byte[]> records,
            long deadlineNanos,
            BooleanSupplier cancelled,
            Runnable still)
            throws InterruptedException;
}
