package io.waterwheel.query.rows;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of which only the first by some order are kept: they are gathered in a block, and when there are about twice as
 * many as may stay, the block is sorted and cut. What is held is reserved, and bounded, by an error. One thread.
 */
public abstract class BoundedRows {
    /** Most bytes of rows that are held. */
    private static final long MAX_BYTES = 128L << 20;

    private static final int FEWEST_ROWS = 1024;
    /** Rows that are copied between two looks whether to go on. */
    private static final int COPIED_ROWS = 1 << 14;

    private final RowLayout layout;
    private final RowOrder order;
    private final RowCopy copy;
    private final Workspace workspace;
    private final Reservation memory;
    private TupleBlock block;
    /** What is reserved for the block. */
    private long blockBytes;

    private int compactAt = FEWEST_ROWS;
    /** Fewer rows are not handed over before the end. */
    private int settleAt = FEWEST_ROWS;

    /** @param workspace of the scan, or the merge, whose rows these are */
    BoundedRows(RowCopy copy, RowOrder order, Workspace workspace) {
        this.copy = copy;
        this.layout = copy.layout();
        this.order = order;
        this.workspace = workspace;
        this.memory = workspace.memory();
        this.block = new TupleBlock(layout, 16);
        reserveBlock(0);
    }

    /** Reserves what the block takes, in place of what was reserved for it and the bytes besides. */
    private void reserveBlock(long besides) {
        long bytes = block.allocatedBytes();
        memory.replace(blockBytes + besides, bytes);
        blockBytes = bytes;
    }

    final Workspace workspace() {
        return workspace;
    }

    final TupleBlock block() {
        return block;
    }

    final RowOrder order() {
        return order;
    }

    /** Takes rows of a scan or a part. */
    abstract void add(RowView view, int[] selected, int count);

    /** Whether a row of a leaf may be among those that stay; false is certain. */
    boolean mayTake(RowSummary rows) {
        return true;
    }

    /** Of sorted rows, moves those that stay to the front; returns how many they are. */
    abstract int cut(int[] sorted, int count);

    /** Whether cutting {@code count} rows would leave all of them, so that sorting them can wait. */
    boolean allStay(int count) {
        return false;
    }

    /** The block is another one now, whose rows are those that stay, in order. */
    void compacted() {}

    /** What to tell when too much would have to be held. */
    abstract String remedy();

    /** Takes rows that may stay. */
    final void keep(RowView view, int[] selected, int count) {
        int from = 0;
        while (from < count) {
            long fit = copy.rowsThatFit(view, selected, from, count - from, 0);
            int rows = RowCopy.rows(fit);
            // While an array grows both are there, the old one and the new.
            long growth = block.growthBytes(rows, RowCopy.arenaBytes(fit));
            memory.reserve(growth);
            copy.copy(view, selected, from, rows, block);
            if (growth > 0) {
                reserveBlock(growth);
            }
            from += rows;
            if (block.size() >= compactAt || block.bytes() > MAX_BYTES) {
                if (allStay(block.size())) {
                    compactAt = block.size() * 2;
                    requireRoom();
                } else {
                    compact();
                }
            }
        }
    }

    private void requireRoom() {
        if (block.bytes() > MAX_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: " + (MAX_BYTES >> 20)
                            + " MiB of rows would have to be held to order them, and there are more; " + remedy());
        }
    }

    /** Leaves in the block, in order, only the rows that stay. */
    final void compact() {
        int[] sorted = sorted();
        int staying = cut(sorted, sorted.length);
        keepOnly(sorted, 0, staying);
        compacted();
        memory.release(4L * sorted.length);
        compactAt = Math.max(FEWEST_ROWS, staying * 2);
        requireRoom();
    }

    /** Moves some of the rows to a block of their own, the block from now on. */
    private void keepOnly(int[] sorted, int first, int end) {
        RowCopy whole = new RowCopy(layout, RowCopy.identity(layout), layout);
        RowView view = RowView.of(block, workspace);
        int rows = end - first + (end - first) / 4 + 16;
        int arena = 0;
        for (int i = first; layout.hasVariable() && i < end; i++) {
            arena += whole.arenaBytes(view, sorted[i]);
        }
        long nextBytes = (long) rows * layout.rowWidth() + arena;
        memory.reserve(nextBytes);
        TupleBlock next = new TupleBlock(layout, rows);
        next.ensureArena(arena);
        for (int from = first; from < end; from += COPIED_ROWS) {
            int some = Math.min(COPIED_ROWS, end - from);
            workspace.spend((long) some * layout.rowWidth());
            whole.copy(view, sorted, from, some, next);
        }
        block = next;
        reserveBlock(nextBytes);
    }

    /** The rows in order, for which four bytes each stay reserved. */
    private int[] sorted() {
        memory.reserve(4L * block.size());
        int[] rows = new int[block.size()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i;
        }
        order.sort(block, rows, rows.length, workspace);
        return rows;
    }

    /** Whether rows of one key are independent of those of others, and in order come one behind the other. */
    boolean isByKey() {
        return false;
    }

    /** Where {@link #isByKey}, of the block's rows, which stay and are in order: how many are of keys below one. */
    int sortedBelow(long below) {
        return 0;
    }

    /** The block's first rows were handed over, and are no longer there. */
    void dropped() {}

    /** Hands over the rows of keys below one, of which no other comes. */
    private void settle(long below, ResultRows into) {
        if (!isByKey() || block.size() < settleAt) {
            return;
        }
        compact();
        int settled = sortedBelow(below);
        int count = block.size();
        int left = count - settled;
        settleAt = FEWEST_ROWS + 2 * left;
        if (settled == 0) {
            return;
        }
        memory.reserve(4L * count);
        int[] rows = new int[count];
        Arrays.setAll(rows, row -> row);
        into.add(RowView.of(block, workspace), rows, settled);
        keepOnly(rows, settled, count);
        memory.release(4L * count);
        compactAt = Math.max(FEWEST_ROWS, left * 2);
        dropped();
    }

    /** Of the rows that stay, in order, moves those of the answer to the front; returns how many they are. */
    int page(int[] sorted, int count) {
        return count;
    }

    /** Where the page of the answer ended; null when there is nothing behind it. */
    @Nullable
    PageToken next() {
        return null;
    }

    /** Takes rows of this layout, each cut to the first fields that another names. */
    private ResultRows into(RowLayout target, RowSink sink) {
        return new ResultRows(layout, RowCopy.identity(target), target, Query.NO_LIMIT, sink);
    }

    /**
     * Hands out the rows that stay, in order; their number.
     *
     * @param answer whether they are the answer, or a part for it
     */
    private long emit(ResultRows rows, boolean answer) {
        int[] sorted = sorted();
        int staying = cut(sorted, sorted.length);
        staying = answer ? page(sorted, staying) : staying;
        rows.add(RowView.of(block, workspace), sorted, staying);
        rows.finish();
        memory.release(4L * sorted.length);
        return staying;
    }

    /** What {@link #add} sees of a part. */
    RowView view(TupleBlock part) {
        return RowView.of(part, workspace);
    }

    /** As what becomes of the rows of a scan. */
    public final RowCollector collector(RowSink sink) {
        return new RowCollector() {
            private final ResultRows part = into(layout, sink);

            @Override
            public void add(RowView view, int[] selected, int count) {
                found(count);
                BoundedRows.this.add(view, selected, count);
            }

            @Override
            public boolean mayTake(RowSummary rows) {
                return BoundedRows.this.mayTake(rows);
            }

            @Override
            public void settled(long below) {
                settle(below, part);
            }

            @Override
            public void finish() {
                emit(part, false);
            }
        };
    }

    /** As a merge of parts whose rows have this layout. */
    public final PartialMerge merge(RowLayout answer) {
        return new PartialMerge() {
            @Override
            public boolean accept(TupleBlock part, RowSink sink) {
                int[] all = new int[part.size()];
                for (int i = 0; i < all.length; i++) {
                    all[i] = i;
                }
                add(view(part), all, all.length);
                return true;
            }

            @Override
            public long finish(RowSink sink) {
                return emit(into(answer, sink), true);
            }

            @Override
            public @Nullable PageToken next() {
                return BoundedRows.this.next();
            }

            @Override
            public long settledBefore(List<KeyInterval> keys) {
                return BoundedRows.this.settledBefore(keys);
            }

            @Override
            public boolean canSettle(List<KeyInterval> keys) {
                return BoundedRows.this.canSettle(keys);
            }
        };
    }

    /** The time before which no row can be among those that stay; {@link Long#MIN_VALUE} when that is not known. */
    long settledBefore(List<KeyInterval> keys) {
        return Long.MIN_VALUE;
    }

    /** Whether {@link #settledBefore} can ever tell a time. */
    boolean canSettle(List<KeyInterval> keys) {
        return false;
    }
}
