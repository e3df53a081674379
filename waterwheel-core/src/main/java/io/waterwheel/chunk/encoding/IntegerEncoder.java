package io.waterwheel.chunk.encoding;

import java.util.Arrays;

/**
 * Writes {@code integers(n)} of the chunk format, in the code that is smallest by estimate. Keeps scratch; one thread.
 */
public final class IntegerEncoder {
    private static final int STEP_SAMPLE = 32;
    /** Bits a step must be shorter than a value before all steps are looked at. */
    private static final int STEP_GAIN = 2;

    /** What one depth of integers within integers needs; deeper ones are packed at most. */
    private static final class Level {
        final IntegerPlan plan;
        long[] reduced = new long[0];
        long[] first = new long[0];
        long[] second = new long[0];

        Level(DistinctLongs distinct) {
            plan = new IntegerPlan(distinct);
        }

        void reserve(int count) {
            if (reduced.length < count) {
                reduced = new long[count];
                first = new long[count];
                second = new long[count];
            }
        }
    }

    private final DistinctLongs distinct = new DistinctLongs();
    private final Level[] levels = new Level[ChunkFormat.MAX_DEPTH + 1];
    private long[] planned = {};
    private int plannedCount;
    /** The steps between the planned values, when these are to be written. */
    private long[] steps = {};

    private final ExactDivision division = new ExactDivision();
    private final long[] stepSample = new long[STEP_SAMPLE];
    private boolean bySteps;
    /** Whether packed integers take whole bytes. */
    private boolean wholeBytes;

    IntegerEncoder() {
        for (int depth = 0; depth < levels.length; depth++) {
            levels[depth] = new Level(distinct);
        }
    }

    /** Has integers packed into whole bytes from now on, which compression finds repeats in, or into as few bits. */
    void setWholeBytes(boolean whole) {
        wholeBytes = whole;
    }

    private int packedBits(int bits) {
        return wholeBytes && bits <= ChunkFormat.MAX_PACKED_BITS ? (bits + 7) & ~7 : bits;
    }

    /** Writes values [0, count). */
    public void write(long[] values, int count, ChunkBuffer out) {
        plan(values, count);
        write(out);
    }

    /** Chooses a code for values [0, count), to be written next; returns about how many bits they will take. */
    long plan(long[] values, int count) {
        planned = values;
        plannedCount = count;
        bySteps = false;
        if (count == 0) {
            return 0;
        }
        IntegerPlan plain = levels[0].plan;
        plain.make(values, count, false);
        if (plain.code == ChunkFormat.INTEGERS_CONSTANT || count < 4) {
            return plain.cost;
        }
        if ((sampledStepBits(values, count) + STEP_GAIN) * count < plain.cost) {
            if (steps.length < count) {
                steps = new long[count];
            }
            for (int i = 1; i < count; i++) {
                steps[i - 1] = values[i] - values[i - 1];
            }
            IntegerPlan stepPlan = levels[1].plan;
            stepPlan.make(steps, count - 1, false);
            if (stepPlan.cost + 80 < plain.cost) {
                bySteps = true;
                return stepPlan.cost + 80;
            }
        }
        return plain.cost;
    }

    /** About the bits of a step's distance from the middle one. */
    private long sampledStepBits(long[] values, int count) {
        int sampled = Math.min(STEP_SAMPLE, count - 1);
        for (int s = 0; s < sampled; s++) {
            int row = 1 + (int) ((long) s * (count - 1) / sampled);
            stepSample[s] = values[row] - values[row - 1];
        }
        Arrays.sort(stepSample, 0, sampled);
        long middle = stepSample[sampled / 2];
        int sum = 0;
        for (int s = 0; s < sampled; s++) {
            long distance = stepSample[s] - middle;
            sum += Long.SIZE - Long.numberOfLeadingZeros(distance ^ (distance >> 63));
        }
        return sum / sampled;
    }

    /** Writes what was planned. */
    public void write(ChunkBuffer out) {
        if (plannedCount == 0) {
            return;
        }
        if (bySteps) {
            out.putByte(ChunkFormat.INTEGERS_DELTA);
            out.putNumber(planned[0]);
            write(steps, plannedCount - 1, 1, out);
        } else {
            write(planned, plannedCount, 0, out);
        }
    }

    private void nested(long[] values, int count, int depth, ChunkBuffer out) {
        if (count > 0) {
            levels[depth].plan.make(values, count, true);
            write(values, count, depth, out);
        }
    }

    private void write(long[] values, int count, int depth, ChunkBuffer out) {
        Level level = levels[depth];
        level.reserve(count);
        IntegerPlan plan = level.plan;
        out.putByte(plan.code);
        switch (plan.code) {
            case ChunkFormat.INTEGERS_CONSTANT -> out.putNumber(plan.base);
            case ChunkFormat.INTEGERS_PACKED -> {
                reduce(values, count, plan, level.reduced);
                putPacked(plan, level.reduced, count, out);
            }
            case ChunkFormat.INTEGERS_PATCHED -> {
                reduce(values, count, plan, level.reduced);
                putPacked(plan, level.reduced, count, out);
                putPatches(plan, level, count, depth, out);
            }
            case ChunkFormat.INTEGERS_DICTIONARY -> putDictionary(values, count, plan, depth, out);
            default -> putRuns(values, count, level, depth, out);
        }
    }

    private void reduce(long[] values, int count, IntegerPlan plan, long[] reduced) {
        long base = plan.base;
        long unit = plan.unit;
        if (unit == 1) {
            for (int i = 0; i < count; i++) {
                reduced[i] = values[i] - base;
            }
        } else {
            // The base is one of the values: the unit divides all distances from it.
            division.by(unit);
            for (int i = 0; i < count; i++) {
                reduced[i] = division.quotient(values[i] - base);
            }
        }
    }

    private void putPacked(IntegerPlan plan, long[] reduced, int count, ChunkBuffer out) {
        int bits = packedBits(plan.bits);
        out.putByte(bits);
        out.putNumber(plan.base);
        out.putNumber(plan.unit);
        putBits(reduced, count, bits, out);
    }

    private static void putBits(long[] values, int count, int bits, ChunkBuffer out) {
        long bytes = BitPacking.bytes(count, bits);
        out.reserve(bytes);
        BitPacking.pack(values, count, bits, out.array(), out.size());
        out.setSize(out.size() + (int) bytes);
    }

    private void putPatches(IntegerPlan plan, Level level, int count, int depth, ChunkBuffer out) {
        int patches = 0;
        int bits = packedBits(plan.bits);
        for (int i = 0; i < count; i++) {
            long value = level.reduced[i];
            if (value >>> bits != 0) {
                level.first[patches] = i;
                level.second[patches++] = value >> bits;
            }
        }
        out.putShort(patches);
        nested(level.first, patches, depth + 1, out);
        nested(level.second, patches, depth + 1, out);
    }

    private void putDictionary(long[] values, int count, IntegerPlan plan, int depth, ChunkBuffer out) {
        int found = distinct.find(values, count, count);
        long[] sorted = distinct.sorted();
        long[] codes = levels[depth].reduced;
        for (int i = 0; i < count; i++) {
            codes[i] = distinct.number(values[i]);
        }
        out.putShort(found);
        nested(sorted, found, depth + 1, out);
        int bits = packedBits(plan.bits);
        out.putByte(bits);
        putBits(codes, count, bits, out);
    }

    private void putRuns(long[] values, int count, Level level, int depth, ChunkBuffer out) {
        int runs = 0;
        for (int from = 0; from < count; ) {
            int to = from + 1;
            while (to < count && values[to] == values[from]) {
                to++;
            }
            level.first[runs] = values[from];
            level.second[runs++] = (long) to - from;
            from = to;
        }
        out.putShort(runs);
        nested(level.first, runs, depth + 1, out);
        nested(level.second, runs, depth + 1, out);
    }
}
