package io.waterwheel.index;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyDimensions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The leaves of a tree under one template: per leaf a growing list of pages. Rows are appended and never move; within a
 * leaf they lie in the order of arrival.
 *
 * <p>A reader takes {@link #size} of a leaf first; everything else it then reads covers at least the rows below that
 * size: the pages hold them, the ranges and sketches include them (and perhaps more).
 *
 * <p>Owner: the thread that inserts. Readers: threads that have pinned them ({@link TemplateTree#pin}). Published by:
 * the leaf's size, stored with release after all columns of its rows; page lists and sketches by release too, because
 * they are replaced; ranges only ever widen, before the size, and are opaque so that no half of a long is seen.
 */
public final class Leaves {
    private static final VarHandle SIZES = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle RANGES = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(Page[][].class);
    private static final VarHandle SKETCHES;
    private static final Page[] NO_PAGES = {};

    static {
        try {
            SKETCHES = MethodHandles.lookup().findVarHandle(Leaves.class, "sketches", LeafSketches.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Positions within a leaf's part of {@link #ranges}. */
    private static final int MIN_KEY = 0;

    private static final int MAX_KEY = 1;
    private static final int MIN_TIME = 2;
    private static final int MAX_TIME = 3;

    private final Template template;
    private final PagePool pool;
    private final int payloadWidth;
    /** Published rows by leaf. */
    private final int[] sizes;

    private final Page[][] pages;
    private final long[] ranges;
    private final KeyDimensions dimensions;
    /** By leaf and dimension, the least and the greatest cell; ranges too. */
    private final long[] cells;

    private LeafSketches sketches;
    /** By leaf, what readers have noted of its older rows. Made by the first of them. */
    private volatile @Nullable AtomicReferenceArray<NewestOfLeaf> newest;
    /** Rows by leaf, those being inserted included. Writer only. */
    private final int[] written;
    /** Number of pages by leaf. Writer only. */
    private final int[] pageCounts;
    /** The page that the next row of a leaf goes to, when it is not full. Writer only. */
    private final Page[] current;

    private int pagesTaken;

    /** In {@link #pins} once the pages are gone whatever pins there were; far from what counting can reach. */
    private static final int REVOKED = Integer.MIN_VALUE / 2;

    /** The tree, while these are its leaves, and the readers in them. */
    private final AtomicInteger pins = new AtomicInteger(1);

    /** @param sketchShift width of the mini-ranges to begin with, see {@link TimeSketch} */
    Leaves(Template template, KeyDimensions dimensions, PagePool pool, int payloadWidth, int sketchShift) {
        int leaves = template.leaves();
        this.template = template;
        this.pool = pool;
        this.payloadWidth = payloadWidth;
        this.sizes = new int[leaves];
        this.pages = new Page[leaves][];
        Arrays.fill(pages, NO_PAGES);
        this.ranges = new long[leaves * 4];
        for (int leaf = 0; leaf < leaves; leaf++) {
            ranges[leaf * 4 + MIN_KEY] = Long.MAX_VALUE;
            ranges[leaf * 4 + MAX_KEY] = Long.MIN_VALUE;
            ranges[leaf * 4 + MIN_TIME] = Long.MAX_VALUE;
            ranges[leaf * 4 + MAX_TIME] = Long.MIN_VALUE;
        }
        this.dimensions = dimensions;
        this.cells = new long[leaves * dimensions.count() * 2];
        for (int at = 0; at < cells.length; at += 2) {
            cells[at] = Long.MAX_VALUE;
            cells[at + 1] = Long.MIN_VALUE;
        }
        this.sketches = new LeafSketches(leaves, sketchShift);
        this.written = new int[leaves];
        this.pageCounts = new int[leaves];
        this.current = new Page[leaves];
    }

    public Template template() {
        return template;
    }

    /** Number of leaves. */
    public int count() {
        return sizes.length;
    }

    /** Rows of the leaf that may be read; read this before anything else of the leaf. */
    public int size(int leaf) {
        return (int) SIZES.getAcquire(sizes, leaf);
    }

    /** The leaf's pages; at least those that hold the rows below a size read before. Not to be changed. */
    public Page[] pages(int leaf) {
        return (Page[]) PAGES.getAcquire(pages, leaf);
    }

    public long minKey(int leaf) {
        return (long) RANGES.getOpaque(ranges, leaf * 4 + MIN_KEY);
    }

    public long maxKey(int leaf) {
        return (long) RANGES.getOpaque(ranges, leaf * 4 + MAX_KEY);
    }

    public long minTime(int leaf) {
        return (long) RANGES.getOpaque(ranges, leaf * 4 + MIN_TIME);
    }

    public long maxTime(int leaf) {
        return (long) RANGES.getOpaque(ranges, leaf * 4 + MAX_TIME);
    }

    /** Number of dimensions of which the leaves know their cells; 0 where keys have none. */
    public int dimensions() {
        return dimensions.count();
    }

    /** The least cell of a dimension in the leaf, as {@link KeyDimensions} has it. */
    public long leastCell(int leaf, int dimension) {
        return (long) RANGES.getOpaque(cells, (leaf * dimensions.count() + dimension) * 2);
    }

    /** The greatest one. */
    public long greatestCell(int leaf, int dimension) {
        return (long) RANGES.getOpaque(cells, (leaf * dimensions.count() + dimension) * 2 + 1);
    }

    /**
     * Whether a published row may have a time in [fromTime, toTime], by the leaf's time range and its time sketch;
     * false is certain. Read after the size.
     */
    public boolean mayMeetTimes(int leaf, long fromTime, long toTime) {
        return meetsTimes(leaf, fromTime, toTime) && sketchMayMeetTimes(leaf, fromTime, toTime);
    }

    /** Whether the range of the leaf's times, those of its rows that can be seen, meets this one. */
    public boolean meetsTimes(int leaf, long fromTime, long toTime) {
        return fromTime <= maxTime(leaf) && minTime(leaf) <= toTime;
    }

    /** Of a leaf whose range of times meets this one: whether it may have a tuple there, by its time sketch. */
    public boolean sketchMayMeetTimes(int leaf, long fromTime, long toTime) {
        long from = Math.max(fromTime, minTime(leaf));
        long to = Math.min(toTime, maxTime(leaf));
        LeafSketches now = (LeafSketches) SKETCHES.getAcquire(this);
        return TimeSketch.mayMeet(now.words, leaf * TimeSketch.WORDS, now.shift, from, to);
    }

    /**
     * What a reader noted of the leaf's first rows. Read before {@link #size}, which then covers at least these rows.
     */
    public NewestOfLeaf newest(int leaf) {
        AtomicReferenceArray<NewestOfLeaf> noted = newest;
        NewestOfLeaf found = noted == null ? null : noted.getAcquire(leaf);
        return found == null ? NewestOfLeaf.NONE : found;
    }

    /** Notes what a reader found, for others: any thread that has pinned them. Of two the last one stays. */
    public void note(int leaf, NewestOfLeaf found) {
        AtomicReferenceArray<NewestOfLeaf> noted = newest;
        if (noted == null) {
            synchronized (this) {
                noted = newest;
                if (noted == null) {
                    noted = new AtomicReferenceArray<>(count());
                    newest = noted;
                }
            }
        }
        noted.setRelease(leaf, found);
    }

    /** Shift of the time sketches' mini-ranges: what suits these tuples. */
    public int sketchShift() {
        return ((LeafSketches) SKETCHES.getAcquire(this)).shift;
    }

    /** Pages taken from the pool. Writer only. */
    int pagesTaken() {
        return pagesTaken;
    }

    /** Finds the place of each of {@code count} rows, and copies keys and times there; not yet visible. */
    void place(long[] keys, long[] times, int from, int count, RowPlacement places) {
        int[] leafOf = places.leaf;
        for (int i = 0; i < count; i++) {
            leafOf[i] = template.leafOf(keys[from + i]);
        }
        Page[] pageOf = places.page;
        int[] slotOf = places.slot;
        LeafSketches into = sketches;
        for (int i = 0; i < count; i++) {
            int leaf = leafOf[i];
            int row = written[leaf];
            int slot = row & Page.MASK;
            Page page = slot == 0 ? nextPage(leaf) : current[leaf];
            written[leaf] = row + 1;
            long key = keys[from + i];
            long time = times[from + i];
            page.keys()[slot] = key;
            page.times()[slot] = time;
            page.addTimes(time, time);
            widen(leaf * 4, key, key, time, time);
            into.add(leaf, time);
            pageOf[i] = page;
            slotOf[i] = slot;
        }
        for (int d = 0; d < dimensions.count(); d++) {
            long mask = dimensions.mask(d);
            for (int i = 0; i < count; i++) {
                long cell = keys[from + i] & mask;
                widenCells(leafOf[i], d, cell, cell);
            }
        }
    }

    private void widenCells(int leaf, int dimension, long least, long greatest) {
        int at = (leaf * dimensions.count() + dimension) * 2;
        if (least < cells[at]) {
            RANGES.setOpaque(cells, at, least);
        }
        if (greatest > cells[at + 1]) {
            RANGES.setOpaque(cells, at + 1, greatest);
        }
    }

    /** Makes placed rows visible: all their columns are copied. */
    void publish(int count, RowPlacement places) {
        int[] leafOf = places.leaf;
        for (int i = 0; i < count; i++) {
            int leaf = leafOf[i];
            SIZES.setRelease(sizes, leaf, written[leaf]);
        }
        if (sketches.full()) {
            widenSketches();
        }
    }

    /** Appends rows [from, to) to a leaf; not yet visible. */
    void append(int leaf, RowColumns rows, int from, int to, RowLayout layout) {
        for (int row = from; row < to; ) {
            int slot = written[leaf] & Page.MASK;
            Page page = slot == 0 ? nextPage(leaf) : current[leaf];
            int count = Math.min(to - row, Page.ROWS - slot);
            System.arraycopy(rows.keys, row, page.keys(), slot, count);
            System.arraycopy(rows.times, row, page.times(), slot, count);
            int before = 0;
            for (int c = 0; c < layout.columns(); c++) {
                int width = layout.width(c);
                System.arraycopy(
                        rows.payload,
                        before * RowColumns.ROWS + row * width,
                        page.payload(),
                        before * Page.ROWS + slot * width,
                        count * width);
                before += width;
            }
            widen(leaf, page, rows, row, row + count);
            written[leaf] += count;
            row += count;
        }
    }

    /** Widens the ranges of the leaf and of the page, and the leaf's sketch, by rows [from, to). */
    private void widen(int leaf, Page page, RowColumns rows, int from, int to) {
        long minKey = Long.MAX_VALUE;
        long maxKey = Long.MIN_VALUE;
        long minTime = Long.MAX_VALUE;
        long maxTime = Long.MIN_VALUE;
        for (int i = from; i < to; i++) {
            minKey = Math.min(minKey, rows.keys[i]);
            maxKey = Math.max(maxKey, rows.keys[i]);
            minTime = Math.min(minTime, rows.times[i]);
            maxTime = Math.max(maxTime, rows.times[i]);
        }
        for (int d = 0; d < dimensions.count(); d++) {
            long least = Long.MAX_VALUE;
            long greatest = Long.MIN_VALUE;
            for (int i = from; i < to; i++) {
                long cell = dimensions.cell(d, rows.keys[i]);
                least = Math.min(least, cell);
                greatest = Math.max(greatest, cell);
            }
            widenCells(leaf, d, least, greatest);
        }
        page.addTimes(minTime, maxTime);
        widen(leaf * 4, minKey, maxKey, minTime, maxTime);
        sketches.add(leaf, rows.times, from, to - from);
    }

    private void widen(int range, long minKey, long maxKey, long minTime, long maxTime) {
        widen(range + MIN_KEY, minKey, range + MAX_KEY, maxKey);
        widen(range + MIN_TIME, minTime, range + MAX_TIME, maxTime);
    }

    private void widen(int minAt, long min, int maxAt, long max) {
        if (min < ranges[minAt]) {
            RANGES.setOpaque(ranges, minAt, min);
        }
        if (max > ranges[maxAt]) {
            RANGES.setOpaque(ranges, maxAt, max);
        }
    }

    private Page nextPage(int leaf) {
        Page page = pool.takePage(payloadWidth);
        pagesTaken++;
        int number = pageCounts[leaf]++;
        Page[] list = pages[leaf];
        if (number == list.length) {
            list = Arrays.copyOf(list, Math.max(8, number * 2));
            list[number] = page;
            PAGES.setRelease(pages, leaf, list);
        } else {
            list[number] = page;
        }
        current[leaf] = page;
        return page;
    }

    /** Makes appended rows visible, those of all leaves. */
    void publishAppended() {
        for (int leaf = 0; leaf < sizes.length; leaf++) {
            SIZES.setRelease(sizes, leaf, written[leaf]);
        }
        if (sketches.full()) {
            widenSketches();
        }
    }

    /**
     * Sketches of wider mini-ranges, made aside from all rows published; at most 32 times, each a pass over the times.
     */
    private void widenSketches() {
        LeafSketches wider = sketches;
        do {
            wider = new LeafSketches(sizes.length, wider.shift + LeafSketches.WIDEN);
            for (int leaf = 0; leaf < sizes.length; leaf++) {
                for (int row = 0; row < written[leaf]; row += Page.ROWS) {
                    long[] times = pages[leaf][row >>> Page.SHIFT].times();
                    wider.add(leaf, times, 0, Math.min(Page.ROWS, written[leaf] - row));
                }
            }
        } while (wider.full());
        SKETCHES.setRelease(this, wider);
    }

    /** Lets a reader in; false when these leaves have been replaced and their memory is gone or going. */
    boolean tryPin() {
        int now = pins.get();
        while (now > 0) {
            if (pins.compareAndSet(now, now + 1)) {
                return true;
            }
            now = pins.get();
        }
        return false;
    }

    /** Ends a reader's pin, or the tree's: after the last one the pages go back to the pool. */
    void unpin() {
        int left = pins.decrementAndGet();
        if (left < 0 && left > REVOKED / 2) {
            throw new IllegalStateException("leaves were unpinned more often than pinned");
        }
        if (left == 0) {
            givePages();
        }
    }

    /** Gives the pages back although there may be pins; a reader that has one must not look at them again. */
    void revoke() {
        if (pins.getAndSet(REVOKED) > 0) {
            givePages();
        }
    }

    private void givePages() {
        for (int leaf = 0; leaf < pages.length; leaf++) {
            pool.givePages(payloadWidth, pages[leaf], pageCounts[leaf]);
        }
    }

    /** Whether the last pin has ended. */
    boolean gone() {
        return pins.get() <= 0;
    }
}
