package io.waterwheel.ingest;

import java.nio.ByteBuffer;

/** Records that were read and wait to be routed, from {@link #from} on. Owner: the dispatcher. */
final class PendingBatch {
    /** What a record takes beside its value: a buffer, its reference, an offset. */
    static final int RECORD_BYTES = 64;

    /** A batch that waits is copied when the arrays that it keeps alive are so many times its values. */
    private static final int WASTE = 2;

    RecordBatch batch;
    /** Of its values, and of what holds them. */
    final long bytes;
    /** First record at or above {@link #from}. */
    int index;
    /** Everything below is routed, or is not to be. */
    long from;

    PendingBatch(RecordBatch batch, long from) {
        this.batch = batch;
        this.from = from;
        long sum = 0;
        for (int i = 0; i < batch.count(); i++) {
            sum += batch.values()[i].remaining() + RECORD_BYTES;
        }
        this.bytes = sum;
        skipTo(from);
    }

    /**
     * Lets go of what the log's client read together with the values: they may be slices of an answer that is a hundred
     * times as large, most of it other partitions'.
     */
    @SuppressWarnings("ByteBufferBackingArray") // only its length counts
    void own() {
        long held = 0;
        long used = 0;
        Object last = null;
        for (int i = 0; i < batch.count(); i++) {
            ByteBuffer value = batch.values()[i];
            used += value.remaining();
            if (value.hasArray() && value.array() != last) {
                last = value.array();
                held += value.array().length;
            }
        }
        if (held > WASTE * (used + (long) batch.count() * RECORD_BYTES)) {
            copy((int) used);
        }
    }

    private void copy(int used) {
        byte[] all = new byte[used];
        ByteBuffer[] values = new ByteBuffer[batch.count()];
        int at = 0;
        for (int i = 0; i < values.length; i++) {
            ByteBuffer value = batch.values()[i];
            int length = value.remaining();
            value.get(value.position(), all, at, length);
            values[i] = ByteBuffer.wrap(all, at, length).slice();
            at += length;
        }
        batch = new RecordBatch(
                batch.streamId(), batch.partition(), batch.from(), batch.to(), values.length, batch.offsets(), values);
    }

    void skipTo(long offset) {
        from = Math.max(from, offset);
        while (index < batch.count() && batch.offsets()[index] < from) {
            index++;
        }
    }
}
