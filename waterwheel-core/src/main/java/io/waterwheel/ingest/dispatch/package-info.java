/**
 * The dispatcher of a partition as a state machine: records to segments
 * ({@link io.waterwheel.ingest.dispatch.SegmentRouter}), segments to one channel for each indexer
 * ({@link io.waterwheel.ingest.dispatch.OutgoingChannels}), at the pace of each;
 * {@link io.waterwheel.ingest.dispatch.PartitionDispatcher} takes the events and drives all of these. It has no clock
 * and no thread; the shell is {@code topology.dispatcher}. Uses ingest.source, ingest.block, decode, key and
 * catalog.state.
 */
@NullMarked
package io.waterwheel.ingest.dispatch;

import org.jspecify.annotations.NullMarked;
