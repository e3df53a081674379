package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.Compression;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.chunk.encoding.DecimalFinder;
import io.waterwheel.chunk.encoding.IntegerDecoder;
import io.waterwheel.chunk.encoding.PartCursor;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Decodes parts whose checksum was right. Keeps scratch, which it gives on when it is closed; one thread. */
final class LeafDecoder implements AutoCloseable {
    /** No row takes more of a column: its reference and its value at their longest. */
    private static final long MOST_ROW_BYTES = TupleBlock.MAX_VALUE_BYTES + 16;
    /** No column has more beside its rows: dictionaries hold no value that no row has. */
    private static final long MOST_BESIDE = 1 << 16;
    /** The content of values in a section: these at their most, and as much again for their numbers and lengths. */
    private static final int MOST_GROUP_BYTES = 2 * MOST_SOURCE_BYTES;

    /** Of scratch that waits for its next use: a leaf's takes about as much memory as what comes out of it. */
    private static final ArrayBlockingQueue<Scratch> KEPT =
            new ArrayBlockingQueue<>(Math.max(2, Runtime.getRuntime().availableProcessors()));

    /** Of decompressed content; longer arrays are let go. */
    private static final int MOST_KEPT_BYTES = 128 << 10;

    /** Of what is read: a batch of leaves of usual columns, which a processor's own cache holds. */
    private static final int MOST_KEPT_SOURCE = 512 << 10;

    private static final class Scratch {
        final IntegerDecoder integers = new IntegerDecoder();
        long[] numbers = new long[0];
        long[] lengths = new long[0];
        byte[] content = new byte[0];
        byte[] source = new byte[0];
    }

    private final PartCursor in;
    /** Given on once: two decoders must not have the same. */
    private @Nullable Scratch scratch;

    private final IntegerDecoder integers;
    private long[] numbers;
    private long[] lengths;
    private byte[] content;
    private byte[] source;

    LeafDecoder(String file) {
        this.in = new PartCursor(file);
        Scratch kept = KEPT.poll();
        Scratch mine = kept == null ? new Scratch() : kept;
        this.scratch = mine;
        this.integers = mine.integers;
        this.numbers = mine.numbers;
        this.lengths = mine.lengths;
        this.content = mine.content;
        this.source = mine.source;
    }

    /**
     * For what is to be decoded: new memory would be cleared, and evict what others work on.
     *
     * @return an array of at least this length and {@link ChunkFormat#SLACK} more, with any content
     */
    byte[] source(long bytes) {
        if (source.length < bytes + SLACK) {
            source = new byte[Math.toIntExact(bytes + SLACK)];
        }
        return source;
    }

    /** Nothing is to be decoded after it. */
    @Override
    public void close() {
        Scratch mine = scratch;
        scratch = null;
        if (mine != null) {
            mine.numbers = numbers;
            mine.lengths = lengths;
            mine.content = content.length > MOST_KEPT_BYTES ? new byte[0] : content;
            mine.source = source.length > MOST_KEPT_SOURCE ? new byte[0] : source;
            KEPT.offer(mine);
        }
    }

    /**
     * Decodes the part that lies in the source from {@code from} on, followed by {@link ChunkFormat#SLACK} more bytes.
     *
     * @param offset of the part in the file
     * @throws CorruptChunkException when it does not add up
     */
    LeafPart decode(ChunkDirectory directory, int leaf, int part, byte[] source, int from, int length, long offset) {
        in.set(source, from, length, offset - from, leaf, part);
        int rows = directory.rows(leaf);
        int form = form(rows, Integer.MAX_VALUE - SLACK);
        LeafPart decoded;
        if (part < FIRST_COLUMN) {
            long[] longs = new long[rows];
            longs(form, rows, longs);
            decoded = LeafPart.ofLongs(longs);
        } else if (form == FORM_FOLLOWS && directory.follows(leaf, part)) {
            // Its values are made of others.
            decoded = LeafPart.ofFixed(new byte[0]);
        } else if (directory.layout().variable(part - FIRST_COLUMN)) {
            int column = part - FIRST_COLUMN;
            decoded = form == FORM_NUMBERS && directory.numbered(column) > 0
                    ? numbered(directory.dependencies(), column, directory.numbered(column), rows)
                    : variable(form, rows);
        } else if (part - FIRST_COLUMN == directory.layout().nullMaskColumn()) {
            int width = directory.layout().width(part - FIRST_COLUMN);
            decoded = LeafPart.ofMasks(fixed(form, rows, width), width, rows, directory.nullable());
        } else if (form == FORM_INTEGERS && directory.isWhole(part - FIRST_COLUMN)) {
            integers.read(in, rows, numbers);
            decoded = LeafPart.ofWhole(numbers, rows);
        } else {
            decoded = LeafPart.ofFixed(fixed(form, rows, directory.layout().width(part - FIRST_COLUMN)));
        }
        in.requireEnd();
        return decoded;
    }

    /**
     * Decodes values that a section of the directory has in the form of a part.
     *
     * @param offset of the source's first byte in the file
     * @param width 0 for variable values
     */
    LeafPart decodeGroup(byte[] source, int from, int length, long offset, int rows, int width) {
        in.set(source, from, length, offset, -1, TAG_DEPENDENCIES);
        int form = form(rows, MOST_GROUP_BYTES);
        LeafPart decoded = width == 0 ? variable(form, rows) : LeafPart.ofFixed(fixed(form, rows, width));
        in.requireEnd();
        return decoded;
    }

    /** Reads the form, and sets the cursor on the content, which has {@code mostBytes} at most if it is compressed. */
    private int form(int rows, int mostBytes) {
        // Each by itself: where there is no memory for the second, the first is kept for others all the same.
        if (numbers.length < rows) {
            numbers = new long[rows];
        }
        if (lengths.length < rows) {
            lengths = new long[rows];
        }
        int form = in.u8();
        if ((form & FORM_COMPRESSED) != 0) {
            decompress(rows, mostBytes);
            form &= ~FORM_COMPRESSED;
        }
        return form;
    }

    private void decompress(int rows, int mostBytes) {
        int length = in.i32();
        int compressed = in.remaining();
        long most = Math.min((long) compressed * MAX_RATIO, Math.min(rows * MOST_ROW_BYTES + MOST_BESIDE, mostBytes));
        if (length < 0 || length > most) {
            throw in.damaged("content of at most " + most + " bytes", Integer.toUnsignedString(length));
        }
        if (content.length < length + SLACK) {
            content = new byte[length + SLACK];
        }
        int from = in.position();
        if (!Compression.decompress(in.bytes(), from, compressed, content, length)) {
            throw in.damaged("a frame of " + length + " bytes of content", "none");
        }
        in.enter(content, length);
    }

    private CorruptChunkException unknown(int form, String expected) {
        return in.damaged("a form of " + expected, Integer.toString(form));
    }

    private void longs(int form, int rows, long[] out) {
        switch (form) {
            case FORM_RAW -> {
                int from = in.skip(rows * 8L);
                for (int i = 0; i < rows; i++) {
                    out[i] = LittleEndian.getLong(in.bytes(), from + i * 8);
                }
            }
            case FORM_INTEGERS -> integers.read(in, rows, out);
            default -> throw unknown(form, "0 or 1");
        }
    }

    private byte[] fixed(int form, int rows, int width) {
        byte[] out = new byte[rows * width];
        switch (form) {
            case FORM_RAW -> System.arraycopy(in.bytes(), in.skip(out.length), out, 0, out.length);
            case FORM_INTEGERS -> {
                integers.read(in, rows, numbers);
                narrow(rows, width, out);
            }
            case FORM_DECIMALS -> decimals(rows, width, out);
            default -> throw unknown(form, "0 to 2");
        }
        return out;
    }

    private void narrow(int rows, int width, byte[] out) {
        long[] values = numbers;
        switch (width) {
            case 1 -> {
                for (int i = 0; i < rows; i++) {
                    out[i] = (byte) values[i];
                }
            }
            case 2 -> {
                for (int i = 0; i < rows; i++) {
                    LittleEndian.putShort(out, i * 2, (short) values[i]);
                }
            }
            case 4 -> {
                for (int i = 0; i < rows; i++) {
                    LittleEndian.putInt(out, i * 4, (int) values[i]);
                }
            }
            default -> LittleEndian.putLongs(out, values, rows);
        }
    }

    private void decimals(int rows, int width, byte[] out) {
        int digits = in.u8();
        if (digits > MAX_DIGITS || width < 4) {
            throw in.damaged(
                    "decimals of at most " + MAX_DIGITS + " digits, of 4 or 8 bytes",
                    digits + " digits, " + width + " bytes");
        }
        double power = DecimalFinder.power(digits);
        integers.read(in, rows, numbers);
        long[] wholes = numbers;
        if (width == 8) {
            for (int i = 0; i < rows; i++) {
                LittleEndian.putLong(out, i * 8, Double.doubleToRawLongBits(wholes[i] / power));
            }
        } else {
            for (int i = 0; i < rows; i++) {
                LittleEndian.putInt(out, i * 4, Float.floatToRawIntBits((float) (wholes[i] / power)));
            }
        }
        int exceptions = in.count(0, rows);
        integers.read(in, exceptions, lengths);
        int from = in.skip((long) exceptions * width);
        for (int e = 0; e < exceptions; e++) {
            long row = lengths[e];
            if (row < 0 || row >= rows) {
                throw in.damaged("a row below " + rows, Long.toString(row));
            }
            System.arraycopy(in.bytes(), from + e * width, out, (int) row * width, width);
        }
    }

    private LeafPart numbered(Dependencies dependencies, int column, int count, int rows) {
        integers.read(in, rows, numbers);
        for (int i = 0; i < rows; i++) {
            if (numbers[i] < 0 || numbers[i] >= count) {
                throw in.damaged("a value below " + count, Long.toString(numbers[i]));
            }
        }
        return dependencies.part(column, numbers, rows);
    }

    private LeafPart variable(int form, int rows) {
        if (form != FORM_VALUES && form != FORM_DICTIONARY) {
            throw unknown(form, "3 or 4");
        }
        int count = form == FORM_VALUES ? rows : in.count(1, rows);
        integers.read(in, count, lengths);
        long sum = 0;
        for (int i = 0; i < count; i++) {
            long length = lengths[i];
            if (length < 0 || length > TupleBlock.MAX_VALUE_BYTES) {
                throw in.damaged("a value of at most " + TupleBlock.MAX_VALUE_BYTES + " bytes", Long.toString(length));
            }
            // The length becomes the reference.
            lengths[i] = length == 0 ? 0 : TupleBlock.reference((int) sum, (int) length);
            sum += length;
        }
        int from = in.skip(sum);
        byte[] arena = new byte[(int) sum];
        System.arraycopy(in.bytes(), from, arena, 0, arena.length);
        byte[] references = new byte[rows * 8];
        if (form == FORM_VALUES) {
            for (int i = 0; i < rows; i++) {
                LittleEndian.putLong(references, i * 8, lengths[i]);
            }
            return LeafPart.ofVariable(references, arena);
        } else {
            integers.read(in, rows, numbers);
            char[] codes = new char[rows];
            for (int i = 0; i < rows; i++) {
                long number = numbers[i];
                if (number < 0 || number >= count) {
                    throw in.damaged("a value below " + count, Long.toString(number));
                }
                codes[i] = (char) number;
                LittleEndian.putLong(references, i * 8, lengths[(int) number]);
            }
            return LeafPart.ofDictionary(references, arena, codes, Arrays.copyOf(lengths, count));
        }
    }
}
