/**
 * Indexers in Storm: {@link io.waterwheel.topology.indexer.IndexerBolt} feeds the event loop of
 * {@link io.waterwheel.topology.indexer.IndexerHost} with {@code IndexerEvent}s, and the host drives
 * {@code ingest.indexer}; a {@link io.waterwheel.topology.indexer.Flusher} writes sealed trees on threads of its own.
 * Uses worker, message and config.
 */
@NullMarked
package io.waterwheel.topology.indexer;

import org.jspecify.annotations.NullMarked;
