package io.waterwheel.catalog.state;

import java.util.Arrays;

/**
 * The catalog's entry of one logical indexer of a stream: {@code idx/i} of protocol rule 2, one node.
 *
 * @param epoch raised at each start; 0 before the first
 * @param flushed last committed flush sequence number; 0 before the first
 * @param watermarks per partition, first offset not covered by committed chunks; in the node, of the last partitions
 *     none may be there: the indexer stands at their beginning
 * @param rejected refused rows below the watermarks that this indexer counts
 */
@SuppressWarnings("ArrayRecordComponent") // one number per partition; equality by content below
public record IndexerCheckpoint(int epoch, long flushed, long[] watermarks, long rejected) {
    /** With the epoch raised, and these positions for partitions that are new. */
    public IndexerCheckpoint extended(long[] starts) {
        long[] all = Arrays.copyOf(watermarks, watermarks.length + starts.length);
        System.arraycopy(starts, 0, all, watermarks.length, starts.length);
        return new IndexerCheckpoint(epoch + 1, flushed, all, rejected);
    }

    /** With these positions for partitions of which it has none. */
    public IndexerCheckpoint with(long[] more) {
        return new IndexerCheckpoint(epoch, flushed, extended(more).watermarks, rejected);
    }

    /** With the positions of another one for partitions of which it has none. */
    public IndexerCheckpoint over(IndexerCheckpoint wider) {
        int known = watermarks.length;
        return known >= wider.watermarks.length
                ? this
                : with(Arrays.copyOfRange(wider.watermarks, known, wider.watermarks.length));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexerCheckpoint that
                && epoch == that.epoch
                && flushed == that.flushed
                && rejected == that.rejected
                && Arrays.equals(watermarks, that.watermarks);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(watermarks) * 31 + Long.hashCode(flushed) + epoch;
    }
}
