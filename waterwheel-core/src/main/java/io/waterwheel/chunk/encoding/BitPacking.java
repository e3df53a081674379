package io.waterwheel.chunk.encoding;

import io.waterwheel.tuple.LittleEndian;
import java.util.Arrays;

/** Unsigned integers of 0 to 56, or 64, bits one after the other: {@code packed(n, b)} of the chunk format. */
final class BitPacking {
    private BitPacking() {}

    /** Bits that hold every number up to this one, unsigned, as packing allows them. */
    static int bitsFor(long greatest) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(greatest);
        return bits > ChunkFormat.MAX_PACKED_BITS ? Long.SIZE : bits;
    }

    static long bytes(long count, int bits) {
        return (count * bits + 7) >>> 3;
    }

    /** Packs the low bits of values [0, count); writes up to eight bytes beyond what {@link #bytes} says. */
    static void pack(long[] values, int count, int bits, byte[] out, int at) {
        if (bits == 0) {
            return;
        }
        if (bits == Long.SIZE) {
            for (int i = 0; i < count; i++) {
                LittleEndian.putLong(out, at + i * 8, values[i]);
            }
            return;
        }
        long mask = (1L << bits) - 1;
        long word = 0;
        int filled = 0;
        int position = at;
        for (int i = 0; i < count; i++) {
            long value = values[i] & mask;
            word |= value << filled;
            filled += bits;
            if (filled >= Long.SIZE) {
                LittleEndian.putLong(out, position, word);
                position += 8;
                filled -= Long.SIZE;
                word = value >>> (bits - filled);
            }
        }
        LittleEndian.putLong(out, position, word);
    }

    /** Sets {@code out[i] = base + unit * packed[i]}. Reads up to eight bytes beyond what {@link #bytes} says. */
    static void unpack(byte[] in, int at, int count, int bits, long base, long unit, long[] out) {
        if (bits == 0) {
            Arrays.fill(out, 0, count, base);
            return;
        }
        if (bits == Long.SIZE) {
            for (int i = 0; i < count; i++) {
                out[i] = base + unit * LittleEndian.getLong(in, at + i * 8);
            }
            return;
        }
        long mask = (1L << bits) - 1;
        for (int i = 0; i < count; i++) {
            int bit = i * bits;
            out[i] = base + unit * ((LittleEndian.getLong(in, at + (bit >>> 3)) >>> (bit & 7)) & mask);
        }
    }

    /**
     * Sets {@code out[0] = first}, and {@code out[i + 1] = out[i] + base + unit * packed[i]} for i below {@code steps}.
     * Reads as {@link #unpack} does.
     */
    static void unpackSteps(byte[] in, int at, int steps, int bits, long base, long unit, long first, long[] out) {
        long value = first;
        out[0] = value;
        if (bits == 0) {
            for (int i = 1; i <= steps; i++) {
                value += base;
                out[i] = value;
            }
            return;
        }
        if (bits == Long.SIZE) {
            for (int i = 0; i < steps; i++) {
                value += base + unit * LittleEndian.getLong(in, at + i * 8);
                out[i + 1] = value;
            }
            return;
        }
        long mask = (1L << bits) - 1;
        for (int i = 0; i < steps; i++) {
            int bit = i * bits;
            value += base + unit * ((LittleEndian.getLong(in, at + (bit >>> 3)) >>> (bit & 7)) & mask);
            out[i + 1] = value;
        }
    }

    /** Each value becomes the sum of itself and all before it. */
    static void addUp(long[] values, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += values[i];
            values[i] = sum;
        }
    }
}
