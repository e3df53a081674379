package io.waterwheel.query.rows;

import io.waterwheel.query.aggregate.state.RowSummary;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a lookup asks for: pairs of a key and a time, each a slot, sorted by key, by the text that the key is made from
 * when there is one, then by time; no two are equal. A row belongs to the slot of its key and time, or where the latest
 * row that is not after a time is wanted, to the first slot of its key that is not before it. Immutable; any thread.
 */
public final class LookupSlots {
    private final long[] keys;
    private final byte @Nullable [][] texts;
    /** In the units of the time's field. */
    private final long[] times;

    private final long unitsAMilli;
    private final boolean asOf;
    private final int[] slotOf;

    /**
     * Slots that are sorted.
     *
     * @param texts by slot, what the key is only the beginning of; null when keys tell values apart
     * @param unitsAMilli units of the times in a millisecond
     * @param asOf whether the latest row that is not after the time is wanted, and not the row of the time
     * @param slotOf by pair in the order asked, its slot; -1 when no row can match
     */
    public LookupSlots(
            long[] keys, byte @Nullable [][] texts, long[] times, long unitsAMilli, boolean asOf, int[] slotOf) {
        this.keys = keys;
        this.texts = texts;
        this.times = times;
        this.unitsAMilli = unitsAMilli;
        this.asOf = asOf;
        this.slotOf = slotOf;
    }

    /** Number of slots. */
    public int size() {
        return keys.length;
    }

    /** Number of pairs. */
    public int pairs() {
        return slotOf.length;
    }

    /** The slot of a pair, in the order asked; -1 when no row can match. */
    public int slotOf(int pair) {
        return slotOf[pair];
    }

    boolean asOf() {
        return asOf;
    }

    /** Whether a slot has the key of the one before it. */
    boolean continues(int slot) {
        return slot > 0
                && keys[slot] == keys[slot - 1]
                && (texts == null || Arrays.equals(texts[slot], texts[slot - 1]));
    }

    /** Whether the latest row for one slot is that of the slot before too, where it has none of its own. */
    public boolean takesFromBefore(int slot) {
        return asOf && continues(slot);
    }

    /**
     * The slot of a row.
     *
     * @param text holds the text of the row from an offset on, where keys are made from texts
     * @return -1 when it belongs to none
     */
    int find(long key, byte[] text, int offset, int length, long time) {
        int low = 0;
        int high = keys.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(middle, key, text, offset, length, time) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean found = low < keys.length
                && (asOf
                        ? keys[low] == key && sameText(low, text, offset, length)
                        : compare(low, key, text, offset, length, time) == 0);
        return found ? low : -1;
    }

    private boolean sameText(int slot, byte[] text, int offset, int length) {
        return texts == null || compareText(texts[slot], text, offset, length) == 0;
    }

    private static int compareText(byte[] one, byte[] text, int offset, int length) {
        return Arrays.compareUnsigned(one, 0, one.length, text, offset, offset + length);
    }

    private int compare(int slot, long key, byte[] text, int offset, int length, long time) {
        int compared = Long.compare(keys[slot], key);
        if (compared == 0 && texts != null) {
            compared = compareText(texts[slot], text, offset, length);
        }
        return compared != 0 ? compared : Long.compare(times[slot], time);
    }

    /** The millisecond of a time in the units of the time's field. */
    long millis(long time) {
        return Math.floorDiv(time, unitsAMilli);
    }

    /** Whether a row of a leaf may belong to a slot; false is certain. */
    boolean mayHold(RowSummary rows) {
        int low = 0;
        int high = keys.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (keys[middle] < rows.lowKey()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (int slot = low; slot < keys.length && keys[slot] <= rows.highKey(); slot++) {
            long millis = millis(times[slot]);
            if (millis >= rows.fromTime() && (asOf || millis <= rows.toTime())) {
                return true;
            }
        }
        return false;
    }
}
