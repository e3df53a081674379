package io.waterwheel.ingest;

import java.nio.ByteBuffer;

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
 */
@SuppressWarnings("ArrayRecordComponent") // columns, on the hot path; never compared
public record RecordBatch(
        int streamId, int partition, long from, long to, int count, long[] offsets, ByteBuffer[] values) {
    /** A batch without records that only tells where reading stands. */
    public static RecordBatch heartbeat(int streamId, int partition, long position) {
        return new RecordBatch(streamId, partition, position, position, 0, new long[0], new ByteBuffer[0]);
    }
}
