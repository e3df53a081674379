package io.waterwheel.ingest.dispatch;

import io.waterwheel.ingest.source.RecordBatch;

/** Records that were read and wait to be routed, from {@link #from} on. Owner: the dispatcher. */
final class PendingBatch {
    final RecordBatch batch;
    /** Of its values, and of what holds them. */
    final long bytes;
    /** First record at or above {@link #from}. */
    int index;
    /** Everything below is routed, or is not to be. */
    long from;

    PendingBatch(RecordBatch batch, long from) {
        this.batch = batch;
        this.from = from;
        this.bytes = batch.bytes();
        skipTo(from);
    }

    void skipTo(long offset) {
        from = Math.max(from, offset);
        while (index < batch.count() && batch.offsets()[index] < from) {
            index++;
        }
    }
}
