package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.IntegerDecoder;
import io.waterwheel.chunk.encoding.IntegerEncoder;
import io.waterwheel.chunk.encoding.LeafSets;
import io.waterwheel.chunk.encoding.PartCursor;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.BitSet;

/**
 * All values of a field in a chunk, nulls left out, and the leaves that each is in: exact. Values are numbered in their
 * order. Numbers, times and booleans are codes, as in zones, with one for every NaN; text and bytes are themselves.
 * Immutable; any thread.
 */
public final class LeafDictionary {
    /** Most values of a dictionary, and most bytes of their text. */
    static final int MOST_VALUES = 1 << 16;

    static final int MOST_TEXT = 1 << 20;

    private static final int GROUP = ChunkFormat.LEAF_ROWS;
    private static final byte[] NO_TEXT = {};
    private static final long[] NO_CODES = {};

    private final int size;
    private final boolean variable;
    /** By value its code; empty for text. */
    private final long[] codes;
    /** Where the text of each value begins, and at last where the last one ends; empty for codes. */
    private final int[] starts;

    private final byte[] text;
    private final char[] counts;
    private final int[] setStarts;
    private final LeafSets sets;

    private LeafDictionary(
            int size,
            boolean variable,
            long[] codes,
            int[] starts,
            byte[] text,
            char[] counts,
            int[] setStarts,
            LeafSets sets) {
        this.size = size;
        this.variable = variable;
        this.codes = codes;
        this.starts = starts;
        this.text = text;
        this.counts = counts;
        this.setStarts = setStarts;
        this.sets = sets;
    }

    /** Number of values. */
    public int size() {
        return size;
    }

    /** The number of the first value whose code is not below; {@link #size} when all are. */
    public int firstFrom(long code) {
        int found = Arrays.binarySearch(codes, code);
        return found >= 0 ? found : -1 - found;
    }

    /** The number of the first text that is not below; {@link #size} when all are. */
    public int firstFrom(byte[] value) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(middle, value) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The number of the first value whose code is above; {@link #size} when none is. */
    public int firstAbove(long code) {
        return code == Long.MAX_VALUE ? size : firstFrom(code + 1);
    }

    /** The number of the first text that is above; {@link #size} when none is. */
    public int firstAbove(byte[] value) {
        int at = firstFrom(value);
        return at < size && compare(at, value) == 0 ? at + 1 : at;
    }

    private int compare(int number, byte[] value) {
        return Arrays.compareUnsigned(text, starts[number], starts[number + 1], value, 0, value.length);
    }

    /**
     * Whether a value has these bytes in a row; takes time with the length of the text times that of the part.
     *
     * @param length how many of the part's first bytes count; at least 1
     */
    public boolean contains(int value, byte[] part, int length) {
        int last = starts[value + 1] - length;
        byte first = part[0];
        for (int at = starts[value]; at <= last; at++) {
            if (text[at] == first && Arrays.mismatch(text, at, at + length, part, 0, length) < 0) {
                return true;
            }
        }
        return false;
    }

    /** Bytes of the text of the values [from, to). */
    public int textBytes(int from, int to) {
        return from >= to ? 0 : starts[to] - starts[from];
    }

    /** The code of a value. */
    public long code(int value) {
        return codes[value];
    }

    /** The text or bytes of a value. */
    public byte[] text(int value) {
        return Arrays.copyOfRange(text, starts[value], starts[value + 1]);
    }

    /** The text or bytes of all values, one after the other: not to be changed. */
    public byte[] texts() {
        return text;
    }

    /** Where in {@link #texts} a value lies, as a block's references say it. */
    public long reference(int value) {
        return TupleBlock.reference(starts[value], starts[value + 1] - starts[value]);
    }

    /** Bits that the sets of the values [from, to) take: what {@link #leaves} has to read. */
    public long setBits(int from, int to) {
        return from >= to ? 0 : (to < size ? setStarts[to] : sets.bits()) - setStarts[from];
    }

    /** Adds the leaves that have one of the values [from, to). */
    public void leaves(int from, int to, BitSet into) {
        for (int value = from; value < to; value++) {
            sets.read(setStarts[value], counts[value], into);
        }
    }

    /** Bytes of memory. */
    int weight() {
        return codes.length * 8
                + starts.length * 4
                + text.length
                + counts.length * 2
                + setStarts.length * 4
                + sets.weight()
                + 150;
    }

    /** Reads a dictionary of a chunk of a number of leaves. */
    static LeafDictionary read(PartCursor in, IntegerDecoder integers, int leaves, boolean variable) {
        int size = in.i32();
        // Each value has at least one bit in the sets, which come last.
        if (size < 0 || size > Math.min(MOST_VALUES, 8L * in.remaining())) {
            throw in.damaged("at most " + MOST_VALUES + " values", Integer.toString(size));
        }
        long[] codes = NO_CODES;
        int[] starts = {};
        byte[] text = NO_TEXT;
        if (variable) {
            starts = new int[size + 1];
            text = text(in, integers, size, starts);
        } else {
            codes = numbers(in, integers, size);
            for (int value = 1; value < size; value++) {
                if (codes[value - 1] >= codes[value]) {
                    throw in.damaged("codes that ascend", codes[value - 1] + " before " + codes[value]);
                }
            }
        }
        long[] sizes = numbers(in, integers, size);
        int length = in.i32();
        int from = in.skip(length);
        byte[] bits = Arrays.copyOf(Arrays.copyOfRange(in.bytes(), from, from + length), length + ChunkFormat.SLACK);
        LeafSets sets = new LeafSets(leaves, bits, length);
        char[] counts = new char[size];
        int[] setStarts = new int[size];
        BitSet scratch = new BitSet(leaves);
        long at = 0;
        for (int value = 0; value < size; value++) {
            if (sizes[value] < 1 || sizes[value] > Math.min(leaves, Character.MAX_VALUE)) {
                throw in.damaged("1 to " + leaves + " leaves of a value", Long.toString(sizes[value]));
            }
            counts[value] = (char) sizes[value];
            setStarts[value] = (int) at;
            at = sets.read(at, counts[value], scratch);
            if (at < 0 || at > Integer.MAX_VALUE) {
                throw in.damaged("leaves of value " + value, "others");
            }
        }
        if ((at + 7) >>> 3 != length) {
            throw in.damaged("sets of " + length + " bytes", at + " bits");
        }
        return new LeafDictionary(size, variable, codes, starts, text, counts, setStarts, sets);
    }

    /** Reads what {@link #writeNumbers} wrote. */
    static long[] numbers(PartCursor in, IntegerDecoder integers, int size) {
        long[] numbers = new long[size];
        long[] group = new long[Math.min(size, GROUP)];
        for (int first = 0; first < size; first += GROUP) {
            int count = Math.min(GROUP, size - first);
            integers.read(in, count, group);
            System.arraycopy(group, 0, numbers, first, count);
        }
        return numbers;
    }

    private static byte[] text(PartCursor in, IntegerDecoder integers, int size, int[] starts) {
        long[] shared = numbers(in, integers, size);
        long[] further = numbers(in, integers, size);
        long sum = 0;
        for (int value = 0; value < size; value++) {
            long before = value == 0 ? 0 : starts[value] - starts[value - 1];
            if (shared[value] < 0
                    || shared[value] > before
                    || further[value] < 0
                    || further[value] > in.remaining()
                    || sum + shared[value] + further[value] > MOST_TEXT) {
                throw in.damaged(
                        "text of at most " + MOST_TEXT + " bytes",
                        "value " + value + " of " + shared[value] + " and " + further[value]);
            }
            sum += shared[value] + further[value];
            starts[value + 1] = (int) sum;
        }
        byte[] text = new byte[(int) sum];
        for (int value = 0; value < size; value++) {
            int from = in.skip(further[value]);
            int start = starts[value];
            int same = (int) shared[value];
            System.arraycopy(text, value == 0 ? 0 : starts[value - 1], text, start, same);
            System.arraycopy(in.bytes(), from, text, start + same, (int) further[value]);
            if (value > 0
                    && Arrays.compareUnsigned(text, starts[value - 1], start, text, start, starts[value + 1]) >= 0) {
                throw in.damaged("text that ascends", "value " + value + " not above the one before");
            }
        }
        return text;
    }

    /** Writes numbers of values in groups. */
    static void writeNumbers(long[] numbers, int size, IntegerEncoder integers, ChunkBuffer out) {
        long[] group = new long[Math.min(size, GROUP)];
        for (int first = 0; first < size; first += GROUP) {
            int count = Math.min(GROUP, size - first);
            System.arraycopy(numbers, first, group, 0, count);
            integers.write(group, count, out);
        }
    }

    /** Whether the values are text or bytes. */
    public boolean variable() {
        return variable;
    }
}
