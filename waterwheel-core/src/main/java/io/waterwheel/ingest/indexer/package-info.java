/**
 * The indexer as a state machine: blocks to trees ({@link io.waterwheel.ingest.indexer.IndexerCore}), trees to chunks
 * ({@link io.waterwheel.ingest.indexer.FlushSequence}). It has no clock and no thread; the shell is
 * {@code topology.indexer}. Uses ingest.block, index, chunk and catalog.
 */
@NullMarked
package io.waterwheel.ingest.indexer;

import org.jspecify.annotations.NullMarked;
