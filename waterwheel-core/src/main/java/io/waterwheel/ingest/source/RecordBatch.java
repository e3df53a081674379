package io.waterwheel.ingest.source;

import io.waterwheel.decode.FactColumns;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Records of one partition as read from the log, in offset order: everything visible in [from, to). Offsets without a
 * record (transaction markers, aborted records) are simply not listed.
 *
 * @param streamId the stream
 * @param partition of its topic
 * @param from first offset covered
 * @param to one after the last offset covered; equal to {@code from} for a heartbeat that only tells the position
 * @param count number of records
 * @param offsets the records' offsets, ascending, in [from, to); first {@code count} entries
 * @param values the records' values (a null value is an empty buffer); not changed by anyone, may share memory
 * @param producedMillis what the log has as the time of the first record, milliseconds since 1970 UTC; {@link #NO_TIME}
 *     where it has none, or there is no record. Nothing but measurements depends on it
 * @param facts what the log has of the records beside their values; null where no field is of it
 */
@SuppressWarnings("ArrayRecordComponent") // columns, on the hot path; never compared
public record RecordBatch(
        int streamId,
        int partition,
        long from,
        long to,
        int count,
        long[] offsets,
        ByteBuffer[] values,
        long producedMillis,
        @Nullable FactColumns facts) {
    /** Of records whose time is not known. */
    public static final long NO_TIME = -1;

    /** What a record takes beside its value: a buffer, its reference, an offset. */
    public static final int RECORD_BYTES = 64;

    /** A batch is worth a copy when the arrays that it keeps alive are this number of times its values. */
    private static final int WASTE = 2;

    /** Records of which no field needs more than the value. */
    public RecordBatch(
            int streamId,
            int partition,
            long from,
            long to,
            int count,
            long[] offsets,
            ByteBuffer[] values,
            long producedMillis) {
        this(streamId, partition, from, to, count, offsets, values, producedMillis, null);
    }

    /** Records whose time is not known. */
    public RecordBatch(
            int streamId, int partition, long from, long to, int count, long[] offsets, ByteBuffer[] values) {
        this(streamId, partition, from, to, count, offsets, values, NO_TIME);
    }

    /** A batch without records that only tells where reading stands. */
    public static RecordBatch heartbeat(int streamId, int partition, long position) {
        return new RecordBatch(streamId, partition, position, position, 0, new long[0], new ByteBuffer[0]);
    }

    /** Memory of its values, and of what holds them. */
    public long bytes() {
        long sum = facts == null ? 0 : facts.bytes();
        for (int i = 0; i < count; i++) {
            sum += values[i].remaining() + RECORD_BYTES;
        }
        return sum;
    }

    /**
     * The same records without what the log's client read together with them: the values may be slices of an answer
     * that is a hundred times as large, most of it other partitions'. This batch itself when a copy would spare little.
     */
    @SuppressWarnings("ByteBufferBackingArray") // only its length counts
    public RecordBatch own() {
        long held = 0;
        long used = 0;
        Object last = null;
        for (int i = 0; i < count; i++) {
            ByteBuffer value = values[i];
            used += value.remaining();
            if (value.hasArray() && value.array() != last) {
                last = value.array();
                held += value.array().length;
            }
        }
        return held > WASTE * (used + (long) count * RECORD_BYTES) ? copy((int) used) : this;
    }

    private RecordBatch copy(int used) {
        byte[] all = new byte[used];
        ByteBuffer[] copies = new ByteBuffer[count];
        int at = 0;
        for (int i = 0; i < count; i++) {
            ByteBuffer value = values[i];
            int length = value.remaining();
            value.get(value.position(), all, at, length);
            copies[i] = ByteBuffer.wrap(all, at, length).slice();
            at += length;
        }
        return new RecordBatch(streamId, partition, from, to, count, offsets, copies, producedMillis, facts);
    }
}
