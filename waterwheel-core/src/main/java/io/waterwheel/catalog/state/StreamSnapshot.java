package io.waterwheel.catalog.state;

import io.waterwheel.catalog.region.RegionIndex;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A stream's catalog at one edit number: routing tables, which holds where, every indexer's checkpoint, every chunk,
 * and before which time tuples are gone. Immutable; {@link #apply} makes the next. A query is planned on it (protocol
 * rule 8).
 */
public final class StreamSnapshot {
    private final StreamInfo stream;
    private final long edit;
    private final Map<Integer, RoutingTable> tables;
    /** By partition; the limits in it are those of creation and mean nothing here. */
    private final List<PartitionRoute> routes;

    private final Map<Integer, IndexerCheckpoint> checkpoints;
    private final Map<Integer, CheckpointMarks> marks;
    private final Unfinished unfinished;
    private final RegionIndex<ChunkDescriptor> chunks;
    private final long horizon;
    /** By indexer the versions under which it may hold unflushed tuples; made when first asked for. */
    private volatile @Nullable Map<Integer, int[]> inForce;
    /** Made when first asked for: every query asks, and there may be thousands of partitions. */
    private volatile @Nullable List<LostRange> lost;
    /** Made when first asked for. */
    private volatile long @Nullable [] highestCheckpoints;

    private final int version;

    /**
     * Changes that are not complete.
     *
     * @param announced versions that some partition may adopt, or have adopted, at an offset that is not recorded
     * @param narrow indexers that may run without knowing of all partitions
     */
    public record Unfinished(Set<Integer> announced, Set<Integer> narrow) {
        public static final Unfinished NOTHING = new Unfinished(Set.of(), Set.of());

        public Unfinished {
            announced = Collections.unmodifiableSet(new TreeSet<>(announced));
            narrow = Collections.unmodifiableSet(new TreeSet<>(narrow));
        }
    }

    StreamSnapshot(
            StreamInfo stream,
            long edit,
            Map<Integer, RoutingTable> tables,
            List<PartitionRoute> routes,
            Map<Integer, IndexerCheckpoint> checkpoints,
            Map<Integer, CheckpointMarks> marks,
            Unfinished unfinished,
            RegionIndex<ChunkDescriptor> chunks,
            long horizon) {
        this.stream = stream;
        this.edit = edit;
        this.tables = tables;
        this.routes = routes;
        this.checkpoints = checkpoints;
        this.marks = marks;
        this.unfinished = unfinished;
        this.chunks = chunks;
        this.horizon = horizon;
        this.version = tables.isEmpty() ? 0 : Collections.max(tables.keySet());
    }

    /** Before edit 1: nothing. */
    public static StreamSnapshot before(StreamInfo stream) {
        return new StreamSnapshot(
                stream,
                0,
                Map.of(),
                List.of(),
                Map.of(),
                Map.of(),
                Unfinished.NOTHING,
                RegionIndex.empty(),
                Retention.NO_HORIZON);
    }

    /**
     * As a manifest has it.
     *
     * @param chunks none of which ends before the horizon
     */
    public static StreamSnapshot restored(
            StreamInfo stream,
            long edit,
            Map<Integer, RoutingTable> tables,
            List<PartitionRoute> routes,
            Map<Integer, IndexerCheckpoint> checkpoints,
            Map<Integer, CheckpointMarks> marks,
            Unfinished unfinished,
            List<ChunkDescriptor> chunks,
            long horizon) {
        List<RegionIndex.Entry<ChunkDescriptor>> entries = new ArrayList<>(chunks.size());
        chunks.forEach(chunk -> entries.add(new RegionIndex.Entry<>(chunk.region(), chunk)));
        return new StreamSnapshot(
                stream.partitions() < routes.size() ? stream.withPartitions(routes.size()) : stream,
                edit,
                Map.copyOf(tables),
                List.copyOf(routes),
                Map.copyOf(checkpoints),
                Map.copyOf(marks),
                unfinished,
                RegionIndex.of(entries),
                horizon);
    }

    public StreamInfo stream() {
        return stream;
    }

    /** Number of the last edit in it; 0 when the stream is not created yet. */
    public long edit() {
        return edit;
    }

    /** The highest routing version in it. */
    public int version() {
        return version;
    }

    /** The version of the scales by which the newest keys are made; those of its chunks and trees are not above. */
    public int scales() {
        return version == 0 ? 1 : table(version).scales();
    }

    /** The same with more versions of scales in the stream's schema. */
    public StreamSnapshot withSchema(Schema schema) {
        return new StreamSnapshot(
                stream.withSchema(schema), edit, tables, routes, checkpoints, marks, unfinished, chunks, horizon);
    }

    /** Number of partitions at this edit. */
    public int partitions() {
        return routes.size();
    }

    /** What of the stream's positions is given up, by partition and position. */
    public List<LostRange> lost() {
        List<LostRange> known = lost;
        if (known == null) {
            known = routes.stream().flatMap(route -> route.lost().stream()).toList();
            lost = known;
        }
        return known;
    }

    /** By logical indexer id. */
    public Map<Integer, IndexerCheckpoint> checkpoints() {
        return checkpoints;
    }

    /** By partition, the highest position of any checkpoint: every tuple of a chunk lies below it. */
    public long[] highestCheckpoints() {
        long[] highest = highestCheckpoints;
        if (highest == null) {
            highest = new long[routes.size()];
            for (IndexerCheckpoint checkpoint : checkpoints.values()) {
                for (int p = 0; p < highest.length; p++) {
                    highest[p] = Math.max(highest[p], checkpoint.watermarks()[p]);
                }
            }
            highestCheckpoints = highest;
        }
        return highest;
    }

    /** By logical indexer id, some of the checkpoints that it has had, the first among them. */
    public Map<Integer, CheckpointMarks> marks() {
        return marks;
    }

    /**
     * Indexers that may run without knowing of all partitions; the process that extended the stream has not told them
     * yet.
     */
    public Set<Integer> narrow() {
        return unfinished.narrow();
    }

    public Unfinished unfinished() {
        return unfinished;
    }

    /** The newest table that is announced and not recorded as adopted everywhere; nothing when all are. */
    public Optional<RoutingTable> announced() {
        return unfinished.announced().stream().max(Integer::compare).map(this::table);
    }

    /** Partitions of which it is not recorded that they have adopted what is announced, ascending. */
    public List<Integer> notAdopted() {
        int newest = announced().map(RoutingTable::version).orElse(0);
        return IntStream.range(0, routes.size())
                .filter(p -> routes.get(p).newestVersion() < newest)
                .boxed()
                .toList();
    }

    public Map<Integer, RoutingTable> tables() {
        return tables;
    }

    List<PartitionRoute> routes() {
        return routes;
    }

    RegionIndex<ChunkDescriptor> chunkIndex() {
        return chunks;
    }

    public List<RegionIndex.Entry<ChunkDescriptor>> allChunks() {
        return chunks.entries();
    }

    public int chunkCount() {
        return chunks.size();
    }

    /**
     * Tuples of times before it are gone: no answer on this snapshot has one. {@link Retention#NO_HORIZON} when nothing
     * is.
     */
    public long horizon() {
        return horizon;
    }

    /** The times of the chunks, from the oldest tuple to the newest; empty when there is no chunk. */
    public Optional<TimeInterval> times() {
        return chunks.span().map(Region::times);
    }

    /** Whether a chunk ends before a horizon: all of it is gone then. */
    public static boolean isBefore(long horizon, ChunkDescriptor chunk) {
        return chunk.region().times().to() < horizon;
    }

    /** The routes of a partition: which version holds from where; its limit means nothing here. */
    public PartitionRoute route(int partition) {
        return routes.get(partition);
    }

    /** A routing table that is in it. */
    public RoutingTable table(int version) {
        RoutingTable table = tables.get(version);
        if (table == null) {
            throw new IllegalStateException("stream " + stream.name() + ", edit " + edit + ": no table " + version);
        }
        return table;
    }

    /** Calls back for every chunk whose region overlaps. */
    public void chunks(Region region, Consumer<ChunkDescriptor> hit) {
        chunks.search(region, hit);
    }

    /**
     * Calls back for every chunk of these times whose keys overlap one of the intervals: once for each chunk.
     *
     * @param keys ascending and disjoint
     */
    public void chunks(List<KeyInterval> keys, TimeInterval times, Consumer<ChunkDescriptor> hit) {
        chunks.search(keys, times, hit);
    }

    /**
     * Ids of the indexers that may hold unflushed tuples of these keys: those whose interval meets them under any
     * version in force at or after their checkpoint.
     */
    public List<Integer> indexersFor(List<KeyInterval> keys) {
        Map<Integer, int[]> versions = inForce;
        if (versions == null) {
            versions = versionsInForce();
            inForce = versions;
        }
        List<Integer> ids = new ArrayList<>();
        versions.forEach((indexer, of) -> {
            for (int version : of) {
                if (meets(version, indexer, keys)) {
                    ids.add(indexer);
                    break;
                }
            }
        });
        ids.sort(null);
        return ids;
    }

    /** For each indexer; the same for every query, and partitions times indexers to find out. */
    private Map<Integer, int[]> versionsInForce() {
        Map<Integer, int[]> all = new HashMap<>();
        checkpoints.forEach((indexer, checkpoint) -> {
            BitSet inForceHere = new BitSet();
            int oldest = oldestVersion();
            int least = Integer.MAX_VALUE;
            for (int p = 0; p < routes.size(); p++) {
                PartitionRoute route = routes.get(p);
                List<PartitionRoute.VersionSince> versions = route.versions();
                for (int v = 0; v < versions.size(); v++) {
                    boolean past = v + 1 < versions.size()
                            && versions.get(v + 1).since() <= checkpoint.watermarks()[p];
                    if (!past) {
                        inForceHere.set(versions.get(v).version() - oldest);
                    }
                }
                least = Math.min(least, route.newestVersion());
            }
            for (int version : unfinished.announced()) {
                // From which offset on is not known: some partition may have adopted it.
                if (version > least) {
                    inForceHere.set(version - oldest);
                }
            }
            all.put(indexer, inForceHere.stream().map(bit -> bit + oldest).toArray());
        });
        return all;
    }

    private int oldestVersion() {
        return tables.keySet().stream().mapToInt(Integer::intValue).min().orElse(0);
    }

    private boolean meets(int version, int indexer, List<KeyInterval> keys) {
        RoutingTable table = table(version);
        int slot = table.slotOfIndexer(indexer);
        if (slot < 0) {
            return false;
        }
        KeyInterval own = table.interval(slot);
        for (int i = 0; i < keys.size(); i++) {
            if (own.overlaps(keys.get(i))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The snapshot after one more edit.
     *
     * @param number the edit's; must be {@code edit() + 1}
     */
    public StreamSnapshot apply(long number, Edit change) {
        if (number != edit + 1) {
            throw new IllegalArgumentException(
                    "stream " + stream.name() + ": edit " + number + " does not follow edit " + edit);
        }
        SnapshotBuilder next = new SnapshotBuilder(this);
        change.applyTo(next);
        return next.build();
    }

    /** Whether a chunk is read at this edit. */
    public boolean holds(ChunkDescriptor chunk) {
        boolean[] found = {false};
        chunks.search(chunk.region(), other -> found[0] |= other.equals(chunk));
        return found[0];
    }
}
