package io.waterwheel.decode;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Tuple blocks as bytes, as {@code docs/tuple-block-format.md} describes them. Copies whole columns; no object per
 * tuple. Stateless, thread-safe; a block belongs to one thread at a time.
 */
public final class BlockCodec {
    static final int MAGIC = 0x42545757;
    static final int VERSION = 1;
    static final int KEYS = 1;
    static final int TIMES = 2;

    static final int MAGIC_AT = 0;
    static final int VERSION_AT = 4;
    static final int FLAGS_AT = 5;
    static final int RESERVED_AT = 6;
    static final int FINGERPRINT_AT = 8;
    static final int ROWS_AT = 12;
    static final int ARENA_BYTES_AT = 16;
    static final int RESERVED_2_AT = 20;
    /** Bytes before the first column. */
    static final int HEADER_BYTES = 24;

    private BlockCodec() {}

    /**
     * Bytes that the block takes when encoded.
     *
     * @param keys whether its keys are written; without effect for result blocks, which have none
     * @throws ArithmeticException when that is over 2 GiB
     */
    public static int encodedBytes(TupleBlock block, boolean keys) {
        RowLayout layout = block.layout();
        int width = layout.payloadWidth() + (layout.keyed() ? keys ? 16 : 8 : 0);
        return Math.toIntExact(HEADER_BYTES + (long) block.size() * width + block.arenaSize());
    }

    /** The block as bytes of exactly its length. */
    public static byte[] encode(TupleBlock block, boolean keys) {
        byte[] bytes = new byte[encodedBytes(block, keys)];
        encode(block, keys, bytes, 0);
        return bytes;
    }

    /**
     * Writes the block.
     *
     * @param keys whether to write its keys
     * @return the offset after the last byte written, {@code offset + encodedBytes(block, keys)}
     * @throws IndexOutOfBoundsException when the target is too short; nothing is written then
     */
    public static int encode(TupleBlock block, boolean keys, byte[] target, int offset) {
        RowLayout layout = block.layout();
        int length = encodedBytes(block, keys);
        java.util.Objects.checkFromIndexSize(offset, length, target.length);
        int rows = block.size();
        boolean withKeys = keys && layout.keyed();
        LittleEndian.putInt(target, offset + MAGIC_AT, MAGIC);
        target[offset + VERSION_AT] = VERSION;
        target[offset + FLAGS_AT] = (byte) ((withKeys ? KEYS : 0) | (layout.keyed() ? TIMES : 0));
        LittleEndian.putShort(target, offset + RESERVED_AT, (short) 0);
        LittleEndian.putInt(target, offset + FINGERPRINT_AT, layout.fingerprint());
        LittleEndian.putInt(target, offset + ROWS_AT, rows);
        LittleEndian.putInt(target, offset + ARENA_BYTES_AT, block.arenaSize());
        LittleEndian.putInt(target, offset + RESERVED_2_AT, 0);
        int at = offset + HEADER_BYTES;
        if (withKeys) {
            at = putLongs(target, at, block.keys(), rows);
        }
        if (layout.keyed()) {
            at = putLongs(target, at, block.times(), rows);
        }
        for (int c = 0; c < layout.columns(); c++) {
            int bytes = rows * layout.width(c);
            System.arraycopy(block.column(c), 0, target, at, bytes);
            at += bytes;
        }
        System.arraycopy(block.arena(), 0, target, at, block.arenaSize());
        return offset + length;
    }

    /** Writes the block at the target's position and moves the position behind it. The target has an array. */
    public static void encode(TupleBlock block, boolean keys, ByteBuffer target) {
        if (target.remaining() < encodedBytes(block, keys)) {
            throw new java.nio.BufferOverflowException();
        }
        int end = encode(block, keys, target.array(), target.arrayOffset() + target.position());
        target.position(end - target.arrayOffset());
    }

    /**
     * Appends the block in the bytes to {@code into}; without allocation once that has room. When the bytes hold no
     * keys, the appended rows' keys are undefined: the caller makes them.
     *
     * @return whether the bytes held keys (false for result blocks)
     * @throws BlockFormatException when the bytes are not a block of this layout; {@code into} is as it was then
     */
    public static boolean decode(byte[] bytes, int offset, int length, TupleBlock into) {
        RowLayout layout = into.layout();
        boolean keys = checkHeader(bytes, offset, length, layout);
        int rows = rows(bytes, offset);
        int arenaBytes = LittleEndian.getInt(bytes, offset + ARENA_BYTES_AT);
        int first = into.size();
        int base = into.arenaSize();
        into.ensureRows(Math.addExact(first, rows));
        into.ensureArena(arenaBytes);
        int at = offset + HEADER_BYTES;
        if (keys) {
            at = getLongs(bytes, at, into.keys(), first, rows);
        }
        if (layout.keyed()) {
            at = getLongs(bytes, at, into.times(), first, rows);
        }
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            if (layout.variable(c)) {
                // Tuples have short values. What is computed of them, such as part of an aggregate, may be longer.
                int most = layout.keyed() ? TupleBlock.MAX_VALUE_BYTES : arenaBytes;
                copyReferences(bytes, at, into.column(c), first, rows, base, arenaBytes, most, c);
            } else {
                System.arraycopy(bytes, at, into.column(c), first * width, rows * width);
            }
            at += rows * width;
        }
        System.arraycopy(bytes, at, into.arena(), base, arenaBytes);
        into.setArenaSize(base + arenaBytes);
        into.setSize(first + rows);
        return keys;
    }

    /**
     * {@link #decode(byte[], int, int, TupleBlock)} of all that remains in the buffer, whose position does not move.
     */
    public static boolean decode(ByteBuffer source, TupleBlock into) {
        if (source.hasArray()) {
            return decode(source.array(), source.arrayOffset() + source.position(), source.remaining(), into);
        }
        byte[] copy = new byte[source.remaining()];
        source.duplicate().get(copy);
        return decode(copy, 0, copy.length, into);
    }

    /**
     * Whether a record begins as a block of any version does, and as no text: with the magic, and a control character
     * behind it that neither divides nor ends values. The position does not move.
     */
    public static boolean begins(ByteBuffer record) {
        int at = record.position();
        if (record.remaining() <= VERSION_AT) {
            return false;
        }
        for (int i = 0; i < Integer.BYTES; i++) {
            if (record.get(at + i) != (byte) (MAGIC >>> (i * Byte.SIZE))) {
                return false;
            }
        }
        byte version = record.get(at + VERSION_AT);
        return version >= VERSION && version < '\t';
    }

    /** Number of rows of a block whose header was checked. */
    static int rows(byte[] bytes, int offset) {
        return LittleEndian.getInt(bytes, offset + ROWS_AT);
    }

    /** Checks everything but the references; returns whether there are keys. */
    private static boolean checkHeader(byte[] bytes, int offset, int length, RowLayout layout) {
        if (length < HEADER_BYTES) {
            throw new BlockFormatException("expected a header of " + HEADER_BYTES + " bytes, got " + length + " bytes");
        }
        check("magic", MAGIC_AT, MAGIC, LittleEndian.getInt(bytes, offset + MAGIC_AT));
        check("version", VERSION_AT, VERSION, bytes[offset + VERSION_AT]);
        int flags = bytes[offset + FLAGS_AT];
        boolean keys = (flags & KEYS) != 0;
        if (layout.keyed() ? (flags & ~KEYS) != TIMES : flags != 0) {
            throw new BlockFormatException("flags at byte " + FLAGS_AT + ": expected "
                    + (layout.keyed() ? "2 or 3 (times, perhaps keys)" : "0 (neither keys nor times)") + ", got "
                    + (flags & 0xFF));
        }
        check("reserved", RESERVED_AT, 0, LittleEndian.getShort(bytes, offset + RESERVED_AT));
        int fingerprint = LittleEndian.getInt(bytes, offset + FINGERPRINT_AT);
        if (fingerprint != layout.fingerprint()) {
            throw new BlockFormatException(String.format(
                    "fingerprint at byte %d: expected %08x, got %08x; the block was made for another schema",
                    FINGERPRINT_AT, layout.fingerprint(), fingerprint));
        }
        int rows = rows(bytes, offset);
        int arenaBytes = LittleEndian.getInt(bytes, offset + ARENA_BYTES_AT);
        check("reserved", RESERVED_2_AT, 0, LittleEndian.getInt(bytes, offset + RESERVED_2_AT));
        int width = layout.payloadWidth() + (layout.keyed() ? keys ? 16 : 8 : 0);
        if (rows < 0 || arenaBytes < 0 || (width == 0 && rows > 0)) {
            throw new BlockFormatException("rows " + rows + " of " + width + " bytes, arena " + arenaBytes + " bytes");
        }
        long expected = HEADER_BYTES + (long) rows * width + arenaBytes;
        if (expected != length) {
            throw new BlockFormatException("rows " + rows + " of " + width + " bytes and an arena of " + arenaBytes
                    + " bytes make " + expected + " bytes, got " + length + " (cut off?)");
        }
        return keys;
    }

    private static void check(String part, int at, int expected, int got) {
        if (expected != got) {
            throw new BlockFormatException(
                    String.format("%s at byte %d: expected 0x%x, got 0x%x", part, at, expected, got));
        }
    }

    private static void copyReferences(
            byte[] from, int at, byte[] to, int first, int rows, int base, int arenaBytes, int most, int column) {
        for (int i = 0; i < rows; i++) {
            long reference = LittleEndian.getLong(from, at + i * 8);
            long start = reference & 0xFFFFFFFFL;
            long length = reference >>> 32;
            if (length > most || start + length > arenaBytes) {
                throw new BlockFormatException("column " + column + ", row " + i + ": value at " + start + " of length "
                        + length + ": expected at most " + most + " bytes within the arena of "
                        + arenaBytes);
            }
            // Empty values, and nulls, refer to nothing: one form, wherever the arena lies.
            LittleEndian.putLong(to, (first + i) * 8, length == 0 ? 0 : reference + base);
        }
    }

    private static int putLongs(byte[] target, int at, long[] values, int count) {
        ByteBuffer.wrap(target, at, count * 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .put(values, 0, count);
        return at + count * 8;
    }

    private static int getLongs(byte[] source, int at, long[] values, int first, int count) {
        ByteBuffer.wrap(source, at, count * 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(values, first, count);
        return at + count * 8;
    }
}
