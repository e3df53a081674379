package io.waterwheel.chunk;

import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;

/**
 * One part of a leaf, decoded: what scans read and the cache keeps. Immutable by agreement: its arrays are shared and
 * must not be changed.
 */
public final class LeafPart {
    private static final long[] NO_LONGS = {};
    private static final byte[] NO_BYTES = {};
    private static final char[] NO_CODES = {};
    /** Headers of this and its arrays. */
    private static final int OVERHEAD = 120;

    private final long[] longs;
    private final byte[] bytes;
    private final byte[] arena;
    private final char[] codes;
    private final long[] dictionary;
    private final char[] numbers;
    /** Bytes that each number takes, where they lie narrow; else 0. */
    private final int narrow;

    /** The least of values that lie narrow; of null masks all bits that are set. */
    private final long low;

    private final long high;
    /** Bytes of a row's null mask, where the part has these; else 0. */
    private final int maskWidth;

    private final int maskRows;

    private LeafPart(
            long[] longs,
            byte[] bytes,
            byte[] arena,
            char[] codes,
            long[] dictionary,
            char[] numbers,
            int narrow,
            long low,
            long high,
            int maskWidth,
            int maskRows) {
        this.longs = longs;
        this.bytes = bytes;
        this.arena = arena;
        this.codes = codes;
        this.dictionary = dictionary;
        this.numbers = numbers;
        this.narrow = narrow;
        this.low = low;
        this.high = high;
        this.maskWidth = maskWidth;
        this.maskRows = maskRows;
    }

    /** A column of the first of some whole numbers, narrow where they lie close together. */
    static LeafPart ofWhole(long[] numbers, int rows) {
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        for (int row = 0; row < rows; row++) {
            low = Math.min(low, numbers[row]);
            high = Math.max(high, numbers[row]);
        }
        int width = rows == 0 ? NarrowLongs.WIDE : NarrowLongs.width(low, high);
        if (width < NarrowLongs.WIDE) {
            byte[] narrow = NarrowLongs.of(numbers, rows, low, width);
            return new LeafPart(NO_LONGS, narrow, NO_BYTES, NO_CODES, NO_LONGS, NO_CODES, width, low, high, 0, 0);
        }
        byte[] bytes = new byte[rows * NarrowLongs.WIDE];
        LittleEndian.putLongs(bytes, numbers, rows);
        return ofFixed(bytes);
    }

    /** Null masks, kept by field. */
    static LeafPart ofMasks(byte[] masks, int width, int rows, int fields) {
        byte[] bits = NullBits.of(masks, width, rows, fields);
        long some = NullBits.some(bits, rows);
        return new LeafPart(NO_LONGS, bits, NO_BYTES, NO_CODES, NO_LONGS, NO_CODES, 0, some, 0, width, rows);
    }

    static LeafPart ofLongs(long[] longs) {
        return new LeafPart(longs, NO_BYTES, NO_BYTES, NO_CODES, NO_LONGS, NO_CODES, 0, 0, 0, 0, 0);
    }

    static LeafPart ofFixed(byte[] values) {
        return ofNumbers(values, NO_BYTES, NO_CODES, NO_LONGS, NO_CODES);
    }

    static LeafPart ofVariable(byte[] references, byte[] arena) {
        return ofNumbers(references, arena, NO_CODES, NO_LONGS, NO_CODES);
    }

    static LeafPart ofDictionary(byte[] references, byte[] arena, char[] codes, long[] dictionary) {
        return ofNumbers(references, arena, codes, dictionary, NO_CODES);
    }

    /** @param numbers of the values of the dictionary, in the section of dependencies */
    static LeafPart ofNumbers(byte[] references, byte[] arena, char[] codes, long[] dictionary, char[] numbers) {
        return new LeafPart(NO_LONGS, references, arena, codes, dictionary, numbers, 0, 0, 0, 0, 0);
    }

    /** Keys or times by row; empty for columns. */
    public long[] longs() {
        return longs;
    }

    /**
     * A column's values as in a tuple block, or its references into {@link #arena}; empty for keys and times. Of values
     * that lie {@link #narrow}, and of null masks, each call makes an array anew.
     */
    public byte[] asInBlock() {
        if (maskWidth > 0) {
            return NullBits.masks(bytes, maskWidth, maskRows);
        }
        return narrow == 0 ? bytes : NarrowLongs.widened(bytes, narrow, low);
    }

    /**
     * A column's values as the part keeps them, never a copy: whole numbers as {@link #narrow} says, null masks as
     * {@link NullBits} has them, all others as in a tuple block.
     */
    public byte[] values() {
        return bytes;
    }

    /** Bytes that each whole number takes, where they lie as {@link NarrowLongs} keeps them; else 0. */
    public int narrow() {
        return narrow;
    }

    /** The least of values that lie {@link #narrow}, with what stands where the field is null; else nothing. */
    public long low() {
        return low;
    }

    /** Of null masks, those of the bits that are set in some row; of other parts nothing. */
    public long someNull() {
        return low;
    }

    /** The greatest of values that lie {@link #narrow}, as {@link #low} is the least; else nothing. */
    public long high() {
        return high;
    }

    /** What the references of a variable column refer to. Values that are equal may share their bytes. */
    public byte[] arena() {
        return arena;
    }

    /** By row, where in {@link #dictionary} its reference is; empty when the column has no dictionary. */
    public char[] codes() {
        return codes;
    }

    /** References of the values that there are in a variable column. */
    public long[] dictionary() {
        return dictionary;
    }

    /** By value of {@link #dictionary}, its number in the section of dependencies; empty where it is not known. */
    char[] numbers() {
        return numbers;
    }

    /** Bytes of memory it takes. */
    public int weight() {
        return (longs.length + dictionary.length) * 8
                + (codes.length + numbers.length) * 2
                + bytes.length
                + arena.length
                + OVERHEAD;
    }
}
