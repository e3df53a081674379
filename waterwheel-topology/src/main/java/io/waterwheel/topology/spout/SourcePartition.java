package io.waterwheel.topology.spout;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.ingest.source.LogTracker;

/** One partition that a spout task reads, or waits to read. Owner: the spout's executor. */
final class SourcePartition {
    /** As last seen in the catalog. */
    StreamInfo stream;

    final int number;
    /** Which log it is. */
    final LogTracker tracker;
    /** By which what is read goes on. */
    final Handover.Lane lane;
    /** Where live reading goes on when it begins again. */
    long position;

    boolean reading;
    /** Whether reading waits for a seek. */
    boolean gap;
    /** Whether reading failed, and has not gone well for a while since. */
    boolean unreadable;
    /** When reading began. */
    long begunNanos;

    SourcePartition(StreamInfo stream, int number, long position, LogTracker tracker, Handover.Lane lane) {
        this.stream = stream;
        this.number = number;
        this.position = position;
        this.tracker = tracker;
        this.lane = lane;
    }
}
