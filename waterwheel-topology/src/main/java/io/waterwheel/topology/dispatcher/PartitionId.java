package io.waterwheel.topology.dispatcher;

/** A partition of a stream's topic. */
record PartitionId(int streamId, int partition) {}
