package io.waterwheel.topology.worker;

import java.util.Map;
import java.util.Set;

/** Deletes records that no indexer reads again, and lets those work undisturbed who want all of them. Thread-safe. */
public interface TopicRecords {
    /** What wants all records of a topic while it runs. */
    interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Runs something while no record is deleted. Several may run at once. */
    <T, E extends Exception> T keepingAll(Work<T, E> work) throws E;

    /** Runs something that deletes records, unless somebody wants all of them now: then it does nothing. */
    void unlessAllAreWanted(Runnable deletion);

    /**
     * Deletes the first records of a topic. Blocks.
     *
     * @param before by partition the first offset that stays
     */
    void deleteBefore(String topic, Map<Integer, Long> before);

    /**
     * The topics that streams of other namespaces of the same ZooKeeper read. Blocks.
     *
     * @throws io.waterwheel.error.WaterwheelException when it cannot be told
     */
    Set<String> topicsOfOthers();
}
