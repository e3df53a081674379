package io.waterwheel.catalog.region;

import java.util.Arrays;

/**
 * A node of a {@link RegionIndex}: up to {@link #MAX} rectangles and what lies in them: nodes of the level below, or on
 * level 0 the values. Immutable; the arrays are never changed after a constructor has taken them.
 *
 * @param level 0 for leaves
 * @param bounds four longs for each item: least and greatest key, least and greatest time
 * @param items nodes or values
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RegionNode(int level, long[] bounds, Object[] items) {
    /** Most items of a node. */
    static final int MAX = 32;
    /** Fewest items of a node that is not the root. */
    static final int MIN = 12;

    static final int LOW_KEY = 0;
    static final int HIGH_KEY = 1;
    static final int FROM_TIME = 2;
    static final int TO_TIME = 3;
    /** Longs of a rectangle. */
    static final int SIDES = 4;

    static final RegionNode EMPTY = new RegionNode(0, new long[0], new Object[0]);

    int count() {
        return items.length;
    }

    RegionNode child(int item) {
        return (RegionNode) items[item];
    }

    /** The item's rectangle. */
    long[] boundsOf(int item) {
        return Arrays.copyOfRange(bounds, item * SIDES, (item + 1) * SIDES);
    }

    /** The smallest rectangle that holds all items; there must be one. */
    long[] span() {
        long[] span = boundsOf(0);
        for (int item = 1; item < count(); item++) {
            grow(span, bounds, item * SIDES);
        }
        return span;
    }

    /** Grows a rectangle so that it holds the one at {@code at} too. */
    static void grow(long[] span, long[] bounds, int at) {
        span[LOW_KEY] = Math.min(span[LOW_KEY], bounds[at + LOW_KEY]);
        span[HIGH_KEY] = Math.max(span[HIGH_KEY], bounds[at + HIGH_KEY]);
        span[FROM_TIME] = Math.min(span[FROM_TIME], bounds[at + FROM_TIME]);
        span[TO_TIME] = Math.max(span[TO_TIME], bounds[at + TO_TIME]);
    }

    boolean overlaps(int item, long[] area) {
        int at = item * SIDES;
        return bounds[at + LOW_KEY] <= area[HIGH_KEY]
                && bounds[at + HIGH_KEY] >= area[LOW_KEY]
                && bounds[at + FROM_TIME] <= area[TO_TIME]
                && bounds[at + TO_TIME] >= area[FROM_TIME];
    }

    boolean encloses(int item, long[] area) {
        int at = item * SIDES;
        return bounds[at + LOW_KEY] <= area[LOW_KEY]
                && bounds[at + HIGH_KEY] >= area[HIGH_KEY]
                && bounds[at + FROM_TIME] <= area[FROM_TIME]
                && bounds[at + TO_TIME] >= area[TO_TIME];
    }

    boolean equals(int item, long[] area) {
        return Arrays.equals(bounds, item * SIDES, (item + 1) * SIDES, area, 0, SIDES);
    }

    /** This node and one more item; may be one more than {@link #MAX}. */
    RegionNode plus(long[] area, Object item) {
        int count = count();
        long[] more = Arrays.copyOf(bounds, (count + 1) * SIDES);
        System.arraycopy(area, 0, more, count * SIDES, SIDES);
        Object[] longer = Arrays.copyOf(items, count + 1);
        longer[count] = item;
        return new RegionNode(level, more, longer);
    }

    /** This node with another item in the place of one. */
    RegionNode replace(int at, long[] area, Object item) {
        long[] changed = bounds.clone();
        System.arraycopy(area, 0, changed, at * SIDES, SIDES);
        Object[] others = items.clone();
        others[at] = item;
        return new RegionNode(level, changed, others);
    }

    /** This node without one item. */
    RegionNode without(int item) {
        int[] kept = new int[count() - 1];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = i < item ? i : i + 1;
        }
        return select(kept, 0, kept.length);
    }

    /** A node of some items: those at places [from, to) of the list. */
    RegionNode select(int[] list, int from, int to) {
        long[] some = new long[(to - from) * SIDES];
        Object[] fewer = new Object[to - from];
        for (int i = from; i < to; i++) {
            System.arraycopy(bounds, list[i] * SIDES, some, (i - from) * SIDES, SIDES);
            fewer[i - from] = items[list[i]];
        }
        return new RegionNode(level, some, fewer);
    }
}
