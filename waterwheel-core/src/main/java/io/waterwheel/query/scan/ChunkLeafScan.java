package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.query.Query;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.ScanEndedException;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.result.RowCollector;
import io.waterwheel.query.result.RowSink;
import io.waterwheel.schema.RowLayout;
import java.io.IOException;
import java.util.BitSet;

/** One scan of one chunk, batch of leaves by batch of leaves. One thread. */
final class ChunkLeafScan {
    /** Most leaves fetched at once, and most bytes (unless one leaf has more): bounds what a scan holds. */
    private static final int BATCH_LEAVES = 16;

    private static final long BATCH_BYTES = 4 << 20;
    /** Of more decoded bytes the next batch has half as many leaves. */
    private static final long DECODED_BYTES = 8 << 20;

    private final ChunkParts parts;
    private final ChunkDirectory directory;
    private final RowFilter filter;
    private final ZoneFilter zones;
    private final RowCollector rows;
    private final RowSink sink;
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

    private final ScanTally tally;

    ChunkLeafScan(ChunkParts parts, ScanSpec spec, RowFilter filter, RowSink sink, Workspace workspace) {
        this.parts = parts;
        this.directory = parts.directory();
        this.tally = new ScanTally(directory.leaves());
        this.filter = filter;
        RowLayout layout = directory.layout();
        this.rows = spec.gather().collector(sink, workspace);
        this.sink = sink;
        this.count = spec.count();
        this.zones = new ZoneFilter(filter.where(), layout);
        this.view = new RowView(layout.columns(), workspace);
        view.slabShift = RowView.ONE_SLAB;
        // With a limit the first leaf may be enough.
        this.batchLeaves = spec.gather().limit() == Query.NO_LIMIT ? BATCH_LEAVES : 1;
        this.needsColumn = new boolean[layout.columns()];
        boolean key = spec.gather().needsKeys();
        boolean time = spec.gather().needsTimes();
        BitSet needed = spec.neededFields(layout);
        for (int field = needed.nextSetBit(0); field >= 0; field = needed.nextSetBit(field + 1)) {
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
        try {
            scan();
        } catch (ScanEndedException e) {
            // The sink was asked, and knows that this is not the whole.
            parts.endBatch();
        }
        parts.tally(tally);
        sink.scanned(tally.sum());
        return rows.found();
    }

    private void scan() throws IOException {
        int leaf = directory.firstLeaf(filter.lowKey());
        tally.outsideKeys = leaf;
        while (leaf < directory.leaves() && !rows.done()) {
            if (!sink.wanted()) {
                return;
            }
            int inBatch = 0;
            long bytes = 0;
            for (; leaf < directory.leaves() && inBatch < batchLeaves && bytes < BATCH_BYTES; leaf++) {
                if (directory.lowKey(leaf) > filter.highKey()) {
                    tally.outsideKeys += directory.leaves() - leaf;
                    leaf = directory.leaves();
                    break;
                }
                if (!filter.meetsKeys(directory.lowKey(leaf), directory.highKey(leaf))) {
                    tally.outsideKeys++;
                    continue;
                }
                if (!directory.mayHoldTime(leaf, filter.fromTime(), filter.toTime())) {
                    tally.outsideTimes++;
                    continue;
                }
                if (!zones.mayMatch(directory, leaf)) {
                    tally.outsideValues++;
                    continue;
                }
                if (count && !filter.looksAtFields() && holdsKeys(leaf) && holdsTimes(leaf)) {
                    rows.found(directory.rows(leaf));
                    tally.counted++;
                    continue;
                }
                bytes += ask(leaf);
                batch[inBatch++] = leaf;
            }
            if (inBatch > 0) {
                parts.fetch();
            }
            for (int i = 0; i < inBatch && !rows.done(); i++) {
                if (!sink.wanted()) {
                    return;
                }
                leaf(batch[i]);
            }
            // Decoded they may take far more than they do in the file.
            boolean large = parts.batchBytes() > DECODED_BYTES;
            parts.endBatch();
            batchLeaves = large ? Math.max(1, inBatch / 2) : Math.min(BATCH_LEAVES, batchLeaves * 2);
        }
        rows.finish();
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

    /** Answers from a leaf whose parts were fetched. */
    private void leaf(int leaf) {
        boolean allKeys = holdsKeys(leaf);
        boolean allTimes = holdsTimes(leaf);
        view.keys = needsKeys || !allKeys ? parts.take().longs() : RowView.NO_LONGS;
        view.times = needsTimes || !allTimes ? parts.take().longs() : RowView.NO_LONGS;
        for (int c = 0; c < needsColumn.length; c++) {
            if (needsColumn[c]) {
                LeafPart part = parts.take();
                view.columns[c] = part.bytes();
                view.slabs[c] = new byte[][] {part.arena()};
            }
        }
        int size = directory.rows(leaf);
        tally.read++;
        tally.tuples += size;
        view.rows = size;
        int matching = allKeys ? filter.selectAll(size) : filter.selectSortedKeys(view.keys, size);
        if (!allTimes) {
            matching = filter.keepTimes(view.times, matching);
        }
        matching = filter.keepFields(view, matching);
        rows.add(view, filter.selected(), matching);
    }
}
