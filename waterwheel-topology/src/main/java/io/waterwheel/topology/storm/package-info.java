/**
 * Storm as a host of tasks: {@link io.waterwheel.topology.storm.TaskBolt} and
 * {@link io.waterwheel.topology.storm.SourceSpout} are shells that Storm opens, calls and closes, and that hand on what
 * comes. {@code WaterwheelTopology} puts them together.
 */
@NullMarked
package io.waterwheel.topology.storm;

import org.jspecify.annotations.NullMarked;
