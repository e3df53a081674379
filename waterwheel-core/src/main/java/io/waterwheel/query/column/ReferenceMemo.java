package io.waterwheel.query.column;

import io.waterwheel.query.memory.Reservation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers a number for each of some texts of a tree, by their references: what a test or a search came to need not be
 * found again for the next row that shares the text. Of two references with the same slot it remembers the last. One
 * thread.
 */
public final class ReferenceMemo {
    /** What {@link #get} gives where nothing is remembered. */
    public static final int UNKNOWN = -1;

    private static final int SLOT_BITS = 10;
    /** No value is that long. */
    private static final long NONE = -1;
    /** Rows after which it is judged whether remembering pays: at least half must have been remembered. */
    private static final int TRIAL = 2048;

    private static final int LEAST_ROWS = 64;

    private long[] references = {};
    private int[] numbers = {};
    /** The tree of {@link #references}. */
    private @Nullable Object origin;

    private int asked;
    private int missed;

    /**
     * Whether it is of use for the values: they are of a tree, and their texts come again. Forgets what it knows of
     * another tree.
     *
     * @param count of the rows that are looked at: for a few it is not made ready
     * @param memory what it holds is reserved from it
     */
    public boolean serves(Values values, int count, Reservation memory) {
        if (values.origin == null) {
            return false;
        }
        if (values.origin != origin) {
            if (count < LEAST_ROWS) {
                return false;
            }
            if (references.length == 0) {
                memory.reserve((8L + 4L) << SLOT_BITS);
                references = new long[1 << SLOT_BITS];
                numbers = new int[1 << SLOT_BITS];
            }
            Arrays.fill(references, NONE);
            origin = values.origin;
            asked = 0;
            missed = 0;
        }
        return asked < TRIAL || missed * 2 <= asked;
    }

    /** What was remembered of the reference last; {@link #UNKNOWN} for nothing. */
    public int get(long reference) {
        int slot = slot(reference);
        asked++;
        return references[slot] == reference ? numbers[slot] : UNKNOWN;
    }

    /** Remembers a number, 0 or above, for a reference of which nothing was known. */
    public void put(long reference, int number) {
        int slot = slot(reference);
        missed++;
        references[slot] = reference;
        numbers[slot] = number;
    }

    private static int slot(long reference) {
        return (int) ((reference * 0x9e3779b97f4a7c15L) >>> (Long.SIZE - SLOT_BITS));
    }
}
