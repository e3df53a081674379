package io.waterwheel.catalog.state;

import java.util.Arrays;

/**
 * The step from an indexer's checkpoint to the one after a flush, as the flush's edit has it: the watermarks that
 * moved, or all.
 *
 * @param epoch of the indexer
 * @param flushed sequence number of the flush
 * @param whole whether all watermarks follow, from partition 0 on
 * @param partitions those whose watermarks follow, when not all do; the others stand where they stood
 * @param watermarks first offsets not covered by committed chunks
 * @param rejected as in {@link IndexerCheckpoint}
 */
@SuppressWarnings("ArrayRecordComponent") // equality by content below
public record CheckpointStep(
        int epoch, long flushed, boolean whole, int[] partitions, long[] watermarks, long rejected) {
    public CheckpointStep {
        if (partitions.length != (whole ? 0 : watermarks.length)) {
            throw new IllegalArgumentException(
                    partitions.length + " partitions have moved and there are " + watermarks.length + " watermarks");
        }
    }

    /** To a checkpoint, from any other. */
    public static CheckpointStep to(IndexerCheckpoint next) {
        return new CheckpointStep(next.epoch(), next.flushed(), true, new int[0], next.watermarks(), next.rejected());
    }

    /**
     * To a checkpoint, in the shorter form.
     *
     * @param before watermarks of the indexer's checkpoint before it, of at least as many partitions
     */
    public static CheckpointStep between(long[] before, IndexerCheckpoint next) {
        long[] after = next.watermarks();
        int[] moved = new int[after.length];
        int count = 0;
        for (int p = 0; p < after.length; p++) {
            if (p >= before.length || after[p] != before[p]) {
                moved[count++] = p;
            }
        }
        // A number of a partition is about half as long as a watermark.
        if (3L * count >= 2L * after.length) {
            return to(next);
        }
        int[] partitions = Arrays.copyOf(moved, count);
        long[] watermarks = new long[count];
        for (int i = 0; i < count; i++) {
            watermarks[i] = after[partitions[i]];
        }
        return new CheckpointStep(next.epoch(), next.flushed(), false, partitions, watermarks, next.rejected());
    }

    /**
     * The checkpoint that it makes.
     *
     * @param old the indexer's before. Of partitions that the indexer's instance did not know of, it stands where it
     *     stood
     * @throws IllegalArgumentException when it moves a partition that there is not
     */
    public IndexerCheckpoint from(IndexerCheckpoint old) {
        if (whole) {
            return new IndexerCheckpoint(epoch, flushed, watermarks, rejected).over(old);
        }
        long[] all = old.watermarks().clone();
        for (int i = 0; i < partitions.length; i++) {
            if (partitions[i] < 0 || partitions[i] >= all.length) {
                throw new IllegalArgumentException(
                        "flush " + flushed + " moves partition " + partitions[i] + ", and there are " + all.length);
            }
            all[partitions[i]] = watermarks[i];
        }
        return new IndexerCheckpoint(epoch, flushed, all, rejected);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CheckpointStep that
                && epoch == that.epoch
                && flushed == that.flushed
                && rejected == that.rejected
                && whole == that.whole
                && Arrays.equals(partitions, that.partitions)
                && Arrays.equals(watermarks, that.watermarks);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(watermarks) * 31 + Long.hashCode(flushed) + epoch;
    }
}
