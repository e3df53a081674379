package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.BloomBits;
import io.waterwheel.chunk.encoding.PartCursor;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The section of dependencies: by column, the one that it follows from, and the map. Immutable but for guesses; any
 * thread.
 */
final class Dependencies {
    /** Where there are none. */
    static final Dependencies NONE = new Dependencies(0);

    private final @Nullable Source[] sources;
    /** By column, the value of each of the source's values, as in a tuple block. */
    private final byte[][] values;
    /** By column, its own values where others follow from it. */
    private final @Nullable Source[] own;

    private int weight;

    private Dependencies(int columns) {
        this.sources = new Source[columns];
        this.values = new byte[columns][];
        this.own = new Source[columns];
    }

    /** Reads the section's content, with {@link io.waterwheel.chunk.encoding.ChunkFormat#SLACK} bytes behind it. */
    static Dependencies read(PartCursor in, LeafDecoder decoder, RowLayout layout, long offset) {
        Dependencies read = new Dependencies(layout.columns());
        int count = in.count(1, MOST_SOURCES);
        int before = -1;
        for (int s = 0; s < count; s++) {
            int column = in.u16();
            if (column <= before || column >= layout.columns() || !layout.variable(column)) {
                throw in.damaged("a variable column behind column " + before, "column " + column);
            }
            before = column;
            int size = in.count(1, MOST_SOURCE_VALUES);
            Source source = Source.read(in, decoder, column, size, offset);
            read.own[column] = source;
            read.weight += source.weight();
            int dependents = in.count(1, layout.columns());
            for (int d = 0; d < dependents; d++) {
                read.dependent(in, decoder, layout, source, offset);
            }
        }
        return read;
    }

    private void dependent(PartCursor in, LeafDecoder decoder, RowLayout layout, Source source, long offset) {
        int column = in.u16();
        if (column >= layout.columns()
                || column == layout.nullMaskColumn()
                || layout.variable(column)
                || sources[column] != null) {
            throw in.damaged("a column of fixed width that follows from no other", "column " + column);
        }
        int width = layout.width(column);
        byte[] all = new byte[source.size * width];
        for (int from = 0; from < source.size; from += LEAF_ROWS) {
            int rows = Math.min(LEAF_ROWS, source.size - from);
            byte[] bytes = group(in, decoder, rows, width, offset).asInBlock();
            System.arraycopy(bytes, 0, all, from * width, bytes.length);
        }
        sources[column] = source;
        values[column] = all;
        weight += all.length + 40;
    }

    private static LeafPart group(PartCursor in, LeafDecoder decoder, int rows, int width, long offset) {
        int length = in.i32();
        int from = in.skip(length);
        return decoder.decodeGroup(in.bytes(), from, length, offset, rows, width);
    }

    /** The column that another follows from; -1 for none. */
    int source(int column) {
        Source source = column < sources.length ? sources[column] : null;
        return source == null ? -1 : source.column;
    }

    /** How many values the source of a column has; 0 without one. */
    int size(int column) {
        Source source = column < sources.length ? sources[column] : null;
        return source == null ? 0 : source.size;
    }

    /** Bytes of memory it takes. */
    int weight() {
        return weight;
    }

    /**
     * Finds the values of a leaf's rows among those of a source.
     *
     * @param column that follows from the source
     * @param part the source's in the leaf
     * @return by row the value's number; null where a value is not there
     */
    int @Nullable [] numbers(int column, LeafPart part, int rows) {
        Source source = sources[column];
        char[] codes = part.codes();
        if (source == null || codes.length == 0) {
            return source == null
                    ? null
                    : source.findAll(part, rows, row -> LittleEndian.getLong(part.values(), row * 8));
        }
        int[] numbers = new int[rows];
        char[] known = part.numbers();
        if (known.length > 0) {
            for (int row = 0; row < rows; row++) {
                numbers[row] = known[codes[row]];
            }
            return numbers;
        }
        int[] ofDictionary = source.findAll(part, part.dictionary().length, i -> part.dictionary()[i]);
        if (ofDictionary == null) {
            return null;
        }
        for (int row = 0; row < rows; row++) {
            numbers[row] = ofDictionary[codes[row]];
        }
        return numbers;
    }

    /** How many values a column has from which others follow; 0 for any other column. */
    int sizeOfSource(int column) {
        Source source = column < own.length ? own[column] : null;
        return source == null ? 0 : source.size;
    }

    /**
     * Makes the part of a column from which others follow.
     *
     * @param column that has a {@link #sizeOfSource size}
     * @param numbers by row the value's number, below that size
     */
    LeafPart part(int column, long[] numbers, int rows) {
        Source source = Objects.requireNonNull(own[column]);
        // By number, one more than where it is in the leaf's dictionary.
        char[] places = new char[source.size];
        char[] codes = new char[rows];
        char[] inLeaf = new char[Math.min(rows, source.size)];
        int distinct = 0;
        int bytes = 0;
        for (int row = 0; row < rows; row++) {
            int number = (int) numbers[row];
            if (places[number] == 0) {
                inLeaf[distinct++] = (char) number;
                places[number] = (char) distinct;
                bytes += source.starts[number + 1] - source.starts[number];
            }
            codes[row] = (char) (places[number] - 1);
        }
        byte[] arena = new byte[bytes];
        long[] dictionary = new long[distinct];
        int at = 0;
        for (int i = 0; i < distinct; i++) {
            int from = source.starts[inLeaf[i]];
            int length = source.starts[inLeaf[i] + 1] - from;
            System.arraycopy(source.arena, from, arena, at, length);
            dictionary[i] = length == 0 ? 0 : TupleBlock.reference(at, length);
            at += length;
        }
        byte[] references = new byte[rows * 8];
        for (int row = 0; row < rows; row++) {
            LittleEndian.putLong(references, row * 8, dictionary[codes[row]]);
        }
        return LeafPart.ofNumbers(references, arena, codes, dictionary, Arrays.copyOf(inLeaf, distinct));
    }

    /** The values of a column in a leaf, as in a tuple block, by the numbers of the rows' values. */
    byte[] values(int column, int[] numbers, int width) {
        byte[] all = values[column];
        byte[] out = new byte[numbers.length * width];
        switch (width) {
            case 1 -> {
                for (int i = 0; i < numbers.length; i++) {
                    out[i] = all[numbers[i]];
                }
            }
            case 2 -> {
                for (int i = 0; i < numbers.length; i++) {
                    LittleEndian.putShort(out, i * 2, LittleEndian.getShort(all, numbers[i] * 2));
                }
            }
            case 4 -> {
                for (int i = 0; i < numbers.length; i++) {
                    LittleEndian.putInt(out, i * 4, LittleEndian.getInt(all, numbers[i] * 4));
                }
            }
            default -> {
                for (int i = 0; i < numbers.length; i++) {
                    LittleEndian.putLong(out, i * 8, LittleEndian.getLong(all, numbers[i] * 8));
                }
            }
        }
        return out;
    }

    /** The distinct values of a column that others follow from. */
    private static final class Source {
        final int column;
        final int size;
        /** Where each value begins, and at last where the last one ends. */
        private final int[] starts;

        private byte[] arena = {};
        /** Open addressing, of numbers; -1 is free. */
        private final int[] table;
        /** By number, the one that came behind it last, in any thread: a guess, which is tested each time. */
        private final int[] successors;

        private Source(int column, int size) {
            this.column = column;
            this.size = size;
            this.starts = new int[size + 1];
            this.successors = new int[size];
            this.table = new int[Integer.highestOneBit(size) * 4];
            Arrays.fill(table, -1);
        }

        static Source read(PartCursor in, LeafDecoder decoder, int column, int size, long offset) {
            Source source = new Source(column, size);
            int at = 0;
            for (int from = 0; from < size; from += LEAF_ROWS) {
                int rows = Math.min(LEAF_ROWS, size - from);
                LeafPart group = group(in, decoder, rows, 0, offset);
                for (int i = 0; i < rows; i++) {
                    long reference = LittleEndian.getLong(group.values(), i * 8);
                    int length = TupleBlock.referenceLength(reference);
                    if (length > MOST_SOURCE_BYTES - at) {
                        throw in.damaged("values of at most " + MOST_SOURCE_BYTES + " bytes", "more");
                    }
                    if (source.arena.length < at + length) {
                        source.arena = Arrays.copyOf(source.arena, Math.max(at + length, source.arena.length * 2));
                    }
                    System.arraycopy(group.arena(), TupleBlock.referenceOffset(reference), source.arena, at, length);
                    at += length;
                    source.starts[from + i + 1] = at;
                    if (!source.add(from + i)) {
                        throw in.damaged("values that differ", "value " + (from + i) + " again");
                    }
                }
            }
            source.arena = Arrays.copyOf(source.arena, at);
            return source;
        }

        private boolean add(int number) {
            int from = starts[number];
            int length = starts[number + 1] - from;
            int mask = table.length - 1;
            int slot = (int) BloomBits.hash(arena, from, length) & mask;
            while (table[slot] >= 0) {
                if (is(table[slot], arena, from, length)) {
                    return false;
                }
                slot = (slot + 1) & mask;
            }
            table[slot] = number;
            return true;
        }

        /** The numbers of some references into a part's arena; null where a value is not there. */
        int @Nullable [] findAll(LeafPart part, int count, IntToLongFunction references) {
            int[] numbers = new int[count];
            int next = 0;
            for (int i = 0; i < count; i++) {
                long reference = references.applyAsLong(i);
                int offset = TupleBlock.referenceOffset(reference);
                int length = TupleBlock.referenceLength(reference);
                int number = is(next, part.arena(), offset, length) ? next : find(part.arena(), offset, length);
                if (number < 0) {
                    return null;
                }
                numbers[i] = number;
                // Values often come in the order in which they came before.
                if (i > 0) {
                    successors[numbers[i - 1]] = number;
                }
                next = successors[number];
            }
            return numbers;
        }

        /** The number of a value; -1 where it is not there. */
        int find(byte[] bytes, int from, int length) {
            int mask = table.length - 1;
            int slot = (int) BloomBits.hash(bytes, from, length) & mask;
            while (table[slot] >= 0) {
                if (is(table[slot], bytes, from, length)) {
                    return table[slot];
                }
                slot = (slot + 1) & mask;
            }
            return -1;
        }

        boolean is(int number, byte[] bytes, int from, int length) {
            if (number >= size || starts[number + 1] - starts[number] != length) {
                return false;
            }
            int at = starts[number];
            if (length >= 8 && length <= 16) {
                // Two words that may overlap, in place of a loop.
                int last = length - 8;
                return LittleEndian.getLong(arena, at) == LittleEndian.getLong(bytes, from)
                        && LittleEndian.getLong(arena, at + last) == LittleEndian.getLong(bytes, from + last);
            }
            return Arrays.equals(arena, at, at + length, bytes, from, from + length);
        }

        int weight() {
            return arena.length + (starts.length + table.length + successors.length) * 4 + 100;
        }
    }
}
