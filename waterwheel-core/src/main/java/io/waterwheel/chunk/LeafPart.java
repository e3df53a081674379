package io.waterwheel.chunk;

/**
 * One part of a leaf, decoded: what scans read and the cache keeps. Immutable by agreement: its arrays are shared and
 * must not be changed.
 */
public final class LeafPart {
    private static final long[] NO_LONGS = {};
    private static final byte[] NO_BYTES = {};
    private static final char[] NO_CODES = {};
    /** Headers of this and its arrays. */
    private static final int OVERHEAD = 90;

    private final long[] longs;
    private final byte[] bytes;
    private final byte[] arena;
    private final char[] codes;
    private final long[] dictionary;
    private final char[] numbers;

    private LeafPart(long[] longs, byte[] bytes, byte[] arena, char[] codes, long[] dictionary, char[] numbers) {
        this.longs = longs;
        this.bytes = bytes;
        this.arena = arena;
        this.codes = codes;
        this.dictionary = dictionary;
        this.numbers = numbers;
    }

    static LeafPart ofLongs(long[] longs) {
        return new LeafPart(longs, NO_BYTES, NO_BYTES, NO_CODES, NO_LONGS, NO_CODES);
    }

    static LeafPart ofFixed(byte[] values) {
        return new LeafPart(NO_LONGS, values, NO_BYTES, NO_CODES, NO_LONGS, NO_CODES);
    }

    static LeafPart ofVariable(byte[] references, byte[] arena) {
        return new LeafPart(NO_LONGS, references, arena, NO_CODES, NO_LONGS, NO_CODES);
    }

    static LeafPart ofDictionary(byte[] references, byte[] arena, char[] codes, long[] dictionary) {
        return ofNumbers(references, arena, codes, dictionary, NO_CODES);
    }

    /** @param numbers of the values of the dictionary, in the section of dependencies */
    static LeafPart ofNumbers(byte[] references, byte[] arena, char[] codes, long[] dictionary, char[] numbers) {
        return new LeafPart(NO_LONGS, references, arena, codes, dictionary, numbers);
    }

    /** Keys or times by row; empty for columns. */
    public long[] longs() {
        return longs;
    }

    /** A column's values as in a tuple block, or its references into {@link #arena}; empty for keys and times. */
    public byte[] bytes() {
        return bytes;
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
