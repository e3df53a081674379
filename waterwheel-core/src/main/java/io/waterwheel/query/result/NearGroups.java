package io.waterwheel.query.result;

import io.waterwheel.query.column.Values;
import io.waterwheel.query.memory.Reservation;
import java.util.Arrays;

/**
 * Numbers of groups by whole numbers that lie near each other, in an array: what spares a {@link GroupTable} the hash.
 * One thread.
 */
final class NearGroups {
    /** Longest array; of 4 bytes each. */
    private static final int MOST = 1 << 16;
    /** Room on either side of the numbers that were there first, as a part of their range. */
    private static final int ROOM = 4;
    /** Times that other numbers may be made near; after that they are not. */
    private static final int MOST_MOVES = 16;

    private final Reservation memory;
    /** Group plus 1 by number less the least; 0 for none. */
    private int[] groups = {};

    private long least;
    private int moves;

    NearGroups(Reservation memory) {
        this.memory = memory;
    }

    /** The group of a number; negative when it is not known here. */
    int group(long number) {
        long at = number - least;
        return at >= 0 && at < groups.length ? groups[(int) at] - 1 : -1;
    }

    /** Notes the group of a number, if it is near. */
    void put(long number, int group) {
        long at = number - least;
        if (at >= 0 && at < groups.length) {
            groups[(int) at] = group + 1;
        }
    }

    /**
     * Is told how many of the selected rows' numbers were not known: when most were not, makes those near, if it can.
     */
    void missed(Values values, int[] selected, int count, int missed) {
        if (missed * 2 <= count || moves == MOST_MOVES) {
            return;
        }
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!values.anyNull || !values.nulls[row]) {
                low = Math.min(low, values.longs[row]);
                high = Math.max(high, values.longs[row]);
            }
        }
        long range = high - low;
        if (range < 0 || range >= MOST / 2) {
            return;
        }
        int room = (int) range / ROOM + 1;
        int length = (int) range + 1 + 2 * room;
        if (length <= groups.length) {
            Arrays.fill(groups, 0);
        } else {
            memory.replace(4L * groups.length, 4L * length);
            groups = new int[length];
        }
        moves++;
        // What an overflow makes of the least is as good: only distances from it count.
        least = low - room;
    }
}
