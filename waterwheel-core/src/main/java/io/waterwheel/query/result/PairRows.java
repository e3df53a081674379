package io.waterwheel.query.result;

import io.waterwheel.query.Query;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.LookupSlots;
import io.waterwheel.query.rows.ResultRows;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes the answer of a lookup, a row for each pair in the order asked, of the rows of its slots. One thread. */
final class PairRows implements RowSink {
    private static final int BLOCK_ROWS = 1024;
    /** That a block is made for. */
    private static final int FEWEST_ROWS = 16;

    private static final int NONE = -1;
    /** Before the fields of the rows: the number of the pair, and whether it has a row. */
    private static final int FIRST_FIELD = 2;

    private final LookupSlots slots;
    private final RowLayout part;
    private final int fields;
    private final RowLayout answer;
    private final Workspace workspace;
    private final List<TupleBlock> blocks = new ArrayList<>();
    /** By slot, the number of the block and the row in it. */
    private final long[] places;

    /**
     * @param part the layout of the rows that it takes, whose last field is the slot
     * @param fields how many of its first fields are those of the answer
     */
    PairRows(LookupSlots slots, RowLayout part, int fields, RowLayout answer, Workspace workspace) {
        this.slots = slots;
        this.part = part;
        this.fields = fields;
        this.answer = answer;
        this.workspace = workspace;
        workspace.memory().reserve(8L * slots.size());
        this.places = new long[slots.size()];
        Arrays.fill(places, NONE);
    }

    @Override
    public boolean accept(TupleBlock rows) {
        workspace.memory().reserve(rows.allocatedBytes());
        byte[] column = rows.column(part.columnOf(part.fields().size() - 1));
        for (int row = 0; row < rows.size(); row++) {
            long slot = LittleEndian.getLong(column, row * 8);
            if (slot < 0 || slot >= places.length) {
                throw new IllegalStateException("a row of slot " + slot + ": expected 0 to " + (places.length - 1)
                        + ", as the query has pairs");
            }
            places[(int) slot] = (long) blocks.size() << 32 | row;
        }
        blocks.add(rows);
        return true;
    }

    /** Hands over the answer; returns its number of rows. */
    long handOut(RowSink sink) {
        for (int slot = 1; slot < places.length; slot++) {
            if (places[slot] == NONE && slots.takesFromBefore(slot)) {
                places[slot] = places[slot - 1];
            }
        }
        ResultRows out = new ResultRows(answer, RowCopy.identity(answer), answer, Query.NO_LIMIT, sink);
        int[] all = new int[BLOCK_ROWS];
        Arrays.setAll(all, row -> row);
        for (int pair = 0; pair < slots.pairs() && !out.done(); ) {
            TupleBlock block = new TupleBlock(answer, FEWEST_ROWS);
            int rows = 0;
            // Many pairs may have one row: its texts are there once for each.
            while (rows < BLOCK_ROWS && pair < slots.pairs() && block.arenaSize() < RowCopy.BLOCK_BYTES) {
                block.ensureRows(rows + 1);
                write(block, rows++, pair++);
                block.setSize(rows);
            }
            workspace.spend((long) rows * fields);
            long bytes = block.allocatedBytes();
            workspace.memory().reserve(bytes);
            out.add(RowView.of(block, workspace), all, rows);
            workspace.memory().release(bytes);
        }
        out.finish();
        return out.found();
    }

    private void write(TupleBlock block, int row, int pair) {
        LittleEndian.putLong(block.column(answer.columnOf(0)), row * 8, pair + 1L);
        int slot = slots.slotOf(pair);
        long place = slot < 0 ? NONE : places[slot];
        block.column(answer.columnOf(1))[row] = (byte) (place == NONE ? 0 : 1);
        for (int f = 0; f < fields; f++) {
            if (place == NONE) {
                AggregateState.setNull(block, row, FIRST_FIELD + f);
            } else {
                RowCopy.value(blocks.get((int) (place >>> 32)), (int) place, f, block, row, FIRST_FIELD + f);
            }
        }
    }
}
