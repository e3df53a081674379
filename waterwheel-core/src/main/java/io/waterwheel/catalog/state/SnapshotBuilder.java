package io.waterwheel.catalog.state;

import io.waterwheel.catalog.region.RegionIndex;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A snapshot on its way to the next edit: it begins as the one before, an edit applies itself to it, and then the next
 * is built. Used once. Not thread-safe.
 */
final class SnapshotBuilder {
    /** When more than one chunk in this number goes, the index is made anew. */
    private static final int REBUILD_FRACTION = 8;

    private final StreamSnapshot before;
    /** Those before it, until they change. */
    private Map<Integer, RoutingTable> tables;

    private List<PartitionRoute> routes;
    private final Map<Integer, IndexerCheckpoint> checkpoints;
    private final Map<Integer, CheckpointMarks> marks;
    private final Set<Integer> announced;
    private final Set<Integer> narrow;
    private RegionIndex<ChunkDescriptor> chunks;
    private long horizon;
    /** Whether a table may have become needless, or been adopted everywhere. */
    private boolean rerouted;

    SnapshotBuilder(StreamSnapshot before) {
        this.before = before;
        this.tables = before.tables();
        this.routes = before.routes();
        this.checkpoints = new HashMap<>(before.checkpoints());
        this.marks = new HashMap<>(before.marks());
        this.announced = new HashSet<>(before.unfinished().announced());
        this.narrow = new HashSet<>(before.unfinished().narrow());
        this.chunks = before.chunkIndex();
        this.horizon = before.horizon();
    }

    /** A routing table is there. */
    void table(RoutingTable table) {
        ownTables().put(table.version(), table);
    }

    private Map<Integer, RoutingTable> ownTables() {
        if (tables == before.tables()) {
            tables = new HashMap<>(tables);
        }
        return tables;
    }

    private List<PartitionRoute> ownRoutes() {
        if (routes == before.routes()) {
            routes = new ArrayList<>(routes);
        }
        return routes;
    }

    /** A routing table is there that any partition may adopt. */
    void announce(RoutingTable table) {
        table(table);
        announced.add(table.version());
        rerouted = true;
    }

    /** A partition follows those there are: one table holds in it from its start. */
    void addPartition(int version, long start) {
        ownRoutes().add(new PartitionRoute(start, List.of(new PartitionRoute.VersionSince(version, start))));
    }

    /** The route of a partition changes; of its versions those go that every checkpoint has passed. */
    void changeRoute(int partition, UnaryOperator<PartitionRoute> change) {
        ownRoutes().set(partition, change.apply(routes.get(partition)).withoutVersionsBelow(covered(partition)));
        rerouted = true;
    }

    /** The offset of a partition that every checkpoint had reached before this edit. */
    private long covered(int partition) {
        long covered = Long.MAX_VALUE;
        for (IndexerCheckpoint checkpoint : before.checkpoints().values()) {
            covered = Math.min(covered, checkpoint.watermarks()[partition]);
        }
        return covered;
    }

    /** An indexer that is new begins at a checkpoint. */
    void addIndexer(int indexer, IndexerCheckpoint first) {
        checkpoints.put(indexer, first);
        marks.put(indexer, CheckpointMarks.beginning(first));
    }

    /** An indexer started, and so knows of all partitions. */
    void start(int indexer, int epoch) {
        IndexerCheckpoint old = checkpointOf(indexer);
        checkpoints.put(indexer, new IndexerCheckpoint(epoch, old.flushed(), old.watermarks(), old.rejected()));
        narrow.remove(indexer);
    }

    /** An indexer's checkpoint moved, and these chunks hold what lies between. */
    void flush(int indexer, CheckpointStep step, List<ChunkDescriptor> added) {
        IndexerCheckpoint next = step.from(checkpointOf(indexer));
        checkpoints.put(indexer, next);
        marks.computeIfPresent(indexer, (id, old) -> old.flushed(next));
        List<RegionIndex.Entry<ChunkDescriptor>> more = new ArrayList<>();
        for (ChunkDescriptor chunk : added) {
            requireBox(chunk);
            if (!StreamSnapshot.isBefore(horizon, chunk)) {
                more.add(new RegionIndex.Entry<>(chunk.region(), chunk));
            }
        }
        chunks = chunks.with(more);
    }

    /** Wrong bounds would leave out rows: edits are read from bytes. */
    private void requireBox(ChunkDescriptor chunk) {
        KeyBox box = chunk.box();
        if (box != null) {
            try {
                KeyDimensions.of(before.stream().schema())
                        .requireBoxOf(chunk.region().keys(), box);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(at() + ", chunk " + chunk.file() + ": " + e.getMessage(), e);
            }
        }
    }

    private IndexerCheckpoint checkpointOf(int indexer) {
        IndexerCheckpoint checkpoint = checkpoints.get(indexer);
        if (checkpoint == null) {
            throw new IllegalStateException(at() + ": no indexer " + indexer);
        }
        return checkpoint;
    }

    private String at() {
        return "stream " + before.stream().name() + ", edit " + (before.edit() + 1);
    }

    /** Every checkpoint has the partitions that were added; that its instance knows of them, a later start says. */
    void extend(long[] starts) {
        checkpoints.replaceAll((indexer, checkpoint) -> checkpoint.with(starts));
        marks.replaceAll((indexer, old) -> old.with(starts));
        narrow.addAll(checkpoints.keySet());
    }

    /** The epoch of every indexer was raised, so that all know of the partitions that were added. */
    void extendRaised(long[] starts) {
        checkpoints.replaceAll((indexer, checkpoint) -> checkpoint.extended(starts));
        marks.replaceAll((indexer, old) -> old.extended(starts));
    }

    /** Chunks are read no longer, another is instead. */
    void merge(List<String> inputs, ChunkDescriptor output) {
        requireBox(output);
        Set<String> files = new HashSet<>(inputs);
        List<ChunkDescriptor> gone = new ArrayList<>();
        // What the output holds it has from the inputs, so its region meets theirs.
        chunks.search(output.region(), chunk -> {
            if (files.contains(chunk.file())) {
                gone.add(chunk);
            }
        });
        if (gone.size() != files.size()) {
            throw new IllegalStateException(at() + ": a merge of " + files + " found only " + gone);
        }
        remove(gone);
        chunks = chunks.with(List.of(new RegionIndex.Entry<>(output.region(), output)));
    }

    private void remove(List<ChunkDescriptor> gone) {
        for (ChunkDescriptor chunk : gone) {
            chunks = chunks.without(new RegionIndex.Entry<>(chunk.region(), chunk));
        }
    }

    /**
     * The horizon is at least here, and chunks that end before it are read no longer. Time: linear in all chunks when
     * many go, else in those that go.
     */
    void expire(long least) {
        horizon = Math.max(horizon, least);
        if (horizon == Retention.NO_HORIZON) {
            return;
        }
        List<ChunkDescriptor> gone = new ArrayList<>();
        Region passed = new Region(KeyInterval.ALL, new TimeInterval(Long.MIN_VALUE, horizon - 1));
        chunks.search(passed, chunk -> {
            if (StreamSnapshot.isBefore(horizon, chunk)) {
                gone.add(chunk);
            }
        });
        if (gone.size() > chunks.size() / REBUILD_FRACTION) {
            List<RegionIndex.Entry<ChunkDescriptor>> left = chunks.entries();
            left.removeIf(entry -> StreamSnapshot.isBefore(horizon, entry.value()));
            chunks = RegionIndex.of(left);
        } else {
            remove(gone);
        }
    }

    /** The next snapshot. */
    StreamSnapshot build() {
        if (rerouted) {
            announced.removeIf(version -> routes.stream().allMatch(route -> route.newestVersion() >= version));
            Set<Integer> needed = new HashSet<>(announced);
            for (PartitionRoute route : routes) {
                route.versions().forEach(version -> needed.add(version.version()));
            }
            ownTables().keySet().retainAll(needed);
        }
        StreamInfo stream = before.stream();
        return new StreamSnapshot(
                stream.partitions() < routes.size() ? stream.withPartitions(routes.size()) : stream,
                before.edit() + 1,
                Map.copyOf(tables),
                List.copyOf(routes),
                Map.copyOf(checkpoints),
                Map.copyOf(marks),
                new StreamSnapshot.Unfinished(announced, narrow),
                chunks,
                horizon);
    }
}
