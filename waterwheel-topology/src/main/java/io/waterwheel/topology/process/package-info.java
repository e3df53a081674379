/**
 * This process as a host of tasks, without Storm: {@link io.waterwheel.topology.process.ProcessHost} keeps a topology's
 * tasks up, one life after another. A message is handed to its receiver by the thread that sends it.
 */
@NullMarked
package io.waterwheel.topology.process;

import org.jspecify.annotations.NullMarked;
