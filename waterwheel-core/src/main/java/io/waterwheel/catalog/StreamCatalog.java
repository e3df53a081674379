package io.waterwheel.catalog;

import io.waterwheel.catalog.state.CheckpointStep;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Dimension;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.LostRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One stream's entries in the catalog, and the only ways in which they change. Every change is one transaction that
 * carries its own precondition, so any number of instances may work on the same stream, stale ones included.
 * Thread-safe as far as its store is; calls block. Changes of the routing are in {@link RoutingChanges}, those of
 * indexers in {@link IndexerChanges}.
 *
 * <pre>
 * /streams/NAME         the stream, its id among it
 * /data/ID/tables/V     routing table V
 * /data/ID/routes/P     limit and versions of partition P
 * /data/ID/indexers/I   checkpoint of indexer I
 * /data/ID/edits/N      edit N, ten digits
 * /data/ID/manifest     which files hold the catalog up to which edit
 * </pre>
 *
 * <p>Beside these are {@link LogMemory} and {@link MadeTopic}.
 */
public final class StreamCatalog {
    /** Versions that a route may have before giving up a range drops those that are needed no more. */
    private static final int KEPT_VERSIONS = 8;

    /** New partitions that are taken up in one transaction; one of ZooKeeper's holds some 4,000. */
    static final int MAX_EXTENSION = 1_000;

    /** A route with the node version that a compare-and-set needs. */
    public record VersionedRoute(PartitionRoute route, int nodeVersion) {}

    /** An indexer's start: the checkpoint it goes on from, its epoch already raised in it. */
    public record IndexerStart(IndexerCheckpoint checkpoint, int nodeVersion) {}

    /** How a commit ended. */
    public sealed interface CommitOutcome {
        /** It is in the catalog, now or by an earlier try whose answer was lost. */
        record Done(int nodeVersion) implements CommitOutcome {}

        /** A successor has raised the epoch: this instance must stop. */
        record Fenced(int epoch) implements CommitOutcome {}
    }

    private final CatalogStore store;
    private final StreamInfo stream;
    private final String base;
    private final EditTail tail;
    private final RoutingChanges routing;
    private final IndexerChanges indexers;
    /** The stream with as many versions of scales as are known here. */
    private volatile StreamInfo scaled;

    public StreamCatalog(CatalogStore store, StreamInfo stream) {
        this.store = store;
        this.stream = stream;
        this.scaled = stream;
        // By id, not by name: a process that still works on a dropped stream never meets the one created after it.
        this.base = Namespace.dataPath(stream.id());
        this.tail = new EditTail(store, stream);
        this.routing = new RoutingChanges(store, this, tail);
        this.indexers = new IndexerChanges(store, this, tail, routing);
    }

    public StreamInfo stream() {
        return stream;
    }

    /**
     * The stream with the scales of its dimensions up to a version, or beyond, as its entry has them. A version never
     * changes once a routing table names it, so what is known here is enough where it goes so far.
     *
     * @param scales that a routing table names
     * @throws WaterwheelException TEMPORARY when the catalog is away
     */
    public StreamInfo scaled(int scales) {
        StreamInfo known = scaled;
        if (known.scales() < scales) {
            store.sync();
            known = stream.withSchema(entry().info().schema());
            if (known.scales() < scales) {
                throw new CorruptCatalogException(
                        Namespace.path(stream.name()),
                        new IOException("expected " + scales + " versions of scales, which a routing table names, got "
                                + known.scales()));
            }
            scaled = known;
        }
        return known;
    }

    /** Returns when later reads see everything that was committed, by anyone, before the call. */
    public void sync() {
        store.sync();
    }

    /** Path of a partition's route; watch it to learn of new limits and versions. */
    public String routePath(int partition) {
        return base + "/routes/" + partition;
    }

    String indexerPath(int indexer) {
        return base + "/indexers/" + indexer;
    }

    /** The operations that create a stream of this table and these start offsets. */
    List<Op> creation(RoutingTable table, long[] starts, LogIdentity log) {
        List<Op> ops = new ArrayList<>();
        ops.add(new Op.Create(Namespace.path(stream.name()), CatalogJson.write(stream)));
        ops.add(new Op.Create(base, new byte[0]));
        for (String folder : List.of("tables", "routes", "indexers", "edits")) {
            ops.add(new Op.Create(base + "/" + folder, new byte[0]));
        }
        ops.add(new Op.Create(tablePath(table.version()), CatalogJson.write(table)));
        List<Long> startList = new ArrayList<>();
        for (int p = 0; p < starts.length; p++) {
            PartitionRoute route = new PartitionRoute(
                    starts[p], List.of(new PartitionRoute.VersionSince(table.version(), starts[p])), log, List.of());
            ops.add(new Op.Create(routePath(p), CatalogJson.write(route)));
            startList.add(starts[p]);
        }
        for (int indexer : table.indexers()) {
            // Without watermarks: an indexer stands where the routes begin.
            ops.add(new Op.Create(
                    indexerPath(indexer), CatalogJson.write(new IndexerCheckpoint(0, 0, new long[0], 0))));
        }
        ops.add(new Op.Create(tail.pointerPath(), new byte[0]));
        ops.add(new Op.Create(tail.editPath(1), CatalogJson.write(new Edit.Created(table, startList))));
        return ops;
    }

    /** The route of a partition as it stands. */
    public VersionedRoute route(int partition) {
        String path = routePath(partition);
        CatalogStore.Node node = require(path);
        return new VersionedRoute(CatalogJson.readRoute(path, node.data()), node.version());
    }

    /**
     * Routing table of a version.
     *
     * @throws WaterwheelException TEMPORARY when no route names it now: the one that did was read too long ago
     */
    public RoutingTable table(int version) {
        return findTable(version)
                .orElseThrow(() -> new WaterwheelException(
                        ErrorCode.TABLE_GONE,
                        "stream " + stream.name() + ": routing table " + version
                                + " is no longer needed by any route; read the route again"));
    }

    /** Routing table of a version, or nothing when no route names it now. */
    public Optional<RoutingTable> findTable(int version) {
        String path = tablePath(version);
        Optional<CatalogStore.Node> node = store.read(path);
        if (node.isEmpty()) {
            require(base + "/tables");
        }
        return node.map(present -> CatalogJson.readTable(path, present.data()));
    }

    String tablePath(int version) {
        return base + "/tables/" + version;
    }

    /**
     * Raises the limit of a partition to at least this offset; others may do the same at once. A reader of another log
     * than the route is of raises nothing: so nothing of the old log is ever routed where the new one is.
     *
     * @param log that the caller reads
     * @return the route as it stands afterwards
     */
    public VersionedRoute raiseLimit(int partition, long limit, LogIdentity log) {
        return changeRoute(
                partition,
                "get a higher limit",
                route -> route.limit() >= limit || !route.log().equals(log) ? route : route.withLimit(limit));
    }

    /**
     * Lets another log follow in a partition, unless somebody has done so already.
     *
     * @param old the log that it follows
     * @param topicId of the new log
     * @param firstOffset of the new log that is read
     * @return the route as it stands afterwards
     */
    public VersionedRoute changeLog(int partition, LogIdentity old, String topicId, long firstOffset) {
        if (!old.matches(topicId)) {
            // First: an answer of a broker that still knows the old one must never be taken for a newer topic's.
            new LogMemory(store, stream).leave(old.topicId());
        }
        return changeRoute(
                partition,
                "get another log",
                route ->
                        route.log().equals(old) ? route.withLog(LogIdentity.after(route, topicId, firstOffset)) : route,
                () -> List.of(LogMemory.change(store)));
    }

    VersionedRoute changeRoute(int partition, String what, UnaryOperator<PartitionRoute> change) {
        return changeRoute(partition, what, change, List::of);
    }

    /** @param beside operations that go with the change, found out for each try */
    private VersionedRoute changeRoute(
            int partition, String what, UnaryOperator<PartitionRoute> change, Supplier<List<Op>> beside) {
        return transaction("the route of partition " + partition + " could not " + what)
                .run(before -> {
                    VersionedRoute current = route(partition);
                    PartitionRoute changed = change.apply(current.route());
                    if (changed.equals(current.route())) {
                        return current;
                    }
                    List<Op> ops = new ArrayList<>(List.of(
                            new Op.Set(routePath(partition), CatalogJson.write(changed), current.nodeVersion())));
                    ops.addAll(beside.get());
                    store.commit(ops);
                    return new VersionedRoute(changed, current.nodeVersion() + 1);
                });
    }

    CatalogTransaction transaction(String failure) {
        return new CatalogTransaction(store, "stream " + stream.name() + ": " + failure);
    }

    /**
     * Gives up positions of a partition (rule 14): in one transaction the route and the edits say so. It is a change of
     * routing too, to the table there is, so that rule 9 holds for it: an indexer that has passed the range has seen a
     * version that a snapshot without the range does not have. Versions that the route no longer needs, and tables that
     * no route names then, go with it.
     *
     * @return the route as it stands afterwards
     */
    public VersionedRoute giveUp(LostRange range) {
        return transaction(range + " could not be given up").run(before -> {
            EditTail.Place place = tail.place(before);
            VersionedRoute current = route(range.partition());
            LostRange known = current.route().lostAt(range.from());
            if (known != null && known.to() >= range.to()) {
                return current;
            }
            // The newest, which this partition may not have adopted yet: then it skips it, and is done with it too.
            RoutingTable old = routing.newestTable();
            RoutingTable table = old.next(old.boundaries(), old.indexers());
            PartitionRoute changed = current.route().withLost(range).withVersion(table.version());
            if (changed.versions().size() > KEPT_VERSIONS) {
                // Every checkpoint says up to where they are needed: too much to read each time.
                long covered = routing.covered(range.partition() + 1)[range.partition()];
                changed = changed.withoutVersionsBelow(covered);
            }
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(routePath(range.partition()), CatalogJson.write(changed), current.nodeVersion()));
            ops.add(new Op.Create(tablePath(table.version()), CatalogJson.write(table, range.partition())));
            entry().upgrade(ops);
            tail.commit(place, new Edit.Lost(range, table, changed.versions()), ops);
            if (changed.firstVersion() != current.route().firstVersion()) {
                routing.deleteTables();
            }
            return new VersionedRoute(changed, current.nodeVersion() + 1);
        });
    }

    /**
     * Takes up partitions that the topic has got since, unless somebody has done so already: some at a time, in steps
     * each of which is right by itself. Then raises the epoch of every indexer, one after the other: those that run
     * know of fewer partitions, stop at their next commit, and start again with the new ones. Until then they answer
     * nothing; {@link #finish} raises what is left, should this fail on the way.
     *
     * @param starts of all partitions that the topic has now; those of partitions known already do not matter
     * @return the stream as it stands afterwards
     */
    public StreamInfo extend(long[] starts, LogIdentity log) {
        StreamInfo present = stream;
        boolean more = true;
        while (more) {
            StreamInfo before = present;
            present = extendSome(starts, log);
            more = present.partitions() < starts.length && !present.equals(before);
        }
        StreamCatalog extended = new StreamCatalog(store, present);
        for (int indexer = 0; indexer < present.indexers(); indexer++) {
            extended.indexers.widen(indexer);
        }
        return present;
    }

    private StreamInfo extendSome(long[] starts, LogIdentity log) {
        return transaction("its new partitions could not be taken up").run(before -> {
            EditTail.Place place = tail.place(before);
            Entry entry = entry();
            int known = entry.info().partitions();
            if (starts.length <= known) {
                return entry.info();
            }
            int count = Math.min(starts.length, known + MAX_EXTENSION);
            StreamInfo extended = entry.info().withPartitions(count);
            // The highest: no other is sure to be there still when this is committed, and this one is, or an edit came.
            int version = routing.newestVersion();
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(Namespace.path(stream.name()), CatalogJson.write(extended), entry.version()));
            List<Long> added = new ArrayList<>();
            for (int p = known; p < count; p++) {
                PartitionRoute route = new PartitionRoute(
                        starts[p], List.of(new PartitionRoute.VersionSince(version, starts[p])), log, List.of());
                ops.add(new Op.Create(routePath(p), CatalogJson.write(route)));
                added.add(starts[p]);
            }
            Namespace.touch(store, ops);
            tail.commit(place, new Edit.Extended(version, added, false), ops);
            return extended;
        });
    }

    /**
     * Finishes what somebody has begun and not finished, as far as a snapshot shows it: a change of the routing that
     * not every partition has adopted, indexers that have not been told of new partitions. Anybody may call it, any
     * number of times.
     *
     * @param snapshot of this stream, on the same store
     * @return whether there was anything to do
     */
    public boolean finish(StreamSnapshot snapshot) {
        StreamCatalog present = new StreamCatalog(store, snapshot.stream());
        for (int indexer : snapshot.narrow()) {
            present.indexers.widen(indexer);
        }
        return routing.finish(snapshot) || !snapshot.narrow().isEmpty();
    }

    /**
     * By partition the position that every checkpoint has reached; {@link Long#MIN_VALUE} where one stands at the
     * partition's beginning. What lies below is in chunks, and no indexer reads it again.
     */
    public long[] covered() {
        return routing.covered(stream.partitions());
    }

    /** The checkpoint of an indexer as it stands. */
    public IndexerCheckpoint checkpoint(int indexer) {
        return indexers.checkpoint(indexer);
    }

    /** The routes of some partitions, in their order, in one round trip where the store can. */
    public List<PartitionRoute> readRoutes(List<Integer> partitions) {
        List<String> paths = partitions.stream().map(this::routePath).toList();
        List<Optional<CatalogStore.Node>> nodes = store.readAll(paths);
        List<PartitionRoute> routes = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            String path = paths.get(i);
            CatalogStore.Node node = nodes.get(i).orElseThrow(() -> new StreamGoneException(stream.name(), path));
            routes.add(CatalogJson.readRoute(path, node.data()));
        }
        return routes;
    }

    /** The routes of all partitions, each as it was at some moment of the call; in one round trip where possible. */
    public List<PartitionRoute> routes() {
        return routing.routes(0, stream.partitions()).stream()
                .map(VersionedRoute::route)
                .toList();
    }

    /** Starts an instance of an indexer: raises the epoch; what the raise was based on is the checkpoint (rule 3). */
    public IndexerStart startIndexer(int indexer) {
        return indexers.start(indexer);
    }

    /**
     * Commits a flush: in one transaction the checkpoint moves from (epoch, flush - 1) to {@code next} and the chunks
     * are added (rule 7). Safe to repeat with the same arguments.
     *
     * @param nodeVersion of the checkpoint's node, from the start or the previous commit: it stands for flush - 1, so
     *     the caller commits flushes in order and leaves none out
     */
    public CommitOutcome commitFlush(
            int indexer, int nodeVersion, IndexerCheckpoint next, List<ChunkDescriptor> chunks) {
        chunks.forEach(this::requireBox);
        return indexers.commitFlush(indexer, nodeVersion, new Edit.Flushed(indexer, next, chunks), next);
    }

    /**
     * The same with an edit that tells only of the watermarks that moved.
     *
     * @param before watermarks of the checkpoint at {@code nodeVersion}
     */
    public CommitOutcome commitFlush(
            int indexer, int nodeVersion, long[] before, IndexerCheckpoint next, List<ChunkDescriptor> chunks) {
        chunks.forEach(this::requireBox);
        CheckpointStep step = CheckpointStep.between(before, next);
        return indexers.commitFlush(indexer, nodeVersion, new Edit.Flushed(indexer, step, chunks), next);
    }

    /**
     * Makes a routing table the newest: it is announced, then every partition adopts it from its limit on, and indexer
     * ids that are new stand where the limits were (rules 1 and 2). No message is needed: a task that routes, or plans,
     * finds out from what it reads. The stream's entry counts the new ids, so that tasks host them; an id that the new
     * table does not name stays hosted, so its checkpoint moves on and a later table may name it again. Once the table
     * is announced it will come into force everywhere, whatever happens to the caller ({@link #finish}).
     *
     * @param boundaries as in {@link RoutingTable}
     * @param indexers as in {@link RoutingTable}
     * @return the table, under the version it got
     * @throws IllegalArgumentException when ids would be left out between those there are and a new one
     */
    public RoutingTable changeRouting(long[] boundaries, int[] indexers) {
        return changeRouting(0, boundaries, indexers)
                .orElseThrow(() -> new IllegalStateException("stream " + stream.name() + ": any version is fit"));
    }

    /** Before the commit: an edit with wrong bounds would stop every reader of the stream. */
    private void requireBox(ChunkDescriptor chunk) {
        KeyBox box = chunk.box();
        if (box != null) {
            KeyDimensions.of(stream.schema()).requireBoxOf(chunk.region().keys(), box);
        }
    }

    /** The newest routing table, whether or not every partition has adopted it. */
    public RoutingTable newestTable() {
        return routing.newestTable();
    }

    /**
     * As {@link #changeRouting(long[], int[])}, but only as long as a version is the newest: who judged that one does
     * not undo what somebody else has decided since.
     *
     * @param from the version that is replaced; 0: whichever is newest
     * @return the table, or nothing when there is a newer one than {@code from}
     * @throws WaterwheelException ROUTING_BUSY when others edited the stream again and again
     */
    public Optional<RoutingTable> changeRouting(int from, long[] boundaries, int[] indexers) {
        return routing.change(from, boundaries, indexers);
    }

    /**
     * Puts other scales of the key's dimensions in force, for the tuples from each partition's limit on; what is there
     * keeps its keys. It is a change of the routing, to a table that names the new version of the scales.
     *
     * @param from the version of the routing that is replaced; 0: whichever is newest
     * @param scales the same dimensions with the same bits, divided otherwise
     * @param boundaries for the keys that the new scales make, see {@code KeyScheme.domain(int)}
     * @return the table, or nothing when there is a newer one than {@code from}
     * @throws IllegalArgumentException when the scales do not fit the stream's key; says why
     * @throws WaterwheelException ROUTING_BUSY when others edited the stream again and again
     */
    public Optional<RoutingTable> changeScales(int from, List<Dimension> scales, long[] boundaries, int[] indexers) {
        if (scales.isEmpty()) {
            throw new IllegalArgumentException("stream " + stream.name() + ": scales of no dimension");
        }
        return routing.change(from, boundaries, indexers, scales);
    }

    /**
     * Whether {@link #changeScales} would find room for scales.
     *
     * @throws IllegalArgumentException when not; says why
     */
    public static void requireRoom(StreamInfo stream, List<Dimension> scales) {
        StreamInfo unused = RoutingChanges.scaled(stream, scales);
    }

    /**
     * Positions below which some indexer has taken everything: by partition the furthest. An indexer that stands no
     * further than where the table that first named it began has taken no tuple yet, and that may lie beyond the end of
     * the log.
     */
    public long[] furthest() {
        return indexers.furthest();
    }

    /**
     * Replaces chunks by one that holds the same tuples, in one transaction that is refused when an input is gone or
     * the output's epoch is over (protocol rules 11 and 12). Safe to repeat.
     *
     * @param reader of this stream, on the same store
     * @param planned a snapshot that the merge was planned on, or any older one
     * @param output written while {@code output.indexer()} was at {@code output.epoch()}, under a name that no other
     *     merge and no flush uses
     * @return whether it is done; if not, nothing was changed and nothing will be
     */
    public boolean commitMerge(
            SnapshotReader reader, StreamSnapshot planned, List<ChunkDescriptor> inputs, ChunkDescriptor output) {
        requireBox(output);
        byte[] edit = CatalogJson.write(
                new Edit.Merged(inputs.stream().map(ChunkDescriptor::file).toList(), output));
        store.sync();
        return transaction("the merge into " + output.file() + " could not be committed")
                .run(before -> {
                    EditTail.Place place = tail.refresh();
                    StreamSnapshot current = reader.advance(planned);
                    if (current.holds(output)) {
                        return true;
                    }
                    IndexerCheckpoint writer = current.checkpoints().get(output.indexer());
                    if (writer == null || writer.epoch() != output.epoch()) {
                        return false;
                    }
                    if (!inputs.stream().allMatch(current::holds)) {
                        return false;
                    }
                    // The number stands for the whole catalog at the edit before: nothing can have come between. What
                    // was read after the place is at or above it, so that its pointer stands for this number too.
                    tail.commit(
                            new EditTail.Place(current.edit(), place.pointerVersion(), place.rolledUp()),
                            edit,
                            List.of());
                    return true;
                });
    }

    /**
     * The stream's entry as it stands.
     *
     * @param layout that it was written in
     */
    record Entry(StreamInfo info, int version, int layout) {
        /** A release that does not know what is about to be written must not read on. */
        void upgrade(List<Op> ops) {
            if (layout < CatalogJson.LAYOUT) {
                ops.add(new Op.Set(Namespace.path(info.name()), CatalogJson.write(info), version));
            }
        }
    }

    /** The entry, if it is still of this stream, not of another under its name. */
    Entry entry() {
        String path = Namespace.path(stream.name());
        CatalogStore.Node node = require(path);
        StreamInfo info = CatalogJson.readStream(path, node.data());
        if (info.id() != stream.id()) {
            throw new StreamGoneException(stream.name(), path);
        }
        return new Entry(info, node.version(), CatalogJson.layoutOf(path, node.data()));
    }

    private CatalogStore.Node require(String path) {
        return store.read(path).orElseThrow(() -> new StreamGoneException(stream.name(), path));
    }
}
