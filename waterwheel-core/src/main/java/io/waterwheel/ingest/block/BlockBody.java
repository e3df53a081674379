package io.waterwheel.ingest.block;

import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The tuples of one indexer out of a run of records, each with the offset it came from, and the offsets of the rows
 * that were refused. Filled by a dispatcher, read-only from then on, shared by its ring and every send of it.
 *
 * <p>Counted: each holder releases it once, the last release gives it back to its pool. A holder that forgets to (a
 * message lost between workers) costs the pool one body, nothing else.
 */
public final class BlockBody {
    private TupleBlock tuples;
    private int[] offsets;
    private long base;
    private int[] rejected = new int[0];
    private int rejectedCount;
    private final AtomicInteger holders = new AtomicInteger();
    private final @Nullable BodyPool pool;

    public BlockBody(TupleBlock tuples, @Nullable BodyPool pool) {
        this.tuples = tuples;
        this.offsets = new int[0];
        this.pool = pool;
    }

    /**
     * A body made from what came over the network.
     *
     * @param base offset that the arrays are relative to
     * @param offsets per tuple, ascending; at least {@code tuples.size()} entries
     * @param rejected per refused row, ascending
     */
    public static BlockBody of(TupleBlock tuples, long base, int[] offsets, int[] rejected) {
        BlockBody body = new BlockBody(tuples, null);
        body.base = base;
        body.offsets = offsets;
        body.rejected = rejected;
        body.rejectedCount = rejected.length;
        body.holders.set(1);
        return body;
    }

    public TupleBlock tuples() {
        return tuples;
    }

    /** Offset of the record that a tuple came from. */
    public long offsetOf(int row) {
        return base + offsets[row];
    }

    /** Offset that {@link #relativeOffsets} and {@link #relativeRejected} are relative to. */
    public long base() {
        return base;
    }

    /** Per tuple, its record's offset relative to {@link #base}; at least {@code tuples().size()} entries. */
    public int[] relativeOffsets() {
        return offsets;
    }

    /** Per refused row, its record's offset relative to {@link #base}; {@link #rejectedCount} entries count. */
    public int[] relativeRejected() {
        return rejected;
    }

    public int rejectedCount() {
        return rejectedCount;
    }

    /** Number of refused rows at or above an offset. */
    public int rejectedFrom(long offset) {
        int count = 0;
        for (int i = 0; i < rejectedCount; i++) {
            if (base + rejected[i] >= offset) {
                count++;
            }
        }
        return count;
    }

    /** First row whose record's offset is at or above this one; the number of rows when there is none. */
    public int firstRowAt(long offset) {
        int low = 0;
        int high = tuples.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (base + offsets[middle] < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Bytes that count against credit. */
    public long bytes() {
        return tuples.bytes();
    }

    /** One more holder. */
    public void retain() {
        if (holders.getAndIncrement() <= 0) {
            throw new IllegalStateException("a block body was retained after its last release");
        }
    }

    /** One holder fewer; the last one gives the body back. */
    public void release() {
        int left = holders.decrementAndGet();
        if (left < 0) {
            throw new IllegalStateException("a block body was released more often than retained");
        }
        if (left == 0 && pool != null) {
            pool.giveBack(this);
        }
    }

    void start(long newBase) {
        base = newBase;
        tuples.clear();
        rejectedCount = 0;
        holders.set(1);
    }

    public int[] ensureOffsets(int rows) {
        if (offsets.length < rows) {
            offsets = new int[Math.max(rows, offsets.length * 3 / 2)];
        }
        return offsets;
    }

    public void addRejected(int relativeOffset) {
        if (rejectedCount == rejected.length) {
            rejected = Arrays.copyOf(rejected, Math.max(8, rejectedCount * 2));
        }
        rejected[rejectedCount++] = relativeOffset;
    }

    /** Takes the other's arrays and leaves it this body's. */
    public StagedRows swap(StagedRows staged) {
        StagedRows old = new StagedRows(tuples, offsets);
        tuples = staged.tuples();
        offsets = staged.offsets();
        return old;
    }

    /** Decoded rows and their relative offsets. */
    @SuppressWarnings("ArrayRecordComponent") // a pair of buffers, never compared
    public record StagedRows(TupleBlock tuples, int[] offsets) {}
}
