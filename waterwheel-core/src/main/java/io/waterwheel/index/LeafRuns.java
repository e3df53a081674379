package io.waterwheel.index;

import io.waterwheel.model.LittleEndian;
import java.util.Arrays;

/**
 * The rows of one batch, grouped by the leaf that they go to, and within a leaf in the order in which they came: so
 * that a page is looked up once for all rows that it takes, not once a row and column. A run is a group's part that
 * fits one page. Scratch of a writer, used again for each batch. One thread.
 */
final class LeafRuns {
    /** Most rows of a batch. */
    static final int ROWS = 4096;

    /** The leaf of each row of the batch, less the first leaf. */
    private final int[] leaf = new int[ROWS];
    /** Rows of the batch, leaf by leaf. */
    final int[] order = new int[ROWS];
    /** By leaf, less the first: where its rows end in {@link #order}. */
    int[] ends = new int[0];

    /** Leaves that rows may go to: as many, from the first on. */
    int leaves;

    int firstLeaf;

    int runs;
    final int[] runLeaf = new int[ROWS];
    final int[] runFrom = new int[ROWS];
    final int[] runLength = new int[ROWS];
    final int[] runSlot = new int[ROWS];
    final Page[] runPage = new Page[ROWS];

    /** Groups rows [from, from + count) of which it is known that they go to leaves first to last. */
    void group(Template template, long[] keys, int from, int count, int first, int last) {
        firstLeaf = first;
        leaves = last - first + 1;
        if (ends.length < leaves) {
            ends = new int[leaves];
        }
        if (leaves == 1) {
            ends[0] = count;
            for (int i = 0; i < count; i++) {
                order[i] = i;
            }
            return;
        }
        Arrays.fill(ends, 0, leaves, 0);
        for (int i = 0; i < count; i++) {
            int at = template.leafOf(keys[from + i], first, last) - first;
            leaf[i] = at;
            ends[at]++;
        }
        int sum = 0;
        for (int l = 0; l < leaves; l++) {
            int size = ends[l];
            ends[l] = sum;
            sum += size;
        }
        for (int i = 0; i < count; i++) {
            order[ends[leaf[i]]++] = i;
        }
    }

    /** Notes a run. */
    void add(int leafOfRun, int from, int length, Page page, int slot) {
        int run = runs++;
        runLeaf[run] = leafOfRun;
        runFrom[run] = from;
        runLength[run] = length;
        runPage[run] = page;
        runSlot[run] = slot;
    }

    /** Copies one column of the batch; row i of it lies at {@code sourceFrom + i * width}. */
    void copyColumn(byte[] source, int sourceFrom, int width, int pageOffset) {
        for (int run = 0; run < runs; run++) {
            byte[] target = runPage[run].payload();
            int at = pageOffset + runSlot[run] * width;
            int from = runFrom[run];
            int length = runLength[run];
            switch (width) {
                case 1 -> {
                    for (int i = 0; i < length; i++) {
                        target[at + i] = source[sourceFrom + order[from + i]];
                    }
                }
                case 2 -> {
                    for (int i = 0; i < length; i++) {
                        short value = LittleEndian.getShort(source, sourceFrom + order[from + i] * 2);
                        LittleEndian.putShort(target, at + i * 2, value);
                    }
                }
                case 4 -> {
                    for (int i = 0; i < length; i++) {
                        int value = LittleEndian.getInt(source, sourceFrom + order[from + i] * 4);
                        LittleEndian.putInt(target, at + i * 4, value);
                    }
                }
                default -> {
                    for (int i = 0; i < length; i++) {
                        long value = LittleEndian.getLong(source, sourceFrom + order[from + i] * 8);
                        LittleEndian.putLong(target, at + i * 8, value);
                    }
                }
            }
        }
    }

    /** Lets go of the pages. */
    void clear() {
        Arrays.fill(runPage, 0, runs, null);
        runs = 0;
    }
}
