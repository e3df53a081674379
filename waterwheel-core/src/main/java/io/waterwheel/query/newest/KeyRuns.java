package io.waterwheel.query.newest;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.newest.KeyRun.Reader;
import io.waterwheel.query.newest.KeyRun.Segment;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of blocks, listed in runs that become one: two runs are merged by one pass over both, which looks at keys
 * and times alone, and of a key only the newest row stays. One thread.
 */
final class KeyRuns {
    /** Rows that are merged in one go. */
    private static final int STEP = 1 << 12;

    private final HeldBlocks blocks;
    private final int keyColumn;
    private final int timeColumn;
    private final Workspace workspace;
    private final Reservation memory;

    private List<KeyRun> runs = new ArrayList<>();
    /** Of all runs. */
    private long rows;
    /** Of the first run, which was merged. */
    private long merged;

    KeyRuns(HeldBlocks blocks, int keyColumn, int timeColumn, Workspace workspace) {
        this.blocks = blocks;
        this.keyColumn = keyColumn;
        this.timeColumn = timeColumn;
        this.workspace = workspace;
        this.memory = workspace.memory();
    }

    /** Rows of runs that were not merged yet. */
    long waiting() {
        return rows - merged;
    }

    /** Of the run that was merged, or is the only one. */
    long merged() {
        return merged;
    }

    /** Puts the rows of a block behind the last run, or where they do not follow on it into runs of their own. */
    void add(int number) {
        TupleBlock block = blocks.get(number);
        int size = block.size();
        memory.reserve(KeyRun.ROW_BYTES * size);
        Segment whole = new Segment(size);
        copyLongs(block, keyColumn, whole.keys);
        copyLongs(block, timeColumn, whole.times);
        for (int row = 0; row < size; row++) {
            whole.places[row] = HeldBlocks.place(number, row);
        }
        int from = 0;
        for (int row = 1; row <= size; row++) {
            if (row == size || !follows(whole, row - 1, whole, row)) {
                add(whole, from, row);
                from = row;
            }
        }
        rows += size;
        if (runs.size() == 1) {
            merged = rows;
        }
    }

    private static void copyLongs(TupleBlock block, int column, long[] to) {
        ByteBuffer.wrap(block.column(column), 0, to.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(to);
    }

    /** Adds rows that are in order: all of a segment as it is. */
    private void add(Segment of, int from, int to) {
        memory.reserve(KeyRun.SEGMENT_BYTES);
        Segment added = to - from == of.keys.length ? of : of.cut(from, to);
        added.size = to - from;
        KeyRun run = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (run == null || !follows(run.last(), run.last().size - 1, added, 0)) {
            run = new KeyRun();
            runs.add(run);
        }
        run.add(added);
    }

    /** Whether a row may stand behind another in a run. */
    private boolean follows(Segment before, int last, Segment after, int row) {
        return blocks.compareKeys(before.keys[last], before.places[last], after.keys[row], after.places[row]) < 0;
    }

    /**
     * Makes one run of all.
     *
     * @throws WaterwheelException RESULT_TOO_LARGE when it has more rows than an answer may keep
     */
    KeyRun merge() {
        // The first one may be as long as all others together: these are merged with each other before.
        while (runs.size() > 2) {
            List<KeyRun> fewer = new ArrayList<>(runs.size() / 2 + 1);
            fewer.add(runs.get(0));
            for (int at = 1; at < runs.size(); at += 2) {
                fewer.add(at + 1 < runs.size() ? merged(runs.get(at), runs.get(at + 1)) : runs.get(at));
            }
            runs = fewer;
        }
        if (runs.size() == 2) {
            runs = new ArrayList<>(List.of(merged(runs.get(0), runs.get(1))));
        }
        KeyRun all = runs.isEmpty() ? new KeyRun() : runs.get(0);
        rows = all.size;
        merged = rows;
        if (rows > ResultSpec.MAX_KEPT_ROWS) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: latest 1 of each key are more than " + ResultSpec.MAX_KEPT_ROWS + " tuples; "
                            + NewestRows.REMEDY);
        }
        return all;
    }

    /** One run in place of two. */
    private KeyRun merged(KeyRun left, KeyRun right) {
        KeyRun both = merge(left, right);
        memory.release(left.bytes() + right.bytes());
        return both;
    }

    private KeyRun merge(KeyRun left, KeyRun right) {
        KeyRun both = new KeyRun();
        Reader l = new Reader(left);
        Reader r = new Reader(right);
        while (l.hasRow() || r.hasRow()) {
            int most = (int) Math.min(STEP, (long) left.size + right.size - both.size);
            workspace.spend(4L * most);
            memory.reserve(KeyRun.ROW_BYTES * most + KeyRun.SEGMENT_BYTES);
            Segment step = new Segment(most);
            while (step.size < most && l.hasRow() && r.hasRow()) {
                int compared = blocks.compareKeys(l.key(), l.place(), r.key(), r.place());
                if (compared == 0) {
                    boolean stays = leftStays(l, r);
                    (stays ? l : r).moveTo(step);
                    (stays ? r : l).next();
                } else {
                    (compared < 0 ? l : r).moveTo(step);
                }
            }
            Reader rest = l.hasRow() ? l : r;
            while (step.size < most && rest.hasRow() && !(l.hasRow() && r.hasRow())) {
                rest.moveTo(step);
            }
            if (step.size < most) {
                step = step.cut(0, step.size);
                memory.release(KeyRun.ROW_BYTES * (most - step.size));
            }
            both.add(step);
        }
        return both;
    }

    /** Whether the left one of two rows of a key comes first, or both are equal. */
    private boolean leftStays(Reader left, Reader right) {
        long time = left.time();
        long other = right.time();
        return time == other ? blocks.isFirst(left.place(), right.place()) : time > other;
    }
}
