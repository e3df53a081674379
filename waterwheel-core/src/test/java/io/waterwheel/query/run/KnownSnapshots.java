package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Of whatever stream these snapshots.
 *
 * @param now what a refresh finds
 */
record KnownSnapshots(StreamSnapshot known, StreamSnapshot now, Map<Integer, IndexerReports> reports)
        implements SnapshotSource {
    KnownSnapshots(StreamSnapshot known) {
        this(known, known, Map.of());
    }

    /** Of one indexer, whose chunk i holds three tuples of times from 100 i to 100 i + 99. */
    static StreamSnapshot ofChunks(StreamInfo stream, int count) {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(new ChunkDescriptor("c" + i, 0, 1, 1, i, 3, 1, Region.of(0, 9, i * 100L, i * 100L + 99)));
        }
        return StreamSnapshot.before(stream)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), chunks));
    }

    @Override
    public Optional<StreamSnapshot> snapshot(String stream) {
        return Optional.of(known);
    }

    @Override
    public Optional<StreamSnapshot> refreshed(String stream) {
        return Optional.of(now);
    }

    @Override
    public Map<Integer, IndexerReports> reports(int streamId) {
        return reports;
    }

    @Override
    public void shown(int streamId, int indexer, long[] watermarks) {}
}
