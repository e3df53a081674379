package io.waterwheel.query.exec;

import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import org.jspecify.annotations.Nullable;

/** Gathers the projected fields of selected rows into blocks and hands these to the sink. One thread. */
final class ResultRows {
    private static final int BLOCK_ROWS = 2048;
    private static final int BLOCK_BYTES = 64 * 1024;

    private final RowLayout stored;
    private final RowLayout result;
    private final int[] fields;
    private final RowSink sink;
    private final int blockRows;
    private long left;
    private long delivered;
    private boolean stopped;
    private @Nullable TupleBlock block;

    ResultRows(ScanSpec spec, RowLayout stored, RowSink sink) {
        this.stored = stored;
        this.result = spec.resultLayout(stored);
        this.fields = spec.fields();
        this.sink = sink;
        this.left = spec.limit();
        this.blockRows = Math.max(1, Math.min(BLOCK_ROWS, BLOCK_BYTES / Math.max(1, result.rowWidth())));
    }

    /** Whether no more rows are wanted. */
    boolean done() {
        return stopped || left == 0;
    }

    /** Rows handed over so far, those in the unfinished block included. */
    long delivered() {
        return delivered;
    }

    /** Adds rows until no more are wanted. */
    void add(RowView view, int[] selected, int count) {
        int from = 0;
        while (from < count && !done()) {
            TupleBlock into = block;
            if (into == null) {
                into = new TupleBlock(result, Math.min(blockRows, count - from));
                block = into;
            }
            int rows = (int) Math.min(left, Math.min(blockRows - into.size(), count - from));
            rows = rowsThatFit(view, selected, from, rows, into.arenaSize());
            gather(view, selected, from, rows, into);
            from += rows;
            left -= rows;
            delivered += rows;
            if (into.size() == blockRows || into.arenaSize() >= BLOCK_BYTES || from < count) {
                flush();
            }
        }
    }

    /** Hands over the unfinished block. */
    void flush() {
        TupleBlock full = block;
        block = null;
        if (full != null && full.size() > 0 && !stopped) {
            stopped = !sink.accept(full);
        }
    }

    /** Of the rows, those whose values the block's arena takes before it is full; at least one. */
    private int rowsThatFit(RowView view, int[] selected, int from, int rows, int arenaSize) {
        if (!result.hasVariable()) {
            return rows;
        }
        long bytes = arenaSize;
        for (int i = 0; i < rows; i++) {
            for (int field : fields) {
                int column = stored.columnOf(field);
                if (column >= 0 && stored.variable(column)) {
                    bytes += TupleBlock.referenceLength(reference(view, column, selected[from + i]));
                }
            }
            if (bytes >= BLOCK_BYTES) {
                return i + 1;
            }
        }
        return rows;
    }

    private static long reference(RowView view, int column, int row) {
        return LittleEndian.getLong(view.columns[column], view.bases[column] + row * 8);
    }

    private void gather(RowView view, int[] selected, int from, int rows, TupleBlock into) {
        int first = into.size();
        into.ensureRows(first + rows);
        for (int r = 0; r < fields.length; r++) {
            int source = stored.columnOf(fields[r]);
            int target = result.columnOf(r);
            int width = result.width(target);
            byte[] out = into.column(target);
            int at = first * width;
            if (source == RowLayout.KEY || source == RowLayout.TIME) {
                gatherLongs(source == RowLayout.KEY ? view.keys : view.times, selected, from, rows, width, out, at);
            } else if (result.variable(target)) {
                gatherVariable(view, source, selected, from, rows, into, target);
            } else {
                gatherFixed(view.columns[source], view.bases[source], selected, from, rows, width, out, at);
            }
        }
        into.setSize(first + rows);
        if (result.nullMaskColumn() >= 0) {
            gatherNulls(view, selected, from, rows, into, first);
        }
    }

    private static void gatherLongs(long[] source, int[] selected, int from, int rows, int width, byte[] out, int at) {
        for (int i = 0; i < rows; i++) {
            long value = source[selected[from + i]];
            if (width == 4) {
                LittleEndian.putInt(out, at + i * 4, (int) value);
            } else {
                LittleEndian.putLong(out, at + i * 8, value);
            }
        }
    }

    private static void gatherFixed(
            byte[] source, int base, int[] selected, int from, int rows, int width, byte[] out, int at) {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < rows; i++) {
                    out[at + i] = source[base + selected[from + i]];
                }
            }
            case 4 -> {
                for (int i = 0; i < rows; i++) {
                    LittleEndian.putInt(out, at + i * 4, LittleEndian.getInt(source, base + selected[from + i] * 4));
                }
            }
            default -> {
                for (int i = 0; i < rows; i++) {
                    LittleEndian.putLong(out, at + i * 8, LittleEndian.getLong(source, base + selected[from + i] * 8));
                }
            }
        }
    }

    private static void gatherVariable(
            RowView view, int source, int[] selected, int from, int rows, TupleBlock into, int target) {
        int first = into.size();
        int mask = (1 << view.slabShift) - 1;
        for (int i = 0; i < rows; i++) {
            long reference = reference(view, source, selected[from + i]);
            int length = TupleBlock.referenceLength(reference);
            long copied = 0;
            if (length > 0) {
                int offset = TupleBlock.referenceOffset(reference);
                copied = into.addToArena(view.slabs[source][offset >>> view.slabShift], offset & mask, length);
            }
            LittleEndian.putLong(into.column(target), (first + i) * 8, copied);
        }
    }

    private void gatherNulls(RowView view, int[] selected, int from, int rows, TupleBlock into, int first) {
        int column = stored.nullMaskColumn();
        int width = stored.width(column);
        byte[] masks = view.columns[column];
        int base = view.bases[column];
        for (int i = 0; i < rows; i++) {
            int at = base + selected[from + i] * width;
            long mask =
                    switch (width) {
                        case 1 -> masks[at];
                        case 2 -> LittleEndian.getShort(masks, at);
                        case 4 -> LittleEndian.getInt(masks, at);
                        default -> LittleEndian.getLong(masks, at);
                    };
            long translated = 0;
            if (mask != 0) {
                for (int r = 0; r < fields.length; r++) {
                    int bit = stored.nullBit(fields[r]);
                    if (bit >= 0 && ((mask >>> bit) & 1) != 0) {
                        translated |= 1L << result.nullBit(r);
                    }
                }
            }
            into.setNullMask(first + i, translated);
        }
    }
}
