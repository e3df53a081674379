/**
 * What the tasks of one worker share, made and connected: stores, log, peers, ports and their threads
 * ({@link io.waterwheel.topology.wiring.WorkerRuntime}), behind the interfaces of {@code topology.worker}. The one
 * package that sees all others but topology itself.
 */
@NullMarked
package io.waterwheel.topology.wiring;

import org.jspecify.annotations.NullMarked;
