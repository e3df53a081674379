package io.waterwheel.topology.spout;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.ingest.source.LogTracker;
import io.waterwheel.ingest.source.RecordBatch;

/** One partition that a spout task reads, or waits to read. Owner: the spout's thread. */
final class SourcePartition {
    /** As last seen in the catalog. */
    StreamInfo stream;

    final int number;
    /** Which log it is. */
    final LogTracker tracker;

    final SpoutMeter.OfStream meter;
    /** By which what is read goes on. */
    final Handover.Lane lane;
    /** Where live reading goes on when it begins again. */
    long position;

    boolean reading;
    /** Whether reading waits for a seek. */
    boolean gap;
    /** Whether reading failed, and has not gone well for a while since. */
    boolean unreadable;
    /** Bytes handed on, of those that are counted. */
    private long countedBytes;
    /** When reading began. */
    long begunNanos;

    SourcePartition(
            StreamInfo stream,
            int number,
            long position,
            LogTracker tracker,
            SpoutMeter.OfStream meter,
            Handover.Lane lane) {
        this.stream = stream;
        this.number = number;
        this.position = position;
        this.tracker = tracker;
        this.meter = meter;
        this.lane = lane;
    }

    /** Hands on what was read. */
    void read(RecordBatch batch) {
        position = batch.to();
        lane.read(batch);
        long handed = lane.handedBytes();
        meter.read(batch, handed - countedBytes);
        countedBytes = handed;
    }
}
