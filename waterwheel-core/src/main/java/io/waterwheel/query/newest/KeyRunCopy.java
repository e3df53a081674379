package io.waterwheel.query.newest;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.newest.KeyRun.Segment;
import io.waterwheel.query.rows.ResultRows;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/** Copies the rows of a run out of the blocks that they are in, segment by segment. One thread. */
final class KeyRunCopy {
    /** About what rows take that are put together at once. */
    private static final int TOGETHER_BYTES = 1 << 20;
    /** Rows of one block that follow each other are copied at once where they are as many at the mean. */
    private static final int LONG_STRETCH = 8;

    private static final int[] NO_ROWS = {};

    private final HeldBlocks blocks;
    private final RowLayout layout;
    private final Workspace workspace;
    private final Reservation memory;
    private final ResultRows out;
    private final RowView[] views;
    private int[] selected = NO_ROWS;

    /** By block: the number of its group, from 1 on; 0 when it has no row in the segment. */
    private final int[] groupOf;
    /** By group: its block, and where its next row goes. */
    private int[] numbers = NO_ROWS;

    private int[] next = NO_ROWS;
    private final TupleBlock together;
    private final RowCopy whole;
    private long togetherBytes;

    /**
     * None yet.
     *
     * @param layout of the blocks
     * @param out takes the rows
     */
    KeyRunCopy(HeldBlocks blocks, RowLayout layout, ResultRows out, Workspace workspace) {
        this.blocks = blocks;
        this.layout = layout;
        this.out = out;
        this.workspace = workspace;
        this.memory = workspace.memory();
        this.views = new RowView[blocks.size()];
        this.groupOf = new int[blocks.size()];
        this.together = new TupleBlock(layout, 16);
        this.whole = new RowCopy(layout, RowCopy.identity(layout), layout);
        this.togetherBytes = together.allocatedBytes();
        memory.reserve(togetherBytes + 4L * groupOf.length);
    }

    /** Copies the rows of a run, until no more are wanted; the last call. */
    void copy(KeyRun run) {
        for (Segment segment : run.segments) {
            if (out.done()) {
                break;
            }
            workspace.spend((long) segment.size * layout.rowWidth());
            selected = workspace.renewed(selected, segment.size);
            if (stretches(segment) <= 1 + segment.size / LONG_STRETCH) {
                copyStretches(segment);
            } else {
                copyGroups(segment);
            }
        }
        memory.release(togetherBytes + 4L * (groupOf.length + selected.length + numbers.length + (long) next.length));
    }

    /** How many times the rows change to another block, and one. */
    private static int stretches(Segment segment) {
        int stretches = 1;
        for (int i = 1; i < segment.size; i++) {
            stretches += HeldBlocks.number(segment.places[i]) == HeldBlocks.number(segment.places[i - 1]) ? 0 : 1;
        }
        return stretches;
    }

    private void copyStretches(Segment segment) {
        int i = 0;
        while (i < segment.size) {
            int number = HeldBlocks.number(segment.places[i]);
            int some = 0;
            while (i < segment.size && HeldBlocks.number(segment.places[i]) == number) {
                selected[some++] = HeldBlocks.row(segment.places[i++]);
            }
            out.add(view(number), selected, some);
        }
    }

    private RowView view(int number) {
        RowView view = views[number];
        if (view == null) {
            view = RowView.of(blocks.get(number), workspace);
            views[number] = view;
        }
        return view;
    }

    /**
     * Copies rows that change between blocks all the time. A copy of a few rows takes as long as one of many: so the
     * rows of one block are first put together, and then taken from there in their order.
     */
    private void copyGroups(Segment segment) {
        numbers = workspace.renewed(numbers, segment.size);
        next = workspace.renewed(next, segment.size + 1);
        int from = 0;
        while (from < segment.size && !out.done()) {
            long bytes = 0;
            int arena = 0;
            int to = from;
            while (to < segment.size && bytes < TOGETHER_BYTES) {
                int own = layout.hasVariable() ? arenaBytes(segment.places[to]) : 0;
                arena += own;
                bytes += own + layout.rowWidth();
                to++;
            }
            copyGroups(segment.places, from, to - from, arena);
            from = to;
        }
    }

    private int arenaBytes(long place) {
        return whole.arenaBytes(view(HeldBlocks.number(place)), HeldBlocks.row(place));
    }

    private void copyGroups(long[] places, int from, int count, int arena) {
        Arrays.fill(next, 0, count + 1, 0);
        int groups = 0;
        for (int i = from; i < from + count; i++) {
            int number = HeldBlocks.number(places[i]);
            if (groupOf[number] == 0) {
                numbers[groups++] = number;
                groupOf[number] = groups;
            }
            next[groupOf[number]]++;
        }
        for (int group = 1; group <= groups; group++) {
            next[group] += next[group - 1];
        }
        // A group begins where the one before ends.
        for (int i = from; i < from + count; i++) {
            selected[next[groupOf[HeldBlocks.number(places[i])] - 1]++] = HeldBlocks.row(places[i]);
        }
        makeRoom(count, arena);
        int first = 0;
        for (int group = 0; group < groups; group++) {
            whole.copy(view(numbers[group]), selected, first, next[group] - first, together);
            first = next[group];
        }
        // Where the groups begin, once more.
        System.arraycopy(next, 0, next, 1, groups);
        next[0] = 0;
        for (int i = 0; i < count; i++) {
            selected[i] = next[groupOf[HeldBlocks.number(places[from + i])] - 1]++;
        }
        for (int group = 0; group < groups; group++) {
            groupOf[numbers[group]] = 0;
        }
        out.add(RowView.of(together, workspace), selected, count);
    }

    private void makeRoom(int count, int arena) {
        together.clear();
        // While an array grows both are there, the old one and the new.
        long growth = together.growthBytes(count, arena);
        memory.reserve(growth);
        together.ensureRows(count);
        together.ensureArena(arena);
        if (growth > 0) {
            long now = together.allocatedBytes();
            memory.replace(togetherBytes + growth, now);
            togetherBytes = now;
        }
    }
}
