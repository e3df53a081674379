package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.index.TimeSketch;
import java.util.Arrays;

/** Time sketches of leaves, gathered leaf by leaf. One thread. */
final class SketchList {
    private static final int MINI_RANGE_BITS = 9;

    private final LeafList shifts = new LeafList();
    private final LeafList words = new LeafList();
    private final long[] sketch = new long[TimeSketch.WORDS];

    void clear() {
        shifts.clear();
        words.clear();
    }

    /**
     * Adds a leaf: the narrowest mini-ranges that do not fill the sketch, unless the leaf has tuples in all of them.
     */
    void add(long[] times, int rows, long fromTime, long toTime) {
        long range = toTime - fromTime;
        int rangeBits = Long.SIZE - Long.numberOfLeadingZeros(range);
        int shift = Math.max(0, rangeBits - MINI_RANGE_BITS);
        while (shift < TimeSketch.MAX_SHIFT && !fits(times, rows, shift)) {
            shift++;
        }
        long miniRanges = (toTime >> shift) - (fromTime >> shift) + 1;
        if (shift >= TimeSketch.MAX_SHIFT || isFull(fromTime >> shift, miniRanges)) {
            shifts.add(ChunkFormat.NO_SKETCH);
            return;
        }
        shifts.add(shift);
        for (long word : sketch) {
            words.add(word);
        }
    }

    private boolean fits(long[] times, int rows, int shift) {
        Arrays.fill(sketch, 0);
        int added = 0;
        long last = ~(times[0] >> shift);
        for (int i = 0; i < rows; i++) {
            long miniRange = times[i] >> shift;
            // Rows that stand by time have one mini-range after the other.
            if (miniRange != last && TimeSketch.add(sketch, 0, miniRange) && ++added > TimeSketch.CAPACITY) {
                return false;
            }
            last = miniRange;
        }
        return true;
    }

    private boolean isFull(long first, long miniRanges) {
        if (miniRanges > 2 * TimeSketch.CAPACITY) {
            return false;
        }
        for (long i = 0; i < miniRanges; i++) {
            if (!TimeSketch.mayContain(sketch, 0, first + i)) {
                return false;
            }
        }
        return true;
    }

    void write(ChunkBuffer out) {
        for (int leaf = 0; leaf < shifts.size(); leaf++) {
            out.putByte((int) shifts.get(leaf));
        }
        for (int w = 0; w < words.size(); w++) {
            out.putLong(words.get(w));
        }
    }
}
