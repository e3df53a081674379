package io.waterwheel.query.rows;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/** Blocks that are written row by row, and handed to a sink when full. One thread. */
public final class PartialBlockWriter {
    /** Most rows of a block. */
    public static final int BLOCK_ROWS = 2048;

    private final RowLayout layout;
    private final RowSink sink;
    private @Nullable TupleBlock block;

    public PartialBlockWriter(RowLayout layout, RowSink sink) {
        this.layout = layout;
        this.sink = sink;
    }

    /** The block whose next row, at its size, is to be written; its null mask is empty. */
    public TupleBlock row() {
        TupleBlock into = block;
        if (into == null) {
            into = new TupleBlock(layout, 16);
            block = into;
        }
        into.ensureRows(into.size() + 1);
        if (layout.nullMaskColumn() >= 0) {
            into.setNullMask(into.size(), 0);
        }
        return into;
    }

    /** The row was written. Returns false when no more are wanted. */
    public boolean wrote() {
        TupleBlock into = java.util.Objects.requireNonNull(block);
        into.setSize(into.size() + 1);
        return (into.size() < BLOCK_ROWS && into.bytes() < RowCopy.BLOCK_BYTES) || finish();
    }

    /** Hands over the unfinished block; false when no more are wanted. */
    public boolean finish() {
        TupleBlock full = block;
        block = null;
        return full == null || full.size() == 0 || sink.accept(full);
    }
}
