package io.waterwheel.chunk.encoding;

import java.util.Arrays;

/**
 * Sorts rows by (key, time), equal ones in their order, without an object and without a comparison tree. One thread;
 * keeps its buffers. O(n) for any keys: hot keys and equal times cost no more than others.
 */
/*
 * A radix sort on the upper 24 bits of (key - least key), three passes of eight bits, carried out on longs that hold
 * these bits and the row number. What is still equal then is a run: a short one is sorted by insertion, a long one is
 * sorted in the same way within its own, narrower range of keys, and by time once its keys are all equal. Each level
 * settles 24 bits, so there are at most six.
 */
public final class RowSorter {
    private static final int PREFIX_BITS = 24;
    private static final int DIGIT_BITS = 8;
    private static final int DIGITS = 1 << DIGIT_BITS;
    private static final int SHORT_RUN = 24;

    private long[] rows = new long[0];
    private long[] other = new long[0];
    private final int[] starts = new int[DIGITS + 1];
    private int[] numberStarts = new int[0];

    /** Sorts rows [0, count) of the columns; neither is changed. The result is read by {@link #row}. */
    public void sort(long[] keys, long[] times, int count) {
        if (rows.length < count) {
            int capacity = Math.max(count, rows.length + (rows.length >> 1));
            rows = new long[capacity];
            other = new long[capacity];
        }
        for (int i = 0; i < count; i++) {
            rows[i] = i;
        }
        sortRange(keys, times, 0, count, true);
    }

    /**
     * Sorts rows by numbers of which all are at least 0 and below {@code most}, rows of one number by time: for the
     * numbers of a leaf's distinct values.
     */
    public void sortNumbers(long[] numbers, int most, long[] times, int count) {
        if (rows.length < count) {
            rows = new long[count];
            other = new long[count];
        }
        if (numberStarts.length < most + 1) {
            numberStarts = new int[most + 1];
        }
        for (int i = 0; i < count; i++) {
            rows[i] = i;
        }
        // By time at once, and then by number: of each number there are too few rows for a sort of their own. The first
        // may leave short runs by number and time; the second keeps the order by time within each number either way.
        sortRange(numbers, times, 0, count, false);
        int[] next = numberStarts;
        Arrays.fill(next, 0, most + 1, 0);
        for (int i = 0; i < count; i++) {
            next[(int) numbers[i] + 1]++;
        }
        for (int number = 1; number < most; number++) {
            next[number] += next[number - 1];
        }
        for (int i = 0; i < count; i++) {
            long row = rows[i];
            other[next[(int) numbers[(int) row]]++] = row;
        }
        long[] sorted = other;
        other = rows;
        rows = sorted;
    }

    /** The row at a position of the sorted order. */
    public int row(int position) {
        return (int) rows[position];
    }

    private void sortRange(long[] keys, long[] times, int from, int to, boolean byKey) {
        if (to - from <= SHORT_RUN) {
            insertionSort(keys, times, from, to);
            return;
        }
        long[] values = byKey ? keys : times;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        long previous = Long.MIN_VALUE;
        boolean ascends = true;
        for (int i = from; i < to; i++) {
            long value = values[(int) rows[i]];
            min = Math.min(min, value);
            max = Math.max(max, value);
            ascends &= previous <= value;
            previous = value;
        }
        if (ascends && !byKey) {
            // Rows of one key often come in the order of time.
            return;
        }
        if (min == max) {
            if (byKey) {
                sortRange(keys, times, from, to, false);
            }
            return;
        }
        // The difference may exceed a signed long; all shifts below treat it as unsigned.
        int bits = Long.SIZE - Long.numberOfLeadingZeros(max - min);
        int shift = Math.max(0, bits - PREFIX_BITS);
        for (int i = from; i < to; i++) {
            int row = (int) rows[i];
            rows[i] = (((values[row] - min) >>> shift) << 32) | row;
        }
        for (int digit = 0; digit < Math.min(bits, PREFIX_BITS); digit += DIGIT_BITS) {
            pass(from, to, 32 + digit);
        }
        int start = from;
        for (int i = from + 1; i <= to; i++) {
            if (i == to || rows[i] >>> 32 != rows[start] >>> 32) {
                if (i - start > 1) {
                    sortRange(keys, times, start, i, byKey);
                }
                start = i;
            }
        }
    }

    private void pass(int from, int to, int shift) {
        Arrays.fill(starts, 0);
        for (int i = from; i < to; i++) {
            starts[((int) (rows[i] >>> shift) & (DIGITS - 1)) + 1]++;
        }
        starts[0] = from;
        for (int d = 1; d < DIGITS; d++) {
            starts[d] += starts[d - 1];
        }
        for (int i = from; i < to; i++) {
            long row = rows[i];
            other[starts[(int) (row >>> shift) & (DIGITS - 1)]++] = row;
        }
        if (to - from == rows.length) {
            long[] sorted = other;
            other = rows;
            rows = sorted;
        } else {
            System.arraycopy(other, from, rows, from, to - from);
        }
    }

    private void insertionSort(long[] keys, long[] times, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            long moved = rows[i];
            int row = (int) moved;
            long key = keys[row];
            long time = times[row];
            int j = i - 1;
            while (j >= from && isAbove(keys, times, (int) rows[j], key, time)) {
                rows[j + 1] = rows[j];
                j--;
            }
            rows[j + 1] = moved;
        }
    }

    private static boolean isAbove(long[] keys, long[] times, int row, long key, long time) {
        return keys[row] > key || (keys[row] == key && times[row] > time);
    }
}
