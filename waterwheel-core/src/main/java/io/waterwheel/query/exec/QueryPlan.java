package io.waterwheel.query.exec;

import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.catalog.IndexerCheckpoint;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.Region;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A query on one snapshot: which indexers are asked, which chunks are read (protocol rule 8). A pure function of the
 * query, the snapshot and the reports.
 *
 * @param snapshot what it is planned on
 * @param resolved the query in terms of the stream's schema, less what is gone at the snapshot
 * @param indexers the indexers to ask
 * @param excused watermarks of indexers left out because a report shows that they hold nothing of it
 * @param chunks the chunks to read
 */
public record QueryPlan(
        StreamSnapshot snapshot,
        ResolvedQuery resolved,
        List<Subquery.OfIndexer> indexers,
        List<long[]> excused,
        List<ChunkDescriptor> chunks) {
    /**
     * Plans a query.
     *
     * @param reports the latest report of each indexer of the stream
     */
    public static QueryPlan of(Query query, StreamSnapshot snapshot, Map<Integer, Control.Report> reports) {
        ResolvedQuery resolved = ResolvedQuery.of(query, snapshot);
        long[] demand = new long[snapshot.partitions()];
        Arrays.fill(demand, Long.MIN_VALUE);
        query.atLeast().forEach((partition, offset) -> demand(demand, partition, offset));
        query.seen().forEach((partition, offset) -> demand(demand, partition, offset));
        List<Subquery.OfIndexer> indexers = new ArrayList<>();
        List<long[]> excused = new ArrayList<>();
        for (int indexer : snapshot.indexersFor(resolved.keys())) {
            IndexerCheckpoint checkpoint = snapshot.checkpoints().get(indexer);
            if (checkpoint == null) {
                throw new IllegalStateException(
                        "edit " + snapshot.edit() + ": indexer " + indexer + " has no checkpoint");
            }
            Control.Report report = reports.get(indexer);
            if (report != null && excuses(report, checkpoint, snapshot, resolved, demand)) {
                excused.add(report.watermarks());
            } else {
                indexers.add(new Subquery.OfIndexer(
                        resolved.query(), snapshot.stream().id(), indexer, checkpoint.epoch(), checkpoint.flushed(), demand));
            }
        }
        // Intervals may share chunks: each chunk once.
        Map<String, ChunkDescriptor> chunks = new TreeMap<>();
        for (KeyInterval interval : resolved.keys()) {
            snapshot.chunks(new Region(interval, resolved.spec().times()), chunk -> chunks.put(chunk.file(), chunk));
        }
        return new QueryPlan(snapshot, resolved, indexers, excused, List.copyOf(chunks.values()));
    }

    private static void demand(long[] demand, int partition, long offset) {
        if (partition < 0 || partition >= demand.length) {
            throw new IllegalArgumentException(
                    "query: partition " + partition + " is demanded, and the stream has " + demand.length);
        }
        demand[partition] = Math.max(demand[partition], offset);
    }

    /** Whether the report proves that the indexer's trees above the snapshot's flush hold nothing of the query. */
    private static boolean excuses(
            Control.Report report,
            IndexerCheckpoint checkpoint,
            StreamSnapshot snapshot,
            ResolvedQuery resolved,
            long[] demand) {
        if (report.epoch() != checkpoint.epoch()
                || report.recovering()
                || report.flushed() > checkpoint.flushed()
                || report.version() > snapshot.version()) {
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
