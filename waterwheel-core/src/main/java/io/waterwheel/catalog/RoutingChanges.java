package io.waterwheel.catalog;

import io.waterwheel.catalog.StreamCatalog.VersionedRoute;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the routing of one stream changes (protocol rules 1 and 2), in steps each of which is right by itself, however
 * many partitions and indexers there are:
 *
 * <ol>
 *   <li>indexer ids that are new <i>join</i>: they get a checkpoint at the limits of that moment, in no table yet;
 *   <li>the table is <i>announced</i>: one transaction creates it and the edit that names it. From then on every query
 *       plans takes it to hold in any partition, from no known offset on;
 *   <li>each partition <i>adopts</i> it, by a compare-and-set of its route, at its limit of that moment;
 *   <li>what the partitions have adopted is <i>recorded</i> by edits, so that plans can forget what held before.
 * </ol>
 *
 * If the process dies on the way, any other can finish the change. Thread-safe as far as the store is; calls block.
 */
final class RoutingChanges {
    private static final Logger LOG = LoggerFactory.getLogger(RoutingChanges.class);

    /** Tables deleted in one transaction, should many be left. */
    private static final int MAX_DELETIONS = 100;

    /** Checkpoints that join in one transaction have together at most this number of bytes, but for one. */
    private static final int JOIN_BYTES = 400_000;

    /** Of this many partitions and more, some adopt in one transaction; each raises its limit twice a second. */
    private static final int GROUPS = 256;

    /** Tries of a group; then each of its partitions adopts alone. */
    private static final int GROUP_TRIES = 3;

    /** Partitions that one edit records. */
    private static final int RECORDED = 1_024;

    private final CatalogStore store;
    private final StreamInfo stream;
    private final StreamCatalog catalog;
    private final String base;
    private final EditTail tail;

    RoutingChanges(CatalogStore store, StreamCatalog catalog, EditTail tail) {
        this.store = store;
        this.stream = catalog.stream();
        this.catalog = catalog;
        this.base = Namespace.dataPath(stream.id());
        this.tail = tail;
    }

    /**
     * Changes the routing as far as it gets: once the table is announced, the rest is finished by others, should this
     * fail.
     *
     * @param from the version that is replaced; 0: whichever is newest
     * @return the table, or nothing when there is a newer one than {@code from}
     */
    Optional<RoutingTable> change(int from, long[] boundaries, int[] indexers) {
        return change(from, boundaries, indexers, List.of());
    }

    /**
     * The same with other scales of the key's dimensions, which hold where the table does.
     *
     * @param scales the dimensions by the new scales; empty where those of the newest table go on
     * @throws IllegalArgumentException when the scales do not fit the stream's key
     */
    Optional<RoutingTable> change(int from, long[] boundaries, int[] indexers, List<Dimension> scales) {
        // What is wrong with it is said before anything is changed.
        RoutingTable wanted = new RoutingTable(Math.max(1, from), boundaries, indexers);
        if (from != 0 && newestVersion() != from) {
            return Optional.empty();
        }
        join(wanted.indexers());
        Optional<RoutingTable> table = announce(from, wanted, scales);
        if (table.isPresent()) {
            try {
                enter(table.get(), StreamSnapshot.before(stream));
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.TEMPORARY) {
                    throw e;
                }
                LOG.warn(
                        "[{}] routing table {} is announced; that all partitions adopt it is left to the first"
                                + " coordinator: {}",
                        stream.name(),
                        table.get().version(),
                        e.getMessage());
            }
        }
        return table;
    }

    /** Finishes what somebody has announced and not finished, as far as a snapshot shows it. */
    boolean finish(StreamSnapshot snapshot) {
        Optional<RoutingTable> announced = snapshot.announced();
        announced.ifPresent(table -> enter(table, snapshot));
        return announced.isPresent();
    }

    /** The highest version there is, in force or announced: it is never deleted. */
    int newestVersion() {
        List<String> tables = store.children(base + "/tables");
        if (tables.isEmpty()) {
            throw new StreamGoneException(stream.name(), base + "/tables");
        }
        return tables.stream().mapToInt(Integer::parseInt).max().orElseThrow();
    }

    RoutingTable newestTable() {
        while (true) {
            Optional<RoutingTable> newest = catalog.findTable(newestVersion());
            if (newest.isPresent()) {
                return newest.get();
            }
        }
    }

    /** Gives each id that is new a checkpoint; whatever a later table routes to it lies at or above that. */
    private void join(int[] indexers) {
        boolean all = false;
        while (!all) {
            all = transaction().run(before -> joinSome(indexers, before));
        }
    }

    /** As many as one transaction takes; whether none is left. */
    private boolean joinSome(int[] indexers, @Nullable Exception before)
            throws ConflictException, UnknownOutcomeException {
        EditTail.Place place = tail.place(before);
        List<Op> ops = new ArrayList<>();
        StreamCatalog.Entry entry = catalog.entry();
        int known = entry.info().indexers();
        int most = known;
        for (int indexer : indexers) {
            most = Math.max(most, indexer + 1);
        }
        if (most == known) {
            return true;
        }
        requireAll(indexers, known, most);
        // Synced, and after the place: what any indexer has flushed before this edit lies below these limits, so no
        // route has forgotten, or will forget, which version holds from them on.
        store.sync();
        List<VersionedRoute> routes = routes(0, entry.info().partitions());
        long[] limits = routes.stream()
                .mapToLong(versioned -> versioned.route().limit())
                .toArray();
        IndexerCheckpoint start = new IndexerCheckpoint(0, 0, limits, 0);
        byte[] checkpoint = CatalogJson.write(start);
        int last = Math.min(most, known + Math.max(1, JOIN_BYTES / checkpoint.length));
        List<Integer> joining = IntStream.range(known, last).boxed().toList();
        ops.add(new Op.Set(
                Namespace.path(stream.name()), CatalogJson.write(entry.info().withIndexers(last)), entry.version()));
        Namespace.touch(store, ops);
        joining.forEach(indexer -> ops.add(new Op.Create(catalog.indexerPath(indexer), checkpoint)));
        tail.commit(place, new Edit.Joined(joining, start), ops);
        return last == most;
    }

    /** Ids are counted: none is left out between those there are and a new one. */
    private void requireAll(int[] indexers, int known, int most) {
        for (int indexer = known; indexer < most; indexer++) {
            int wanted = indexer;
            if (Arrays.stream(indexers).noneMatch(id -> id == wanted)) {
                throw new IllegalArgumentException("a routing table of stream " + stream.name() + ": names indexer "
                        + (most - 1) + ", but there is no indexer " + indexer + " yet");
            }
        }
    }

    private Optional<RoutingTable> announce(int from, RoutingTable wanted, List<Dimension> scales) {
        return transaction().run(before -> {
            EditTail.Place place = tail.place(before);
            RoutingTable newest = newestTable();
            if (from != 0 && newest.version() != from) {
                return Optional.empty();
            }
            // Made of the newest: by which scales keys are made goes on until somebody changes it.
            RoutingTable table = newest.next(wanted.boundaries(), wanted.indexers());
            StreamCatalog.Entry entry = catalog.entry();
            List<Op> ops = new ArrayList<>();
            if (scales.isEmpty()) {
                entry.upgrade(ops);
            } else {
                // Before any process meets the table, the entry has the scales that it names.
                StreamInfo scaled = scaled(entry.info(), scales);
                table = table.withScales(scaled.scales());
                ops.add(new Op.Set(Namespace.path(stream.name()), CatalogJson.write(scaled), entry.version()));
                Namespace.touch(store, ops);
            }
            ops.add(new Op.Create(catalog.tablePath(table.version()), CatalogJson.write(table)));
            try {
                tail.commit(place, new Edit.Routed(table, Map.of(), Map.of()), ops);
            } catch (UnknownOutcomeException e) {
                store.sync();
                if (!isThere(table, scales)) {
                    throw e;
                }
                tail.refresh();
            }
            return Optional.of(table);
        });
    }

    /** Whether a table is there, and means these scales. */
    private boolean isThere(RoutingTable table, List<Dimension> scales) {
        if (catalog.findTable(table.version()).filter(table::equals).isEmpty()) {
            return false;
        }
        KeySpec.Dimensions key = catalog.entry().info().schema().key().dimensional();
        return scales.isEmpty()
                || (key != null
                        && key.scales() >= table.scales()
                        && key.dimensions(table.scales()).equals(scales));
    }

    /**
     * A stream with one more version of scales.
     *
     * @throws IllegalArgumentException when they do not fit its key, or the catalog; says why
     */
    static StreamInfo scaled(StreamInfo stream, List<Dimension> scales) {
        Schema schema = stream.schema();
        KeySpec.Dimensions key = schema.key().dimensional();
        if (key == null) {
            throw new IllegalArgumentException("stream " + stream.name() + ": its key has no dimensions");
        }
        StreamInfo scaled = stream.withSchema(schema.withKey(key.withScales(scales)));
        int bytes = CatalogJson.write(scaled).length;
        if (bytes > KeySpec.Dimensions.MOST_ENTRY_BYTES) {
            // Partitions and indexers that join are written in a transaction with it.
            throw new IllegalArgumentException("stream " + stream.name() + ": with these scales its entry in the"
                    + " catalog would take " + bytes + " bytes, expected at most "
                    + KeySpec.Dimensions.MOST_ENTRY_BYTES + "; take fewer cuts");
        }
        return scaled;
    }

    private CatalogTransaction transaction() {
        return new CatalogTransaction(
                store, ErrorCode.ROUTING_BUSY, "stream " + stream.name() + ": the routing could not be changed");
    }

    /**
     * Every partition adopts a table, or has adopted a newer one; then that is recorded, and tables go that no route
     * needs.
     *
     * @param known what is recorded already
     */
    private void enter(RoutingTable table, StreamSnapshot known) {
        List<PartitionRoute> routes = adopt(table.version());
        Map<Integer, List<PartitionRoute.VersionSince>> adopted = new TreeMap<>();
        for (int p = 0; p < routes.size(); p++) {
            if (p >= known.partitions() || known.route(p).newestVersion() < table.version()) {
                adopted.put(p, routes.get(p).versions());
            }
            if (adopted.size() == RECORDED) {
                record(adopted);
                adopted.clear();
            }
        }
        if (!adopted.isEmpty()) {
            record(adopted);
        }
        deleteTables();
    }

    /** The routes, each with this version or a newer one. */
    private List<PartitionRoute> adopt(int version) {
        int partitions = store.children(base + "/routes").size();
        long[] covered = covered(partitions);
        int group = Math.max(1, partitions / GROUPS);
        List<PartitionRoute> adopted = new ArrayList<>();
        for (int from = 0; from < partitions; from += group) {
            int to = Math.min(partitions, from + group);
            List<PartitionRoute> together = adopt(version, from, to, covered);
            for (int p = from; p < to; p++) {
                adopted.add(together.isEmpty() ? adoptAlone(p, version, covered[p]) : together.get(p - from));
            }
        }
        return adopted;
    }

    private PartitionRoute adoptAlone(int partition, int version, long covered) {
        return catalog.changeRoute(partition, "adopt a routing table", route -> adopted(route, version, covered))
                .route();
    }

    private static PartitionRoute adopted(PartitionRoute route, int version, long covered) {
        return route.newestVersion() >= version
                ? route
                : route.withVersion(version).withoutVersionsBelow(covered);
    }

    /** Some partitions in one transaction; nothing when their limits are raised again and again meanwhile. */
    private List<PartitionRoute> adopt(int version, int from, int to, long[] covered) {
        for (int attempt = 0; attempt < GROUP_TRIES && to - from > 1; attempt++) {
            // Read at once before they are written: others raise limits all the time.
            List<VersionedRoute> routes = routes(from, to);
            List<PartitionRoute> adopted = new ArrayList<>();
            List<Op> ops = new ArrayList<>();
            for (int p = from; p < to; p++) {
                VersionedRoute current = routes.get(p - from);
                PartitionRoute changed = adopted(current.route(), version, covered[p]);
                adopted.add(changed);
                if (!changed.equals(current.route())) {
                    ops.add(new Op.Set(catalog.routePath(p), CatalogJson.write(changed), current.nodeVersion()));
                }
            }
            try {
                if (!ops.isEmpty()) {
                    store.commit(ops);
                }
                return adopted;
            } catch (ConflictException | UnknownOutcomeException e) {
                store.sync();
            }
        }
        return List.of();
    }

    /** What it says stays true, so that saying it twice, or late, does no harm. */
    private void record(Map<Integer, List<PartitionRoute.VersionSince>> adopted) {
        transaction().run(before -> {
            tail.commit(tail.place(before), new Edit.Adopted(adopted), List.of());
            return true;
        });
    }

    /** The routes of some partitions, in one round trip where the store can. */
    List<VersionedRoute> routes(int from, int to) {
        List<String> paths =
                IntStream.range(from, to).mapToObj(catalog::routePath).toList();
        List<Optional<CatalogStore.Node>> nodes = store.readAll(paths);
        List<VersionedRoute> routes = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            String path = paths.get(i);
            CatalogStore.Node node = nodes.get(i).orElseThrow(() -> new StreamGoneException(stream.name(), path));
            routes.add(new VersionedRoute(CatalogJson.readRoute(path, node.data()), node.version()));
        }
        return routes;
    }

    /**
     * By partition, an offset that every checkpoint has reached, that of one that joins later too: they only rise, so
     * an old reading is right.
     */
    long[] covered(int partitions) {
        while (true) {
            List<String> indexers = store.children(base + "/indexers");
            long[] covered = new long[partitions];
            Arrays.fill(covered, Long.MAX_VALUE);
            List<String> paths = indexers.stream()
                    .map(indexer -> base + "/indexers/" + indexer)
                    .toList();
            List<Optional<CatalogStore.Node>> nodes = store.readAll(paths);
            for (int i = 0; i < paths.size(); i++) {
                String path = paths.get(i);
                CatalogStore.Node node = nodes.get(i).orElseThrow(() -> new StreamGoneException(stream.name(), path));
                long[] watermarks =
                        CatalogJson.readCheckpoint(path, node.data()).watermarks();
                for (int p = 0; p < Math.min(partitions, watermarks.length); p++) {
                    covered[p] = Math.min(covered[p], watermarks[p]);
                }
                // Partitions of which it stands at the beginning, as their routes have it.
                Arrays.fill(covered, Math.min(partitions, watermarks.length), partitions, Long.MIN_VALUE);
            }
            // An indexer that joined meanwhile may stand below these; one that joins from now on stands above.
            store.sync();
            if (store.children(base + "/indexers").equals(indexers)) {
                return covered;
            }
        }
    }

    /* Why tables may go that no route names: a dispatcher that routes by one has taken its version from a route, and
     * a route drops a version once every checkpoint has passed it. An older copy of the route may name it still; who
     * fetches the table by that copy finds nothing, reads the route again, and goes on above what the version held
     * for. And no route comes to name it again: not one that is at that version or beyond, for routes never go back;
     * not any other than its own, if it was made for one partition; not that of a new partition, which begins with
     * the highest version. All of that stays true, so routes may be read one after the other, and be old; the list
     * of tables is read before. Plans do not read these nodes; snapshots have the tables from edits and manifests. */

    /** Deletes tables that no route needs, some at a time. The next call sees what others delete at the same time. */
    void deleteTables() {
        List<Integer> tables = new ArrayList<>(store.children(base + "/tables").stream()
                .map(Integer::parseInt)
                .sorted()
                .toList());
        if (tables.size() < 2) {
            return;
        }
        tables.remove(tables.size() - 1);
        store.sync();
        int least = Integer.MAX_VALUE;
        Set<Integer> named = new HashSet<>();
        for (VersionedRoute current : routes(0, store.children(base + "/routes").size())) {
            least = Math.min(least, current.route().newestVersion());
            current.route().versions().forEach(version -> named.add(version.version()));
        }
        List<Op> ops = new ArrayList<>();
        for (int version : tables) {
            if (!named.contains(version)
                    && ops.size() < MAX_DELETIONS
                    && (version <= least || isOfOnePartition(version))) {
                ops.add(new Op.Delete(catalog.tablePath(version), 0));
            }
        }
        if (ops.isEmpty()) {
            return;
        }
        try {
            store.commit(ops);
        } catch (ConflictException | UnknownOutcomeException e) {
            LOG.debug("stream {}: old tables are left: {}", stream.name(), e.toString());
        }
    }

    private boolean isOfOnePartition(int version) {
        String path = catalog.tablePath(version);
        return store.read(path)
                .map(node -> CatalogJson.isOfOnePartition(path, node.data()))
                .orElse(false);
    }
}
