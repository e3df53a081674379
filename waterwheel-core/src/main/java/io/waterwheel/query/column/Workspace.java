package io.waterwheel.query.column;

import io.waterwheel.query.memory.Reservation;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shared by the expressions of one scan while they are evaluated: arrays that nodes lend one another, so that memory
 * grows with the depth of an expression and not with its length; the query's memory; and the check whether to go on.
 * One thread.
 */
public final class Workspace {
    /** Units of work between two looks; a unit is about a nanosecond. */
    private static final long LOOK = 1 << 20;

    private static final int LEAST = 256;

    /** Tests that may remember texts: a condition may have thousands. */
    private static final int MOST_MEMOS = 16;

    private final BooleanSupplier wanted;
    private final Reservation memory;
    private long spent;
    private long held;
    private int memos;

    private final Shelf<long[]> longs = new Shelf<>();
    private final Shelf<double[]> doubles = new Shelf<>();
    private final Shelf<boolean[]> booleans = new Shelf<>();
    private final Shelf<int[]> ints = new Shelf<>();
    private final Shelf<byte[]> bytes = new Shelf<>();

    /**
     * A workspace.
     *
     * @param wanted whether the scan is still wanted; asked about each millisecond of work
     * @param memory what is held is reserved from it; its creator closes it
     */
    public Workspace(BooleanSupplier wanted, Reservation memory) {
        this.wanted = wanted;
        this.memory = memory;
    }

    /** One for work that always goes on to its end, and is refused no memory. */
    public static Workspace unhurried() {
        return new Workspace(() -> true, Reservation.unlimited());
    }

    /** One of its own for another step of the same work, whose memory is reserved from this. */
    public Workspace with(Reservation other) {
        return new Workspace(wanted, other);
    }

    /** What those who share it reserve their memory from. */
    public Reservation memory() {
        return memory;
    }

    /** Whether one more test may have a {@link ReferenceMemo}. */
    public boolean takeMemo() {
        return memos++ < MOST_MEMOS;
    }

    /** An array of at least {@code rows} rows in place of another, which is reserved; its content is lost. */
    public int[] renewed(int[] ints, int rows) {
        if (ints.length >= rows) {
            return ints;
        }
        memory.reserve(4L * (rows - ints.length));
        return new int[rows];
    }

    /**
     * Notes work that is about to be done, or was.
     *
     * @param units a value looked at, or a byte of text
     * @throws ScanEndedException when the scan is not wanted any longer
     */
    public void spend(long units) {
        spent += units;
        if (spent >= LOOK) {
            spent = 0;
            if (!wanted.getAsBoolean()) {
                throw new ScanEndedException();
            }
        }
    }

    /** Bytes of all arrays that are lent or may be. */
    public long bytes() {
        return held;
    }

    /* What an array holds when it is taken is undefined. */

    public long[] takeLongs(int rows) {
        long[] array = longs.take();
        return array != null && array.length >= rows
                ? array
                : new long[made(array == null ? 0 : array.length, rows, 8)];
    }

    double[] takeDoubles(int rows) {
        double[] array = doubles.take();
        return array != null && array.length >= rows
                ? array
                : new double[made(array == null ? 0 : array.length, rows, 8)];
    }

    public boolean[] takeBooleans(int rows) {
        boolean[] array = booleans.take();
        return array != null && array.length >= rows
                ? array
                : new boolean[made(array == null ? 0 : array.length, rows, 1)];
    }

    public int[] takeInts(int rows) {
        int[] array = ints.take();
        return array != null && array.length >= rows ? array : new int[made(array == null ? 0 : array.length, rows, 4)];
    }

    byte[] takeBytes(int length) {
        byte[] array = bytes.take();
        return array != null && array.length >= length
                ? array
                : new byte[made(array == null ? 0 : array.length, length, 1)];
    }

    public void give(long[] array) {
        longs.give(array);
    }

    void give(double[] array) {
        doubles.give(array);
    }

    public void give(boolean[] array) {
        booleans.give(array);
    }

    public void give(int[] array) {
        ints.give(array);
    }

    void give(byte[] array) {
        bytes.give(array);
    }

    /** The length of a new array. Leaves of a chunk differ in size: what one took shall do for most others. */
    private int made(int old, int least, int width) {
        int length = (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(LEAST, least + (long) (least >>> 2)));
        long more = (length - (long) old) * width;
        memory.reserve(more);
        held += more;
        return length;
    }

    /** Arrays that were given back; the last is taken first. */
    private static final class Shelf<T> {
        private static final Object[] EMPTY = {};

        private Object[] arrays = EMPTY;
        private int count;

        @SuppressWarnings("unchecked") // only arrays of T are given
        @Nullable
        T take() {
            if (count == 0) {
                return null;
            }
            T array = (T) arrays[--count];
            arrays[count] = null;
            return array;
        }

        void give(T array) {
            if (count == arrays.length) {
                arrays = Arrays.copyOf(arrays, Math.max(4, count * 2));
            }
            arrays[count++] = array;
        }
    }
}
