package io.waterwheel.chunk;

import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;
import org.jspecify.annotations.Nullable;

/**
 * One part of a leaf, decoded: what scans read and the cache keeps. Immutable by agreement: its arrays are shared and
 * must not be changed. What a part has not is empty or null there.
 */
public abstract sealed class LeafPart {
    private static final long[] NO_LONGS = {};
    private static final byte[] NO_BYTES = {};
    private static final char[] NO_CODES = {};
    /** Headers of a part and its arrays. */
    private static final int OVERHEAD = 120;

    private LeafPart() {}

    /** A column of the first of some whole numbers, narrow where they lie close together. */
    static LeafPart ofWhole(long[] numbers, int rows) {
        NarrowLongs narrow = NarrowLongs.of(numbers, rows);
        if (narrow != null) {
            return new Narrow(narrow);
        }
        byte[] bytes = new byte[rows * NarrowLongs.WIDE];
        LittleEndian.putLongs(bytes, numbers, rows);
        return ofFixed(bytes);
    }

    /** Null masks, kept by field. */
    static LeafPart ofMasks(byte[] masks, int width, int rows, int fields) {
        return new Masks(NullBits.of(masks, width, rows, fields));
    }

    static LeafPart ofLongs(long[] longs) {
        return new Longs(longs);
    }

    static LeafPart ofFixed(byte[] values) {
        return ofVariable(values, NO_BYTES);
    }

    static LeafPart ofVariable(byte[] references, byte[] arena) {
        return ofDictionary(references, arena, NO_CODES, NO_LONGS);
    }

    static LeafPart ofDictionary(byte[] references, byte[] arena, char[] codes, long[] dictionary) {
        return ofNumbers(references, arena, codes, dictionary, NO_CODES);
    }

    /** @param numbers of the values of the dictionary, in the section of dependencies */
    static LeafPart ofNumbers(byte[] references, byte[] arena, char[] codes, long[] dictionary, char[] numbers) {
        return new Column(references, arena, codes, dictionary, numbers);
    }

    /** Keys or times by row; empty for columns. */
    public long[] longs() {
        return NO_LONGS;
    }

    /**
     * A column's values as in a tuple block, or its references into {@link #arena}; empty for keys and times. Where the
     * part keeps them in another form, which {@link #narrow} and {@link #nulls} are, each call makes an array anew.
     */
    public abstract byte[] asInBlock();

    /** The same where the part keeps them so, never a copy; else empty. */
    public byte[] values() {
        return NO_BYTES;
    }

    /** A column's whole numbers, where the part keeps them narrow; with what stands where the field is null. */
    public @Nullable NarrowLongs narrow() {
        return null;
    }

    /** The null masks of a leaf by field; null for all other parts. */
    public @Nullable NullBits nulls() {
        return null;
    }

    /** What the references of a variable column refer to. Values that are equal may share their bytes. */
    public byte[] arena() {
        return NO_BYTES;
    }

    /** By row, where in {@link #dictionary} its reference is; empty when the column has no dictionary. */
    public char[] codes() {
        return NO_CODES;
    }

    /** References of the values that there are in a variable column. */
    public long[] dictionary() {
        return NO_LONGS;
    }

    /** By value of {@link #dictionary}, its number in the section of dependencies; empty where it is not known. */
    char[] numbers() {
        return NO_CODES;
    }

    /** Bytes of memory it takes. */
    public final int weight() {
        return OVERHEAD + content();
    }

    /** Bytes of what the arrays have. */
    abstract int content();

    /** Keys or times. */
    private static final class Longs extends LeafPart {
        private final long[] longs;

        Longs(long[] longs) {
            this.longs = longs;
        }

        @Override
        public long[] longs() {
            return longs;
        }

        @Override
        public byte[] asInBlock() {
            return NO_BYTES;
        }

        @Override
        int content() {
            return longs.length * Long.BYTES;
        }
    }

    /** A column as it lies in a tuple block. */
    private static final class Column extends LeafPart {
        private final byte[] values;
        private final byte[] arena;
        private final char[] codes;
        private final long[] dictionary;
        private final char[] numbers;

        Column(byte[] values, byte[] arena, char[] codes, long[] dictionary, char[] numbers) {
            this.values = values;
            this.arena = arena;
            this.codes = codes;
            this.dictionary = dictionary;
            this.numbers = numbers;
        }

        @Override
        public byte[] asInBlock() {
            return values;
        }

        @Override
        public byte[] values() {
            return values;
        }

        @Override
        public byte[] arena() {
            return arena;
        }

        @Override
        public char[] codes() {
            return codes;
        }

        @Override
        public long[] dictionary() {
            return dictionary;
        }

        @Override
        char[] numbers() {
            return numbers;
        }

        @Override
        int content() {
            return values.length
                    + arena.length
                    + (codes.length + numbers.length) * Character.BYTES
                    + dictionary.length * Long.BYTES;
        }
    }

    /** A column of whole numbers that lie close together. */
    private static final class Narrow extends LeafPart {
        private final NarrowLongs numbers;

        Narrow(NarrowLongs numbers) {
            this.numbers = numbers;
        }

        @Override
        public byte[] asInBlock() {
            return numbers.widened();
        }

        @Override
        public NarrowLongs narrow() {
            return numbers;
        }

        @Override
        int content() {
            return numbers.bytes().length;
        }
    }

    /** The null masks of a leaf. */
    private static final class Masks extends LeafPart {
        private final NullBits nulls;

        Masks(NullBits nulls) {
            this.nulls = nulls;
        }

        @Override
        public byte[] asInBlock() {
            return nulls.masks();
        }

        @Override
        public NullBits nulls() {
            return nulls;
        }

        @Override
        int content() {
            return nulls.bits().length;
        }
    }
}
