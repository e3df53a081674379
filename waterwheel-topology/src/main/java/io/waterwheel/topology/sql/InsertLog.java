package io.waterwheel.topology.sql;

import java.util.List;
import java.util.Map;

/** The topics that INSERT statements append to. Thread-safe. */
@FunctionalInterface
public interface InsertLog {
    /**
     * Appends records, all of them or none.
     *
     * @param partitions of the topic, which records go to in turn
     * @param deadlineNanos by {@link System#nanoTime}; not begun after it
     * @return by partition that has some of them, the offset after the last
     * @throws io.waterwheel.error.WaterwheelException when none was appended; code OUTCOME_UNKNOWN when that is not
     *     known
     */
    Map<Integer, Long> append(String topic, int partitions, List<byte[]> records, long deadlineNanos)
            throws InterruptedException;
}
