package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.key.Area;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.ScanEndedException;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WantedCells;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One scan of one chunk, batch of leaves by batch of leaves. One thread. */
final class ChunkLeafScan {
    /** Most leaves fetched at once, and most bytes (unless one leaf has more): bounds what a scan holds. */
    private static final int BATCH_LEAVES = 16;

    private static final long BATCH_BYTES = 4 << 20;
    /** Leaves that may be passed over between two looks whether the scan is still wanted. */
    private static final int LEAVES_BETWEEN_LOOKS = 16;
    /** Of more decoded bytes the next batch has half as many leaves. */
    private static final long DECODED_BYTES = 8 << 20;

    private final ChunkParts parts;
    private final ChunkDirectory directory;
    private final RowFilter filter;
    private final ZoneFilter zones;
    /** Of the area; null where keys tell them. */
    private final @Nullable ZoneFilter bounds;

    private final RowCollector rows;
    private final RowSink sink;
    private final Subquery.Piece piece;
    /** Bytes of the blocks that the sink was given. */
    private long handedOver;

    private final RowView view;
    /** Parts of a leaf that are always read, those that the condition needs too, and those that the area needs too. */
    private final LeafNeeds gathered;

    /** Null without a condition. */
    private final @Nullable LeafNeeds tested;
    /** Null without an area. */
    private final @Nullable LeafNeeds located;

    private final LeafSummary summary;
    /** The fields of the position, where there is an area. */
    private final int longitude;

    private final int latitude;

    private final int nullColumn;

    /** By part number, what a leaf is asked for. */
    private final boolean[] wanted;

    private int batchLeaves;

    private final int[] batch = new int[BATCH_LEAVES];
    /** Whether the condition is known to be true of all rows of a leaf of the batch. */
    private final boolean[] isTrue = new boolean[BATCH_LEAVES];
    /** Whether all rows of a leaf of the batch are known to lie in the area. */
    private final boolean[] inArea = new boolean[BATCH_LEAVES];

    private final ScanTally tally;

    ChunkLeafScan(
            ChunkParts parts,
            ScanSpec spec,
            RowFilter filter,
            Subquery.Piece piece,
            RowSink sink,
            Workspace workspace) {
        this.parts = parts;
        this.directory = parts.directory();
        this.piece = piece;
        this.tally = new ScanTally(directory.layout());
        this.filter = filter;
        RowLayout layout = directory.layout();
        this.rows = spec.gather().collector(this::accept, workspace);
        this.sink = sink;
        this.zones = new ZoneFilter(filter.where(), directory);
        this.bounds = filter.bounds() == null ? null : new ZoneFilter(filter.bounds(), directory);
        this.summary = new LeafSummary(directory, this::wholeLeaves);
        this.view = new RowView(layout.columns(), workspace);
        view.slabShift = RowView.ONE_SLAB;
        // With a limit the first leaf may be enough, and for a piece too.
        this.batchLeaves = spec.gather().limit() == Query.NO_LIMIT && !piece.isBounded() ? BATCH_LEAVES : 1;
        this.gathered = new LeafNeeds(layout)
                .fields(spec.gatheredFields(), layout)
                .key(spec.gather().needsKeys())
                .time(spec.gather().needsTimes());
        this.tested = spec.where() == null ? null : new LeafNeeds(layout).fields(spec.conditionFields(layout), layout);
        ScanSpec.AreaTest area = spec.area();
        this.located = area == null
                ? null
                : new LeafNeeds(layout).column(filter.longitudeColumn()).column(filter.latitudeColumn());
        this.longitude = area == null ? 0 : area.longitudeField();
        this.latitude = area == null ? 0 : area.latitudeField();
        this.nullColumn = layout.nullMaskColumn();
        this.wanted = new boolean[directory.parts()];
    }

    long run() throws IOException {
        if (piece.fromLeaf() > 0 && piece.fromLeaf() >= directory.leaves()) {
            throw new IOException("asked for a piece of a chunk from leaf " + piece.fromLeaf()
                    + " on; the chunk has leaves 0 to " + (directory.leaves() - 1));
        }
        try {
            scan();
        } catch (ScanEndedException e) {
            // The sink was asked, and knows that this is not the whole.
            parts.endBatch();
        }
        // All of them in the first piece: others may never be read.
        tally.leaves = piece.fromLeaf() == 0 ? directory.leaves() : 0;
        tally.parts = parts.sum();
        sink.scanned(tally.sum());
        return rows.found();
    }

    private boolean accept(TupleBlock block) {
        handedOver += block.allocatedBytes();
        return sink.accept(block);
    }

    private void scan() throws IOException {
        rows.comesByLeaves();
        int leaf = directory.firstLeaf(filter.lowKey());
        if (piece.fromLeaf() == 0) {
            pruneByKeys(0, leaf);
        }
        leaf = Math.max(leaf, piece.fromLeaf());
        while (leaf < directory.leaves() && !rows.done()) {
            if (!sink.wanted()) {
                return;
            }
            if (handedOver >= piece.bytes()) {
                if (parts.isCachedOnly()) {
                    throw new NotQuickException();
                }
                rows.finish();
                sink.pausedAt(leaf);
                return;
            }
            int inBatch = 0;
            long bytes = 0;
            for (; leaf < directory.leaves() && inBatch < batchLeaves && bytes < BATCH_BYTES; leaf++) {
                // Thousands of leaves may be passed over, each after many tests.
                if (leaf % LEAVES_BETWEEN_LOOKS == 0 && !sink.wanted()) {
                    return;
                }
                if (directory.lowKey(leaf) > filter.highKey()) {
                    pruneByKeys(leaf, directory.leaves());
                    leaf = directory.leaves();
                    break;
                }
                if (prunes(leaf)) {
                    continue;
                }
                isTrue[inBatch] = zones.holds(leaf);
                inArea[inBatch] = liesInArea(leaf);
                if (isTrue[inBatch]
                        && inArea[inBatch]
                        && holdsKeys(leaf)
                        && holdsTimes(leaf)
                        && rows.addSummary(summary.of(leaf))) {
                    tally.counted++;
                    continue;
                }
                if (parts.isCachedOnly() && !sink.mayLookAt(directory.rows(leaf))) {
                    throw new NotQuickException();
                }
                want(leaf, isTrue[inBatch], inArea[inBatch]);
                bytes += parts.ask(leaf, wanted);
                batch[inBatch++] = leaf;
            }
            if (inBatch > 0) {
                parts.fetch();
            }
            for (int i = 0; i < inBatch && !rows.done(); i++) {
                // A look takes as long as a small leaf, and was made before the batch.
                if (i > 0 && !sink.wanted()) {
                    return;
                }
                leaf(batch[i], isTrue[i], inArea[i]);
            }
            // Decoded they may take far more than they do in the file.
            boolean large = parts.batchBytes() > DECODED_BYTES;
            parts.endBatch();
            batchLeaves = large ? Math.max(1, inBatch / 2) : Math.min(BATCH_LEAVES, batchLeaves * 2);
            if (piece.isBounded()) {
                batchLeaves = (int) Math.max(1, Math.min(batchLeaves, leavesLeft()));
            }
        }
        rows.finish();
    }

    /** Leaves [from, to), which have no key that can match. */
    private void pruneByKeys(int from, int to) {
        if (filter.cells() == null) {
            tally.pruneSeveral(PruneReason.KEY, (long) to - from);
            return;
        }
        for (int leaf = from; leaf < to; leaf++) {
            if (!pruneByCells(leaf)) {
                tally.prune(PruneReason.KEY);
            }
        }
    }

    /** Whether the cells of a dimension rule the leaf out; tallies it. */
    private boolean pruneByCells(int leaf) {
        WantedCells cells = filter.cells();
        int dimension =
                cells == null ? WantedCells.NONE : cells.missedBetween(directory.lowKey(leaf), directory.highKey(leaf));
        if (cells == null || dimension == WantedCells.NONE) {
            return false;
        }
        tally.pruneByField(PruneReason.DIMENSION, cells.field(dimension));
        return true;
    }

    /** How many more leaves the piece has room for, when they give as much as those before. */
    private long leavesLeft() {
        long bytesOfOne = handedOver / Math.max(1, tally.read);
        return (piece.bytes() - handedOver) / Math.max(1, bytesOfOne);
    }

    /** Whether the leaf can hold nothing of the answer, by what the directory says; tallies why. */
    private boolean prunes(int leaf) {
        if (pruneByCells(leaf)) {
            return true;
        }
        if (!filter.meetsKeys(directory.lowKey(leaf), directory.highKey(leaf))) {
            tally.prune(PruneReason.KEY);
        } else if (!directory.meetsTimes(leaf, filter.fromTime(), filter.toTime())) {
            tally.prune(PruneReason.TIME);
        } else if (!directory.sketchMayHoldTime(leaf, filter.fromTime(), filter.toTime())) {
            tally.prune(PruneReason.SKETCH);
        } else if (bounds != null && bounds.prunes(leaf)) {
            tally.pruneByField(bounds.reason(), bounds.field());
        } else if (zones.prunes(leaf)) {
            tally.pruneByField(zones.reason(), zones.field());
        } else if (!rows.mayTake(summary.of(leaf))) {
            tally.prune(PruneReason.ORDER);
        } else {
            return false;
        }
        return true;
    }

    /** How many leaves match whole. */
    private int wholeLeaves() {
        int whole = 0;
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            boolean meets = filter.meetsKeys(directory.lowKey(leaf), directory.highKey(leaf));
            whole += meets && holdsKeys(leaf) && holdsTimes(leaf) && zones.holds(leaf) && liesInArea(leaf) ? 1 : 0;
        }
        return whole;
    }

    private boolean holdsKeys(int leaf) {
        return filter.holdsKeys(directory.lowKey(leaf), directory.highKey(leaf));
    }

    private boolean holdsTimes(int leaf) {
        return filter.holdsTimes(directory.fromTime(leaf), directory.toTime(leaf));
    }

    /** Whether all rows of a leaf are known to lie in the area, if there is one. */
    private boolean liesInArea(int leaf) {
        Area area = filter.area();
        if (area == null) {
            return true;
        }
        return liesBetween(leaf, longitude)
                && liesBetween(leaf, latitude)
                && area.holds(
                        OrderedBits.toDouble(directory.low(leaf, longitude)),
                        OrderedBits.toDouble(directory.low(leaf, latitude)),
                        OrderedBits.toDouble(directory.high(leaf, longitude)),
                        OrderedBits.toDouble(directory.high(leaf, latitude)),
                        view.workspace()::spend);
    }

    /** Whether all values of a field are known to lie between its least and its greatest. */
    private boolean liesBetween(int leaf, int field) {
        return directory.isZoned(field) && directory.nulls(leaf, field) == 0 && directory.nans(leaf, field) == 0;
    }

    private int selectKeys(int leaf, int rows) {
        return directory.isSorted(leaf)
                ? filter.selectSortedKeys(view.keys, rows)
                : filter.selectKeys(view.keys, rows, directory.lowKey(leaf), directory.highKey(leaf));
    }

    /** Marks the parts of a leaf that are needed. */
    private void want(int leaf, boolean conditionIsTrue, boolean allInArea) {
        Arrays.fill(wanted, false);
        gathered.mark(wanted, directory);
        if (tested != null && !conditionIsTrue) {
            tested.mark(wanted, directory);
        }
        if (located != null && !allInArea) {
            located.mark(wanted, directory);
        }
        wanted[ChunkDirectory.KEYS] |= !holdsKeys(leaf);
        wanted[ChunkDirectory.TIMES] |= !holdsTimes(leaf);
    }

    /** Answers from a leaf whose parts were fetched. */
    private void leaf(int leaf, boolean conditionIsTrue, boolean allInArea) {
        boolean allKeys = holdsKeys(leaf);
        boolean allTimes = holdsTimes(leaf);
        want(leaf, conditionIsTrue, allInArea);
        view.keys = wanted[ChunkDirectory.KEYS] ? parts.take().longs() : RowView.NO_LONGS;
        view.times = wanted[ChunkDirectory.TIMES] ? parts.take().longs() : RowView.NO_LONGS;
        for (int c = 0; c < view.columns.length; c++) {
            if (wanted[directory.part(c)]) {
                LeafPart part = parts.take();
                if (c == nullColumn) {
                    view.nulls = part.nulls();
                    continue;
                }
                view.columns[c] = part.values();
                view.narrow[c] = part.narrow();
                view.slabs[c] = new byte[][] {part.arena()};
                view.codes[c] = part.codes();
                view.dictionaries[c] = part.dictionary();
            }
        }
        if (!rows.mayTake(summary.of(leaf))) {
            // That is known since the leaves before it in the batch.
            tally.prune(PruneReason.ORDER);
            return;
        }
        int size = directory.rows(leaf);
        tally.read++;
        tally.tuples += size;
        view.rows = size;
        int matching = allKeys ? filter.selectAll(size) : selectKeys(leaf, size);
        if (!allTimes) {
            matching = filter.keepTimes(view.times, matching);
        }
        matching = filter.keepFields(view, matching, allInArea, conditionIsTrue);
        tally.unmatched += matching == 0 ? 1 : 0;
        rows.add(view, filter.selected(), matching);
        if (leaf + 1 < directory.leaves()) {
            rows.settled(directory.lowKey(leaf + 1));
        }
    }
}
