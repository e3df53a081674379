/**
 * The topology: {@link io.waterwheel.topology.Tasks} opens its tasks by their roles, whatever runs them, and
 * {@link io.waterwheel.topology.WaterwheelTopology} is the topology as Storm gets it, the main class of {@code storm
 * jar}. Uses everything below.
 */
@NullMarked
package io.waterwheel.topology;

import org.jspecify.annotations.NullMarked;
