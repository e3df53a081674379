package io.waterwheel.query.result;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Computes the fields of a {@link Projection} of the rows of one scan, a block at a time. One thread. */
final class ProjectedRows {
    /** Rows of a block, at most. */
    static final int BLOCK_ROWS = 2048;

    private final RowLayout layout;
    /** By field; those that are a stored field are copied, not evaluated, where all fields are of fixed width. */
    private final ColumnNode[] nodes;

    private final int[] evaluated;
    private final RowCopy copy;
    private final Workspace workspace;
    private final RowSink sink;
    private final TupleBlock block;
    private long reserved;

    /** @param sink takes blocks, which are filled anew after it has returned */
    ProjectedRows(Projection projection, Workspace workspace, RowSink sink) {
        this.layout = projection.layout();
        this.nodes = projection.compile();
        int[] plain = projection.plain();
        this.copy = new RowCopy(projection.stored(), plain, layout);
        this.evaluated = IntStream.range(0, nodes.length)
                .filter(field -> plain[field] == RowCopy.NOTHING || layout.hasVariable())
                .toArray();
        this.workspace = workspace;
        this.sink = sink;
        this.block = new TupleBlock(layout, 16);
    }

    /** Computes and hands over these rows, or some if no more are wanted. */
    void add(RowView view, int[] selected, int count) {
        int from = 0;
        while (from < count) {
            int rows = Math.min(BLOCK_ROWS, count - from);
            int[] some = from == 0 ? selected : Arrays.copyOfRange(selected, from, from + rows);
            for (int field : evaluated) {
                nodes[field].evaluate(view, some, rows);
            }
            boolean wanted = write(view, some, rows);
            for (int field : evaluated) {
                nodes[field].release(view);
            }
            if (!wanted) {
                return;
            }
            from += rows;
        }
    }

    /** Writes evaluated rows into blocks of at most about {@link RowCopy#BLOCK_BYTES} of text. */
    private boolean write(RowView view, int[] rows, int count) {
        block.clear();
        block.ensureRows(count);
        if (!layout.hasVariable()) {
            for (int row = 0; row < count && layout.nullMaskColumn() >= 0; row++) {
                block.setNullMask(row, 0);
            }
            copy.copy(view, rows, 0, count, block);
            for (int field : evaluated) {
                writeFixed(field, rows, count);
            }
            return handOver();
        }
        for (int i = 0; i < count; i++) {
            int row = block.size();
            if (layout.nullMaskColumn() >= 0) {
                block.setNullMask(row, 0);
            }
            for (int f = 0; f < nodes.length; f++) {
                write(f, row, rows[i]);
            }
            block.setSize(row + 1);
            if (block.arenaSize() >= RowCopy.BLOCK_BYTES && i + 1 < count) {
                if (!handOver()) {
                    return false;
                }
                block.clear();
            }
        }
        return handOver();
    }

    private boolean handOver() {
        long bytes = block.allocatedBytes();
        workspace.memory().replace(reserved, bytes);
        reserved = bytes;
        return sink.accept(block);
    }

    /** A field of fixed width, of all rows. */
    private void writeFixed(int field, int[] rows, int count) {
        Values values = nodes[field].values();
        byte[] column = block.column(layout.columnOf(field));
        switch (layout.fields().get(field).type().physical()) {
            case INT64 -> {
                long[] longs = values.longs;
                for (int i = 0; i < count; i++) {
                    LittleEndian.putLong(column, i * 8, longs[rows[i]]);
                }
            }
            case FLOAT64 -> {
                double[] doubles = values.doubles;
                for (int i = 0; i < count; i++) {
                    LittleEndian.putLong(column, i * 8, Double.doubleToRawLongBits(doubles[rows[i]]));
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    write(field, i, rows[i]);
                }
                return;
            }
        }
        for (int i = 0; i < count && values.anyNull; i++) {
            if (values.nulls[rows[i]]) {
                AggregateState.setNull(block, i, field);
            }
        }
    }

    private void write(int field, int row, int from) {
        Values values = nodes[field].values();
        if (values.anyNull && values.nulls[from]) {
            AggregateState.setNull(block, row, field);
            if (layout.fields().get(field).type().variable()) {
                // The block was used before: what an old reference leads to would be copied and counted.
                LittleEndian.putLong(block.column(layout.columnOf(field)), row * 8, 0);
            }
            return;
        }
        byte[] column = block.column(layout.columnOf(field));
        switch (layout.fields().get(field).type().physical()) {
            case INT32, UINT32 -> LittleEndian.putInt(column, row * 4, (int) values.longs[from]);
            case BOOLEAN -> column[row] = (byte) values.longs[from];
            case FLOAT32 -> LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits((float) values.doubles[from]));
            case FLOAT64 -> LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(values.doubles[from]));
            case VARIABLE -> {
                long reference = values.longs[from];
                int length = TupleBlock.referenceLength(reference);
                LittleEndian.putLong(
                        column, row * 8, block.addToArena(values.slab(reference), values.offset(reference), length));
            }
            case INT64 -> LittleEndian.putLong(column, row * 8, values.longs[from]);
        }
    }
}
