package io.waterwheel.query.condition;

import io.waterwheel.query.column.SeededHash;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A set of whole numbers that is asked for each row: bits where the numbers are close to one another, as days and the
 * keys of small tables are, else a table by a hash. Immutable.
 */
final class NumberSet {
    /** Longs of bits that a number may take: what a table takes, which has two to four slots a number. */
    private static final int MOST_LONGS_A_NUMBER = 4;

    private final long least;
    /** How far the greatest is above the least, unsigned. */
    private final long span;
    /** By distance from the least, whether it is a number of the set, and 64 that are none; empty beside a table. */
    private final long[] bits;
    /** A number is at its hash or behind it, before the next {@link #none}; a power of two of slots. */
    private final long[] table;
    /** Stands where nothing is: no number of the set. */
    private final long none;

    private final SeededHash hash = new SeededHash();

    /** @param numbers ascending, each once or more */
    NumberSet(long[] numbers) {
        int count = numbers.length;
        least = count == 0 ? 0 : numbers[0];
        span = count == 0 ? 0 : numbers[count - 1] - least;
        long longs = (span >>> 6) + 1;
        if (longs <= (long) MOST_LONGS_A_NUMBER * count || count == 0) {
            bits = new long[(int) longs + 1];
            table = new long[] {0};
            none = 0;
            for (long number : numbers) {
                long at = number - least;
                bits[(int) (at >>> 6)] |= 1L << at;
            }
            return;
        }
        bits = new long[0];
        none = absent(numbers);
        table = new long[Integer.highestOneBit(count) << 2];
        Arrays.fill(table, none);
        for (long number : numbers) {
            int slot = slot(number);
            table[slot] = number;
        }
    }

    /** A number that the set lacks: among one more than there are, one is. */
    private static long absent(long[] ascending) {
        long candidate = Long.MIN_VALUE;
        for (long number : ascending) {
            if (number > candidate) {
                break;
            }
            candidate = number + 1;
        }
        return candidate;
    }

    /** Where a number is, or would be. */
    private int slot(long number) {
        int mask = table.length - 1;
        int slot = hash.of(number) & mask;
        while (table[slot] != number && table[slot] != none) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    boolean has(long number) {
        long at = number - least;
        if (bits.length > 0) {
            // What is far from the least is among those that are none.
            return (bits[(int) Math.min(at >>> 6, bits.length - 1)] >>> at & 1) != 0;
        }
        return Long.compareUnsigned(at, span) <= 0 && number != none && table[slot(number)] == number;
    }

    /** The least number, that the bits begin with. */
    long least() {
        return least;
    }

    /** By distance from the least, whether it is a number of the set, and 64 that are none; empty beside a table. */
    long[] bits() {
        return bits;
    }

    /**
     * Keeps of the first {@code count} of the selected rows those whose number is in the set, or those whose is not.
     *
     * @param numbers by row; those of rows that are null mean nothing
     * @param nulls rows that are not kept; null where there are none
     * @return how many they are
     */
    int keep(long[] numbers, boolean @Nullable [] nulls, int[] selected, int count, boolean negated) {
        int kept = 0;
        if (bits.length == 0) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                selected[kept] = row;
                kept += (nulls == null || !nulls[row]) && has(numbers[row]) != negated ? 1 : 0;
            }
            return kept;
        }
        // Without a branch: whether a row is kept cannot be foreseen.
        long[] words = bits;
        int last = words.length - 1;
        long first = least;
        int flip = negated ? 1 : 0;
        if (nulls == null) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                long at = numbers[row] - first;
                selected[kept] = row;
                kept += (int) (words[(int) Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
            }
            return kept;
        }
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long at = numbers[row] - first;
            selected[kept] = row;
            int found = (int) (words[(int) Math.min(at >>> 6, last)] >>> at & 1) ^ flip;
            kept += nulls[row] ? 0 : found;
        }
        return kept;
    }
}
