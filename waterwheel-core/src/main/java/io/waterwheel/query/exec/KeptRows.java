package io.waterwheel.query.exec;

import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.exec.column.RowView;
import io.waterwheel.query.exec.column.Workspace;
import java.util.List;

/**
 * Rows of which only the first by some order are kept: they are gathered in a block, and when there are about twice as
 * many as may stay, the block is sorted and cut. What is held is bounded, by an error. One thread.
 */
abstract class KeptRows {
    /** Most bytes of rows that are held. */
    private static final long MAX_BYTES = 128L << 20;

    private static final int FEWEST_ROWS = 1024;

    private final RowLayout layout;
    private final RowOrder order;
    private final RowCopy copy;
    private TupleBlock block;
    private int compactAt = FEWEST_ROWS;
    /** Of the scan whose rows these are; of none while parts are merged. */
    private Workspace workspace = Workspace.unhurried();

    KeptRows(RowCopy copy, RowOrder order) {
        this.copy = copy;
        this.layout = copy.layout();
        this.order = order;
        this.block = new TupleBlock(layout, 16);
    }

    final TupleBlock block() {
        return block;
    }

    final RowOrder order() {
        return order;
    }

    /** Takes rows of a scan or a part. */
    abstract void add(RowView view, int[] selected, int count);

    /** Of sorted rows, moves those that stay to the front; returns how many they are. */
    abstract int cut(int[] sorted, int count);

    /** What to tell when too much would have to be held. */
    abstract String remedy();

    /** Takes rows that may stay. */
    final void keep(RowView view, int[] selected, int count) {
        int from = 0;
        while (from < count) {
            int rows = copy.rowsThatFit(view, selected, from, count - from, 0);
            copy.copy(view, selected, from, rows, block);
            from += rows;
            if (block.size() >= compactAt || bytes() > MAX_BYTES) {
                compact();
            }
        }
    }

    private long bytes() {
        return block.bytes();
    }

    /** Leaves in the block, in order, only the rows that stay. */
    final void compact() {
        int[] sorted = sorted();
        int staying = cut(sorted, sorted.length);
        TupleBlock next = new TupleBlock(layout, staying + staying / 4 + 16);
        new RowCopy(layout, RowCopy.identity(layout), layout).copy(RowView.of(block), sorted, 0, staying, next);
        block = next;
        compactAt = Math.max(FEWEST_ROWS, staying * 2);
        if (bytes() > MAX_BYTES) {
            throw new WaterwheelException(
                    WaterwheelException.Kind.USER,
                    "RESULT_TOO_LARGE",
                    "query: " + (MAX_BYTES >> 20)
                            + " MiB of rows would have to be held to order them, and there are more; " + remedy());
        }
    }

    private int[] sorted() {
        int[] rows = new int[block.size()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i;
        }
        order.sort(block, rows, rows.length, workspace);
        return rows;
    }

    /** Hands out the rows that stay, in order, each cut to the first fields that the layout names; their number. */
    final long emit(RowLayout target, RowSink sink) {
        int[] sorted = sorted();
        int staying = cut(sorted, sorted.length);
        ResultRows rows = new ResultRows(layout, RowCopy.identity(target), target, Query.NO_LIMIT, sink);
        rows.add(RowView.of(block), sorted, staying);
        rows.finish();
        return staying;
    }

    /** What {@link #add} sees of a part. */
    RowView view(TupleBlock part) {
        return RowView.of(part);
    }

    /** As what becomes of the rows of a scan. */
    final Collector collector(RowSink sink, Workspace ofScan) {
        workspace = ofScan;
        return new Collector() {
            @Override
            void add(RowView view, int[] selected, int count) {
                found(count);
                KeptRows.this.add(view, selected, count);
            }

            @Override
            void finish() {
                emit(layout, sink);
            }
        };
    }

    /** As a merge of parts whose rows have this layout. */
    final PartsMerge merge(RowLayout answer) {
        return new PartsMerge() {
            @Override
            boolean accept(TupleBlock part, RowSink sink) {
                int[] all = new int[part.size()];
                for (int i = 0; i < all.length; i++) {
                    all[i] = i;
                }
                add(view(part), all, all.length);
                return true;
            }

            @Override
            long finish(RowSink sink) {
                return emit(answer, sink);
            }

            @Override
            long settledBefore(List<KeyInterval> keys) {
                return KeptRows.this.settledBefore(keys);
            }
        };
    }

    /** The time before which no row can be among those that stay; {@link Long#MIN_VALUE} when that is not known. */
    long settledBefore(List<KeyInterval> keys) {
        return Long.MIN_VALUE;
    }
}
