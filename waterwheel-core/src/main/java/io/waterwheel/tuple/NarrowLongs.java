package io.waterwheel.tuple;

import org.jspecify.annotations.Nullable;

/**
 * Whole numbers that lie close together, each kept as what it is more than the least of them: in 2 or 4 bytes,
 * little-endian, where it would take 8. Immutable by agreement: who reads its bytes must not change them.
 */
public final class NarrowLongs {
    /** The width of numbers that are too far apart. */
    public static final int WIDE = 8;

    private static final long MOST_IN_2 = 0xFFFF;
    private static final long MOST_IN_4 = 0xFFFF_FFFFL;

    private final byte[] bytes;
    private final int width;
    private final long low;
    private final long high;

    private NarrowLongs(byte[] bytes, int width, long low, long high) {
        this.bytes = bytes;
        this.width = width;
        this.low = low;
        this.high = high;
    }

    /** The first of some numbers; null where they are none, or too far apart. */
    public static @Nullable NarrowLongs of(long[] numbers, int count) {
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            low = Math.min(low, numbers[i]);
            high = Math.max(high, numbers[i]);
        }
        int width = count == 0 ? WIDE : width(low, high);
        return width == WIDE ? null : new NarrowLongs(narrowed(numbers, count, low, width), width, low, high);
    }

    /** Bytes that each number takes, of numbers from low to high: 2, 4, or {@link #WIDE}. */
    public static int width(long low, long high) {
        // Of numbers that are more than 63 bits apart it is negative.
        long span = high - low;
        if (span < 0 || span > MOST_IN_4) {
            return WIDE;
        }
        return span <= MOST_IN_2 ? 2 : 4;
    }

    private static byte[] narrowed(long[] numbers, int count, long low, int width) {
        byte[] bytes = new byte[count * width];
        if (width == 2) {
            for (int i = 0; i < count; i++) {
                LittleEndian.putShort(bytes, i * 2, (short) (numbers[i] - low));
            }
        } else {
            for (int i = 0; i < count; i++) {
                LittleEndian.putInt(bytes, i * 4, (int) (numbers[i] - low));
            }
        }
        return bytes;
    }

    /**
     * By row what its number is more than the least: for {@link #above2} or {@link #above4}, as {@link #width} says.
     */
    public byte[] bytes() {
        return bytes;
    }

    /** Bytes that each number takes: 2 or 4. */
    public int width() {
        return width;
    }

    /** The least of all numbers. */
    public long low() {
        return low;
    }

    /** The greatest of all numbers. */
    public long high() {
        return high;
    }

    /** What a row's number is more than the least, where each takes 2 bytes. */
    public static int above2(byte[] bytes, int row) {
        return LittleEndian.getShort(bytes, row * 2) & 0xFFFF;
    }

    /** The same where each takes 4. */
    public static long above4(byte[] bytes, int row) {
        return LittleEndian.getInt(bytes, row * 4) & MOST_IN_4;
    }

    // Loops work on what they read of the object once.

    /** The numbers of rows that follow each other, each into the place of its row. */
    public void copy(int first, int rows, long[] out) {
        copy(bytes, width, low, first, rows, out);
    }

    private static void copy(byte[] bytes, int width, long low, int first, int rows, long[] out) {
        if (width == 2) {
            for (int row = first; row < first + rows; row++) {
                out[row] = low + above2(bytes, row);
            }
        } else {
            for (int row = first; row < first + rows; row++) {
                out[row] = low + above4(bytes, row);
            }
        }
    }

    /** The numbers of some rows, each into the place of its row. */
    public void copy(int[] selected, int count, long[] out) {
        copy(bytes, width, low, selected, count, out);
    }

    private static void copy(byte[] bytes, int width, long low, int[] selected, int count, long[] out) {
        if (width == 2) {
            for (int i = 0; i < count; i++) {
                out[selected[i]] = low + above2(bytes, selected[i]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                out[selected[i]] = low + above4(bytes, selected[i]);
            }
        }
    }

    /** The numbers of selected rows, one behind the other, in 8 bytes each. */
    public void gather(int[] selected, int from, int rows, byte[] out, int at) {
        gather(bytes, width, low, selected, from, rows, out, at);
    }

    private static void gather(
            byte[] bytes, int width, long low, int[] selected, int from, int rows, byte[] out, int at) {
        if (width == 2) {
            for (int i = 0; i < rows; i++) {
                LittleEndian.putLong(out, at + i * 8, low + above2(bytes, selected[from + i]));
            }
        } else {
            for (int i = 0; i < rows; i++) {
                LittleEndian.putLong(out, at + i * 8, low + above4(bytes, selected[from + i]));
            }
        }
    }

    /** All numbers in 8 bytes each. */
    public byte[] widened() {
        int rows = bytes.length / width;
        byte[] wide = new byte[rows * 8];
        for (int row = 0; row < rows; row++) {
            LittleEndian.putLong(wide, row * 8, low + (width == 2 ? above2(bytes, row) : above4(bytes, row)));
        }
        return wide;
    }
}
