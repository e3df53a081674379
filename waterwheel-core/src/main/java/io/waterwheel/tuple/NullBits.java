package io.waterwheel.tuple;

/**
 * Null masks of rows turned by columns: of each field a bit a row, in words of 64 rows, field by field. Who asks for
 * one field's nulls reads an eighth of a byte a row, where masks of 20 fields take 4 bytes. Immutable by agreement: who
 * reads its bits must not change them.
 */
public final class NullBits {
    /** Bits of a square of 8 rows and 8 fields that are set one by one in less time than the square is turned. */
    private static final int FEW = 8;

    private final byte[] bits;
    /** Bytes of a row's mask. */
    private final int width;

    private final int rows;
    /** Bytes of one field's bits. */
    private final int stride;

    private final long some;

    private NullBits(byte[] bits, int width, int rows, int stride) {
        this.bits = bits;
        this.width = width;
        this.rows = rows;
        this.stride = stride;
        this.some = some(bits, stride);
    }

    /**
     * Turns masks.
     *
     * @param width bytes of a mask
     * @param fields bits of a mask that may be set
     */
    public static NullBits of(byte[] masks, int width, int rows, int fields) {
        int stride = (rows + Long.SIZE - 1) / Long.SIZE * Long.BYTES;
        byte[] bits = new byte[fields * stride];
        long known = fields == Long.SIZE ? -1 : (1L << fields) - 1;
        int whole = rows & -8;
        for (int row = 0; row < whole; row += 8) {
            long some = 0;
            int nulls = 0;
            for (int i = row; i < row + 8; i++) {
                long mask = mask(masks, width, i) & known;
                some |= mask;
                nulls += Long.bitCount(mask);
            }
            int squares = (Long.SIZE + 7 - Long.numberOfLeadingZeros(some)) >>> 3;
            if (nulls > FEW * squares) {
                turn(masks, width, row, bits, stride, fields);
            } else if (nulls > 0) {
                set(masks, width, row, row + 8, known, bits, stride);
            }
        }
        set(masks, width, whole, rows, known, bits, stride);
        return new NullBits(bits, width, rows, stride);
    }

    /** Sets bit by bit. */
    private static void set(byte[] masks, int width, int from, int to, long known, byte[] bits, int stride) {
        for (int row = from; row < to; row++) {
            for (long left = mask(masks, width, row) & known; left != 0; left &= left - 1) {
                bits[Long.numberOfTrailingZeros(left) * stride + (row >>> 3)] |= (byte) (1 << (row & 7));
            }
        }
    }

    /** Turns the masks of 8 rows, 8 fields at a time. */
    private static void turn(byte[] masks, int width, int row, byte[] bits, int stride, int fields) {
        int to = row >>> 3;
        for (int first = 0; first < fields; first += 8) {
            long square = transposed(square(masks, row * width + (first >>> 3), width));
            int last = Math.min(first + 8, fields);
            for (int field = first; field < last; field++) {
                bits[field * stride + to] = (byte) square;
                square >>>= 8;
            }
        }
    }

    /** Eight bytes that are as far from each other as a stride says; the first is the lowest. */
    private static long square(byte[] bytes, int at, int stride) {
        return (bytes[at] & 0xFFL)
                | (bytes[at + stride] & 0xFFL) << 8
                | (bytes[at + 2 * stride] & 0xFFL) << 16
                | (bytes[at + 3 * stride] & 0xFFL) << 24
                | (bytes[at + 4 * stride] & 0xFFL) << 32
                | (bytes[at + 5 * stride] & 0xFFL) << 40
                | (bytes[at + 6 * stride] & 0xFFL) << 48
                | (bytes[at + 7 * stride] & 0xFFL) << 56;
    }

    /** The same of fewer bytes. */
    private static long square(byte[] bytes, int at, int stride, int count) {
        long square = 0;
        for (int i = 0; i < count; i++) {
            square |= (bytes[at + i * stride] & 0xFFL) << (i * 8);
        }
        return square;
    }

    /** Eight bytes turned: bit c of byte r is bit r of byte c then. */
    public static long transposed(long square) {
        // Swaps squares of one bit, of two and of four.
        long swapped = (square ^ square >>> 7) & 0x00AA00AA00AA00AAL;
        long turned = square ^ swapped ^ swapped << 7;
        swapped = (turned ^ turned >>> 14) & 0x0000CCCC0000CCCCL;
        turned ^= swapped ^ swapped << 14;
        swapped = (turned ^ turned >>> 28) & 0x00000000F0F0F0F0L;
        return turned ^ swapped ^ swapped << 28;
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

    private static long some(byte[] bits, int stride) {
        long some = 0;
        for (int at = 0; at < bits.length; at += Long.BYTES) {
            some |= LittleEndian.getLong(bits, at) == 0 ? 0 : 1L << (at / stride);
        }
        return some;
    }

    /** The bits of all fields; those of one lie from {@link #start} on, the lowest bit of a byte is its first row's. */
    public byte[] bits() {
        return bits;
    }

    /** Where in {@link #bits} a field's are: words of 64 rows, little-endian. */
    public int start(int field) {
        return field * stride;
    }

    /** A mask of the fields that are null in some row. */
    public long some() {
        return some;
    }

    /** 1 where a field is null in a row, else 0. */
    public int bit(int field, int row) {
        return bits[field * stride + (row >>> 3)] >>> (row & 7) & 1;
    }

    /** The masks as they were given to {@link #of}, but for bits above its fields, which are 0 here. */
    public byte[] masks() {
        int fields = bits.length / Math.max(1, stride);
        byte[] masks = new byte[width * rows];
        for (int from = 0; from < fields; from += 8) {
            int to = Math.min(from + 8, fields);
            for (int firstRow = 0; firstRow < rows; firstRow += Long.SIZE) {
                int nulls = 0;
                for (int field = from; field < to; field++) {
                    nulls += Long.bitCount(LittleEndian.getLong(bits, field * stride + (firstRow >>> 3)));
                }
                if (nulls > FEW * 8 && rows - firstRow >= Long.SIZE) {
                    turnBack(bits, stride, from, to, firstRow, masks, width);
                } else if (nulls > 0) {
                    setBack(bits, stride, from, to, firstRow, masks, width);
                }
            }
        }
        return masks;
    }

    /** Turns the bits of 64 rows and at most 8 fields. */
    private static void turnBack(byte[] bits, int stride, int from, int to, int firstRow, byte[] masks, int width) {
        for (int row = firstRow; row < firstRow + Long.SIZE; row += 8) {
            int at = from * stride + (row >>> 3);
            long square = transposed(to - from == 8 ? square(bits, at, stride) : square(bits, at, stride, to - from));
            int target = row * width + (from >>> 3);
            for (int i = 0; i < 8; i++) {
                masks[target + i * width] = (byte) square;
                square >>>= 8;
            }
        }
    }

    /** Sets bit by bit, of 64 rows. */
    private static void setBack(byte[] bits, int stride, int from, int to, int firstRow, byte[] masks, int width) {
        for (int field = from; field < to; field++) {
            long word = LittleEndian.getLong(bits, field * stride + (firstRow >>> 3));
            for (long left = word; left != 0; left &= left - 1) {
                int row = firstRow + Long.numberOfTrailingZeros(left);
                masks[row * width + (field >>> 3)] |= (byte) (1 << (field & 7));
            }
        }
    }
}
