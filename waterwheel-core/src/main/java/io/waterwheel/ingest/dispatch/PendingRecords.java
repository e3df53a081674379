package io.waterwheel.ingest.dispatch;

import io.waterwheel.ingest.source.RecordBatch;
import java.util.ArrayDeque;

/** Records that were read live and wait to be routed, in order, bounded in bytes. Owner: the dispatcher's thread. */
final class PendingRecords {
    private final ArrayDeque<PendingBatch> batches = new ArrayDeque<>();
    private long bytes;
    private long limit;

    /** @param limit in bytes; one batch may go beyond it */
    PendingRecords(long limit) {
        this.limit = limit;
    }

    /** Bytes of records, with what holds them. */
    long bytes() {
        return bytes;
    }

    /** What it may hold, in bytes. */
    long limit() {
        return limit;
    }

    void limit(long newLimit) {
        limit = newLimit;
    }

    boolean hasRoom() {
        return bytes <= limit;
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** The oldest of them. */
    PendingBatch first() {
        return batches.getFirst();
    }

    /** Takes records, from an offset on. */
    void add(RecordBatch batch, long from) {
        PendingBatch read = new PendingBatch(batch, from);
        batches.add(read);
        bytes += read.bytes;
    }

    /** Nothing below an offset is to be routed. */
    void skipTo(long offset) {
        for (PendingBatch records : batches) {
            records.skipTo(Math.min(offset, records.batch.to()));
        }
        dropRead();
    }

    /** Lets go of batches that are routed whole. */
    void dropRead() {
        while (!batches.isEmpty()
                && batches.getFirst().from >= batches.getFirst().batch.to()) {
            bytes -= batches.removeFirst().bytes;
        }
    }

    void clear() {
        batches.clear();
        bytes = 0;
    }
}
