package io.waterwheel.index;

import io.waterwheel.model.LittleEndian;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The leaves of a tree under one template: per leaf a growing list of pages. Rows are appended and never move; within a
 * leaf they lie in the order of arrival.
 *
 * <p>A reader takes {@link #size} of a leaf first; everything else it then reads covers at least the rows below that
 * size: the pages hold them, the ranges include them (and perhaps more).
 *
 * <p>Owner: the thread that inserts. Readers: whoever holds a lease of the tree. Published by: the leaf's size, stored
 * with release after all columns of its rows; page lists by release too, because they are replaced when they grow;
 * ranges only ever widen, before the size, and are opaque so that no half of a long is seen.
 */
public final class Leaves {
    private static final VarHandle SIZES = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle RANGES = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(Page[][].class);
    private static final Page[] NO_PAGES = {};

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
    /** Rows by leaf, those being inserted included. Writer only. */
    private final int[] written;
    /** Number of pages by leaf. Writer only. */
    private final int[] pageCounts;
    /** The page that the next row of a leaf goes to, when it is not full. Writer only. */
    private final Page[] current;

    private int pagesTaken;

    Leaves(Template template, PagePool pool, int payloadWidth) {
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

    /** Pages taken from the pool. Writer only. */
    int pagesTaken() {
        return pagesTaken;
    }

    /** Finds the place of each of {@code count} rows, and copies keys and times there; not yet visible. */
    void place(long[] keys, long[] times, int from, int count, Places places) {
        int[] leafOf = places.leaf;
        for (int i = 0; i < count; i++) {
            leafOf[i] = template.leafOf(keys[from + i]);
        }
        Page[] pageOf = places.page;
        int[] slotOf = places.slot;
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
            page.addTime(time);
            widen(leaf, key, time);
            pageOf[i] = page;
            slotOf[i] = slot;
        }
    }

    private void widen(int leaf, long key, long time) {
        int range = leaf * 4;
        if (key < ranges[range + MIN_KEY]) {
            RANGES.setOpaque(ranges, range + MIN_KEY, key);
        }
        if (key > ranges[range + MAX_KEY]) {
            RANGES.setOpaque(ranges, range + MAX_KEY, key);
        }
        if (time < ranges[range + MIN_TIME]) {
            RANGES.setOpaque(ranges, range + MIN_TIME, time);
        }
        if (time > ranges[range + MAX_TIME]) {
            RANGES.setOpaque(ranges, range + MAX_TIME, time);
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

    /** Copies one column of placed rows; row i of them lies at {@code sourceFrom + i * width}. */
    static void copyColumn(byte[] source, int sourceFrom, int width, int pageOffset, int count, Places places) {
        Page[] pageOf = places.page;
        int[] slotOf = places.slot;
        switch (width) {
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    pageOf[i].payload()[pageOffset + slotOf[i]] = source[sourceFrom + i];
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    short value = LittleEndian.getShort(source, sourceFrom + i * 2);
                    LittleEndian.putShort(pageOf[i].payload(), pageOffset + slotOf[i] * 2, value);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    int value = LittleEndian.getInt(source, sourceFrom + i * 4);
                    LittleEndian.putInt(pageOf[i].payload(), pageOffset + slotOf[i] * 4, value);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    long value = LittleEndian.getLong(source, sourceFrom + i * 8);
                    LittleEndian.putLong(pageOf[i].payload(), pageOffset + slotOf[i] * 8, value);
                }
            }
        }
    }

    /** Makes placed rows visible: all their columns are copied. */
    void publish(int count, Places places) {
        int[] leafOf = places.leaf;
        for (int i = 0; i < count; i++) {
            int leaf = leafOf[i];
            SIZES.setRelease(sizes, leaf, written[leaf]);
        }
    }

    /** Gives all pages back. Nobody may read or write these leaves any more. */
    void recycle() {
        for (int leaf = 0; leaf < pages.length; leaf++) {
            pool.givePages(payloadWidth, pages[leaf], pageCounts[leaf]);
        }
    }

    /** Where the rows of a batch go; scratch of the writer, used again for each batch. */
    static final class Places {
        /** Most rows of a batch: few enough that the batch stays in the nearest cache. */
        static final int ROWS = 1024;

        final int[] leaf = new int[ROWS];
        final int[] slot = new int[ROWS];
        final Page[] page = new Page[ROWS];
    }
}
