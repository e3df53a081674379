package io.waterwheel.chunk;

import java.util.Arrays;

/** One number for each leaf, in an array that grows and is kept: a column of the directory being made. One thread. */
final class LeafList {
    private long[] values = new long[256];
    private int size;

    void clear() {
        size = 0;
    }

    void add(long value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, size * 2);
        }
        values[size++] = value;
    }

    void set(int index, long value) {
        values[index] = value;
    }

    int size() {
        return size;
    }

    long get(int index) {
        return values[index];
    }

    /** The array; of it {@link #size} entries are filled. */
    long[] values() {
        return values;
    }
}
