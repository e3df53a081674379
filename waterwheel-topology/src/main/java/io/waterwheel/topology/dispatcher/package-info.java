/**
 * Dispatchers in Storm: {@link io.waterwheel.topology.dispatcher.DispatcherBolt} moves Storm's tuples into the event
 * loop of a {@link io.waterwheel.topology.dispatcher.DispatcherTask}, as {@code DispatcherEvent}s; the task drives
 * {@code ingest.dispatch}. Uses worker, message and config.
 */
@NullMarked
package io.waterwheel.topology.dispatcher;

import org.jspecify.annotations.NullMarked;
