package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LostRange;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes segments of a partition's records, each by the routing table in force at its offsets (protocol rules 1 and 4).
 * Owner: the dispatcher's thread.
 */
final class SegmentRouter {
    private final Segmenter segmenter;
    private final PartitionBlockers blockers;
    private final DeadLetterQueue letters;
    private final CatalogRequests requests;
    private final Map<Integer, RoutingTable> tables = new HashMap<>();

    SegmentRouter(Segmenter segmenter, PartitionBlockers blockers, DeadLetterQueue letters, CatalogRequests requests) {
        this.segmenter = segmenter;
        this.blockers = blockers;
        this.letters = letters;
        this.requests = requests;
    }

    /** Routing tables that it holds. */
    int tables() {
        return tables.size();
    }

    void add(RoutingTable table) {
        tables.put(table.version(), table);
    }

    /** The same with a schema that has the scales that the table names. */
    void add(RoutingTable table, Schema schema) {
        segmenter.learn(schema);
        add(table);
    }

    /** Lets go of tables that no route names any longer. */
    void forgetBelow(int firstVersion) {
        tables.keySet().removeIf(version -> version < firstVersion);
    }

    /**
     * Whether an indexer has got to its watermark by what it was sent. One that joins begins at a limit, which is ahead
     * of what was read: nothing below it was decided.
     */
    boolean hasAdvanced(PartitionRoute route, int indexer, long watermark) {
        for (PartitionRoute.VersionSince version : route.versions()) {
            RoutingTable table = tables.get(version.version());
            if (table != null && table.slotOfIndexer(indexer) >= 0) {
                return watermark > version.since();
            }
        }
        return false;
    }

    /** The next segment of these records, or null when the limit or a table is not there yet. */
    @Nullable
    Segment next(PendingBatch records, PartitionRoute route, BadRecords policy, long now) {
        for (LostRange gone = route.lostAt(records.from); gone != null; gone = route.lostAt(records.from)) {
            records.skipTo(Math.min(gone.to(), records.batch.to()));
            if (records.from >= records.batch.to()) {
                return null;
            }
        }
        if (records.from < route.firstSince() || records.from >= route.limit() || blockers.isAt(records.from)) {
            return null;
        }
        int version = route.versionAt(records.from);
        RoutingTable table = tables.get(version);
        if (table == null || !segmenter.knows(table.scales())) {
            requests.fetchTable(version, now);
            return null;
        }
        long bound = Math.min(route.nextChange(records.from), route.nextLost(records.from));
        Segment segment = segmenter.build(
                records.batch,
                records.index,
                records.from,
                bound,
                table,
                first -> blockers.passes(first, policy, letters));
        blockers.decoded(segmenter.records());
        String awaited = segmenter.awaited();
        if (awaited != null) {
            blockers.await(segment.to, awaited, now);
        }
        if (segment.from == segment.to) {
            segment.release();
            return null;
        }
        records.index = segmenter.next();
        records.from = segment.to;
        return segment;
    }
}
