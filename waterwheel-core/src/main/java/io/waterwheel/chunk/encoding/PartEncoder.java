package io.waterwheel.chunk.encoding;

import io.waterwheel.tuple.LittleEndian;
import java.util.Arrays;

/** Writes the parts of leaves: encodes, then compresses what still compresses. Keeps scratch; one thread. */
/*
 * Compression is tried on a part only now and then once it has not paid on the leaves before: noise stays noise. What
 * it must gain is more for numbers, which are cheap to decode, than for text. Numbers that repeat in patterns compress
 * better when each takes whole bytes: now and then a leaf is written both ways, and the shorter way kept.
 */
public final class PartEncoder {
    private static final int LEAST_COMPRESSED = 128;
    private static final int MOST_SKIPPED = 64;
    /** Leaves after which it is tried again whether whole bytes, compressed, are shorter than few bits. */
    private static final int TRIAL_LEAVES = 24;
    /** Compression of numbers must save one byte in this number, ... */
    private static final int MIN_NUMERIC_SAVING = 10;
    /** ... that of text and whole bytes one in this number. */
    private static final int MIN_TEXT_SAVING = 20;

    private final IntegerEncoder integers = new IntegerEncoder();
    private final DecimalFinder decimals = new DecimalFinder();
    private final ValueEncoder values = new ValueEncoder(integers);
    private byte[] compressed = new byte[0];
    /** By part: leaves to go by before compression is tried again, and how many after the next failure. */
    private int[] skip = new int[0];

    private int[] skipNext = new int[0];
    /** By part: whether its integers take whole bytes, and leaves until that is tried again. */
    private boolean[] wholeBytes = new boolean[0];

    private int[] trialIn = new int[0];
    private final ChunkBuffer other = new ChunkBuffer();

    /** Begins a chunk whose leaves have this number of parts. */
    public void begin(int parts) {
        if (skip.length < parts) {
            skip = new int[parts];
            skipNext = new int[parts];
            wholeBytes = new boolean[parts];
            trialIn = new int[parts];
        }
        Arrays.fill(skip, 0);
        Arrays.fill(skipNext, 1);
        Arrays.fill(wholeBytes, false);
        Arrays.fill(trialIn, 0);
    }

    /** What wrote the last part of variable values. */
    public ValueEncoder values() {
        return values;
    }

    public IntegerEncoder integers() {
        return integers;
    }

    /** Writes a part of fixed width; the values are sign-extended, those of floating kinds are bits. */
    public void fixed(int part, long[] column, int rows, int width, ColumnKind kind, ChunkBuffer out) {
        int start = out.size();
        boolean whole = trialIn[part] == 0 || wholeBytes[part];
        integers.setWholeBytes(whole);
        encode(column, rows, width, kind, out);
        if (trialIn[part]-- > 0) {
            compress(part, start, out, whole ? MIN_TEXT_SAVING : MIN_NUMERIC_SAVING);
        } else {
            int length = keepAside(part, start, out);
            encode(column, rows, width, kind, out);
            chooseWholeBytes(part, start, length, MIN_NUMERIC_SAVING, out);
        }
        integers.setWholeBytes(false);
    }

    /**
     * Writes a part of variable values by their numbers in the section of dependencies.
     *
     * @return false, and nothing is written, where eight bytes of each are shorter: of one row
     */
    public boolean numbers(int part, long[] numbers, int rows, ChunkBuffer out) {
        int start = out.size();
        fixed(part, numbers, rows, 8, ColumnKind.INTEGER, out);
        int form = out.array()[start] & 0xFF;
        int compressed = form & ChunkFormat.FORM_COMPRESSED;
        if (form - compressed != ChunkFormat.FORM_INTEGERS) {
            out.setSize(start);
            return false;
        }
        out.array()[start] = (byte) (compressed | ChunkFormat.FORM_NUMBERS);
        return true;
    }

    /** Compresses the part that begins at the start, with whole bytes, and takes it out; returns its length. */
    private int keepAside(int part, int start, ChunkBuffer out) {
        trialIn[part] = TRIAL_LEAVES;
        skip[part] = 0;
        compress(part, start, out, MIN_TEXT_SAVING);
        int length = out.size() - start;
        other.clear();
        other.putBytes(out.array(), start, length);
        out.setSize(start);
        integers.setWholeBytes(false);
        return length;
    }

    /** Compresses the part that begins at the start, and keeps the one aside instead where it is a tenth shorter. */
    private void chooseWholeBytes(int part, int start, int aside, int least, ChunkBuffer out) {
        skip[part] = 0;
        compress(part, start, out, least);
        int tight = out.size() - start;
        wholeBytes[part] = aside < tight - tight / MIN_NUMERIC_SAVING;
        if (wholeBytes[part]) {
            out.setSize(start);
            out.putBytes(other.array(), 0, aside);
        }
    }

    private void encode(long[] column, int rows, int width, ColumnKind kind, ChunkBuffer out) {
        if (kind.floating() && decimals.find(column, rows, kind == ColumnKind.FLOAT)) {
            out.putByte(ChunkFormat.FORM_DECIMALS);
            out.putByte(decimals.digits);
            integers.write(decimals.wholes, rows, out);
            out.putShort(decimals.exceptions);
            integers.write(decimals.exceptionRows, decimals.exceptions, out);
            out.reserve((long) decimals.exceptions * width);
            for (int e = 0; e < decimals.exceptions; e++) {
                putRaw(column[(int) decimals.exceptionRows[e]], width, out);
            }
        } else if (integers.plan(column, rows) < 8L * rows * width) {
            out.putByte(ChunkFormat.FORM_INTEGERS);
            integers.write(out);
        } else {
            out.putByte(ChunkFormat.FORM_RAW);
            out.reserve((long) rows * width);
            for (int i = 0; i < rows; i++) {
                putRaw(column[i], width, out);
            }
        }
    }

    /** Room was reserved. */
    private static void putRaw(long value, int width, ChunkBuffer out) {
        byte[] target = out.array();
        int at = out.size();
        switch (width) {
            case 1 -> target[at] = (byte) value;
            case 2 -> LittleEndian.putShort(target, at, (short) value);
            case 4 -> LittleEndian.putInt(target, at, (int) value);
            default -> LittleEndian.putLong(target, at, value);
        }
        out.setSize(at + width);
    }

    /** Writes a part of variable values that the tree's references point to. */
    public void variable(int part, long[] references, int rows, byte[][] slabs, ChunkBuffer out) {
        int start = out.size();
        integers.setWholeBytes(trialIn[part] == 0 || wholeBytes[part]);
        values.write(references, rows, slabs, out);
        if (trialIn[part]-- > 0) {
            compress(part, start, out, MIN_TEXT_SAVING);
        } else {
            int length = keepAside(part, start, out);
            values.write(references, rows, slabs, out);
            chooseWholeBytes(part, start, length, MIN_TEXT_SAVING, out);
        }
        integers.setWholeBytes(false);
    }

    /** Compresses the content of the part that begins at the start, if that saves one byte in {@code least}. */
    private void compress(int part, int start, ChunkBuffer out, int least) {
        int content = start + 1;
        int length = out.size() - content;
        if (length < LEAST_COMPRESSED || skip[part] > 0) {
            skip[part] = Math.max(0, skip[part] - 1);
            return;
        }
        int bound = Compression.bound(length);
        if (compressed.length < bound) {
            compressed = new byte[bound];
        }
        int size = Compression.compress(out.array(), content, length, compressed, 0);
        if (size + 4 > length - length / least || (long) size * ChunkFormat.MAX_RATIO < length) {
            skip[part] = skipNext[part];
            skipNext[part] = Math.min(MOST_SKIPPED, skipNext[part] * 2);
            return;
        }
        skipNext[part] = 1;
        out.array()[start] |= (byte) ChunkFormat.FORM_COMPRESSED;
        out.setSize(content);
        out.putInt(length);
        out.putBytes(compressed, 0, size);
    }
}
