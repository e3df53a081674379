/**
 * The one-process server: {@link io.waterwheel.embedded.server.EmbeddedZooKeeper},
 * {@link io.waterwheel.embedded.server.EmbeddedKafka} and the tasks of the topology
 * ({@link io.waterwheel.topology.process.ProcessHost}) on one data folder, put together by
 * {@link io.waterwheel.embedded.server.WaterwheelServer}. Everything listens on the loopback address. If the process is
 * killed, start it again on the same folder and it resumes.
 */
@NullMarked
package io.waterwheel.embedded.server;

import org.jspecify.annotations.NullMarked;
