/**
 * Indexers: {@link io.waterwheel.topology.indexer.IndexerHost} has an event loop that takes {@code IndexerEvent}s, by
 * which it drives {@code ingest.indexer}; a {@link io.waterwheel.topology.indexer.Flusher} writes sealed trees on
 * threads of its own. Uses task, worker, message and config.
 */
@NullMarked
package io.waterwheel.topology.indexer;

import org.jspecify.annotations.NullMarked;
