package io.waterwheel.query.result;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.memory.SpillDisk;
import io.waterwheel.query.rows.PartialBlockWriter;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.SpilledBlocks;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Groups that did not fit into memory: runs on disk, each in the order of the groups, as rows of parts. At the end the
 * runs are merged, so that the groups come whole and in their order, and a few of them are in memory. One thread.
 */
final class GroupRuns {
    /** Nanoseconds that comparing two rows may take; see {@link Workspace#spend}. */
    private static final long COMPARISON = 50;

    /** Most runs that are merged at once. */
    private static final int MOST_AT_ONCE = 64;

    private static final int BLOCK_ROWS = PartialBlockWriter.BLOCK_ROWS;
    /** Groups that are merged before they are handed out. */
    private static final int BATCH_GROUPS = 1 << 13;

    private final GatherGroups gather;
    private final Workspace workspace;
    private final SpillDisk disk;
    private final RowLayout layout;
    private final RowOrder order;
    private final RowCopy copy;
    private final int[] rowNumbers = IntStream.range(0, BLOCK_ROWS).toArray();

    private SpilledBlocks blocks;
    private List<Run> runs = new ArrayList<>();

    /** Where a run lies in the file. */
    private record Run(long from, long to) {}

    /** Takes groups, whole and in their order; they are cleared then. */
    interface Taker {
        /** Takes some; false when no more are wanted. */
        boolean take(HeldGroups groups);
    }

    GroupRuns(GatherGroups gather, Workspace workspace, SpillDisk disk) {
        this.gather = gather;
        this.workspace = workspace;
        this.disk = disk;
        this.layout = gather.partLayout();
        int[] by = IntStream.range(0, gather.groupColumns()).toArray();
        this.order = new RowOrder(layout, by, new boolean[by.length]);
        this.copy = new RowCopy(layout, RowCopy.identity(layout), layout);
        this.blocks = newBlocks();
    }

    private SpilledBlocks newBlocks() {
        SpilledBlocks made = new SpilledBlocks(layout, disk.create());
        workspace.memory().closeWith(made::close);
        return made;
    }

    /** Writes groups as a run; they are cleared. */
    void add(HeldGroups groups) {
        long from = blocks.end();
        int[] sorted = groups.sorted(groups.values());
        PartialBlockWriter writer = writer();
        GroupParts.write(groups, sorted, gather.groupColumns(), workspace, writer);
        writer.finish();
        runs.add(new Run(from, blocks.end()));
        groups.clear();
    }

    private PartialBlockWriter writer() {
        SpilledBlocks into = blocks;
        return new PartialBlockWriter(layout, block -> {
            into.append(block);
            return true;
        });
    }

    /** Hands out all groups in their order, unless fewer are wanted. */
    void finish(Taker last) {
        while (runs.size() > atOnce()) {
            mergeSome();
        }
        merge(blocks, runs, last);
        blocks.close();
    }

    /** Bytes that a run takes while it is read: a block, and what is read of it. */
    private static long bytesOfRun(SpilledBlocks of) {
        return 2L * of.largest() + 4096;
    }

    private int atOnce() {
        return (int) Math.max(2, Math.min(MOST_AT_ONCE, workspace.memory().left() / 4 / bytesOfRun(blocks)));
    }

    /** Merges as many runs as can be into one each, in a file of their own. */
    private void mergeSome() {
        SpilledBlocks from = blocks;
        List<Run> before = runs;
        int width = atOnce();
        blocks = newBlocks();
        runs = new ArrayList<>();
        for (int i = 0; i < before.size(); i += width) {
            long begin = blocks.end();
            PartialBlockWriter writer = writer();
            merge(from, before.subList(i, Math.min(before.size(), i + width)), groups -> {
                GroupParts.write(groups, null, gather.groupColumns(), workspace, writer);
                return true;
            });
            writer.finish();
            runs.add(new Run(begin, blocks.end()));
        }
        from.close();
    }

    private void merge(SpilledBlocks from, List<Run> some, Taker taker) {
        try (Reservation reading = workspace.memory().part()) {
            reading.reserve(some.size() * bytesOfRun(from) + 4L * from.largest());
            PriorityQueue<Cursor> cursors = new PriorityQueue<>(some.size(), GroupRuns.this::compare);
            for (Run run : some) {
                Cursor cursor = new Cursor(from.reader(run.from(), run.to()));
                if (cursor.load()) {
                    cursors.add(cursor);
                }
            }
            // What they hold ends with this merge.
            merge(cursors, new HeldGroups(gather, workspace.with(reading)), taker);
        }
    }

    private int compare(Cursor one, Cursor other) {
        return order.compare(one.block, one.row, other.block, other.row);
    }

    private void merge(PriorityQueue<Cursor> cursors, HeldGroups groups, Taker taker) {
        HeldGroups.PartReader into = groups.new PartReader();
        TupleBlock rows = new TupleBlock(layout, 64);
        // The row that was taken last.
        TupleBlock last = rows;
        int lastRow = -1;
        boolean enough = false;
        Cursor least = cursors.poll();
        while (least != null) {
            // The rows of one group may lie in several runs, and follow each other here.
            if (enough && order.compare(last, lastRow, least.block, least.row) != 0) {
                if (rows.size() > 0) {
                    into.merge(rows);
                    rows = new TupleBlock(layout, 64);
                }
                if (!taker.take(groups)) {
                    return;
                }
                groups.clear();
                enough = false;
            }
            least.moveTo(rows, cursors.peek(), enough);
            last = rows;
            lastRow = rows.size() - 1;
            if (least.row < least.block.size() || least.load()) {
                cursors.add(least);
            }
            least = cursors.poll();
            if (rows.size() >= BLOCK_ROWS || rows.bytes() >= RowCopy.BLOCK_BYTES) {
                into.merge(rows);
                enough = groups.table().groups() >= BATCH_GROUPS || groups.isFull(BLOCK_ROWS);
                rows = new TupleBlock(layout, rows.size());
            }
        }
        if (rows.size() > 0) {
            into.merge(rows);
        }
        if (groups.table().groups() > 0 && taker.take(groups)) {
            groups.clear();
        }
    }

    /** The next row of a run. One thread. */
    private final class Cursor {
        private final SpilledBlocks.Reader reader;
        private TupleBlock block = new TupleBlock(layout, 0);
        private RowView view = RowView.of(block, workspace);
        private int row;

        Cursor(SpilledBlocks.Reader reader) {
            this.reader = reader;
        }

        /** Whether there is another block, at whose first row it is now. */
        boolean load() {
            TupleBlock next = reader.next();
            if (next == null) {
                return false;
            }
            block = next;
            view = RowView.of(block, workspace);
            row = 0;
            return true;
        }

        /**
         * Copies its rows up to the first that comes after that of the next run; at least one.
         *
         * @param equal whether only those that are equal to the first
         */
        void moveTo(TupleBlock into, @Nullable Cursor next, boolean equal) {
            int from = row;
            int end = Math.min(block.size(), from + Math.max(1, BLOCK_ROWS - into.size()));
            do {
                row++;
            } while (row < end
                    && (next == null || compare(this, next) <= 0)
                    && (!equal || order.compare(block, from, block, row) == 0));
            workspace.spend((row - from) * COMPARISON);
            copy.copy(view, rowNumbers, from, row - from, into);
        }
    }
}
