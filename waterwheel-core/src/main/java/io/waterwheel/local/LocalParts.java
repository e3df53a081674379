package io.waterwheel.local;

import io.waterwheel.catalog.EditLog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.ViewHolder;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The one indexer, the one query server and the catalog of a local stream, as a query sees them. Thread-safe. */
final class LocalParts implements SnapshotSource, Endpoints, Endpoints.QueryServer, Endpoints.Indexer {
    private final StreamInfo stream;
    private final RowLayout layout;
    private final EditLog log;
    private final FreshReader fresh;
    private final ChunkScan chunks;

    LocalParts(StreamInfo stream, EditLog log, ViewHolder slot, ChunkStore store, ChunkCache cache) {
        this.stream = stream;
        this.layout = RowLayout.of(stream.schema());
        this.log = log;
        // No channel can fall silent: there is none.
        this.fresh = new FreshReader(slot, Long.MAX_VALUE);
        this.chunks = new ChunkScan(store, cache);
    }

    @Override
    public Optional<StreamSnapshot> snapshot(String name) {
        return name.equals(stream.name()) ? Optional.of(log.snapshot()) : Optional.empty();
    }

    @Override
    public Optional<StreamSnapshot> refreshed(String name) {
        return snapshot(name);
    }

    @Override
    public Map<Integer, IndexerReports> reports(int streamId) {
        return Map.of();
    }

    /** No report excuses anybody here. */
    @Override
    public void shown(int streamId, int indexer, long[] watermarks) {}

    @Override
    public Endpoints.@Nullable Indexer indexer(int indexer) {
        return this;
    }

    @Override
    public List<QueryServer> queryServers() {
        return List.of(this);
    }

    @Override
    public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
        return Map.of();
    }

    @Override
    public IndexerReply ask(
            Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadlineNanos, BooleanSupplier givenUp)
            throws InterruptedException {
        return fresh.ask(subquery, resolved.spec(), deadlineNanos, givenUp);
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public String host() {
        return "localhost";
    }

    @Override
    public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
            throws IOException {
        return chunks.scan(subquery.file(), layout, resolved.spec(), subquery.piece(), sink);
    }
}
