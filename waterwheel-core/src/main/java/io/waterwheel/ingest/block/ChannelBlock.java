package io.waterwheel.ingest.block;

import io.waterwheel.protocol.ChannelEpoch;
import org.jspecify.annotations.Nullable;

/**
 * What travels on a channel (partition, indexer): every tuple of the indexer in [from, to), under one routing version
 * (protocol rule 4).
 *
 * @param epoch the subscription it answers
 * @param from first offset covered
 * @param to one after the last offset covered; equal to {@code from} for a heartbeat
 * @param version the routing version, 0 in a heartbeat before the first block
 * @param body the tuples and refused rows, or null when there are none; the receiver releases it. It may begin below
 *     {@code from}, never reach {@code to}
 * @param producedMillis what the log has as the time of the first of the records it was made of, milliseconds since
 *     1970 UTC; {@link #NO_TIME} where that is not known. Nothing but measurements depends on it
 */
public record ChannelBlock(
        int streamId,
        int partition,
        int indexer,
        ChannelEpoch epoch,
        long from,
        long to,
        int version,
        @Nullable BlockBody body,
        long producedMillis) {
    /** Of records whose time is not known. */
    public static final long NO_TIME = -1;

    /** A block of records whose time is not known. */
    public ChannelBlock(
            int streamId,
            int partition,
            int indexer,
            ChannelEpoch epoch,
            long from,
            long to,
            int version,
            @Nullable BlockBody body) {
        this(streamId, partition, indexer, epoch, from, to, version, body, NO_TIME);
    }

    /** Bytes that count against credit. */
    public long bytes() {
        return body == null ? 0 : body.bytes();
    }
}
