package io.waterwheel.topology.worker;

/** Which task of a role has which partition: a function of the numbers, so that everybody agrees without asking. */
public final class Placement {
    private Placement() {}

    /** The dispatcher task that routes a partition. */
    public static int dispatcherOf(int streamId, int partition, int dispatchers) {
        return Math.floorMod(streamId * 31 + partition, dispatchers);
    }

    /** The spout task that reads a partition. */
    public static int spoutOf(int streamId, int partition, int spouts) {
        return Math.floorMod(streamId * 31 + partition, spouts);
    }

    /** The indexer task that hosts a logical indexer. */
    public static int indexerTaskOf(int indexer, int tasks) {
        return Math.floorMod(indexer, tasks);
    }
}
