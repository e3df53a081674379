package io.waterwheel.query.newest;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.newest.KeyRun.Reader;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.ResultRows;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest row of each key, of the parts that {@link NewestRows} makes. A part comes in the order of its keys, so its
 * blocks are kept as they are, and {@link KeyRuns} lists their rows. A row is copied when it is handed out, and never
 * looked for in a table.
 *
 * <p>A part that is not in order is several runs: nothing depends on it but time. One thread.
 */
public final class NewestMerge extends PartialMerge {
    /** Most bytes of rows that are kept. */
    private static final long MAX_BYTES = 128L << 20;
    /** Fewer rows of later parts wait until there are more, or until the end. */
    private static final int FEWEST_WAITING = 1 << 14;
    /** What blocks may take beyond twice the bytes of those that were kept last. */
    private static final long SPARE_BYTES = 4 << 20;

    private final RowLayout layout;
    private final RowLayout answer;
    private final boolean keysOfText;
    private final byte @Nullable [] onlyText;
    private final Workspace workspace;
    private final Reservation memory;
    private final HeldBlocks blocks;
    private final KeyRuns runs;
    /** What the blocks took when those that no longer count were last looked for. */
    private long keptBytes;

    /**
     * None yet.
     *
     * @param layout of the parts: the fields of the answer, maybe others, then key and time
     * @param answer its first fields
     * @param order by key, by the text that the key is made from when there is one, then newest first
     * @param textField index of that text, or -1
     * @param onlyText the only text that can match, or null when there may be others
     */
    public NewestMerge(
            RowLayout layout,
            RowLayout answer,
            RowOrder order,
            int textField,
            byte @Nullable [] onlyText,
            Workspace workspace) {
        this.layout = layout;
        this.answer = answer;
        this.keysOfText = textField >= 0;
        this.onlyText = onlyText;
        this.workspace = workspace;
        this.memory = workspace.memory();
        this.blocks = new HeldBlocks(order, keysOfText ? layout.columnOf(textField) : -1);
        int fields = layout.fields().size();
        this.runs = new KeyRuns(blocks, layout.columnOf(fields - 2), layout.columnOf(fields - 1), workspace);
    }

    @Override
    public boolean accept(TupleBlock part, RowSink sink) {
        if (part.size() == 0) {
            return true;
        }
        workspace.spend(4L * part.size());
        if (!memory.tryReserve(part.allocatedBytes())) {
            giveUpBlocks();
            memory.reserve(part.allocatedBytes());
        }
        runs.add(blocks.add(part));
        if (blocks.bytes() > Math.min(2 * keptBytes, Math.max(MAX_BYTES - SPARE_BYTES, keptBytes)) + SPARE_BYTES) {
            giveUpBlocks();
        } else if (runs.waiting() > Math.max(FEWEST_WAITING, runs.merged())) {
            runs.merge();
        }
        return true;
    }

    /** Merges, and copies the rows that are left where many others lie between them. */
    private void giveUpBlocks() {
        KeyRun all = runs.merge();
        if (all.size == 0 || (blocks.rows() <= all.size + all.size / 4L && blocks.bytes() <= MAX_BYTES)) {
            keptBytes = blocks.bytes();
            return;
        }
        List<TupleBlock> kept = new ArrayList<>();
        handOut(all, layout, block -> {
            memory.reserve(block.allocatedBytes());
            kept.add(block);
            return true;
        });
        long bytes = blocks.replace(kept, all, memory);
        keptBytes = blocks.bytes();
        if (bytes > MAX_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: " + (MAX_BYTES >> 20)
                            + " MiB of rows would have to be held to find the newest of each key, and there are more; "
                            + NewestRows.REMEDY);
        }
    }

    /** Hands the rows of a run out, by their first fields. */
    private void handOut(KeyRun run, RowLayout target, RowSink sink) {
        ResultRows out = new ResultRows(layout, RowCopy.identity(target), target, Query.NO_LIMIT, sink);
        if (run.size > 0) {
            new KeyRunCopy(blocks, layout, out, workspace).copy(run);
        }
        out.finish();
    }

    @Override
    public long finish(RowSink sink) {
        KeyRun all = runs.merge();
        handOut(all, answer, sink);
        return all.size;
    }

    @Override
    public boolean canSettle(List<KeyInterval> asked) {
        // Keys that are too many to look at each, or unknown, never do.
        return keysOfText ? onlyText != null : areFew(asked);
    }

    @Override
    public long settledBefore(List<KeyInterval> asked) {
        if (!canSettle(asked)) {
            return Long.MIN_VALUE;
        }
        KeyRun all = runs.merge();
        if (all.size == 0) {
            return Long.MIN_VALUE;
        }
        return onlyText == null ? leastTime(asked, all::time) : time(all, onlyText);
    }

    /** Any number of texts may share a key, so only one that was named can be told to have its row. */
    private long time(KeyRun run, byte[] asked) {
        for (Reader row = new Reader(run); row.hasRow(); row.next()) {
            if (blocks.isOfText(row.place(), asked)) {
                return row.time();
            }
        }
        return Long.MIN_VALUE;
    }
}
