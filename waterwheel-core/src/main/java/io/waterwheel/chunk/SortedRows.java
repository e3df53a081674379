package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.RowSorter;
import io.waterwheel.index.Leaves;
import io.waterwheel.index.Page;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.tuple.LittleEndian;
import java.util.Arrays;

/** The rows of a tree in the order of a chunk, to be gathered column by column. Keeps its buffers; one thread. */
final class SortedRows {
    private final RowSorter sorter = new RowSorter();
    private long[] keys = new long[0];
    private long[] times = new long[0];
    /**
     * Keys, times and payloads of all pages of the tree; a row's address is its page's index here times
     * {@link Page#ROWS}, plus its slot.
     */
    private long[][] pageKeys = new long[0][];

    private long[][] pageTimes = new long[0][];
    private byte[][] payloads = new byte[0][];
    /** Addresses of all rows in the order of the file. */
    private int[] order = new int[0];
    /** Addresses of the rows that were arranged last, as they were before. */
    private int[] before = new int[0];

    /** Sorts leaf by leaf: leaves are in key order, and a smaller sort is a faster one. */
    void sort(TemplateTree tree, int rows) {
        if (order.length < rows) {
            order = new int[rows + (rows >> 3)];
        }
        Leaves leaves = tree.pin();
        try {
            sort(leaves, rows);
        } finally {
            // No thread inserts, so nothing takes their place: the lease of the tree holds them.
            tree.unpin(leaves);
        }
    }

    private void sort(Leaves leaves, int rows) {
        int pageCount = 0;
        int sorted = 0;
        for (int leaf = 0; leaf < leaves.count(); leaf++) {
            int size = leaves.size(leaf);
            if (keys.length < size) {
                keys = new long[size + (size >> 1)];
                times = new long[size + (size >> 1)];
            }
            Page[] leafPages = leaves.pages(leaf);
            int used = (size + Page.ROWS - 1) >>> Page.SHIFT;
            if (payloads.length < pageCount + used) {
                int room = Math.max(pageCount + used, payloads.length * 2);
                pageKeys = Arrays.copyOf(pageKeys, room);
                pageTimes = Arrays.copyOf(pageTimes, room);
                payloads = Arrays.copyOf(payloads, room);
            }
            for (int p = 0; p < used; p++) {
                int from = p << Page.SHIFT;
                int count = Math.min(Page.ROWS, size - from);
                Page page = leafPages[p];
                System.arraycopy(page.keys(), 0, keys, from, count);
                System.arraycopy(page.times(), 0, times, from, count);
                pageKeys[pageCount + p] = page.keys();
                pageTimes[pageCount + p] = page.times();
                payloads[pageCount + p] = page.payload();
            }
            sorter.sort(keys, times, size);
            int base = pageCount << Page.SHIFT;
            for (int i = 0; i < size; i++) {
                order[sorted++] = base + sorter.row(i);
            }
            pageCount += used;
        }
        if (sorted != rows) {
            throw new IllegalStateException("encode of a tree that grows: " + rows + " tuples, then " + sorted);
        }
    }

    /** Puts rows [from, from + count) into the order that was found for them, by number from {@code from} on. */
    void arrange(int from, int count, RowSorter found) {
        if (before.length < count) {
            before = new int[count];
        }
        System.arraycopy(order, from, before, 0, count);
        for (int i = 0; i < count; i++) {
            order[from + i] = before[found.row(i)];
        }
    }

    /** Undoes the last {@link #arrange}. */
    void restore(int from, int count) {
        System.arraycopy(before, 0, order, from, count);
    }

    /** Lets go of the tree's pages: not to keep alive what the pool may have dropped. */
    void clear() {
        Arrays.fill(pageKeys, null);
        Arrays.fill(pageTimes, null);
        Arrays.fill(payloads, null);
    }

    void gatherKeys(int from, int count, long[] out) {
        for (int i = 0; i < count; i++) {
            int address = order[from + i];
            out[i] = pageKeys[address >>> Page.SHIFT][address & Page.MASK];
        }
    }

    void gatherTimes(int from, int count, long[] out) {
        for (int i = 0; i < count; i++) {
            int address = order[from + i];
            out[i] = pageTimes[address >>> Page.SHIFT][address & Page.MASK];
        }
    }

    /** Gathers a payload column that begins at the offset in each page, sign-extended. */
    void gather(int pageOffset, int width, int from, int count, long[] out) {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    int address = order[from + i];
                    out[i] = payloads[address >>> Page.SHIFT][pageOffset + (address & Page.MASK)];
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    int address = order[from + i];
                    byte[] payload = payloads[address >>> Page.SHIFT];
                    out[i] = LittleEndian.getShort(payload, pageOffset + (address & Page.MASK) * 2);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    int address = order[from + i];
                    byte[] payload = payloads[address >>> Page.SHIFT];
                    out[i] = LittleEndian.getInt(payload, pageOffset + (address & Page.MASK) * 4);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    int address = order[from + i];
                    byte[] payload = payloads[address >>> Page.SHIFT];
                    out[i] = LittleEndian.getLong(payload, pageOffset + (address & Page.MASK) * 8);
                }
            }
        }
    }
}
