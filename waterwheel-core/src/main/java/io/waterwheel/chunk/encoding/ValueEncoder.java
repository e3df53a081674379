package io.waterwheel.chunk.encoding;

import io.waterwheel.index.PagePool;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/**
 * Writes the variable values of a leaf's column: one after the other, or each distinct one once. Keeps scratch; one
 * thread.
 */
public final class ValueEncoder {
    /** A dictionary is given up when this number of first rows ... */
    private static final int TRIAL_ROWS = 256;
    /** ... have more distinct values than this. */
    private static final int TRIAL_DISTINCT = 200;
    /** Of the number of references whose numbers are remembered: as many as a leaf has rows. */
    private static final int REMEMBERED_BITS = 11;

    private final IntegerEncoder integers;
    private final ChunkBuffer data = new ChunkBuffer();
    private long[] lengths = new long[0];
    private long[] numbers = new long[0];
    private long[] distinctLengths = new long[0];
    private int[] distinctOffsets = new int[0];
    private long[] distinctHashes = new long[0];
    private int[] table = new int[0];
    /** References of the column at hand, and its round with the number of the value, by what is left of their hash. */
    private final long[] remembered = new long[1 << REMEMBERED_BITS];

    private final long[] rememberedNumbers = new long[1 << REMEMBERED_BITS];
    private long round;
    private int distinct;
    private boolean hasDictionary;

    ValueEncoder(IntegerEncoder integers) {
        this.integers = integers;
    }

    /** Writes form and content of the values that the tree's references point to. */
    void write(long[] references, int rows, byte[][] slabs, ChunkBuffer out) {
        reserve(rows);
        hasDictionary = dictionary(references, rows, slabs);
        if (hasDictionary) {
            out.putByte(ChunkFormat.FORM_DICTIONARY);
            out.putShort(distinct);
            integers.write(distinctLengths, distinct, out);
            out.putBytes(data.array(), 0, data.size());
            integers.write(numbers, rows, out);
            return;
        }
        long bytes = 0;
        for (int i = 0; i < rows; i++) {
            lengths[i] = TupleBlock.referenceLength(references[i]);
            bytes += lengths[i];
        }
        out.putByte(ChunkFormat.FORM_VALUES);
        integers.write(lengths, rows, out);
        out.reserve(bytes);
        byte[] target = out.array();
        int at = out.size();
        for (int i = 0; i < rows; i++) {
            int length = (int) lengths[i];
            if (length > 0) {
                System.arraycopy(slab(slabs, references[i]), offset(references[i]), target, at, length);
                at += length;
            }
        }
        out.setSize(at);
    }

    /**
     * Numbers the values by {@link #numbers}, in order of first use, as for a dictionary.
     *
     * @return how many there are; 0 where they are too many for a dictionary
     */
    public int number(long[] references, int rows, byte[][] slabs) {
        reserve(rows);
        hasDictionary = dictionary(references, rows, slabs);
        return distinct();
    }

    /** What the distinct values are in, one behind the other; only of a dictionary. */
    public byte[] text() {
        return data.array();
    }

    /** Where a value begins in {@link #text}, by its number; only of a dictionary. */
    public int start(int number) {
        return distinctOffsets[number];
    }

    /** How long a value is, by its number; only of a dictionary. */
    public int length(int number) {
        return (int) distinctLengths[number];
    }

    /** How many distinct values the last column has; 0 where it was written without a dictionary. */
    public int distinct() {
        return hasDictionary ? distinct : 0;
    }

    /** By row, the number of its value, in order of first use; only of a dictionary. */
    public long[] numbers() {
        return numbers;
    }

    /** The {@link BloomBits#hash(byte[], int, int) hash} of a value by its number; only of a dictionary. */
    public long hash(int number) {
        return distinctHashes[number];
    }

    public static byte[] slab(byte[][] slabs, long reference) {
        return slabs[TupleBlock.referenceOffset(reference) >>> SLAB_SHIFT];
    }

    public static int offset(long reference) {
        return TupleBlock.referenceOffset(reference) & (PagePool.SLAB_BYTES - 1);
    }

    private static final int SLAB_SHIFT = Integer.numberOfTrailingZeros(PagePool.SLAB_BYTES);

    private void reserve(int rows) {
        if (lengths.length < rows) {
            lengths = new long[rows];
            numbers = new long[rows];
            distinctLengths = new long[rows];
            distinctOffsets = new int[rows];
            distinctHashes = new long[rows];
            table = new int[Integer.highestOneBit(rows) * 4];
        }
    }

    /** Numbers the distinct values and gathers their bytes; false when they are too many to pay. */
    private boolean dictionary(long[] references, int rows, byte[][] slabs) {
        Arrays.fill(table, -1);
        data.clear();
        distinct = 0;
        round++;
        int mask = table.length - 1;
        int previous = -1;
        for (int i = 0; i < rows; i++) {
            long reference = references[i];
            // Equal values often have one reference, as the tree shares their bytes.
            int at = (int) ((reference * 0x9e3779b97f4a7c15L) >>> (Long.SIZE - REMEMBERED_BITS));
            if (remembered[at] == reference && rememberedNumbers[at] >>> 32 == round) {
                previous = (int) rememberedNumbers[at];
                numbers[i] = previous;
                continue;
            }
            int length = TupleBlock.referenceLength(reference);
            byte[] slab = length == 0 ? data.array() : slab(slabs, reference);
            int from = length == 0 ? 0 : offset(reference);
            // Where they have not, they often come in runs.
            if (previous >= 0 && distinctLengths[previous] == length && isText(previous, slab, from, length)) {
                numbers[i] = previous;
                continue;
            }
            long hash = BloomBits.hash(slab, from, length);
            int slot = (int) hash & mask;
            while (table[slot] >= 0 && !isValue(table[slot], hash, slab, from, length)) {
                slot = (slot + 1) & mask;
            }
            if (table[slot] < 0) {
                if (distinct > rows / 2 || (i < TRIAL_ROWS && distinct >= TRIAL_DISTINCT)) {
                    return false;
                }
                table[slot] = distinct;
                distinctLengths[distinct] = length;
                distinctOffsets[distinct] = data.size();
                distinctHashes[distinct++] = hash;
                data.putBytes(slab, from, length);
            }
            previous = table[slot];
            numbers[i] = previous;
            remembered[at] = reference;
            rememberedNumbers[at] = round << 32 | previous;
        }
        return true;
    }

    private boolean isValue(int number, long hash, byte[] slab, int from, int length) {
        return distinctHashes[number] == hash
                && distinctLengths[number] == length
                && isText(number, slab, from, length);
    }

    /** Whether a value of this length is the text. */
    private boolean isText(int number, byte[] slab, int from, int length) {
        int at = distinctOffsets[number];
        byte[] text = data.array();
        if (length >= 8 && length <= 16) {
            // Two words that may overlap, in place of a loop.
            int last = length - 8;
            return LittleEndian.getLong(text, at) == LittleEndian.getLong(slab, from)
                    && LittleEndian.getLong(text, at + last) == LittleEndian.getLong(slab, from + last);
        }
        return Arrays.equals(text, at, at + length, slab, from, from + length);
    }
}
