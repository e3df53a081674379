package io.waterwheel.catalog;

import io.waterwheel.catalog.StreamCatalog.CommitOutcome;
import io.waterwheel.catalog.StreamCatalog.IndexerStart;
import io.waterwheel.catalog.StreamCatalog.VersionedRoute;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the checkpoints of a stream's indexers stand and change: an instance starts, a flush is committed (protocol rules
 * 3 and 7). Thread-safe as far as its store is; calls block.
 */
final class IndexerChanges {
    private static final Logger LOG = LoggerFactory.getLogger(IndexerChanges.class);

    private final CatalogStore store;
    private final StreamCatalog catalog;
    private final StreamInfo stream;
    private final EditTail tail;
    private final RoutingChanges routing;
    /** Right for every indexer that stands there, whenever it was read. */
    private volatile @Nullable Beginnings beginnings;

    /** Where the routes of partitions begin, from one partition on. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Beginnings(int from, long[] offsets) {}

    IndexerChanges(CatalogStore store, StreamCatalog catalog, EditTail tail, RoutingChanges routing) {
        this.store = store;
        this.catalog = catalog;
        this.stream = catalog.stream();
        this.tail = tail;
        this.routing = routing;
    }

    /** The checkpoint of an indexer as it stands. */
    IndexerCheckpoint checkpoint(int indexer) {
        String path = catalog.indexerPath(indexer);
        return whole(CatalogJson.readCheckpoint(path, require(path).data()));
    }

    /**
     * With the watermarks of partitions that the indexer's node does not have: it has taken nothing of them, and stands
     * where their routes begin, which forget nothing as long as this is so.
     */
    private IndexerCheckpoint whole(IndexerCheckpoint checkpoint) {
        int known = checkpoint.watermarks().length;
        if (known >= stream.partitions()) {
            return checkpoint;
        }
        Beginnings read = beginnings;
        if (read == null || read.from() > known) {
            read = new Beginnings(
                    known,
                    routing.routes(known, stream.partitions()).stream()
                            .mapToLong(route -> route.route().firstSince())
                            .toArray());
            beginnings = read;
        }
        return checkpoint.with(Arrays.copyOfRange(read.offsets(), known - read.from(), read.offsets().length));
    }

    /** Raises the epoch of an indexer that knows of fewer partitions than there are. */
    void widen(int indexer) {
        String path = catalog.indexerPath(indexer);
        if (CatalogJson.readCheckpoint(path, require(path).data()).watermarks().length < stream.partitions()) {
            IndexerStart raised = start(indexer);
            LOG.debug(
                    "stream {}: indexer {} is at epoch {}",
                    stream.name(),
                    indexer,
                    raised.checkpoint().epoch());
        }
    }

    /** Starts an instance of an indexer: raises the epoch; what the raise was based on is the checkpoint (rule 3). */
    IndexerStart start(int indexer) {
        String path = catalog.indexerPath(indexer);
        // If a try was done without the caller's knowledge, its epoch is skipped: no indexer runs under it.
        return catalog.transaction("indexer " + indexer + " could not start").run(before -> {
            EditTail.Place place = tail.place(before);
            StreamCatalog.Entry entry = catalog.entry();
            CatalogStore.Node node = require(path);
            // Partitions that come after this come with an edit, and the commit fails.
            if (entry.info().partitions() != stream.partitions()) {
                throw new WaterwheelException(
                        ErrorCode.STREAM_CHANGED,
                        "stream " + stream.name() + " has " + entry.info().partitions() + " partitions now, not "
                                + stream.partitions() + "; read its entry again");
            }
            IndexerCheckpoint old = whole(CatalogJson.readCheckpoint(path, node.data()));
            IndexerCheckpoint raised =
                    new IndexerCheckpoint(old.epoch() + 1, old.flushed(), old.watermarks(), old.rejected());
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(path, CatalogJson.write(raised), node.version()));
            entry.upgrade(ops);
            tail.commit(place, new Edit.Started(indexer, raised.epoch()), ops);
            return new IndexerStart(raised, node.version() + 1);
        });
    }

    /**
     * Commits a flush, see {@link StreamCatalog#commitFlush(int, int, IndexerCheckpoint, List)}.
     *
     * @param flushed the edit that tells of it
     */
    CommitOutcome commitFlush(int indexer, int nodeVersion, Edit.Flushed flushed, IndexerCheckpoint next) {
        String path = catalog.indexerPath(indexer);
        byte[] edit = CatalogJson.write(flushed);
        return catalog.transaction("flush " + next.flushed() + " of indexer " + indexer + " could not be committed")
                .run(before -> {
                    if (before != null) {
                        CatalogStore.Node node = require(path);
                        IndexerCheckpoint current = CatalogJson.readCheckpoint(path, node.data());
                        if (current.epoch() != next.epoch()) {
                            return new CommitOutcome.Fenced(current.epoch());
                        }
                        if (current.flushed() == next.flushed()) {
                            return new CommitOutcome.Done(node.version());
                        }
                        if (current.flushed() != next.flushed() - 1) {
                            throw new IllegalStateException("stream " + stream.name() + ", indexer " + indexer
                                    + ": flush " + next.flushed() + " cannot follow flush " + current.flushed());
                        }
                    }
                    EditTail.Place place = tail.place(before);
                    tail.commit(place, edit, List.of(new Op.Set(path, CatalogJson.write(next), nodeVersion)));
                    return new CommitOutcome.Done(nodeVersion + 1);
                });
    }

    /** See {@link StreamCatalog#furthest}. */
    long[] furthest() {
        Map<Integer, RoutingTable> tables = new HashMap<>();
        long[] furthest = new long[stream.partitions()];
        List<IndexerCheckpoint> checkpoints = new ArrayList<>();
        for (int indexer = 0; indexer < stream.indexers(); indexer++) {
            checkpoints.add(checkpoint(indexer));
        }
        List<VersionedRoute> routes = routing.routes(0, furthest.length);
        for (int p = 0; p < furthest.length; p++) {
            List<PartitionRoute.VersionSince> versions = routes.get(p).route().versions();
            furthest[p] = versions.get(0).since();
            for (int indexer = 0; indexer < checkpoints.size(); indexer++) {
                long watermark = checkpoints.get(indexer).watermarks()[p];
                int id = indexer;
                boolean begins = versions.stream()
                        .filter(version -> tables.computeIfAbsent(version.version(), catalog::table)
                                        .slotOfIndexer(id)
                                >= 0)
                        .findFirst()
                        .map(first -> watermark <= first.since())
                        .orElse(true);
                if (!begins) {
                    furthest[p] = Math.max(furthest[p], watermark);
                }
            }
        }
        return furthest;
    }

    private CatalogStore.Node require(String path) {
        return store.read(path).orElseThrow(() -> new StreamGoneException(stream.name(), path));
    }
}
