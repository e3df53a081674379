package io.waterwheel.query.exec;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.model.RowLayout;
import io.waterwheel.query.Query;
import java.io.IOException;
import java.util.Arrays;

/** One scan of one chunk, batch of leaves by batch of leaves. One thread. */
final class ChunkLeafScan {
    /** Most leaves fetched at once, and most bytes (unless one leaf has more): bounds what a scan holds. */
    private static final int BATCH_LEAVES = 16;

    private static final long BATCH_BYTES = 4 << 20;
    /** A chunk's arena is one slab: the shift leaves nothing of an offset. */
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

    private final boolean needsArena;
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
        // With a limit the first leaf may be enough.
        this.batchLeaves = spec.limit() == Query.NO_LIMIT || count ? BATCH_LEAVES : 1;
        this.needsColumn = new boolean[layout.columns()];
        boolean key = false;
        boolean time = false;
        boolean arena = false;
        for (int field : count ? new int[0] : spec.fields()) {
            int column = layout.columnOf(field);
            key |= column == RowLayout.KEY;
            time |= column == RowLayout.TIME;
            if (column >= 0) {
                needsColumn[column] = true;
                arena |= layout.variable(column);
            }
            if (layout.nullBit(field) >= 0) {
                needsColumn[layout.nullMaskColumn()] = true;
            }
        }
        if (filter.hasBox()) {
            needsColumn[filter.longitudeColumn()] = true;
            needsColumn[filter.latitudeColumn()] = true;
        }
        this.needsKeys = key;
        this.needsTimes = time;
        this.needsArena = arena;
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
                        || !filter.meetsTimes(directory.fromTime(leaf), directory.toTime(leaf))) {
                    continue;
                }
                if (count && !filter.hasBox() && holdsKeys(leaf) && holdsTimes(leaf)) {
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

    /** Asks for the parts of a leaf that are needed; returns their bytes. */
    private long ask(int leaf) {
        long bytes = 0;
        if (needsKeys || !holdsKeys(leaf)) {
            bytes += ask(leaf, ChunkDirectory.KEYS);
        }
        if (needsTimes || !holdsTimes(leaf)) {
            bytes += ask(leaf, ChunkDirectory.TIMES);
        }
        for (int c = 0; c < needsColumn.length; c++) {
            if (needsColumn[c]) {
                bytes += ask(leaf, directory.part(c));
            }
        }
        return needsArena ? bytes + ask(leaf, directory.arenaPart()) : bytes;
    }

    private long ask(int leaf, int part) {
        parts.ask(leaf, part);
        return directory.length(leaf, part);
    }

    /** Answers from a leaf whose parts were fetched; returns the number of matching rows. */
    private int leaf(int leaf) {
        boolean allKeys = holdsKeys(leaf);
        boolean allTimes = holdsTimes(leaf);
        view.keys = needsKeys || !allKeys ? (long[]) parts.take() : RowView.NO_LONGS;
        view.times = needsTimes || !allTimes ? (long[]) parts.take() : RowView.NO_LONGS;
        for (int c = 0; c < needsColumn.length; c++) {
            if (needsColumn[c]) {
                view.columns[c] = (byte[]) parts.take();
            }
        }
        if (needsArena) {
            Arrays.fill(view.slabs, new byte[][] {(byte[]) parts.take()});
        }
        int size = directory.rows(leaf);
        int matching = allKeys ? filter.selectAll(size) : filter.selectSortedKeys(view.keys, size);
        if (!allTimes) {
            matching = filter.keepTimes(view.times, matching);
        }
        matching = filter.keepBox(view, matching);
        if (!count) {
            rows.add(view, filter.selected(), matching);
        }
        return matching;
    }
}
