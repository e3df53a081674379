/**
 * For programs that are Storm topologies themselves: {@link io.waterwheel.storm.AppendBolt} appends their tuples to a
 * stream of Waterwheel. Uses the client, and Storm as the topology has it. Runs on the bolt's executor.
 */
@NullMarked
package io.waterwheel.storm;

import org.jspecify.annotations.NullMarked;
