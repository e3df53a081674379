/**
 * The real daemons on one machine, each in its own process on the loopback addresses: ZooKeeper, a Kafka broker, HDFS
 * with one or more DataNodes, Storm with a Supervisor beside each of them, and the workers that those start.
 *
 * <pre>
 *   ClusterCommand   up, down, status, logs: a cluster that outlives the command
 *   RealCluster      the same for a test: it ends with the test's JVM (Reaper), and can be hurt meanwhile
 *        '--- Daemons        all of them: order of start and end, readiness
 *               |--- Startup       starts some, each when what it needs is ready
 *               |--- Daemon        a process: its pid file, log, ports
 *               |--- Commands      their command lines
 *               |--- Workers       the processes that Supervisors started
 *               '--- StormClient   asks Nimbus
 *   ClusterLayout    which daemons there are and where each listens (cluster.properties)
 *   ClusterFiles     the folder, and what the daemons read
 *   Processes, Ports, Memory    what the machine says
 * </pre>
 *
 * <p>Read {@link io.waterwheel.cluster.RealCluster} first. Uses Storm's Thrift client and the class paths that the
 * modules under {@code dist} assemble; knows nothing of the topology that it runs. Needs Linux: who owns a port, and
 * what a process runs, is read from {@code /proc}.
 */
@NullMarked
package io.waterwheel.cluster;

import org.jspecify.annotations.NullMarked;
