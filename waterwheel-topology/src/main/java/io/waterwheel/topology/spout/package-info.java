/** Storm spouts: where tuples and queries enter the topology. */
@NullMarked
package io.waterwheel.topology.spout;

import org.jspecify.annotations.NullMarked;
