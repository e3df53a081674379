package io.waterwheel.index;

import io.waterwheel.model.LittleEndian;
import java.util.Arrays;

/**
 * The rows of one batch, grouped by the leaf that they go to, and within a leaf in the order in which they came: so
 * that a page is looked up once for all rows that it takes, not once a row and column. A run is a group's part that
 * fits one page. Scratch of a writer, used again for each batch. One thread.
 */
final class LeafRuns {
    /** Most rows of a batch: so many that runs are long, so few that they stay in the second cache. */
    static final int ROWS = 8192;

    /** Leaves up to which each is scanned for. */
    static final int FEW_LEAVES = 4;

    /** The leaf of each row of the batch, less the first leaf. */
    private final int[] leaf = new int[ROWS];

    private final LeafTable table = new LeafTable();
    /** Rows of the batch, leaf by leaf; not set when there is one leaf. */
    final int[] order = new int[ROWS];
    /** By leaf, less the first: where its rows end in {@link #order}. */
    int[] ends = new int[0];

    private Template template = Template.single();

    /** Leaves that rows may go to: as many, from the first on. */
    int leaves;

    int firstLeaf;

    int runs;
    final int[] runLeaf = new int[ROWS];
    final int[] runFrom = new int[ROWS];
    final int[] runLength = new int[ROWS];
    final int[] runSlot = new int[ROWS];
    final Page[] runPage = new Page[ROWS];

    /** Sets the leaves that the rows of the next batches go to: first to last. */
    void into(Template template, int first, int last) {
        this.template = template;
        firstLeaf = first;
        leaves = last - first + 1;
        if (ends.length < leaves) {
            ends = new int[leaves];
        }
        if (leaves > FEW_LEAVES) {
            table.set(template, first, last);
        }
    }

    /** Groups the first {@code count} rows. */
    void group(long[] keys, int count) {
        if (leaves == 1) {
            ends[0] = count;
            return;
        }
        if (leaves <= FEW_LEAVES) {
            groupByScans(keys, count);
            return;
        }
        Arrays.fill(ends, 0, leaves, 0);
        table.find(keys, count, leaf, ends);
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

    /** For few leaves: a scan for each, without a branch to predict or a counter to wait for. */
    private void groupByScans(long[] keys, int count) {
        int found = 0;
        for (int l = 0; l < leaves; l++) {
            long low = template.lowKey(firstLeaf + l);
            long high = template.highKey(firstLeaf + l);
            // Every leaf but the last leaves a place for the row that a scan notes and then takes back.
            for (int i = 0; i < count && found < count; i++) {
                long key = keys[i];
                order[found] = i;
                found += (key >= low ? 1 : 0) & (key <= high ? 1 : 0);
            }
            ends[l] = found;
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
            if (leaves == 1) {
                System.arraycopy(source, sourceFrom + from * width, target, at, length * width);
            } else if (width == 8) {
                copyLongs(order, from, length, source, sourceFrom, target, at);
            } else if (width == 4) {
                copyInts(order, from, length, source, sourceFrom, target, at);
            } else {
                copyBytes(order, from, length, source, sourceFrom, target, at, width);
            }
        }
    }

    private static void copyLongs(
            int[] order, int from, int length, byte[] source, int sourceFrom, byte[] target, int at) {
        for (int i = 0; i < length; i++) {
            LittleEndian.putLong(target, at + i * 8, LittleEndian.getLong(source, sourceFrom + order[from + i] * 8));
        }
    }

    private static void copyInts(
            int[] order, int from, int length, byte[] source, int sourceFrom, byte[] target, int at) {
        for (int i = 0; i < length; i++) {
            LittleEndian.putInt(target, at + i * 4, LittleEndian.getInt(source, sourceFrom + order[from + i] * 4));
        }
    }

    /** Widths 1 and 2. */
    private static void copyBytes(
            int[] order, int from, int length, byte[] source, int sourceFrom, byte[] target, int at, int width) {
        for (int i = 0; i < length; i++) {
            int row = sourceFrom + order[from + i] * width;
            target[at + i * width] = source[row];
            target[at + (i + 1) * width - 1] = source[row + width - 1];
        }
    }

    /** Lets go of the pages. */
    void clear() {
        Arrays.fill(runPage, 0, runs, null);
        runs = 0;
    }
}
