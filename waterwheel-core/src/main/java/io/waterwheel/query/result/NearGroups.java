package io.waterwheel.query.result;

import io.waterwheel.query.column.Values;
import io.waterwheel.query.memory.Reservation;
import java.util.Arrays;

/**
 * Numbers of groups by whole numbers that lie near each other, in an array: what spares a {@link GroupTable} the hash.
 * Of several columns the array has a place for each combination, and one for null in each. One thread.
 */
final class NearGroups {
    /** Longest array; of 4 bytes each. */
    private static final int MOST = 1 << 16;
    /** Room on either side of the numbers that were there first, as a part of their range. */
    private static final int ROOM = 4;
    /** Times that it is tried to make other numbers near; after that it is not. */
    private static final int MOST_MOVES = 16;

    private static final int FAR = -1;

    private final Reservation memory;
    /** Group plus 1 by place; 0 for none. */
    private int[] groups = {};
    /** By column, the number whose distance is 1: what is null has the distance 0. */
    private final long[] leasts;
    /** By column, how many distances there are. */
    private final int[] sizes;

    /** By the index of a selected row. */
    private int[] places = {};

    private int moves;

    NearGroups(int columns, Reservation memory) {
        this.memory = memory;
        this.leasts = new long[columns];
        this.sizes = new int[columns];
    }

    /**
     * Leaves the group of each selected row, by row number, where all of them are known here; false where not. Of one
     * column.
     */
    boolean findKnown(Values values, int[] selected, int count, int[] groupOf) {
        int[] known = groups;
        if (known.length == 0) {
            return false;
        }
        long[] longs = values.longs;
        boolean[] nulls = values.nulls;
        boolean anyNull = values.anyNull;
        long least = leasts[0];
        int most = sizes[0] - 1;
        int unknown = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long distance = longs[row] - least;
            int place;
            if (anyNull && nulls[row]) {
                place = 0;
            } else if (distance >= 0 && distance < most) {
                place = (int) distance + 1;
            } else {
                return false;
            }
            int group = known[place] - 1;
            groupOf[row] = group;
            unknown |= group;
        }
        return unknown >= 0;
    }

    /** Looks up the places of rows, by the index of a selected row: negative where a number is not near. */
    int[] places(Values[] values, int[] selected, int count) {
        if (places.length < count) {
            memory.replace(4L * places.length, 4L * count);
            places = new int[count];
        }
        if (groups.length == 0) {
            Arrays.fill(places, 0, count, FAR);
            return places;
        }
        int stride = 1;
        for (int c = 0; c < values.length; c++) {
            place(values[c], leasts[c], sizes[c], stride, selected, count);
            stride *= sizes[c];
        }
        return places;
    }

    private void place(Values values, long least, int size, int stride, int[] selected, int count) {
        long[] longs = values.longs;
        boolean anyNull = values.anyNull;
        boolean[] nulls = values.nulls;
        int[] into = places;
        boolean first = stride == 1;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long distance = longs[row] - least + 1;
            int before = first ? 0 : into[i];
            int place = before + (int) distance * stride;
            if (anyNull && nulls[row]) {
                place = before;
            } else if (distance < 1 || distance >= size) {
                place = FAR;
            }
            into[i] = before < 0 ? FAR : place;
        }
    }

    /** The group of a place; negative when it is not known here. */
    int group(int place) {
        return place < 0 ? FAR : groups[place] - 1;
    }

    /** Notes the group of a place, if it is one. */
    void put(int place, int group) {
        if (place >= 0) {
            groups[place] = group + 1;
        }
    }

    /** Is told how many of the selected rows had no place: when these were most, makes them near, if it can. */
    void missed(Values[] values, int[] selected, int count, int missed) {
        if (missed * 2 <= count || moves == MOST_MOVES) {
            return;
        }
        moves++;
        long length = 1;
        long[] lows = new long[values.length];
        int[] lengths = new int[values.length];
        for (int c = 0; c < values.length && length <= MOST; c++) {
            long low = Long.MAX_VALUE;
            long high = Long.MIN_VALUE;
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                if (!values[c].anyNull || !values[c].nulls[row]) {
                    low = Math.min(low, values[c].longs[row]);
                    high = Math.max(high, values[c].longs[row]);
                }
            }
            // Of nulls alone there is no range.
            long range = low > high ? 0 : high - low;
            if (range < 0 || range >= MOST / 2) {
                return;
            }
            int room = (int) range / ROOM + 1;
            // What an overflow makes of the least is as good: only distances from it count.
            lows[c] = low - room;
            lengths[c] = (int) range + 2 + 2 * room;
            length *= lengths[c];
        }
        if (length > MOST) {
            return;
        }
        if (length <= groups.length) {
            Arrays.fill(groups, 0);
        } else {
            memory.replace(4L * groups.length, 4L * length);
            groups = new int[(int) length];
        }
        System.arraycopy(lows, 0, leasts, 0, lows.length);
        System.arraycopy(lengths, 0, sizes, 0, lengths.length);
    }
}
