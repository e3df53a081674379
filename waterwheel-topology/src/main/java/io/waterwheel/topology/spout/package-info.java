/**
 * Where tuples enter the topology: {@link io.waterwheel.topology.spout.SourceReader} reads topics live. Uses task,
 * worker and config.
 */
@NullMarked
package io.waterwheel.topology.spout;

import org.jspecify.annotations.NullMarked;
