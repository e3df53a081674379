/**
 * The real daemons on one machine, each in its own process, on free ports of the loopback address: ZooKeeper, a Kafka
 * broker, HDFS's NameNode and DataNode, Storm's Nimbus and Supervisor, and the workers that the Supervisor starts.
 *
 * <pre>
 *   RealCluster --starts, kills--> Daemon (a process, its log, its ports)
 *        |--- ClusterFiles   what the daemons read
 *        |--- Commands       their command lines
 *        |--- StormClient    submit, list, kill topologies
 *        |--- Workers        the processes that the Supervisor started
 *        '--- Reaper         ends them all when this process ends, however it ends
 * </pre>
 *
 * <p>Read {@link io.waterwheel.cluster.RealCluster} first. Uses Storm's Thrift client and the class paths that the
 * modules under {@code dist} assemble; knows nothing of the topology that it runs. Needs Linux: who owns a port, and
 * what a process runs, is read from {@code /proc}.
 */
@NullMarked
package io.waterwheel.cluster;

import org.jspecify.annotations.NullMarked;
