package io.waterwheel.query.scan;

import io.waterwheel.index.Leaves;
import io.waterwheel.index.NewestOfLeaf;
import io.waterwheel.index.Page;
import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.column.Workspace;
import java.util.Arrays;

/**
 * Finds of a leaf in memory which rows are older than another of their key, so that later questions about the newest
 * pass them over. An example: a leaf has 2,000 rows of 400 devices; the first question looks at all of them, the next
 * at 400 and at those that have come since. It costs a second look at each row: so it is done again when as many have
 * come as were left. One thread.
 */
final class OlderRows {
    /** Of fewer rows nothing is noted. */
    private static final int FEWEST = 64;
    /** Rows that are looked at in one go; what a leaf has beyond waits for the next question. */
    private static final int MOST = 1 << 13;

    private final Workspace workspace;
    private final SeededHash hash = new SeededHash();

    OlderRows(Workspace workspace) {
        this.workspace = workspace;
    }

    /** Notes them at the leaf where that is worth it; the pages hold at least its first {@code size} rows. */
    void note(Leaves leaves, int leaf, NewestOfLeaf known, Page[] pages, int size) {
        int[] rows = known.rows();
        int upTo = known.upTo();
        if (upTo == 0 || known.isUseful()) {
            int added = Math.min(size - upTo, MOST - rows.length);
            if (added >= Math.max(FEWEST, rows.length)) {
                leaves.note(leaf, among(pages, rows, upTo, upTo + added));
            }
        } else if (upTo < MOST && size >= 2 * upTo) {
            // Little was spared before: all are looked at once more.
            leaves.note(leaf, among(pages, rows, 0, Math.min(size, MOST)));
        }
    }

    /** Of some rows, and those from {@code first} to {@code end}. */
    private NewestOfLeaf among(Page[] pages, int[] some, int first, int end) {
        int count = some.length + end - first;
        workspace.spend(16L * count);
        int slots = Integer.highestOneBit(4 * count - 1);
        long[] keys = workspace.takeLongs(slots);
        long[] times = workspace.takeLongs(slots);
        int[] filled = workspace.takeInts(slots);
        int[] slotOf = workspace.takeInts(count);
        int[] newest = workspace.takeInts(count);
        Arrays.fill(filled, 0, slots, 0);
        for (int i = 0; i < count; i++) {
            int row = row(some, first, i);
            Page page = pages[row >>> Page.SHIFT];
            long key = page.keys()[row & Page.MASK];
            long time = page.times()[row & Page.MASK];
            int slot = hash.of(key) & (slots - 1);
            while (filled[slot] != 0 && keys[slot] != key) {
                slot = (slot + 1) & (slots - 1);
            }
            times[slot] = filled[slot] == 0 ? time : Math.max(times[slot], time);
            filled[slot] = 1;
            keys[slot] = key;
            slotOf[i] = slot;
        }
        int left = 0;
        for (int i = 0; i < count; i++) {
            int row = row(some, first, i);
            // Of rows of one time the rest of their fields tells, which each question may have in another order.
            if (pages[row >>> Page.SHIFT].times()[row & Page.MASK] == times[slotOf[i]]) {
                newest[left++] = row;
            }
        }
        NewestOfLeaf found = NewestOfLeaf.of(end, newest, left);
        workspace.give(keys);
        workspace.give(times);
        workspace.give(filled);
        workspace.give(slotOf);
        workspace.give(newest);
        return found;
    }

    private static int row(int[] some, int first, int i) {
        return i < some.length ? some[i] : first + i - some.length;
    }
}
