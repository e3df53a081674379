package io.waterwheel.chunk;

import java.util.Arrays;

/** Sorts distinct values. Stateless. */
final class FieldOrder {
    /** Bits of a value's beginning that are sorted with its number in one long. */
    private static final int NUMBER_BITS = 16;

    private static final long NUMBERS = (1L << NUMBER_BITS) - 1;

    private FieldOrder() {}

    /** Numbers of distinct codes, at most 65,536, by their order. */
    static int[] ofCodes(int count, long[] codes) {
        long[] sorted = Arrays.copyOf(codes, count);
        Arrays.sort(sorted);
        int[] order = new int[count];
        for (int number = 0; number < count; number++) {
            order[Arrays.binarySearch(sorted, codes[number])] = number;
        }
        return order;
    }

    /**
     * Numbers of distinct texts, at most 65,536, by the order of their bytes, unsigned.
     *
     * @param ends by number where its text ends; it begins where the one before it ends
     */
    static int[] ofText(int count, byte[] text, int[] ends) {
        long[] begun = new long[count];
        for (int number = 0; number < count; number++) {
            int from = number == 0 ? 0 : ends[number - 1];
            long code = 0;
            for (int i = 0; i < 6; i++) {
                code = code << 8 | (from + i < ends[number] ? text[from + i] & 0xFF : 0);
            }
            begun[number] = (code << NUMBER_BITS | number) ^ Long.MIN_VALUE;
        }
        Arrays.sort(begun);
        int[] order = new int[count];
        for (int from = 0; from < count; ) {
            int to = from;
            while (to < count && (begun[to] ^ begun[from]) >>> NUMBER_BITS == 0) {
                order[to] = (int) (begun[to] & NUMBERS);
                to++;
            }
            if (to - from > 1) {
                sort(order, from, to, text, ends);
            }
            from = to;
        }
        return order;
    }

    /** Sorts numbers whose texts begin alike: merges ever longer runs. */
    private static void sort(int[] order, int from, int to, byte[] text, int[] ends) {
        int[] source = Arrays.copyOfRange(order, from, to);
        int[] target = new int[source.length];
        for (int run = 1; run < source.length; run *= 2) {
            for (int start = 0; start < source.length; start += 2 * run) {
                int left = start;
                int leftEnd = Math.min(start + run, source.length);
                int right = leftEnd;
                int rightEnd = Math.min(start + 2 * run, source.length);
                for (int at = start; at < rightEnd; at++) {
                    boolean takesLeft = right == rightEnd
                            || (left < leftEnd && compare(source[left], source[right], text, ends) < 0);
                    target[at] = takesLeft ? source[left++] : source[right++];
                }
            }
            int[] swapped = source;
            source = target;
            target = swapped;
        }
        System.arraycopy(source, 0, order, from, source.length);
    }

    private static int compare(int left, int right, byte[] text, int[] ends) {
        return Arrays.compareUnsigned(
                text, left == 0 ? 0 : ends[left - 1], ends[left], text, right == 0 ? 0 : ends[right - 1], ends[right]);
    }
}
