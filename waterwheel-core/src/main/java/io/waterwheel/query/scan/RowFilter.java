package io.waterwheel.query.scan;

import io.waterwheel.index.Page;
import io.waterwheel.key.Area;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The test of one scan on rows of a page or leaf: makes a selection, the numbers of matching rows, test by test and
 * column by column. One thread.
 */
final class RowFilter {
    private static final int[] NO_ROWS = {};
    /** The numbers of rows, from 0 on, as many as most leaves have: to copy them takes less than to count. */
    private static final int[] ASCENDING = IntStream.range(0, 2048).toArray();

    /** Of the processor's cache. */
    private static final int KEYS_OF_A_LINE = 8;

    /** Rows of the least selection that is made. */
    private static final int LEAST = 16;

    private final long[] lows;
    private final long[] highs;
    /** Whether the other tests say as much. */
    private final boolean keysImplied;

    private final @Nullable WantedCells cells;
    private final long fromTime;
    private final long toTime;
    private final @Nullable Area area;
    private final int longitudeColumn;
    private final int latitudeColumn;
    private final @Nullable ColumnNode where;
    private final @Nullable ColumnNode bounds;
    private int[] selected = NO_ROWS;

    RowFilter(ScanSpec spec, RowLayout layout) {
        List<KeyInterval> keys = spec.keys();
        this.lows = new long[keys.size()];
        this.highs = new long[keys.size()];
        for (int i = 0; i < lows.length; i++) {
            lows[i] = keys.get(i).low();
            highs[i] = keys.get(i).high();
        }
        this.keysImplied = spec.keysImplied();
        this.cells = spec.cells();
        this.fromTime = spec.times().from();
        this.toTime = spec.times().to();
        ScanSpec.AreaTest test = spec.area();
        this.area = test == null ? null : test.area();
        this.longitudeColumn = test == null ? 0 : layout.columnOf(test.longitudeField());
        this.latitudeColumn = test == null ? 0 : layout.columnOf(test.latitudeField());
        this.where = spec.where() == null ? null : new ExpressionCompiler(layout).compile(spec.where());
        this.bounds =
                test == null || test.bounds() == null ? null : new ExpressionCompiler(layout).compile(test.bounds());
    }

    boolean matchesNothing() {
        return lows.length == 0;
    }

    /** The least key that can match. */
    long lowKey() {
        return lows[0];
    }

    /** The greatest key that can match. */
    long highKey() {
        return highs[highs.length - 1];
    }

    /** The cells of the key's dimensions that can match, or null. */
    @Nullable
    WantedCells cells() {
        return cells;
    }

    /** The condition, compiled, or null. */
    @Nullable
    ColumnNode where() {
        return where;
    }

    /** A condition that is true of all positions in the area, compiled, or null. */
    @Nullable
    ColumnNode bounds() {
        return bounds;
    }

    /** The exact test on the position, or null. */
    @Nullable
    Area area() {
        return area;
    }

    int longitudeColumn() {
        return longitudeColumn;
    }

    int latitudeColumn() {
        return latitudeColumn;
    }

    /** Number of the first interval whose upper bound is not below the key. */
    private int interval(long key) {
        int low = 0;
        int high = highs.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (highs[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether a key from low to high can match. */
    boolean meetsKeys(long low, long high) {
        int i = interval(low);
        return i < lows.length && lows[i] <= high;
    }

    /** Whether every key from low to high matches, or none need be tested. */
    boolean holdsKeys(long low, long high) {
        if (keysImplied) {
            return true;
        }
        int i = interval(low);
        return i < lows.length && lows[i] <= low && high <= highs[i];
    }

    long fromTime() {
        return fromTime;
    }

    long toTime() {
        return toTime;
    }

    boolean meetsTimes(long from, long to) {
        return fromTime <= to && from <= toTime;
    }

    boolean holdsTimes(long from, long to) {
        return fromTime <= from && to <= toTime;
    }

    /** The selection made last; its first entries, by the number that the last call returned. */
    int[] selected() {
        return selected;
    }

    /** Selects rows [0, rows). */
    int selectAll(int rows) {
        reserve(rows);
        int copied = Math.min(rows, ASCENDING.length);
        System.arraycopy(ASCENDING, 0, selected, 0, copied);
        for (int i = copied; i < rows; i++) {
            selected[i] = i;
        }
        return rows;
    }

    /** Whether rows are told apart by key and time alone. */
    boolean testsNoField() {
        return where == null && area == null;
    }

    /** Selects rows [first, end) of a page, behind those that an array names in these places. */
    int select(int[] named, int from, int to, int first, int end) {
        reserve(to - from + Math.max(0, end - first));
        int count = 0;
        for (int i = from; i < to; i++) {
            selected[count++] = named[i] & Page.MASK;
        }
        for (int row = first; row < end; row++) {
            selected[count++] = row;
        }
        return count;
    }

    /** Selects the rows whose key matches, of keys in any order, all of which lie from low to high. */
    int selectKeys(long[] keys, int rows, long low, long high) {
        reserve(rows);
        int first = interval(low);
        if (first == lows.length || lows[first] > high) {
            return 0;
        }
        int[] out = selected;
        int count = 0;
        if (first + 1 == lows.length || lows[first + 1] > high) {
            long from = lows[first];
            long width = unsigned(highs[first] - from);
            for (int i = 0; i < rows; i++) {
                out[count] = i;
                count += unsigned(keys[i] - from) <= width ? 1 : 0;
            }
            return count;
        }
        for (int i = 0; i < rows; i++) {
            long key = keys[i];
            int interval = interval(key);
            out[count] = i;
            count += interval < lows.length && lows[interval] <= key ? 1 : 0;
        }
        return count;
    }

    /** Selects the rows whose key matches, of keys in ascending order. */
    int selectSortedKeys(long[] keys, int rows) {
        int first = interval(keys[0]);
        if (first + 1 == lows.length) {
            // One interval: its rows are neighbours, and often few.
            int from = firstNotBelow(keys, 0, rows, lows[first]);
            int to = from;
            while (to < rows && keys[to] <= highs[first]) {
                to++;
            }
            reserve(to - from);
            for (int row = from; row < to; row++) {
                selected[row - from] = row;
            }
            return to - from;
        }
        reserve(rows);
        int count = 0;
        int row = 0;
        for (int i = first; i < lows.length && row < rows; i++) {
            row = firstNotBelow(keys, row, rows, lows[i]);
            while (row < rows && keys[row] <= highs[i]) {
                selected[count++] = row++;
            }
        }
        return count;
    }

    /**
     * The first of the rows [from, to) whose key is not below a key; {@code to} where there is none. The keys ascend,
     * and are mostly spread evenly: it is looked for first where it would be then, so that few of a leaf's keys are
     * read, most of which are in no cache. From there it goes in steps that double, so that keys that are spread
     * otherwise take at most about twice as many looks as halving alone.
     */
    static int firstNotBelow(long[] keys, int from, int to, long key) {
        if (from == to || keys[from] >= key) {
            return from;
        }
        int high = to - 1;
        if (keys[high] < key) {
            return to;
        }
        // From here on the key of low is below, and that of high is not.
        int low = from;
        // From 0 to 1, as rounding keeps the order; NaN, which is made 0, where both keys are the same double.
        double share = ((double) key - keys[low]) / ((double) keys[high] - keys[low]);
        int at = low + (int) (share * (high - low));
        int step = KEYS_OF_A_LINE;
        if (keys[at] < key) {
            low = at;
            while (low + step < high && keys[low + step] < key) {
                low += step;
                step *= 2;
            }
            high = Math.min(high, low + step);
        } else {
            high = at;
            while (high - step > low && keys[high - step] >= key) {
                high -= step;
                step *= 2;
            }
            low = Math.max(low, high - step);
        }
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (keys[middle] < key) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** Keeps of the selection the rows whose time matches. */
    int keepTimes(long[] times, int count) {
        int[] rows = selected;
        long from = fromTime;
        long width = unsigned(toTime - from);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            rows[kept] = row;
            kept += unsigned(times[row] - from) <= width ? 1 : 0;
        }
        return kept;
    }

    /**
     * A number whose order among longs is the unsigned one. Of an interval's width it makes two tests one, without a
     * branch that the processor would have to guess.
     */
    private static long unsigned(long value) {
        return value + Long.MIN_VALUE;
    }

    /** Keeps of the selection the rows whose position lies in the area and for which the condition is true. */
    int keepFields(RowView view, int count) {
        return keepFields(view, count, false, false);
    }

    /**
     * The same.
     *
     * @param inArea whether all rows are known to lie in the area
     * @param isTrue whether the condition is known to be true of all
     */
    int keepFields(RowView view, int count, boolean inArea, boolean isTrue) {
        Area test = inArea ? null : area;
        int kept = test == null || count == 0 ? count : keepArea(test, view, count);
        return where == null || isTrue || kept == 0 ? kept : where.keep(view, selected, kept);
    }

    private int keepArea(Area test, RowView view, int count) {
        return test.keep(
                view.columns[longitudeColumn],
                view.bases[longitudeColumn],
                view.columns[latitudeColumn],
                view.bases[latitudeColumn],
                selected,
                count,
                view.workspace()::spend);
    }

    private void reserve(int rows) {
        if (selected.length < rows) {
            selected = new int[Math.max(rows, LEAST)];
        }
    }
}
