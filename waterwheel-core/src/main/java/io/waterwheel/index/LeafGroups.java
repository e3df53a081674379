package io.waterwheel.index;

import java.util.Arrays;

/**
 * Groups the rows of a batch by the leaf that they go to, within a leaf in the order in which they came. Scratch of a
 * writer, used again for each batch. One thread.
 */
final class LeafGroups {
    /** Leaves up to which each is scanned for: few. */
    static final int FEW_LEAVES = 4;

    private final LeafTable table = new LeafTable();
    /** For many leaves: the leaf of each row of the batch, less the first leaf. */
    private final int[] leafOf;
    /** Rows of the batch, leaf by leaf. */
    private final int[] order;
    /** By leaf, less the first: where its rows end in {@link #order}. */
    private int[] ends = new int[0];

    private Template template = Template.single();
    private int firstLeaf;
    private int leaves;

    /** @param mostRows most rows of a batch */
    LeafGroups(int mostRows) {
        leafOf = new int[mostRows];
        order = new int[mostRows];
    }

    /** Sets the leaves that the rows of the next batches go to: first to last. */
    void into(Template of, int first, int last) {
        template = of;
        firstLeaf = first;
        leaves = last - first + 1;
        if (ends.length < leaves) {
            ends = new int[leaves];
        }
        if (leaves > FEW_LEAVES) {
            table.set(of, first, last);
        }
    }

    /** Groups the first {@code count} rows. */
    void group(long[] keys, int count) {
        if (leaves <= FEW_LEAVES) {
            scan(keys, count);
            return;
        }
        Arrays.fill(ends, 0, leaves, 0);
        table.find(keys, count, leafOf, ends);
        int sum = 0;
        for (int l = 0; l < leaves; l++) {
            int size = ends[l];
            ends[l] = sum;
            sum += size;
        }
        for (int i = 0; i < count; i++) {
            order[ends[leafOf[i]]++] = i;
        }
    }

    /** For few leaves: a scan for each, without a branch to predict or a counter to wait for. */
    private void scan(long[] keys, int count) {
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

    /** Rows of the batch, leaf by leaf; not to be changed. */
    int[] order() {
        return order;
    }

    /** Where the rows of a leaf end in {@link #order()}; those of the next begin there. */
    int end(int leaf) {
        return ends[leaf - firstLeaf];
    }
}
