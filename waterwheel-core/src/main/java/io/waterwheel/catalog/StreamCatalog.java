package io.waterwheel.catalog;

import io.waterwheel.catalog.CatalogStore.ConflictException;
import io.waterwheel.catalog.CatalogStore.Op;
import io.waterwheel.catalog.CatalogStore.UnknownOutcomeException;
import io.waterwheel.model.LostRange;
import io.waterwheel.model.WaterwheelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream's entries in the catalog, and the only ways in which they change. Every change is one transaction that
 * carries its own precondition, so any number of instances may work on the same stream, stale ones included.
 * Thread-safe as far as its store is; calls block. One long file, because each change must know what the others check.
 *
 * <pre>
 * /streams/NAME         the stream, its id among it
 * /data/ID/tables/V     routing table V
 * /data/ID/routes/P     limit and versions of partition P
 * /data/ID/indexers/I   checkpoint of indexer I
 * /data/ID/edits/N      edit N, ten digits
 * /data/ID/manifest     which files hold the catalog up to which edit
 * </pre>
 */
public final class StreamCatalog {
    private static final Logger LOG = LoggerFactory.getLogger(StreamCatalog.class);

    /** Tables deleted in one transaction, should many be left. */
    private static final int MAX_DELETIONS = 100;

    /** Tries before a change that keeps meeting others' edits is given up. */
    private static final int MAX_TRIES = 1000;

    /** Tries of a change that meets every raise of a limit too; with the store's pauses, half a minute. */
    private static final int MAX_ROUTING_TRIES = 100;

    /**
     * Of those tries the first ones, in which tables that are not needed are deleted where that is not the purpose:
     * with it others' raises of limits are met too. The next change deletes what is left.
     */
    private static final int DELETING_TRIES = 3;

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

    public StreamCatalog(CatalogStore store, StreamInfo stream) {
        this.store = store;
        this.stream = stream;
        // By id, not by name: whoever still works on a dropped stream never meets the one created after it.
        this.base = Namespace.dataPath(stream.id());
        this.tail = new EditTail(store, stream);
    }

    public StreamInfo stream() {
        return stream;
    }

    /** Returns when later reads see everything that was committed, by anyone, before the call. */
    public void sync() {
        store.sync();
    }

    /** Path of a partition's route; watch it to learn of new limits and versions. */
    public String routePath(int partition) {
        return base + "/routes/" + partition;
    }

    private String indexerPath(int indexer) {
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
            ops.add(new Op.Create(indexerPath(indexer), CatalogJson.write(new IndexerCheckpoint(0, 0, starts, 0))));
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
     * @throws WaterwheelException TEMPORARY when no route names it any more: the one that did was read too long ago
     */
    public RoutingTable table(int version) {
        return findTable(version)
                .orElseThrow(() -> new WaterwheelException(
                        WaterwheelException.Kind.TEMPORARY,
                        "TABLE_GONE",
                        "stream " + stream.name() + ": routing table " + version
                                + " is needed by no route any more; read the route again"));
    }

    /** Routing table of a version, or nothing when no route names it any more. */
    public Optional<RoutingTable> findTable(int version) {
        String path = tablePath(version);
        Optional<CatalogStore.Node> node = store.read(path);
        if (node.isEmpty()) {
            require(base + "/tables");
        }
        return node.map(present -> CatalogJson.readTable(path, present.data()));
    }

    private String tablePath(int version) {
        return base + "/tables/" + version;
    }

    /**
     * Raises the limit of a partition to at least this offset, whoever else does the same. Whoever reads another log
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

    private VersionedRoute changeRoute(int partition, String what, UnaryOperator<PartitionRoute> change) {
        return changeRoute(partition, what, change, List::of);
    }

    /** @param beside operations that go with the change, found out for each try */
    private VersionedRoute changeRoute(
            int partition, String what, UnaryOperator<PartitionRoute> change, Supplier<List<Op>> beside) {
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            VersionedRoute current = route(partition);
            PartitionRoute changed = change.apply(current.route());
            if (changed.equals(current.route())) {
                return current;
            }
            List<Op> ops = new ArrayList<>(
                    List.of(new Op.Set(routePath(partition), CatalogJson.write(changed), current.nodeVersion())));
            ops.addAll(beside.get());
            try {
                store.commit(ops);
                return new VersionedRoute(changed, current.nodeVersion() + 1);
            } catch (ConflictException | UnknownOutcomeException e) {
                // Read again: either somebody changed it, or it may be done already.
                store.sync();
            }
        }
        throw new IllegalStateException("stream " + stream.name() + ": the route of partition " + partition
                + " could not " + what + " in " + MAX_TRIES + " tries");
    }

    /**
     * Gives up positions of a partition (rule 14): in one transaction the route and the edits say so. It is a change of
     * routing too, to the table there is, so that rule 9 holds for it: an indexer that has passed the range has seen a
     * version that a snapshot without the range does not have. Versions that the route no longer needs, and tables that
     * no route names any more, go with it.
     *
     * @return the route as it stands afterwards
     */
    public VersionedRoute giveUp(LostRange range) {
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            EditTail.Place place = tail.place();
            int partitions = Math.max(store.children(base + "/routes").size(), range.partition() + 1);
            long covered = covered(partitions)[range.partition()];
            List<VersionedRoute> routes = routes(partitions);
            VersionedRoute current = routes.get(range.partition());
            LostRange known = current.route().lostAt(range.from());
            if (known != null && known.to() >= range.to()) {
                return current;
            }
            RoutingTable old = table(current.route().newestVersion());
            RoutingTable table = new RoutingTable(newestVersion(routes) + 1, old.boundaries(), old.indexers());
            PartitionRoute changed =
                    current.route().withLost(range).withVersion(table.version()).withoutVersionsBelow(covered);
            routes.set(range.partition(), new VersionedRoute(changed, current.nodeVersion()));
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(routePath(range.partition()), CatalogJson.write(changed), current.nodeVersion()));
            ops.add(new Op.Create(tablePath(table.version()), CatalogJson.write(table)));
            if (attempt < DELETING_TRIES) {
                ops.addAll(deletionsBeside(range.partition(), routes));
            }
            try {
                store.commit(tail.with(place, CatalogJson.write(new Edit.Lost(range, table)), ops));
                tail.committed(place);
                return new VersionedRoute(changed, current.nodeVersion() + 1);
            } catch (ConflictException | UnknownOutcomeException e) {
                store.sync();
                tail.refresh();
            }
        }
        throw new IllegalStateException(
                "stream " + stream.name() + ": " + range + " could not be given up in " + MAX_TRIES + " tries");
    }

    /**
     * Takes up partitions that the topic has got since, unless somebody has done so already. Raises every indexer's
     * epoch: those that run stop at their next commit, and start again with the new partitions.
     *
     * @param starts of all partitions that the topic has now; those of partitions known already do not matter
     * @return the stream as it stands afterwards
     */
    public StreamInfo extend(long[] starts, LogIdentity log) {
        String path = Namespace.path(stream.name());
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            EditTail.Place place = tail.place();
            CatalogStore.Node node = require(path);
            StreamInfo current = CatalogJson.readStream(path, node.data());
            if (current.id() != stream.id()) {
                throw new StreamGoneException(stream.name(), path);
            }
            int known = current.partitions();
            if (starts.length <= known) {
                return current;
            }
            StreamInfo extended = current.withPartitions(starts.length);
            long[] fresh = Arrays.copyOfRange(starts, known, starts.length);
            List<PartitionRoute.VersionSince> versions = route(0).route().versions();
            int version = versions.get(versions.size() - 1).version();
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(path, CatalogJson.write(extended), node.version()));
            for (int p = known; p < starts.length; p++) {
                PartitionRoute route = new PartitionRoute(
                        starts[p], List.of(new PartitionRoute.VersionSince(version, starts[p])), log, List.of());
                ops.add(new Op.Create(routePath(p), CatalogJson.write(route)));
            }
            for (String indexer : store.children(base + "/indexers")) {
                String indexerPath = base + "/indexers/" + indexer;
                CatalogStore.Node old = require(indexerPath);
                IndexerCheckpoint checkpoint = CatalogJson.readCheckpoint(indexerPath, old.data());
                ops.add(new Op.Set(indexerPath, CatalogJson.write(checkpoint.extended(fresh)), old.version()));
            }
            List<Long> added = Arrays.stream(fresh).boxed().toList();
            Namespace.touch(store, ops);
            try {
                store.commit(tail.with(place, CatalogJson.write(new Edit.Extended(version, added)), ops));
                tail.committed(place);
                return extended;
            } catch (ConflictException | UnknownOutcomeException e) {
                store.sync();
                tail.refresh();
            }
        }
        throw new IllegalStateException(
                "stream " + stream.name() + ": its new partitions could not be taken up in " + MAX_TRIES + " tries");
    }

    /** The checkpoint of an indexer as it stands. */
    public IndexerCheckpoint checkpoint(int indexer) {
        return CatalogJson.readCheckpoint(
                indexerPath(indexer), require(indexerPath(indexer)).data());
    }

    /** Starts an instance of an indexer: raises the epoch; what the raise was based on is the checkpoint (rule 3). */
    public IndexerStart startIndexer(int indexer) {
        String path = indexerPath(indexer);
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            CatalogStore.Node node = require(path);
            IndexerCheckpoint old = CatalogJson.readCheckpoint(path, node.data());
            if (old.watermarks().length != stream.partitions()) {
                throw new WaterwheelException(
                        WaterwheelException.Kind.TEMPORARY,
                        "STREAM_CHANGED",
                        "stream " + stream.name() + " has " + old.watermarks().length + " partitions now, not "
                                + stream.partitions() + "; read its entry again");
            }
            IndexerCheckpoint raised =
                    new IndexerCheckpoint(old.epoch() + 1, old.flushed(), old.watermarks(), old.rejected());
            EditTail.Place place = tail.place();
            try {
                store.commit(tail.with(
                        place,
                        CatalogJson.write(new Edit.Started(indexer, raised.epoch())),
                        List.of(new Op.Set(path, CatalogJson.write(raised), node.version()))));
                tail.committed(place);
                return new IndexerStart(raised, node.version() + 1);
            } catch (ConflictException | UnknownOutcomeException e) {
                // If it was done, that epoch is simply skipped: nobody runs under it.
                store.sync();
                tail.refresh();
            }
        }
        throw new IllegalStateException(
                "stream " + stream.name() + ": indexer " + indexer + " could not start in " + MAX_TRIES + " tries");
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
        String path = indexerPath(indexer);
        byte[] edit = CatalogJson.write(new Edit.Flushed(indexer, next, chunks));
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            EditTail.Place place = tail.place();
            try {
                store.commit(tail.with(place, edit, List.of(new Op.Set(path, CatalogJson.write(next), nodeVersion))));
                tail.committed(place);
                return new CommitOutcome.Done(nodeVersion + 1);
            } catch (ConflictException | UnknownOutcomeException e) {
                store.sync();
                CatalogStore.Node node = require(path);
                IndexerCheckpoint current = CatalogJson.readCheckpoint(path, node.data());
                if (current.epoch() != next.epoch()) {
                    return new CommitOutcome.Fenced(current.epoch());
                }
                if (current.flushed() == next.flushed()) {
                    return new CommitOutcome.Done(node.version());
                }
                if (current.flushed() != next.flushed() - 1) {
                    throw new IllegalStateException("stream " + stream.name() + ", indexer " + indexer + ": flush "
                            + next.flushed() + " cannot follow flush " + current.flushed());
                }
                tail.refresh();
            }
        }
        throw new IllegalStateException("stream " + stream.name() + ", indexer " + indexer + ": flush " + next.flushed()
                + " could not be committed in " + MAX_TRIES + " tries");
    }

    /**
     * Makes a routing table the newest: in one transaction the table is created, every partition adopts it from its
     * limit on, tables that no route names any more are deleted, and indexer ids that are new start there (rules 1 and
     * 2). Nobody needs to be told: whoever routes, or plans, finds out from what it reads. The stream's entry counts
     * the new ids, so that tasks host them; an id that the new table does not name stays hosted, so its checkpoint
     * moves on and a later table may name it again.
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

    /** The newest routing table. */
    public RoutingTable newestTable() {
        return table(newestVersion(routes(store.children(base + "/routes").size())));
    }

    /**
     * As {@link #changeRouting(long[], int[])}, but only as long as a version is the newest: who judged that one does
     * not undo what somebody else has decided since.
     *
     * @param from the version that is replaced; 0: whichever is newest
     * @return the table, or nothing when there is a newer one than {@code from}
     * @throws WaterwheelException ROUTING_BUSY when others changed the routes, or edited the stream, again and again
     */
    public Optional<RoutingTable> changeRouting(int from, long[] boundaries, int[] indexers) {
        for (int attempt = 0; attempt < MAX_ROUTING_TRIES; attempt++) {
            if (attempt > 0) {
                store.pause(attempt);
                store.sync();
                tail.refresh();
            }
            EditTail.Place place = tail.place();
            List<Op> ops = new ArrayList<>();
            // As many as there are now: any that come meanwhile come with an edit, and this one fails.
            int partitions = store.children(base + "/routes").size();
            long[] covered = covered(partitions);
            List<String> tables = store.children(base + "/tables");
            Set<String> known = Set.copyOf(store.children(base + "/indexers"));
            count(indexers, ops);
            // Last, and at once: a partition that is busy raises its limit twice a second, and each raise that comes
            // between this reading and the commit makes the commit fail. What was read before only grows, or fails it.
            List<VersionedRoute> routes = routes(partitions);
            int newest = newestVersion(routes);
            if (from != 0 && newest != from) {
                return Optional.empty();
            }
            RoutingTable table = new RoutingTable(newest + 1, boundaries, indexers);
            ops.add(new Op.Create(tablePath(table.version()), CatalogJson.write(table)));
            Map<Integer, Long> since = new HashMap<>();
            long[] limits = new long[partitions];
            Set<Integer> named = new HashSet<>(Set.of(table.version()));
            for (int p = 0; p < partitions; p++) {
                VersionedRoute current = routes.get(p);
                limits[p] = current.route().limit();
                since.put(p, limits[p]);
                PartitionRoute changed =
                        current.route().withVersion(table.version()).withoutVersionsBelow(covered[p]);
                changed.versions().forEach(version -> named.add(version.version()));
                ops.add(new Op.Set(routePath(p), CatalogJson.write(changed), current.nodeVersion()));
            }
            ops.addAll(deletions(tables, named));
            Map<Integer, IndexerCheckpoint> starts = new HashMap<>();
            for (int indexer : indexers) {
                if (!known.contains(String.valueOf(indexer))) {
                    IndexerCheckpoint start = new IndexerCheckpoint(0, 0, limits, 0);
                    starts.put(indexer, start);
                    ops.add(new Op.Create(indexerPath(indexer), CatalogJson.write(start)));
                }
            }
            try {
                store.commit(tail.with(place, CatalogJson.write(new Edit.Routed(table, since, starts)), ops));
                tail.committed(place);
                return Optional.of(table);
            } catch (ConflictException e) {
                LOG.debug("stream {}: the routing is changed again: {}", stream.name(), e.toString());
            } catch (UnknownOutcomeException e) {
                store.sync();
                String path = tablePath(table.version());
                if (store.read(path).isPresent() && table(table.version()).equals(table)) {
                    tail.refresh();
                    return Optional.of(table);
                }
            }
        }
        throw new WaterwheelException(
                WaterwheelException.Kind.TEMPORARY,
                "ROUTING_BUSY",
                "stream " + stream.name() + ": the routing could not be changed in " + MAX_ROUTING_TRIES
                        + " tries, since others changed the stream's entries meanwhile or the outcome was unknown;"
                        + " try again");
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

    /** The routes of all partitions, in one round trip where the store can. */
    private List<VersionedRoute> routes(int partitions) {
        List<String> paths =
                IntStream.range(0, partitions).mapToObj(this::routePath).toList();
        List<Optional<CatalogStore.Node>> nodes = store.readAll(paths);
        List<VersionedRoute> routes = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            String path = paths.get(p);
            CatalogStore.Node node = nodes.get(p).orElseThrow(() -> new StreamGoneException(stream.name(), path));
            routes.add(new VersionedRoute(CatalogJson.readRoute(path, node.data()), node.version()));
        }
        return routes;
    }

    private static int newestVersion(List<VersionedRoute> routes) {
        return routes.stream()
                .mapToInt(route -> route.route().newestVersion())
                .max()
                .orElse(0);
    }

    /* Why tables that no route names may go: whoever routes by one has taken its version from a route, and a route drops
     * a version once every checkpoint has passed it. An older copy of the route may name it still; who fetches the table
     * by that copy finds nothing, reads the route again, and goes on above what the version held for. Tables come only
     * with a route that names them, and the transaction holds every route at the version that was read: so none has
     * come since. Plans do not read these nodes; snapshots have the tables from edits and manifests. */

    /** The operations that delete those of the tables that are not named, some at a time. */
    private List<Op> deletions(List<String> tables, Set<Integer> named) {
        List<Op> ops = new ArrayList<>();
        for (String version : tables) {
            if (!named.contains(Integer.parseInt(version)) && ops.size() < MAX_DELETIONS) {
                ops.add(new Op.Delete(base + "/tables/" + version, 0));
            }
        }
        return ops;
    }

    /**
     * The operations that delete tables that no route names, in a change of one partition's route: the others must
     * stand as they were read.
     */
    private List<Op> deletionsBeside(int partition, List<VersionedRoute> routes) {
        Set<Integer> named = new HashSet<>();
        routes.forEach(route -> route.route().versions().forEach(version -> named.add(version.version())));
        List<Op> ops = deletions(store.children(base + "/tables"), named);
        for (int p = 0; p < routes.size() && !ops.isEmpty(); p++) {
            if (p != partition) {
                ops.add(new Op.Check(routePath(p), routes.get(p).nodeVersion()));
            }
        }
        return ops;
    }

    /** By partition, the offset that every checkpoint has reached; they only rise, so an old reading is right too. */
    private long[] covered(int partitions) {
        long[] covered = new long[partitions];
        Arrays.fill(covered, Long.MAX_VALUE);
        for (String indexer : store.children(base + "/indexers")) {
            long[] watermarks = checkpoint(Integer.parseInt(indexer)).watermarks();
            for (int p = 0; p < Math.min(partitions, watermarks.length); p++) {
                covered[p] = Math.min(covered[p], watermarks[p]);
            }
            // Partitions that it does not know yet.
            Arrays.fill(covered, Math.min(partitions, watermarks.length), partitions, Long.MIN_VALUE);
        }
        return covered;
    }

    /** Adds the operations by which the stream's entry counts those of a table's ids that are new. */
    private void count(int[] indexers, List<Op> ops) {
        String path = Namespace.path(stream.name());
        CatalogStore.Node node = require(path);
        StreamInfo current = CatalogJson.readStream(path, node.data());
        if (current.id() != stream.id()) {
            throw new StreamGoneException(stream.name(), path);
        }
        int most = current.indexers();
        for (int indexer : indexers) {
            most = Math.max(most, indexer + 1);
        }
        for (int indexer = current.indexers(); indexer < most; indexer++) {
            int wanted = indexer;
            if (Arrays.stream(indexers).noneMatch(id -> id == wanted)) {
                throw new IllegalArgumentException("a routing table of stream " + stream.name() + ": names indexer "
                        + (most - 1) + ", but there is no indexer " + indexer + " yet");
            }
        }
        if (most > current.indexers()) {
            ops.add(new Op.Set(path, CatalogJson.write(current.withIndexers(most)), node.version()));
            Namespace.touch(store, ops);
        }
    }

    /**
     * Positions below which some indexer has taken everything: by partition the furthest. An indexer that stands where
     * the table that first named it began has taken nothing yet, and that may lie beyond the end of the log.
     */
    public long[] furthest() {
        Map<Integer, RoutingTable> tables = new HashMap<>();
        long[] furthest = new long[stream.partitions()];
        List<IndexerCheckpoint> checkpoints = new ArrayList<>();
        for (int indexer = 0; indexer < stream.indexers(); indexer++) {
            checkpoints.add(checkpoint(indexer));
        }
        List<VersionedRoute> routes = routes(furthest.length);
        for (int p = 0; p < furthest.length; p++) {
            List<PartitionRoute.VersionSince> versions = routes.get(p).route().versions();
            furthest[p] = versions.get(0).since();
            for (int indexer = 0; indexer < checkpoints.size(); indexer++) {
                long watermark = checkpoints.get(indexer).watermarks()[p];
                int id = indexer;
                boolean begins = versions.stream()
                        .filter(version -> tables.computeIfAbsent(version.version(), this::table)
                                        .slotOfIndexer(id)
                                >= 0)
                        .findFirst()
                        .map(first -> first.since() == watermark)
                        .orElse(true);
                if (!begins) {
                    furthest[p] = Math.max(furthest[p], watermark);
                }
            }
        }
        return furthest;
    }

    /**
     * Replaces chunks by one that holds the same tuples, in one transaction that is refused when an input is gone or
     * the instance that wrote the output has a successor (protocol rules 11 and 12). Safe to repeat.
     *
     * @param reader of this stream, on the same store
     * @param planned a snapshot that the merge was planned on, or any older one
     * @param output written by the instance of {@code output.indexer()} at {@code output.epoch()}, under a name that no
     *     other merge and no flush uses
     * @return whether it is done; if not, nothing was changed and nothing will be
     */
    public boolean commitMerge(
            SnapshotReader reader, StreamSnapshot planned, List<ChunkDescriptor> inputs, ChunkDescriptor output) {
        byte[] edit = CatalogJson.write(
                new Edit.Merged(inputs.stream().map(ChunkDescriptor::file).toList(), output));
        StreamSnapshot current = planned;
        for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
            store.sync();
            EditTail.Place place = tail.refresh();
            current = reader.advance(current);
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
            try {
                // The number stands for the whole catalog at the edit before: nothing can have come between. What was
                // read after the place is at or above it, so that its pointer stands for this number too.
                store.commit(tail.with(
                        new EditTail.Place(current.edit(), place.pointerVersion(), place.rolledUp()), edit, List.of()));
                return true;
            } catch (ConflictException | UnknownOutcomeException e) {
                LOG.debug("stream {}: merge into {} tries again: {}", stream.name(), output.file(), e.toString());
            }
        }
        throw new IllegalStateException("stream " + stream.name() + ": the merge into " + output.file()
                + " could not be committed in " + MAX_TRIES + " tries");
    }

    private CatalogStore.Node require(String path) {
        return store.read(path).orElseThrow(() -> new StreamGoneException(stream.name(), path));
    }
}
