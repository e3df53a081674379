package io.waterwheel.ingest.source;

import java.util.List;

/**
 * Where a spout task's reading stands, for partitions of one dispatcher task on which nothing flows: one message for
 * all of them.
 *
 * @param partitions one heartbeat each, without records
 */
public record SpoutHeartbeats(List<LiveBatch> partitions) {}
