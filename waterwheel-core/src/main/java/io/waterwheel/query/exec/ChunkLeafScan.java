package io.waterwheel.query.exec;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.model.RowLayout;
import io.waterwheel.query.Query;
import java.io.IOException;

/** One scan of one chunk, batch of leaves by batch of leaves. One thread. */
final class ChunkLeafScan {
    /** Most leaves fetched at once, and most bytes (unless one leaf has more): bounds what a scan holds. */
    private static final int BATCH_LEAVES = 16;

    private static final long BATCH_BYTES = 4 << 20;
    /** A chunk column's arena is one slab: the shift leaves nothing of an offset. */
    private static final int ONE_SLAB = 31;

    private final ChunkParts parts;
    private final ChunkDirectory directory;
    private final RowFilter filter;
    private final ResultRows rows;
    private final boolean count;
    private final RowView view;
    private final boolean needsKeys;
    private final boolean needsTimes;
    /** By payload column, whether the question touches it. */
    private final boolean[] needsColumn;

    /** By part number, what a leaf is asked for. */
    private final boolean[] wanted;

    private int batchLeaves;

    private final int[] batch = new int[BATCH_LEAVES];

    ChunkLeafScan(ChunkParts parts, ScanSpec spec, RowFilter filter, RowSink sink) {
        this.parts = parts;
        this.directory = parts.directory();
        this.filter = filter;
        RowLayout layout = directory.layout();
        this.rows = new ResultRows(spec, layout, sink);
        this.count = spec.count();
        this.view = new RowView(layout.columns());
        view.slabShift = ONE_SLAB;
        for (int c = 0; c < layout.columns(); c++) {
            view.slabs[c] = new byte[1][];
        }
        // With a limit the first leaf may be enough.
        this.batchLeaves = spec.limit() == Query.NO_LIMIT || count ? BATCH_LEAVES : 1;
        this.needsColumn = new boolean[layout.columns()];
        boolean key = false;
        boolean time = false;
        for (int field : count ? new int[0] : spec.fields()) {
            int column = layout.columnOf(field);
            key |= column == RowLayout.KEY;
            time |= column == RowLayout.TIME;
            if (column >= 0) {
                needsColumn[column] = true;
            }
            if (layout.nullBit(field) >= 0) {
                needsColumn[layout.nullMaskColumn()] = true;
            }
        }
        if (filter.hasArea()) {
            needsColumn[filter.longitudeColumn()] = true;
            needsColumn[filter.latitudeColumn()] = true;
        }
        this.needsKeys = key;
        this.needsTimes = time;
        this.wanted = new boolean[directory.parts()];
    }

    long run() throws IOException {
        long counted = 0;
        int leaf = directory.firstLeaf(filter.lowKey());
        while (leaf < directory.leaves() && !(!count && rows.done())) {
            int inBatch = 0;
            long bytes = 0;
            for (; leaf < directory.leaves() && inBatch < batchLeaves && bytes < BATCH_BYTES; leaf++) {
                if (directory.lowKey(leaf) > filter.highKey()) {
                    leaf = directory.leaves();
                    break;
                }
                if (!filter.meetsKeys(directory.lowKey(leaf), directory.highKey(leaf))
                        || !directory.mayHoldTime(leaf, filter.fromTime(), filter.toTime())) {
                    continue;
                }
                if (count && !filter.hasArea() && holdsKeys(leaf) && holdsTimes(leaf)) {
                    counted += directory.rows(leaf);
                    continue;
                }
                bytes += ask(leaf);
                batch[inBatch++] = leaf;
            }
            if (inBatch > 0) {
                parts.fetch();
            }
            for (int i = 0; i < inBatch && !(!count && rows.done()); i++) {
                counted += leaf(batch[i]);
            }
            parts.endBatch();
            batchLeaves = Math.min(BATCH_LEAVES, batchLeaves * 2);
        }
        rows.flush();
        return count ? counted : rows.delivered();
    }

    private boolean holdsKeys(int leaf) {
        return filter.holdsKeys(directory.lowKey(leaf), directory.highKey(leaf));
    }

    private boolean holdsTimes(int leaf) {
        return filter.holdsTimes(directory.fromTime(leaf), directory.toTime(leaf));
    }

    /** Asks for the parts of a leaf that are needed; returns the bytes to be read for them. */
    private long ask(int leaf) {
        wanted[ChunkDirectory.KEYS] = needsKeys || !holdsKeys(leaf);
        wanted[ChunkDirectory.TIMES] = needsTimes || !holdsTimes(leaf);
        for (int c = 0; c < needsColumn.length; c++) {
            wanted[directory.part(c)] = needsColumn[c];
        }
        return parts.ask(leaf, wanted);
    }

    /** Answers from a leaf whose parts were fetched; returns the number of matching rows. */
    private int leaf(int leaf) {
        boolean allKeys = holdsKeys(leaf);
        boolean allTimes = holdsTimes(leaf);
        view.keys = needsKeys || !allKeys ? parts.take().longs() : RowView.NO_LONGS;
        view.times = needsTimes || !allTimes ? parts.take().longs() : RowView.NO_LONGS;
        for (int c = 0; c < needsColumn.length; c++) {
            if (needsColumn[c]) {
                LeafPart part = parts.take();
                view.columns[c] = part.bytes();
                view.slabs[c][0] = part.arena();
            }
        }
        int size = directory.rows(leaf);
        int matching = allKeys ? filter.selectAll(size) : filter.selectSortedKeys(view.keys, size);
        if (!allTimes) {
            matching = filter.keepTimes(view.times, matching);
        }
        matching = filter.keepArea(view, matching);
        if (!count) {
            rows.add(view, filter.selected(), matching);
        }
        return matching;
    }
}
