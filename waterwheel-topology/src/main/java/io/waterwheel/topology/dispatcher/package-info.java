/**
 * Dispatchers: {@link io.waterwheel.topology.dispatcher.DispatcherTask} has an event loop that takes
 * {@code DispatcherEvent}s, by which it drives {@code ingest.dispatch}. Uses task, worker, message and config.
 */
@NullMarked
package io.waterwheel.topology.dispatcher;

import org.jspecify.annotations.NullMarked;
