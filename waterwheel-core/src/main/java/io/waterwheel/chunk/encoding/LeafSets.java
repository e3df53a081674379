package io.waterwheel.chunk.encoding;

import io.waterwheel.tuple.LittleEndian;
import java.util.BitSet;

/**
 * Sets of leaves of the chunk format, one after the other, as bits: each leaf by the number of leaves between it and
 * the one before it, in Rice's code [Rice 1979]. With a width of 0 that is a bitmap up to the set's last leaf.
 */
public final class LeafSets {
    /** Bits that are loaded at once, wherever they begin. */
    private static final int LOADED = 56;

    private final int leaves;
    /** The bits, and slack. */
    private final byte[] bytes;

    private final long end;

    /**
     * @param bytes the bits, lowest first, and {@link ChunkFormat#SLACK} bytes more
     * @param length of the bits in bytes
     */
    public LeafSets(int leaves, byte[] bytes, int length) {
        this.leaves = leaves;
        this.bytes = bytes;
        this.end = 8L * length;
    }

    /** The bits of all sets, and of what fills the last byte. */
    public long bits() {
        return end;
    }

    /** Bits of a gap that are stored as they are; the rest is counted in zeros. */
    static int width(int leaves, int count) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(leaves / (3 * count));
    }

    /** About the bits of a set, at most a third more for each leaf than it takes if its leaves are drawn by chance. */
    public static long estimate(int leaves, int count) {
        return (long) count * (width(leaves, count) + 1) + ((leaves - count) >>> width(leaves, count));
    }

    /**
     * The bits of a set, exact.
     *
     * @param set of it the entries [from, to) are the leaves, ascending; at least one
     */
    public static long bits(int leaves, int[] set, int from, int to) {
        int width = width(leaves, to - from);
        long bits = (long) (to - from) * (width + 1);
        int next = 0;
        for (int i = from; i < to; i++) {
            bits += (set[i] - next) >>> width;
            next = set[i] + 1;
        }
        return bits;
    }

    /**
     * Reads the set of {@code count} leaves, at least one, that begins at a bit.
     *
     * @return the bit behind it, or -1 when the bits are no such set
     */
    public long read(long from, int count, BitSet into) {
        int width = width(leaves, count);
        long at = from;
        int leaf = -1;
        for (int i = 0; i < count; i++) {
            long zeros = 0;
            long load;
            while ((load = load(at)) == 0) {
                zeros += LOADED;
                at += LOADED;
                if (at >= end) {
                    return -1;
                }
            }
            int more = Long.numberOfTrailingZeros(load);
            zeros += more;
            at += more + 1;
            if (zeros > leaves || at + width > end) {
                return -1;
            }
            long gap = (zeros << width) | (load(at) & ((1L << width) - 1));
            at += width;
            if (gap >= leaves - 1L - leaf) {
                return -1;
            }
            leaf += 1 + (int) gap;
            into.set(leaf);
        }
        return at;
    }

    private long load(long at) {
        if (at >= end) {
            return 0;
        }
        return LittleEndian.getLong(bytes, (int) (at >>> 3)) >>> (at & 7) & ((1L << LOADED) - 1);
    }

    /** Bytes of memory. */
    public int weight() {
        return bytes.length + 60;
    }

    /** Writes sets, leaf by leaf. One thread. */
    public static final class Writer {
        private final ChunkBuffer out;
        private final int leaves;
        private long word;
        private int bits;
        private int width;
        private int next;

        public Writer(int leaves, ChunkBuffer out) {
            this.leaves = leaves;
            this.out = out;
        }

        /** Begins a set of {@code count} leaves. */
        public void begin(int count) {
            width = width(leaves, count);
            next = 0;
        }

        /** The set's next leaf; they ascend. */
        public void add(int leaf) {
            int gap = leaf - next;
            next = leaf + 1;
            for (int zeros = gap >>> width; zeros > 0; ) {
                int now = Math.min(zeros, 24);
                put(0, now);
                zeros -= now;
            }
            put(1, 1);
            put(gap & ((1L << width) - 1), width);
        }

        private void put(long value, int count) {
            word |= value << bits;
            bits += count;
            while (bits >= Byte.SIZE) {
                out.putByte((int) word);
                word >>>= Byte.SIZE;
                bits -= Byte.SIZE;
            }
        }

        /** Fills up the last byte. */
        public void end() {
            if (bits > 0) {
                put(0, Byte.SIZE - bits);
            }
        }
    }
}
