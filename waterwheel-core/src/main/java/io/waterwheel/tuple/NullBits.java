package io.waterwheel.tuple;

/**
 * Null masks of rows turned by columns: of each field a bit a row, in words of 64 rows, field by field. Who asks for
 * one field's nulls reads an eighth of a byte a row, where masks of 20 fields take 4 bytes. Stateless, thread-safe.
 */
public final class NullBits {
    private NullBits() {}

    /** Bytes of one field's bits. */
    public static int stride(int rows) {
        return (rows + Long.SIZE - 1) / Long.SIZE * Long.BYTES;
    }

    /**
     * Turns masks.
     *
     * @param width bytes of a mask
     * @param fields bits of a mask that may be set
     * @return the bits, {@link #stride} bytes a field
     */
    public static byte[] of(byte[] masks, int width, int rows, int fields) {
        int stride = stride(rows);
        byte[] bits = new byte[fields * stride];
        long known = fields == Long.SIZE ? -1 : (1L << fields) - 1;
        for (int row = 0; row < rows; row++) {
            for (long left = mask(masks, width, row) & known; left != 0; left &= left - 1) {
                bits[Long.numberOfTrailingZeros(left) * stride + (row >>> 3)] |= (byte) (1 << (row & 7));
            }
        }
        return bits;
    }

    /** A row's mask; what stands above its width means nothing. */
    private static long mask(byte[] masks, int width, int row) {
        return switch (width) {
            case 1 -> masks[row];
            case 2 -> LittleEndian.getShort(masks, row * 2);
            case 4 -> LittleEndian.getInt(masks, row * 4);
            default -> LittleEndian.getLong(masks, row * 8);
        };
    }

    /** A mask of the fields that are null in some row. */
    public static long some(byte[] bits, int rows) {
        int stride = stride(rows);
        long some = 0;
        for (int at = 0; at < bits.length; at += Long.BYTES) {
            some |= LittleEndian.getLong(bits, at) == 0 ? 0 : 1L << (at / stride);
        }
        return some;
    }

    /** 1 where a field is null in a row, else 0. */
    public static int bit(byte[] bits, int stride, int field, int row) {
        return bits[field * stride + (row >>> 3)] >>> (row & 7) & 1;
    }

    /** The masks, as before. */
    public static byte[] masks(byte[] bits, int width, int rows) {
        int stride = stride(rows);
        byte[] masks = new byte[width * rows];
        for (int at = 0; at < bits.length; at += Long.BYTES) {
            int field = at / stride;
            int first = (at - field * stride) * 8;
            for (long left = LittleEndian.getLong(bits, at); left != 0; left &= left - 1) {
                int row = first + Long.numberOfTrailingZeros(left);
                masks[row * width + (field >>> 3)] |= (byte) (1 << (field & 7));
            }
        }
        return masks;
    }
}
