package io.waterwheel.query.scan;

import io.waterwheel.index.FreshView;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers subqueries from an indexer's published view, on the caller's thread, beside the indexer's own (protocol rule
 * 9). Thread-safe.
 */
public final class FreshReader {
    /** A commit becomes known to coordinators and to the indexer at about the same time: a moment's patience. */
    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Longest that an answer which may be partial waits for the insert of a block, which takes a few milliseconds. */
    private static final long INSERT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How often one who waits looks whether it is given up. */
    private static final long CANCEL_POLL_NANOS = 200_000_000;

    private final ViewHolder slot;
    private final long staleNanos;
    private final QueryClock clock;

    public FreshReader(ViewHolder slot, long staleNanos) {
        this(slot, staleNanos, QueryClock.SYSTEM);
    }

    /** A reader to whom the indexer's silence is measured by this clock. */
    public FreshReader(ViewHolder slot, long staleNanos, QueryClock clock) {
        this.slot = slot;
        this.staleNanos = staleNanos;
        this.clock = clock;
    }

    /**
     * Takes the subquery and answers with the header at least. Waits for the demand, holding nothing; where the answer
     * may be partial, only for what is being inserted: an earlier answer may have shown that already, and this one
     * would say that it lacks what the coordinator alone demanded.
     *
     * @param spec what to look for
     * @param deadlineNanos by {@link System#nanoTime}
     * @param givenUp whether the caller has given up on the reply: then it comes at once, as if it were late
     */
    public IndexerReply ask(Subquery.OfIndexer subquery, ScanSpec spec, long deadlineNanos, BooleanSupplier givenUp)
            throws InterruptedException {
        FreshView view = slot.current();
        if (view == null || (view.epoch() == subquery.epoch() && view.flushed() < subquery.flushed())) {
            long commitDeadline = Math.min(deadlineNanos, System.nanoTime() + COMMIT_NANOS);
            view = slot.await(
                    now -> now.epoch() != subquery.epoch() || now.flushed() >= subquery.flushed(), commitDeadline);
            if (view == null) {
                view = slot.current();
            }
        }
        if (view == null) {
            return refresh("the indexer has not started", spec);
        }
        if (view.epoch() == subquery.epoch() && view.watermarks().length < subquery.demand().length) {
            return refresh("knows of fewer partitions than there are, and is about to be replaced", spec);
        }
        boolean partial = subquery.query().allowPartial();
        if (!reached(view, subquery) && (!partial || isTaking(view, subquery))) {
            FreshView later = await(
                    now -> now.epoch() != subquery.epoch()
                            || now.floor() > subquery.flushed()
                            || reached(now, subquery),
                    partial ? insertDeadline(deadlineNanos) : deadlineNanos,
                    givenUp);
            if (later == null && !partial) {
                return new Reply(
                        view.taking(),
                        new IndexerHeader(
                                IndexerHeader.Outcome.LATE,
                                "watermarks below the demand",
                                view.version(),
                                view.watermarks(),
                                view.recovering(),
                                List.of()),
                        List.of(),
                        spec);
            }
            view = later == null ? view : later;
        }
        if (view.epoch() != subquery.epoch()) {
            slot.asked(subquery.epoch());
            return refresh("epoch " + view.epoch() + ", asked for " + subquery.epoch(), spec);
        }
        if (view.flushed() < subquery.flushed()) {
            return refresh("flushed " + view.flushed() + ", asked for " + subquery.flushed(), spec);
        }
        if (view.floor() > subquery.flushed()) {
            return refresh("forgotten up to " + view.floor() + ", asked for " + subquery.flushed(), spec);
        }
        List<TemplateTree> trees = new ArrayList<>();
        for (FreshView.SequencedTree tree : view.trees()) {
            if (tree.sequence() > subquery.flushed()) {
                if (!tree.tree().tryRetain()) {
                    trees.forEach(TemplateTree::release);
                    return refresh("tree " + tree.sequence() + " was forgotten meanwhile", spec);
                }
                trees.add(tree.tree());
            }
        }
        return new Reply(
                view.taking(),
                new IndexerHeader(
                        IndexerHeader.Outcome.ANSWER,
                        "",
                        view.version(),
                        view.watermarks(),
                        view.recovering(),
                        stale(view)),
                trees,
                spec);
    }

    private @Nullable FreshView await(Predicate<FreshView> test, long deadlineNanos, BooleanSupplier givenUp)
            throws InterruptedException {
        while (true) {
            long now = System.nanoTime();
            boolean last = deadlineNanos - now <= CANCEL_POLL_NANOS;
            FreshView view = slot.await(test, last ? deadlineNanos : now + CANCEL_POLL_NANOS);
            if (view != null || last || givenUp.getAsBoolean()) {
                return view;
            }
        }
    }

    /** Leaves time to answer in, should the insert never end. */
    private static long insertDeadline(long deadlineNanos) {
        long now = System.nanoTime();
        return now + Math.min(INSERT_NANOS, (deadlineNanos - now) / 2);
    }

    /**
     * Whether all that is demanded is in the trees, or is about to be: a view that says so is one insert away. Of a
     * channel without tuples the watermark alone goes up.
     */
    private static boolean isTaking(FreshView view, Subquery.OfIndexer subquery) {
        long[] demand = subquery.demand();
        boolean taking = view.epoch() == subquery.epoch() && !view.recovering();
        for (int p = 0; taking && p < demand.length; p++) {
            taking = Math.max(view.watermarks()[p], view.taking().get(p)) >= demand[p];
        }
        return taking;
    }

    private static boolean reached(FreshView view, Subquery.OfIndexer subquery) {
        if (view.recovering()) {
            return false;
        }
        long[] demand = subquery.demand();
        if (view.watermarks().length < demand.length) {
            // It knows of fewer partitions; its epoch will show that it is not the one to ask.
            return false;
        }
        for (int p = 0; p < demand.length; p++) {
            if (view.watermarks()[p] < demand[p]) {
                return false;
            }
        }
        return true;
    }

    private List<Integer> stale(FreshView view) {
        if (staleNanos == Long.MAX_VALUE) {
            return List.of();
        }
        List<Integer> stale = new ArrayList<>();
        long now = clock.nanos();
        for (int p = 0; p < view.heardNanos().length; p++) {
            if (now - view.heardNanos()[p] > staleNanos) {
                stale.add(p);
            }
        }
        return stale;
    }

    private static IndexerReply refresh(String reason, ScanSpec spec) {
        return new Reply(new AtomicLongArray(0), IndexerHeader.refresh(reason), List.of(), spec);
    }

    private static final class Reply implements IndexerReply {
        private final AtomicLongArray taking;
        private final IndexerHeader header;
        private @Nullable List<TemplateTree> trees;
        private final ScanSpec spec;

        Reply(AtomicLongArray taking, IndexerHeader header, List<TemplateTree> trees, ScanSpec spec) {
            this.taking = taking;
            this.header = header;
            this.trees = trees;
            this.spec = spec;
        }

        @Override
        public IndexerHeader header() {
            return header;
        }

        @Override
        public long rows(RowSink sink) {
            List<TemplateTree> held = trees;
            if (held == null) {
                throw new IllegalStateException("the reply is closed");
            }
            long found = 0;
            boolean[] stopped = {false};
            RowSink watching = new RowSink() {
                @Override
                public boolean accept(TupleBlock rows) {
                    stopped[0] = !sink.accept(rows);
                    return !stopped[0];
                }

                @Override
                public boolean wanted() {
                    stopped[0] |= !sink.wanted();
                    return !stopped[0];
                }

                @Override
                public Reservation memory() {
                    return sink.memory();
                }

                @Override
                public void scanned(ScanStatistics what) {
                    sink.scanned(what);
                }
            };
            TreeScan scan = new TreeScan(spec, watching);
            try {
                for (TemplateTree tree : held) {
                    if (stopped[0]) {
                        break;
                    }
                    found += scan.scan(tree);
                }
            } finally {
                scan.finish();
            }
            return found;
        }

        @Override
        public long[] shown() {
            long[] shown = header.watermarks().clone();
            for (int p = 0; p < shown.length; p++) {
                shown[p] = Math.max(shown[p], taking.get(p));
            }
            return shown;
        }

        @Override
        public void close() {
            List<TemplateTree> held = trees;
            trees = null;
            if (held != null) {
                held.forEach(TemplateTree::release);
            }
        }
    }
}
