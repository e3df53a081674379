package io.waterwheel.query.rows;

import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Of the rows of each slot of a lookup the latest, of equal times the first by the fields of the answer. The block's
 * last field is the slot, and its order begins with the slot, then the time, newest first.
 */
public final class LookupRows extends BoundedRows {
    private final LookupSlots slots;
    private final @Nullable Source source;
    private final int slotField;
    private final int timeField;
    /** By slot, the time of the latest row that was taken of a scan. */
    private final long[] newest;

    private long[] slotOf = {};
    private int[] candidates = {};

    /**
     * What tells the slot of a scanned row.
     *
     * @param time the field of the time
     * @param text the field that keys are made from; null when keys tell its values apart
     */
    public record Source(ColumnNode time, @Nullable ColumnNode text) {}

    /**
     * None yet.
     *
     * @param timeField the field of the block that holds the time
     * @param source null for a merge of parts, which name the slots
     */
    public LookupRows(
            RowCopy copy,
            RowOrder order,
            LookupSlots slots,
            int timeField,
            @Nullable Source source,
            Workspace workspace) {
        super(copy, order, workspace);
        this.slots = slots;
        this.source = source;
        this.timeField = timeField;
        this.slotField = copy.layout().fields().size() - 1;
        workspace.memory().reserve(8L * slots.size());
        this.newest = new long[slots.size()];
        Arrays.fill(newest, Long.MIN_VALUE);
    }

    @Override
    void add(RowView view, int[] selected, int count) {
        if (source == null) {
            keep(view, selected, count);
            return;
        }
        candidates = workspace().renewed(candidates, count);
        if (slotOf.length < view.rows) {
            workspace().memory().replace(8L * slotOf.length, 8L * view.rows);
            slotOf = new long[view.rows];
        }
        int kept = candidates(source, view, selected, count);
        if (kept > 0) {
            view.slots = slotOf;
            keep(view, candidates, kept);
        }
    }

    private int candidates(Source of, RowView view, int[] selected, int count) {
        of.time().evaluate(view, selected, count);
        long[] times = of.time().values().longs;
        ColumnNode text = of.text();
        if (text != null) {
            text.evaluate(view, selected, count);
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            int slot;
            if (text == null) {
                slot = slots.find(view.keys[row], RowView.NO_BYTES, 0, 0, times[row]);
            } else {
                Values texts = text.values();
                long reference = texts.longs[row];
                slot = slots.find(
                        view.keys[row],
                        texts.slab(reference),
                        texts.offset(reference),
                        TupleBlock.referenceLength(reference),
                        times[row]);
            }
            if (slot >= 0 && times[row] >= newest[slot]) {
                newest[slot] = times[row];
                slotOf[row] = slot;
                candidates[kept++] = row;
            }
        }
        return kept;
    }

    @Override
    boolean mayTake(RowSummary rows) {
        return slots.mayHold(rows);
    }

    @Override
    int cut(int[] sorted, int count) {
        byte[] slot = column(slotField);
        int staying = 0;
        long previous = -1;
        for (int i = 0; i < count; i++) {
            long own = LittleEndian.getLong(slot, sorted[i] * 8);
            if (own != previous) {
                sorted[staying++] = sorted[i];
            }
            previous = own;
        }
        return staying;
    }

    private byte[] column(int field) {
        return block().column(block().layout().columnOf(field));
    }

    @Override
    String remedy() {
        return "ask for fewer pairs, or fewer fields, at a time";
    }

    /** The least time of the rows that the slots have, once each has one. */
    @Override
    long settledBefore(List<KeyInterval> keys) {
        if (!slots.asOf()) {
            return Long.MIN_VALUE;
        }
        compact();
        byte[] slotColumn = column(slotField);
        byte[] timeColumn = column(timeField);
        long settled = Long.MAX_VALUE;
        int row = 0;
        long time = Long.MIN_VALUE;
        for (int slot = 0; slot < slots.size(); slot++) {
            if (row < block().size() && LittleEndian.getLong(slotColumn, row * 8) == slot) {
                time = LittleEndian.getLong(timeColumn, row * 8);
                row++;
            } else if (!slots.continues(slot)) {
                time = Long.MIN_VALUE;
            }
            if (time == Long.MIN_VALUE) {
                return Long.MIN_VALUE;
            }
            settled = Math.min(settled, time);
        }
        return slots.millis(settled);
    }

    @Override
    boolean canSettle(List<KeyInterval> keys) {
        return slots.asOf();
    }
}
