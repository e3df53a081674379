/**
 * The indexer as a state machine: blocks to trees ({@link io.waterwheel.ingest.indexer.IndexerCore}, which has its
 * channels in {@link io.waterwheel.ingest.indexer.IncomingChannels} and its trees in
 * {@link io.waterwheel.ingest.indexer.TreeStages}), trees to chunks
 * ({@link io.waterwheel.ingest.indexer.FlushSequence}). It has no clock and no thread; the shell is
 * {@code topology.indexer}. Uses ingest.block, index, chunk and catalog.
 */
@NullMarked
package io.waterwheel.ingest.indexer;

import org.jspecify.annotations.NullMarked;
