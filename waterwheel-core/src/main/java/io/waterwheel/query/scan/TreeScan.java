package io.waterwheel.query.scan;

import io.waterwheel.index.Leaves;
import io.waterwheel.index.Page;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.ScanEndedException;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WantedCells;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Looks up fresh tuples in a tree, while its owner inserts. The answer holds every tuple published before the scan
 * began, and of those published since, some; each once.
 */
public final class TreeScan {
    private static final int SLAB_SHIFT = Integer.numberOfTrailingZeros(PagePool.SLAB_BYTES);

    private TreeScan() {}

    /**
     * Hands the matching tuples to the sink, or counts them; holds a lease of the tree meanwhile.
     *
     * @return number of matching tuples, up to where the limit or the sink ended the scan
     * @throws TreeGoneException when the tree's memory has been given back, perhaps while the sink had rows
     */
    public static long scan(TemplateTree tree, ScanSpec spec, RowSink sink) {
        if (!tree.tryRetain()) {
            throw new TreeGoneException();
        }
        try {
            Visit visit = new Visit(tree, sink);
            visit.begin();
            Leaves leaves = tree.pin();
            try {
                return scanPinned(tree, leaves, spec, visit);
            } finally {
                tree.unpin(leaves);
                visit.end();
            }
        } finally {
            tree.release();
        }
    }

    /** Leaves the tree while the sink has the rows: it may wait for a client, and must hold no memory then. */
    private static final class Visit implements RowSink {
        private final TemplateTree tree;
        private final RowSink sink;
        private boolean inside;

        Visit(TemplateTree tree, RowSink sink) {
            this.tree = tree;
            this.sink = sink;
        }

        void begin() {
            inside = tree.enter();
            if (!inside) {
                throw new TreeGoneException();
            }
        }

        void end() {
            if (inside) {
                inside = false;
                tree.exit();
            }
        }

        @Override
        public boolean accept(TupleBlock rows) {
            end();
            boolean more = sink.accept(rows);
            begin();
            return more;
        }

        @Override
        public boolean wanted() {
            return sink.wanted();
        }

        @Override
        public Reservation memory() {
            return sink.memory();
        }

        @Override
        public void scanned(ScanStatistics what) {
            sink.scanned(what);
        }
    }

    private static long scanPinned(TemplateTree tree, Leaves leaves, ScanSpec spec, RowSink sink) {
        ScanTally tally = new ScanTally(tree.layout());
        tally.leaves = leaves.template().leaves();
        RowFilter filter = new RowFilter(spec, tree.layout());
        long found = filter.matchesNothing() ? 0 : scanPinned(tree, leaves, spec, filter, sink, tally);
        sink.scanned(tally.sum());
        return found;
    }

    private static long scanPinned(
            TemplateTree tree, Leaves leaves, ScanSpec spec, RowFilter filter, RowSink sink, ScanTally tally) {
        try (Reservation memory = sink.memory().part()) {
            return scanPinned(tree, leaves, spec, filter, sink, tally, new Workspace(sink::wanted, memory));
        }
    }

    private static long scanPinned(
            TemplateTree tree,
            Leaves leaves,
            ScanSpec spec,
            RowFilter filter,
            RowSink sink,
            ScanTally tally,
            Workspace workspace) {
        RowCollector rows = spec.gather().collector(sink, workspace);
        try {
            boolean newestFirst = spec.gather().readsNewestFirst();
            if (scanLeaves(tree, leaves, filter, newestFirst, rows, workspace, sink, tally)) {
                rows.finish();
            }
        } catch (ScanEndedException e) {
            // The sink was asked, and knows that this is not the whole.
            return rows.found();
        }
        return rows.found();
    }

    /**
     * Whether the scan came to its end, or has all that it looks for.
     *
     * @param newestFirst whether the pages of a leaf are read from the last to the first
     */
    private static boolean scanLeaves(
            TemplateTree tree,
            Leaves leaves,
            RowFilter filter,
            boolean newestFirst,
            RowCollector rows,
            Workspace workspace,
            RowSink sink,
            ScanTally tally) {
        RowLayout layout = tree.layout();
        RowView view = new RowView(layout.columns(), workspace);
        System.arraycopy(TemplateTree.pageOffsets(layout), 0, view.bases, 0, view.bases.length);
        view.slabShift = SLAB_SHIFT;
        int first = leaves.template().leafOf(filter.lowKey());
        int last = leaves.template().leafOf(filter.highKey());
        tally.pruneSeveral(PruneReason.KEY, first + (leaves.template().leaves() - 1L - last));
        for (int leaf = first; leaf <= last; leaf++) {
            if (!sink.wanted()) {
                return false;
            }
            int size = leaves.size(leaf); // first: what is read below covers at least these rows
            if (size > 0 && pruneByCells(leaves, leaf, filter.cells(), tally)) {
                continue;
            }
            if (size == 0 || !filter.meetsKeys(leaves.minKey(leaf), leaves.maxKey(leaf))) {
                tally.prune(PruneReason.KEY);
                continue;
            }
            if (!leaves.meetsTimes(leaf, filter.fromTime(), filter.toTime())) {
                tally.prune(PruneReason.TIME);
                continue;
            }
            if (!leaves.sketchMayMeetTimes(leaf, filter.fromTime(), filter.toTime())) {
                tally.prune(PruneReason.SKETCH);
                continue;
            }
            tally.read++;
            boolean unmatched = true;
            Page[] pages = leaves.pages(leaf);
            long low = leaves.minKey(leaf);
            long high = leaves.maxKey(leaf);
            int filled = (size + Page.MASK) >>> Page.SHIFT;
            for (int p = 0; p < filled; p++) {
                int number = newestFirst ? filled - 1 - p : p;
                Page page = pages[number];
                int inPage = Math.min(Page.ROWS, size - (number << Page.SHIFT));
                // The page's times are read after the leaf's size: they cover its rows.
                long fromTime = page.minTime();
                long toTime = page.maxTime();
                if (!filter.meetsTimes(fromTime, toTime)) {
                    continue;
                }
                tally.tuples += inPage;
                int count = select(tree, filter, view, page, inPage, low, high, filter.holdsTimes(fromTime, toTime));
                if (count > 0) {
                    unmatched = false;
                    rows.add(view, filter.selected(), count);
                    if (rows.done()) {
                        return true;
                    }
                }
            }
            tally.unmatched += unmatched ? 1 : 0;
            if (leaf < last) {
                rows.settled(leaves.template().lowKey(leaf + 1));
                if (rows.done()) {
                    return true;
                }
            }
        }
        return true;
    }

    /** Whether the cells of a dimension rule a leaf out; tallies it. */
    private static boolean pruneByCells(Leaves leaves, int leaf, @Nullable WantedCells cells, ScanTally tally) {
        for (int d = 0; cells != null && d < leaves.dimensions(); d++) {
            if (cells.misses(d, leaves.leastCell(leaf, d), leaves.greatestCell(leaf, d))) {
                tally.pruneByField(PruneReason.DIMENSION, cells.field(d));
                return true;
            }
        }
        return false;
    }

    private static int select(
            TemplateTree tree,
            RowFilter filter,
            RowView view,
            Page page,
            int rows,
            long low,
            long high,
            boolean holdsTimes) {
        int count =
                filter.holdsKeys(low, high) ? filter.selectAll(rows) : filter.selectKeys(page.keys(), rows, low, high);
        if (count > 0 && !holdsTimes) {
            count = filter.keepTimes(page.times(), count);
        }
        if (count == 0) {
            // Most pages of a selective question: the columns are not looked at.
            return 0;
        }
        view.rows = Page.ROWS;
        view.keys = page.keys();
        view.times = page.times();
        Arrays.fill(view.columns, page.payload());
        Arrays.fill(view.slabs, tree.slabs());
        return filter.keepFields(view, count);
    }
}
