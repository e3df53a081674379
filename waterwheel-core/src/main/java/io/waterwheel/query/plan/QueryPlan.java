package io.waterwheel.query.plan;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Subquery;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.WantedCells;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A query on one snapshot: which indexers are asked, which chunks are read (protocol rule 8). A pure function of the
 * query, the snapshot and the reports.
 *
 * @param snapshot what it is planned on
 * @param resolved the query in terms of the stream's schema, less what is gone at the snapshot
 * @param indexers the indexers to ask
 * @param excusable of these, the ones that an old report would excuse: no query need wait for them long
 * @param excused watermarks of indexers left out because a report shows that they hold nothing of it
 * @param stale of these, the ones that are away and were left out by an old report, a sentence each
 * @param chunks the chunks to read, by {@link ChunkDescriptor#compareOrder}
 * @param byDimension chunks that meet the keys and times, and are left out by the cells of a dimension
 */
public record QueryPlan(
        StreamSnapshot snapshot,
        ResolvedQuery resolved,
        List<Subquery.OfIndexer> indexers,
        Set<Integer> excusable,
        List<long[]> excused,
        List<String> stale,
        List<ChunkDescriptor> chunks,
        Pruning byDimension) {
    /**
     * Plans a query.
     *
     * @param reports of the stream's indexers
     * @param failed indexers that could not answer on an earlier plan: an old report excuses them too
     * @param planning what it may take
     */
    public static QueryPlan of(
            Query query,
            StreamSnapshot snapshot,
            Map<Integer, IndexerReports> reports,
            Set<Integer> failed,
            Planning planning) {
        ResolvedQuery resolved = ResolvedQuery.of(query, snapshot, planning);
        long[] demand = new long[snapshot.partitions()];
        Arrays.fill(demand, Long.MIN_VALUE);
        query.atLeast().forEach((partition, offset) -> demand(demand, partition, offset));
        SessionPositions seen = query.seen().of(snapshot.stream().id());
        seen.positions().forEach((partition, offset) -> demand(demand, partition, offset));
        List<Subquery.OfIndexer> indexers = new ArrayList<>();
        Set<Integer> excusable = new HashSet<>();
        List<long[]> excused = new ArrayList<>();
        List<String> stale = new ArrayList<>();
        // Where no key can match, all indexers are asked how far they are: the answer has positions, and keeps to a
        // demand.
        List<KeyInterval> asked = resolved.keys().isEmpty() ? List.of(KeyInterval.ALL) : resolved.keys();
        for (int indexer : snapshot.indexersFor(asked)) {
            IndexerCheckpoint checkpoint = snapshot.checkpoints().get(indexer);
            if (checkpoint == null) {
                throw new IllegalStateException(
                        "edit " + snapshot.edit() + ": indexer " + indexer + " has no checkpoint");
            }
            IndexerReports reported = reports.get(indexer);
            Control.@Nullable Report settled = reported == null ? null : reported.settled();
            long[] own = demandOf(indexer, demand, seen, reported);
            if (reported != null && excusesNow(reported, checkpoint, snapshot, resolved, own)) {
                excused.add(reported.last().watermarks());
                continue;
            }
            if (reported != null
                    && settled != null
                    && excusesLate(reported, settled, checkpoint, snapshot, resolved, demand)) {
                if (reported.isAway() || failed.contains(indexer)) {
                    excused.add(settled.watermarks());
                    stale.add("indexer " + indexer + " does not answer: what it took in the last "
                            + Math.max(1, reported.settledAge().toSeconds()) + " s may be missing");
                    continue;
                }
                excusable.add(indexer);
            }
            indexers.add(new Subquery.OfIndexer(
                    resolved.query(),
                    snapshot.stream().id(),
                    snapshot.stream().scales(),
                    indexer,
                    checkpoint.epoch(),
                    checkpoint.flushed(),
                    own));
        }
        List<ChunkDescriptor> chunks = new ArrayList<>();
        Map<Integer, Integer> byDimension = new TreeMap<>();
        List<KeyInterval> matching = resolved.isOfNoRow() ? List.of() : resolved.keys();
        snapshot.chunks(matching, resolved.spec().times(), chunk -> {
            int dimension = missedBy(resolved, chunk);
            if (dimension == WantedCells.NONE) {
                chunks.add(chunk);
            } else {
                byDimension.merge(dimension, 1, Integer::sum);
            }
        });
        chunks.sort(ChunkDescriptor::compareOrder);
        return new QueryPlan(
                snapshot,
                resolved,
                indexers,
                excusable,
                excused,
                stale,
                List.copyOf(chunks),
                pruning(resolved, byDimension));
    }

    /** The first dimension that rules a chunk out, {@link WantedCells#NONE} when none does. */
    static int missedBy(ResolvedQuery resolved, ChunkDescriptor chunk) {
        WantedCells cells = resolved.spec().cells();
        if (cells == null) {
            return WantedCells.NONE;
        }
        KeyBox box = chunk.box();
        KeyInterval keys = chunk.region().keys();
        return box != null
                ? cells.missedBy(box, keys.low(), keys.high())
                : cells.missedBetween(keys.low(), keys.high());
    }

    /** Numbers of chunks by dimension, as they are shown. */
    static Pruning pruning(ResolvedQuery resolved, Map<Integer, Integer> byDimension) {
        if (byDimension.isEmpty()) {
            return Pruning.NOTHING;
        }
        WantedCells cells = resolved.spec().cells();
        List<Pruning.Count> counts = new ArrayList<>();
        byDimension.forEach((dimension, number) -> {
            int field = Objects.requireNonNull(cells).field(dimension);
            String name = resolved.stream().schema().fields().get(field).name();
            counts.add(new Pruning.Count(PruneReason.DIMENSION.toString(), name, number));
        });
        return new Pruning(counts);
    }

    private static void demand(long[] demand, int partition, long offset) {
        if (partition < 0 || partition >= demand.length) {
            throw new IllegalArgumentException(
                    "query: partition " + partition + " is demanded, and the stream has " + demand.length);
        }
        demand[partition] = Math.max(demand[partition], offset);
    }

    /**
     * What is demanded of one indexer: of an answer's positions, which are those of the slowest, as much as of all; and
     * where it was ahead of them, what it has shown. It waits for none but itself: after a start, or until a block is
     * inserted, because what an instance has shown, it has or inserts (protocol rule 10).
     */
    private static long[] demandOf(
            int indexer, long[] ofAll, SessionPositions seen, @Nullable IndexerReports reported) {
        Map<Integer, Long> ahead = seen.aheadOf(indexer);
        long[] shown = reported == null ? new long[0] : reported.shown();
        if (ahead.isEmpty() && shown.length == 0) {
            return ofAll;
        }
        long[] own = ofAll.clone();
        ahead.forEach((partition, offset) -> demand(own, partition, offset));
        for (int p = 0; p < Math.min(own.length, shown.length); p++) {
            own[p] = Math.max(own[p], shown[p]);
        }
        return own;
    }

    private static boolean excusesNow(
            IndexerReports reported,
            IndexerCheckpoint checkpoint,
            StreamSnapshot snapshot,
            ResolvedQuery resolved,
            long[] demand) {
        Control.Report report = reported.last();
        return reported.isFresh()
                && report.epoch() == checkpoint.epoch()
                && !report.recovering()
                && report.version() <= snapshot.version()
                && proves(report, checkpoint, resolved, demand);
    }

    /**
     * Whether an old report excuses the indexer. It is right up to its old positions, unless partitions were added
     * since, or positions were given up, which makes a version. The query must ask for old times too; otherwise an
     * answer without the newest tuples would pass for one about them. What the indexer has shown ahead of an answer's
     * positions is not asked for: who is told that an answer is stale is told that it may lack that.
     */
    private static boolean excusesLate(
            IndexerReports reported,
            Control.Report settled,
            IndexerCheckpoint checkpoint,
            StreamSnapshot snapshot,
            ResolvedQuery resolved,
            long[] demand) {
        return settled.watermarks().length == snapshot.partitions()
                && settled.version() == snapshot.version()
                && reported.hadReached(resolved.spec().times().to())
                && proves(settled, checkpoint, resolved, demand);
    }

    /**
     * Whether the report proves that no tuple of the indexer that is below the report's watermarks, and not in the
     * snapshot's chunks, matches the query. The positions alone say which tuples these are, whether or not a task holds
     * them at present: so a report of an earlier life proves as much, of its own positions.
     */
    private static boolean proves(
            Control.Report report, IndexerCheckpoint checkpoint, ResolvedQuery resolved, long[] demand) {
        if (report.flushed() > checkpoint.flushed()) {
            return false;
        }
        if (report.watermarks().length < demand.length) {
            // Of an instance that does not know of all partitions, and is not yet replaced.
            return false;
        }
        for (int p = 0; p < demand.length; p++) {
            if (report.watermarks()[p] < demand[p]) {
                return false;
            }
        }
        @Nullable Region region = report.region();
        if (region == null) {
            return true;
        }
        return !region.times().overlaps(resolved.spec().times())
                || resolved.keys().stream().noneMatch(region.keys()::overlaps);
    }
}
