package io.waterwheel.chunk.encoding;

import java.util.Arrays;

/** Reads {@code integers(n)} of the chunk format. Keeps scratch; one thread. */
public final class IntegerDecoder {
    /** Rows of a run on average, from which on each is filled by itself. */
    private static final int LONG_RUN = 32;

    /** By depth: what the integers of that depth are made of. */
    private final long[][] first = new long[ChunkFormat.MAX_DEPTH + 1][];

    private final long[][] second = new long[ChunkFormat.MAX_DEPTH + 1][];

    /**
     * Reads integers.
     *
     * @param out has at least {@code count} places
     * @throws CorruptChunkException when the bytes are no integers of that count
     */
    public void read(PartCursor in, int count, long[] out) {
        read(in, count, out, 0);
    }

    private void read(PartCursor in, int count, long[] out, int depth) {
        if (count == 0) {
            return;
        }
        if (depth > ChunkFormat.MAX_DEPTH) {
            throw in.damaged("integers at most " + ChunkFormat.MAX_DEPTH + " deep", "deeper ones");
        }
        int code = in.u8();
        switch (code) {
            case ChunkFormat.INTEGERS_CONSTANT -> Arrays.fill(out, 0, count, in.number());
            case ChunkFormat.INTEGERS_PACKED -> packed(in, count, out);
            case ChunkFormat.INTEGERS_PATCHED -> patched(in, count, out, depth);
            case ChunkFormat.INTEGERS_DELTA -> delta(in, count, out, depth);
            case ChunkFormat.INTEGERS_DICTIONARY -> dictionary(in, count, out, depth);
            case ChunkFormat.INTEGERS_RUNS -> runs(in, count, out, depth);
            default -> throw in.damaged("an integers code of 0 to 5", Integer.toString(code));
        }
    }

    private static int bits(PartCursor in) {
        int bits = in.u8();
        if (bits > ChunkFormat.MAX_PACKED_BITS && bits != Long.SIZE) {
            throw in.damaged("0 to 56 or 64 bits", Integer.toString(bits));
        }
        return bits;
    }

    private static void packed(PartCursor in, int count, long[] out) {
        int bits = bits(in);
        long base = in.number();
        long unit = in.number();
        int from = in.skip(BitPacking.bytes(count, bits));
        BitPacking.unpack(in.bytes(), from, count, bits, base, unit, out);
    }

    private void patched(PartCursor in, int count, long[] out, int depth) {
        int bits = bits(in);
        long base = in.number();
        long unit = in.number();
        int from = in.skip(BitPacking.bytes(count, bits));
        BitPacking.unpack(in.bytes(), from, count, bits, base, unit, out);
        int patches = in.count(0, count);
        long[] rows = scratch(first, depth, patches);
        long[] highs = scratch(second, depth, patches);
        read(in, patches, rows, depth + 1);
        read(in, patches, highs, depth + 1);
        // With 64 bits a shift by 64 would be one by 0: nothing is left to add.
        int shift = Math.min(bits, 63);
        long factor = bits == Long.SIZE ? 0 : unit;
        for (int i = 0; i < patches; i++) {
            out[checked(in, rows[i], count, "row")] += factor * (highs[i] << shift);
        }
    }

    private void delta(PartCursor in, int count, long[] out, int depth) {
        long value = in.number();
        if (count > 1 && depth < ChunkFormat.MAX_DEPTH && in.next() == ChunkFormat.INTEGERS_PACKED) {
            // The usual steps, in one pass.
            in.u8();
            int bits = bits(in);
            long base = in.number();
            long unit = in.number();
            int from = in.skip(BitPacking.bytes(count - 1, bits));
            BitPacking.unpackSteps(in.bytes(), from, count - 1, bits, base, unit, value, out);
            return;
        }
        long[] steps = scratch(first, depth, count);
        read(in, count - 1, steps, depth + 1);
        out[0] = value;
        for (int i = 1; i < count; i++) {
            value += steps[i - 1];
            out[i] = value;
        }
    }

    private void dictionary(PartCursor in, int count, long[] out, int depth) {
        int distinct = in.count(1, count);
        long[] values = scratch(first, depth, distinct);
        read(in, distinct, values, depth + 1);
        int bits = bits(in);
        int from = in.skip(BitPacking.bytes(count, bits));
        BitPacking.unpack(in.bytes(), from, count, bits, 0, 1, out);
        int wrong = lookUp(out, count, values, distinct);
        if (wrong >= 0) {
            checked(in, out[wrong], distinct, "code");
        }
    }

    private void runs(PartCursor in, int count, long[] out, int depth) {
        int runs = in.count(1, count);
        long[] values = scratch(first, depth, runs);
        long[] lengths = scratch(second, depth, runs);
        read(in, runs, values, depth + 1);
        read(in, runs, lengths, depth + 1);
        boolean isLong = runs * LONG_RUN < count;
        if (!isLong) {
            Arrays.fill(out, 0, count, 0);
        }
        int at = 0;
        long before = 0;
        for (int run = 0; run < runs; run++) {
            if (lengths[run] < 1 || lengths[run] > count - at) {
                throw in.damaged("a run of 1 to " + (count - at) + " rows", Long.toString(lengths[run]));
            }
            int end = at + (int) lengths[run];
            if (isLong) {
                Arrays.fill(out, at, end, values[run]);
            } else {
                out[at] = values[run] - before;
                before = values[run];
            }
            at = end;
        }
        if (at != count) {
            throw in.damaged("runs of " + count + " rows in all", Integer.toString(at));
        }
        if (!isLong) {
            // Where each begins stands by how much it differs: no branch depends on how long runs are.
            BitPacking.addUp(out, count);
        }
    }

    /** Puts values in the place of codes; says where a code is of none, or -1. */
    private static int lookUp(long[] codes, int count, long[] values, int distinct) {
        for (int i = 0; i < count; i++) {
            long code = codes[i];
            if (code < 0 || code >= distinct) {
                return i;
            }
            codes[i] = values[(int) code];
        }
        return -1;
    }

    private static int checked(PartCursor in, long index, int count, String what) {
        if (index < 0 || index >= count) {
            throw in.damaged("a " + what + " below " + count, Long.toString(index));
        }
        return (int) index;
    }

    private static long[] scratch(long[][] kept, int depth, int length) {
        if (kept[depth] == null || kept[depth].length < length) {
            kept[depth] = new long[Math.max(length, 64)];
        }
        return kept[depth];
    }
}
