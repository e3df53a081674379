/**
 * The one-process server: {@link io.waterwheel.embedded.EmbeddedZooKeeper},
 * {@link io.waterwheel.embedded.EmbeddedKafka} and {@link io.waterwheel.embedded.EmbeddedStorm} on one data folder, put
 * together by {@link io.waterwheel.embedded.WaterwheelServer}. Everything listens on the loopback address. A process
 * that was killed goes on where it stood when it is started again on the same folder.
 */
@NullMarked
package io.waterwheel.embedded;

import org.jspecify.annotations.NullMarked;
