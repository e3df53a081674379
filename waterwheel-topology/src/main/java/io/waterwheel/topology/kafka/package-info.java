/** Kafka behind the core's source seam. */
@NullMarked
package io.waterwheel.topology.kafka;

import org.jspecify.annotations.NullMarked;
