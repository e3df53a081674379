package io.waterwheel.cluster;

import java.util.Random;

/** Something that is done to a cluster, and leaves it able to go on. */
interface InjectedFault {
    /**
     * Strikes, and mends what nobody else mends: returns when all daemons are up, and all links are whole.
     *
     * @return what exactly, for the trace
     */
    String strike(RealCluster cluster, Random random) throws Exception;

    /**
     * Whether chunks can be read while it lasts. Not while the only ZooKeeper or the only NameNode is away, nor while
     * no worker is there: a query waits then, or is refused.
     */
    boolean leavesHistory();

    String name();
}
