/**
 * Storm in the one-process server: {@link io.waterwheel.embedded.storm.EmbeddedStorm} runs one worker with one
 * topology, and starts it again when it has died. The worker keeps in memory what Storm keeps in ZooKeeper. Of
 * Waterwheel it knows one call, which closes what a dead worker left open; {@code io.waterwheel.embedded.server} puts
 * it beside Kafka and ZooKeeper.
 */
@NullMarked
package io.waterwheel.embedded.storm;

import org.jspecify.annotations.NullMarked;
