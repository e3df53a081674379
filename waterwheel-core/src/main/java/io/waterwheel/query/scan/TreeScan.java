package io.waterwheel.query.scan;

import io.waterwheel.index.Leaves;
import io.waterwheel.index.NewestOfLeaf;
import io.waterwheel.index.Page;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.PruneReason;
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
 * Looks up fresh tuples in trees, one after the other, while their owner inserts. The answer holds every tuple
 * published before the scan of its tree began, and of those published since, some; each once. One thread.
 */
public final class TreeScan {
    private static final int SLAB_SHIFT = Integer.numberOfTrailingZeros(PagePool.SLAB_BYTES);

    private final ScanSpec spec;
    private final RowSink sink;
    /** Where in a page begin the columns that are read. */
    private int @Nullable [] ahead;
    /** Of bytes that were looked at, so that no compiler leaves that out. */
    @SuppressWarnings("UnusedVariable") // written so that the bytes are read
    private long lookedAt;

    /** Of the trees that the sink was not told of yet. */
    private @Nullable ScanTally tally;

    /**
     * A scan of several trees.
     *
     * @param spec what to look for
     * @param sink gets the rows of each tree, or what is gathered of them, and what all scans were about at the end
     */
    public TreeScan(ScanSpec spec, RowSink sink) {
        this.spec = spec;
        this.sink = sink;
    }

    /**
     * Hands the matching tuples of one tree to the sink, or counts them.
     *
     * @return number of matching tuples, up to where the limit or the sink ended the scan
     * @throws TreeGoneException when the tree's memory has been given back, perhaps while the sink had rows
     */
    public static long scan(TemplateTree tree, ScanSpec spec, RowSink sink) {
        TreeScan scan = new TreeScan(spec, sink);
        try {
            return scan.scan(tree);
        } finally {
            scan.finish();
        }
    }

    /** Tells the sink what the scans looked at. */
    public void finish() {
        if (tally != null) {
            sink.scanned(tally.sum());
            tally = null;
        }
    }

    /** The tally of a tree's rows: their fields may be others than those of the tree before. */
    private ScanTally tally(RowLayout layout) {
        if (tally == null || !tally.layout().equals(layout)) {
            finish();
            tally = new ScanTally(layout);
        }
        return tally;
    }

    /**
     * Hands the matching tuples of a tree to the sink, or counts them; holds a lease of the tree meanwhile.
     *
     * @return number of matching tuples, up to where the limit or the sink ended the scan
     * @throws TreeGoneException when the tree's memory has been given back, perhaps while the sink had rows
     */
    public long scan(TemplateTree tree) {
        if (!tree.tryRetain()) {
            throw new TreeGoneException();
        }
        try {
            Visit visit = new Visit(tree, sink);
            visit.begin();
            Leaves leaves = tree.pin();
            try {
                ScanTally sums = tally(tree.layout());
                sums.leaves += leaves.template().leaves();
                RowFilter filter = new RowFilter(spec, tree.layout());
                return filter.matchesNothing() ? 0 : scanPinned(tree, leaves, filter, visit, sums);
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
    }

    private long scanPinned(TemplateTree tree, Leaves leaves, RowFilter filter, RowSink visit, ScanTally sums) {
        int first = leaves.template().leafOf(filter.lowKey());
        int last = leaves.template().leafOf(filter.highKey());
        sums.pruneSeveral(PruneReason.KEY, first + (leaves.template().leaves() - 1L - last));
        while (first <= last && prune(leaves, first, filter, sums)) {
            first++;
        }
        if (first > last) {
            // Of most trees no leaf is read: nothing is made ready for their rows.
            return 0;
        }
        try (Reservation memory = visit.memory().part()) {
            Workspace workspace = new Workspace(visit::wanted, memory);
            RowCollector rows = spec.gather().collector(visit, workspace);
            try {
                RowView view = view(tree, workspace);
                ahead = null;
                if (scanLeaves(tree, leaves, first, last, filter, view, rows, visit, sums)) {
                    rows.finish();
                }
            } catch (ScanEndedException e) {
                // The sink was asked, and knows that this is not the whole.
                return rows.found();
            }
            return rows.found();
        }
    }

    /** Those that are read of most pages: without the fields of rows of which a condition may leave few. */
    private LeafNeeds columnsAhead(RowLayout layout) {
        LeafNeeds needs = new LeafNeeds(layout).fields(spec.conditionFields(layout), layout);
        return spec.where() == null || spec.gather().isAggregate()
                ? needs.fields(spec.gatheredFields(), layout)
                : needs;
    }

    private static RowView view(TemplateTree tree, Workspace workspace) {
        RowLayout layout = tree.layout();
        RowView view = new RowView(layout.columns(), workspace);
        System.arraycopy(TemplateTree.pageOffsets(layout), 0, view.bases, 0, view.bases.length);
        view.slabShift = SLAB_SHIFT;
        view.origin = tree;
        return view;
    }

    /**
     * Whether the scan came to its end, or has all that it looks for.
     *
     * @param first leaf that is read
     * @param last leaf that may have keys that match
     */
    private boolean scanLeaves(
            TemplateTree tree,
            Leaves leaves,
            int first,
            int last,
            RowFilter filter,
            RowView view,
            RowCollector rows,
            RowSink visit,
            ScanTally sums) {
        boolean newestFirst = spec.gather().readsNewestFirst();
        OlderRows older = rows.takesNewestOnly() && filter.testsNoField() ? new OlderRows(view.workspace()) : null;
        for (int leaf = first; leaf <= last; leaf++) {
            if (!visit.wanted()) {
                return false;
            }
            if (leaf > first && prune(leaves, leaf, filter, sums)) {
                continue;
            }
            NewestOfLeaf known = older == null ? NewestOfLeaf.NONE : leaves.newest(leaf);
            int size = leaves.size(leaf); // first: what is read below covers at least these rows
            sums.read++;
            boolean unmatched = true;
            Page[] pages = leaves.pages(leaf);
            long low = leaves.minKey(leaf);
            long high = leaves.maxKey(leaf);
            boolean whole = older != null
                    && filter.holdsKeys(low, high)
                    && filter.holdsTimes(leaves.minTime(leaf), leaves.maxTime(leaf));
            if (whole && known.isUseful()) {
                unmatched = false;
                scanNewest(tree, known, pages, size, filter, view, rows, sums);
                if (rows.done()) {
                    return true;
                }
            } else {
                int filled = (size + Page.MASK) >>> Page.SHIFT;
                lookAhead(tree.layout(), view, pages, filled, filter, filter.holdsKeys(low, high));
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
                    sums.tuples += inPage;
                    boolean holdsTimes = filter.holdsTimes(fromTime, toTime);
                    int count = select(tree, filter, view, page, inPage, low, high, holdsTimes);
                    if (count > 0) {
                        unmatched = false;
                        rows.add(view, filter.selected(), count);
                        if (rows.done()) {
                            return true;
                        }
                    }
                }
            }
            if (older != null && whole) {
                older.note(leaves, leaf, known, pages, size);
            }
            sums.unmatched += unmatched ? 1 : 0;
            if (leaf < last) {
                rows.settled(leaves.template().lowKey(leaf + 1));
                if (rows.done()) {
                    return true;
                }
            }
        }
        return true;
    }

    /**
     * Looks at the pages of a leaf, most of which are in no cache: here the processor asks for several at a time, as
     * none waits for another.
     *
     * @param columns whether the columns of pages that meet the times are read, too
     */
    private void lookAhead(
            RowLayout layout, RowView view, Page[] pages, int filled, RowFilter filter, boolean columns) {
        if (filled < 2) {
            return;
        }
        long looked = 0;
        for (int p = 0; p < filled; p++) {
            looked += pages[p].maxTime();
        }
        if (columns) {
            if (ahead == null) {
                ahead = columnsAhead(layout).begins(view.bases);
            }
            for (int p = 0; p < filled; p++) {
                Page page = pages[p];
                if (filter.meetsTimes(page.minTime(), page.maxTime())) {
                    for (int at : ahead) {
                        looked += page.payload()[at];
                    }
                }
            }
        }
        lookedAt += looked;
    }

    /** Scans a leaf all of whose rows match, without those that are known to be older than others of their keys. */
    private static void scanNewest(
            TemplateTree tree,
            NewestOfLeaf known,
            Page[] pages,
            int size,
            RowFilter filter,
            RowView view,
            RowCollector rows,
            ScanTally sums) {
        int to = known.rows().length;
        for (int number = (size - 1) >>> Page.SHIFT; number >= 0 && !rows.done(); number--) {
            int base = number << Page.SHIFT;
            int from = to;
            while (from > 0 && known.rows()[from - 1] >= base) {
                from--;
            }
            int first = Math.max(0, known.upTo() - base);
            int count = filter.select(known.rows(), from, to, first, Math.min(Page.ROWS, size - base));
            to = from;
            if (count > 0) {
                sums.tuples += count;
                look(tree, view, pages[number]);
                rows.add(view, filter.selected(), count);
            }
        }
    }

    /** Whether no row of a leaf that was there before this can match; tallies it. */
    private static boolean prune(Leaves leaves, int leaf, RowFilter filter, ScanTally tally) {
        int size = leaves.size(leaf); // first: what is read below covers at least these rows
        if (size > 0 && pruneByCells(leaves, leaf, filter.cells(), tally)) {
            return true;
        }
        if (size == 0 || !filter.meetsKeys(leaves.minKey(leaf), leaves.maxKey(leaf))) {
            tally.prune(PruneReason.KEY);
            return true;
        }
        if (!leaves.meetsTimes(leaf, filter.fromTime(), filter.toTime())) {
            tally.prune(PruneReason.TIME);
            return true;
        }
        if (!leaves.sketchMayMeetTimes(leaf, filter.fromTime(), filter.toTime())) {
            tally.prune(PruneReason.SKETCH);
            return true;
        }
        return false;
    }

    /** Whether the cells of a dimension rule a leaf out; tallies it. */
    private static boolean pruneByCells(Leaves leaves, int leaf, @Nullable WantedCells cells, ScanTally tally) {
        for (int d = 0; cells != null && d < leaves.dimensions(); d++) {
            if (cells.misses(
                    d,
                    leaves.leastCell(leaf, d),
                    leaves.greatestCell(leaf, d),
                    leaves.minKey(leaf),
                    leaves.maxKey(leaf))) {
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
        look(tree, view, page);
        return filter.keepFields(view, count);
    }

    private static void look(TemplateTree tree, RowView view, Page page) {
        view.rows = Page.ROWS;
        view.keys = page.keys();
        view.times = page.times();
        Arrays.fill(view.columns, page.payload());
        Arrays.fill(view.slabs, tree.slabs());
    }
}
