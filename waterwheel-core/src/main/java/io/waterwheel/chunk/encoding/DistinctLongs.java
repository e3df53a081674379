package io.waterwheel.chunk.encoding;

import java.util.Arrays;

/** Finds the distinct values of a column, sorted, and the number of each. Keeps its table; one thread. */
public final class DistinctLongs {
    private long[] slots = new long[0];
    /** The number of a slot's value is valid when its round is the current one. */
    private int[] rounds = new int[0];

    private int[] numbers = new int[0];
    private long[] values = new long[64];
    private int count;
    private int round;

    /** Finds the distinct of the first values; returns how many, or -1 when there are more than {@code most}. */
    public int find(long[] column, int rows, int most) {
        int wanted = Integer.highestOneBit(Math.max(64, 2 * Math.min(rows, Math.max(most, 1)))) * 2;
        if (slots.length < wanted) {
            slots = new long[wanted];
            rounds = new int[wanted];
            numbers = new int[wanted];
            round = 0;
        }
        round++;
        count = 0;
        for (int i = 0; i < rows; i++) {
            long value = column[i];
            int slot = slot(value);
            if (rounds[slot] != round) {
                if (count >= most) {
                    return -1;
                }
                rounds[slot] = round;
                slots[slot] = value;
                if (count == values.length) {
                    values = Arrays.copyOf(values, count * 2);
                }
                values[count++] = value;
            }
        }
        return count;
    }

    /** Sorts what was found last and numbers it. */
    long[] sorted() {
        Arrays.sort(values, 0, count);
        for (int i = 0; i < count; i++) {
            numbers[slot(values[i])] = i;
        }
        return values;
    }

    /** What was found last, in order of first use. */
    public long[] found() {
        return values;
    }

    /** The number of a value that was found, after {@link #sorted}. */
    int number(long value) {
        return numbers[slot(value)];
    }

    private int slot(long value) {
        int mask = slots.length - 1;
        int slot = (int) ((value * 0x9e3779b97f4a7c15L) >>> 32) & mask;
        while (rounds[slot] == round && slots[slot] != value) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }
}
