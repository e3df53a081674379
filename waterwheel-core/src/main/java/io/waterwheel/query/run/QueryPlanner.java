package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.Planning;
import io.waterwheel.query.plan.QueryPlan;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.tuple.TimeInterval;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Plans one query on one edit (protocol rule 8), again where a snapshot is too old, and reserves what its plans take:
 * its shape until this is closed, the chunks of the plan that is delivered until the query's reservation is. One
 * thread.
 */
final class QueryPlanner implements AutoCloseable {
    /** About what a chunk of a plan takes: its place in lists and in the dispatch. */
    private static final long CHUNK_BYTES = 200;

    private final Query query;
    private final SnapshotSource snapshots;
    private final Planning planning;
    private final Reservation memory;

    /** @param memory of the query; its creator closes it */
    QueryPlanner(Query query, SnapshotSource snapshots, Planning planning, Reservation memory) {
        this.query = query;
        this.snapshots = snapshots;
        this.planning = planning;
        this.memory = memory;
    }

    /** The snapshot to plan on first: as new as the stream and partitions that the query names, if the catalog is. */
    StreamSnapshot first() {
        StreamSnapshot snapshot = snapshots
                .snapshot(query.stream())
                .or(() -> snapshots.refreshed(query.stream()))
                .orElseThrow(this::noSuchStream);
        return knowsTooFew(snapshot) ? refreshed() : snapshot;
    }

    /** What is known, at no cost. */
    StreamSnapshot known() {
        return snapshots.snapshot(query.stream()).orElseThrow(this::noSuchStream);
    }

    /** What the catalog says. */
    StreamSnapshot refreshed() {
        return snapshots.refreshed(query.stream()).orElseThrow(this::noSuchStream);
    }

    /**
     * Whether something is demanded that came since the snapshot: a partition, another stream of the name, or what an
     * answer was planned on: chunks, an indexer that had tuples of it, a horizon. A catalog that was read again has all
     * edits there are, so an edit that it lacks is waited for no longer (protocol rule 10).
     */
    private boolean knowsTooFew(StreamSnapshot snapshot) {
        int id = snapshot.stream().id();
        SessionPositions seen = query.seen().of(id);
        return query.seen().isLaterThan(id)
                || isBeyond(query.atLeast(), snapshot)
                || isBeyond(seen.shown(), snapshot)
                || seen.edit() > snapshot.edit();
    }

    private static boolean isBeyond(Map<Integer, Long> positions, StreamSnapshot snapshot) {
        for (int partition : positions.keySet()) {
            if (partition >= snapshot.partitions()) {
                return true;
            }
        }
        return false;
    }

    /** @param failed indexers that could not answer on an earlier plan */
    QueryPlan plan(StreamSnapshot snapshot, Map<Integer, IndexerReports> reports, Set<Integer> failed) {
        return understood(() -> QueryPlan.of(query, snapshot, reports, failed, planning));
    }

    /** A plan of these chunks alone, by which no indexer is asked. */
    QueryPlan ofChunks(StreamSnapshot snapshot, List<ChunkDescriptor> chunks) {
        ResolvedQuery resolved = understood(() -> ResolvedQuery.of(query, snapshot, planning));
        List<ChunkDescriptor> read = resolved.isOfNoRow() ? List.of() : chunks;
        return new QueryPlan(snapshot, resolved, List.of(), Set.of(), List.of(), List.of(), read, Pruning.NOTHING);
    }

    /** The plan's query for times from there on, which are the only ones that can still change its answer. */
    ResolvedQuery since(long from, QueryPlan plan) {
        ResolvedQuery asked = plan.resolved();
        TimeInterval times = asked.query().times();
        if (from <= times.from()) {
            return asked;
        }
        Query narrowed = asked.query().withTimes(new TimeInterval(Math.min(from, times.to()), times.to()));
        return ResolvedQuery.of(narrowed, plan.snapshot().stream(), planning);
    }

    /** Reserves what a plan takes that is carried out. */
    void reserve(QueryPlan plan) {
        memory.reserve(CHUNK_BYTES * plan.chunks().size());
    }

    @Override
    public void close() {
        planning.close();
    }

    /** Makes something of a query. An error here is the fault of the query's author; a later one is not. */
    private static <T> T understood(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_QUERY, String.valueOf(e.getMessage()), e);
        }
    }

    private WaterwheelException noSuchStream() {
        return new WaterwheelException(
                ErrorCode.NO_SUCH_STREAM,
                "there is no stream '" + query.stream() + "'; 'waterwheel stream list' shows those there are");
    }
}
