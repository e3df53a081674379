package io.waterwheel.chunk.encoding;

import java.util.Arrays;

/**
 * Chooses how integers are coded, from a few passes over them, without coding them. Knows what is planned and about how
 * many bits it takes. Keeps scratch; one thread.
 */
/*
 * A sample of 64 values says which passes are worth making: a histogram of lengths in bits for patches, a table of
 * distinct values for a dictionary. So that columns of noise cost one pass, and others a few.
 */
final class IntegerPlan {
    private static final int SAMPLE = 64;
    /** Above this number of different values in a sample there are too many for a dictionary. */
    private static final int SAMPLE_DISTINCT = 56;
    /** Values that the sample leaves out on either side, as candidates for patches. */
    private static final int SAMPLE_CUT = 2;
    /** At most one row in this number is patched: more make decoding slow. */
    private static final int PATCHED_SHARE = 8;
    /** About what the fields of a code take. */
    private static final int CODE_BITS = 100;

    /** Counts of patches, values and runs are 16 bits. */
    private static final int MAX_COUNTED = 0xFFFF;

    int code;
    int bits;
    long base;
    long unit;
    /** About what it takes in all. */
    long cost;

    private final long[] sample = new long[SAMPLE];
    private final int[] lengths = new int[Long.SIZE + 1];
    private final int[] otherLengths = new int[Long.SIZE + 1];
    private final ExactDivision division = new ExactDivision();
    private final DistinctLongs distinct;

    IntegerPlan(DistinctLongs distinct) {
        this.distinct = distinct;
    }

    /** Plans values [0, count), at least one. With {@code simple}, they are packed at most. */
    void make(long[] values, int count, boolean simple) {
        long min = values[0];
        long max = min;
        long previous = min;
        int changes = 0;
        for (int i = 0; i < count; i++) {
            long value = values[i];
            min = Math.min(min, value);
            max = Math.max(max, value);
            changes += value != previous ? 1 : 0;
            previous = value;
        }
        base = min;
        unit = 1;
        if (min == max) {
            take(ChunkFormat.INTEGERS_CONSTANT, 0, CODE_BITS);
            return;
        }
        long range = max - min;
        if (range > 7) {
            unit = commonUnit(values, count, min);
        }
        int packed = BitPacking.bitsFor(unit == 1 ? range : range / unit);
        take(ChunkFormat.INTEGERS_PACKED, packed, (long) count * packed + CODE_BITS);
        if (simple || count > MAX_COUNTED || packed < 2) {
            return;
        }
        long runsCost = (changes + 1L) * (packed + BitPacking.bitsFor(count)) + 2 * CODE_BITS;
        if (runsCost < cost) {
            take(ChunkFormat.INTEGERS_RUNS, packed, runsCost);
        }
        int sampled = takeSample(values, count);
        planPatches(values, count, min, range, sampled);
        planDictionary(values, count, packed, sampled);
    }

    private void take(int newCode, int newBits, long newCost) {
        code = newCode;
        bits = newBits;
        cost = newCost;
    }

    /** The greatest number that divides all distances from the least value; 1 as soon as that is known. */
    private long commonUnit(long[] values, int count, long min) {
        long common = 0;
        for (int i = 0; i < count && common != 1; i++) {
            long distance = values[i] - min;
            if (distance < 0) {
                return 1; // beyond a signed long
            }
            if (distance != 0 && (common == 0 || !division.divides(distance))) {
                long a = distance;
                while (common != 0) {
                    long rest = a % common;
                    a = common;
                    common = rest;
                }
                common = a;
                division.by(common);
            }
        }
        return Math.max(1, common);
    }

    private int takeSample(long[] values, int count) {
        int sampled = Math.min(SAMPLE, count);
        for (int s = 0; s < sampled; s++) {
            // Not at equal distances: values may come in a pattern.
            int slot = (int) ((long) s * count / sampled);
            int jitter = (s * 7) % Math.max(1, count / sampled);
            sample[s] = values[slot + jitter];
        }
        Arrays.sort(sample, 0, sampled);
        return sampled;
    }

    private void planPatches(long[] values, int count, long min, long range, int sampled) {
        if (sampled < SAMPLE) {
            return;
        }
        long low = sample[SAMPLE_CUT];
        long high = sample[SAMPLE - 1 - SAMPLE_CUT];
        int all = BitPacking.bitsFor(range);
        if (BitPacking.bitsFor(high - min) < all) {
            planPatches(values, count, min);
        }
        if (low != min && BitPacking.bitsFor(high - low) + 1 < all) {
            planPatches(values, count, low);
        }
    }

    private void planPatches(long[] values, int count, long from) {
        Arrays.fill(lengths, 0);
        Arrays.fill(otherLengths, 0);
        int i = 0;
        // Two tables, so that one count need not wait for the one before it.
        for (; i + 1 < count; i += 2) {
            lengths[Long.SIZE - Long.numberOfLeadingZeros(values[i] - from)]++;
            otherLengths[Long.SIZE - Long.numberOfLeadingZeros(values[i + 1] - from)]++;
        }
        if (i < count) {
            lengths[Long.SIZE - Long.numberOfLeadingZeros(values[i] - from)]++;
        }
        int unitBits = Long.SIZE - 1 - Long.numberOfLeadingZeros(unit);
        int top = Long.SIZE;
        while (top > 0 && lengths[top] + otherLengths[top] == 0) {
            top--;
        }
        long patched = 0;
        for (int b = top - 1; b >= 0; b--) {
            patched += lengths[b + 1] + otherLengths[b + 1];
            if (patched > count / PATCHED_SHARE) {
                return;
            }
            int width = Math.max(0, b - unitBits);
            long estimate = (long) count * width + patched * (12 + top - b) + 3 * CODE_BITS;
            if (width <= ChunkFormat.MAX_PACKED_BITS && estimate < cost) {
                base = from;
                take(ChunkFormat.INTEGERS_PATCHED, width, estimate);
            }
        }
    }

    private void planDictionary(long[] values, int count, int packed, int sampled) {
        int different = 1;
        for (int s = 1; s < sampled; s++) {
            different += sample[s] != sample[s - 1] ? 1 : 0;
        }
        if (sampled == SAMPLE && different > SAMPLE_DISTINCT) {
            return;
        }
        int most = (int) Math.min(count, (cost - 2 * CODE_BITS - count) / packed);
        int found = distinct.find(values, count, most);
        if (found < 0) {
            return;
        }
        int codeBits = BitPacking.bitsFor(found - 1L);
        long estimate = (long) found * packed + (long) count * codeBits + 2 * CODE_BITS;
        if (estimate < cost) {
            take(ChunkFormat.INTEGERS_DICTIONARY, codeBits, estimate);
        }
    }
}
