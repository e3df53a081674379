package io.waterwheel.catalog;

import io.waterwheel.catalog.CatalogStore.ConflictException;
import io.waterwheel.catalog.CatalogStore.Op;
import io.waterwheel.catalog.CatalogStore.UnknownOutcomeException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.Schema;
import io.waterwheel.model.StreamPolicy;
import io.waterwheel.model.WaterwheelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The streams of a namespace: creates, lists and drops them. Creating one never touches Storm. Calls block. */
public final class Namespace {
    private static final String STREAMS = "/streams";
    private static final String DATA = "/data";
    /** Nodes deleted in one transaction; far below what a transaction may hold. */
    private static final int DELETES = 500;

    private static final String NEXT_ID = "/next-stream-id";

    private final CatalogStore store;

    public Namespace(CatalogStore store) {
        this.store = store;
        store.ensure(STREAMS);
        store.ensure(DATA);
        store.ensure(NEXT_ID);
    }

    static String path(String stream) {
        return STREAMS + "/" + stream;
    }

    static String dataPath(int streamId) {
        return DATA + "/" + streamId;
    }

    /** Path of the node whose children are the streams; watch it to learn of new ones. */
    public String streamsPath() {
        return STREAMS;
    }

    /** All streams, by name. */
    public List<StreamInfo> streams() {
        List<StreamInfo> streams = new ArrayList<>();
        for (String name : store.children(STREAMS)) {
            find(name).ifPresent(streams::add);
        }
        return streams;
    }

    /** A bound on the ids of streams that there are, or have been: every one of them is below. */
    public int nextId() {
        return nextId(store.read(NEXT_ID).orElseThrow());
    }

    private static int nextId(CatalogStore.Node counter) {
        return counter.data().length == 0 ? 1 : Integer.parseInt(new String(counter.data(), StandardCharsets.UTF_8));
    }

    public Optional<StreamInfo> find(String name) {
        return store.read(path(name)).map(node -> CatalogJson.readStream(path(name), node.data()));
    }

    /** Names of all streams, whether or not their entries can be read. */
    public List<String> names() {
        return store.children(STREAMS);
    }

    /** Lets whoever watches the streams look again. */
    static void touch(CatalogStore store, List<Op> ops) {
        CatalogStore.Node node = store.read(STREAMS).orElseThrow();
        ops.add(new Op.Set(STREAMS, node.data(), node.version()));
    }

    /**
     * Changes the policy of a stream.
     *
     * @return the stream as it stands afterwards
     * @throws WaterwheelException NO_SUCH_STREAM when there is none
     */
    public StreamInfo changePolicy(String name, UnaryOperator<StreamPolicy> change) {
        while (true) {
            store.sync();
            CatalogStore.Node node = store.read(path(name))
                    .orElseThrow(() -> new WaterwheelException(
                            WaterwheelException.Kind.USER,
                            "NO_SUCH_STREAM",
                            "there is no stream '" + name + "'; 'waterwheel stream list' shows those there are"));
            StreamInfo stream = CatalogJson.readStream(path(name), node.data());
            StreamInfo changed = stream.withPolicy(change.apply(stream.policy()));
            if (changed.equals(stream)) {
                return stream;
            }
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(path(name), CatalogJson.write(changed), node.version()));
            touch(store, ops);
            try {
                store.commit(ops);
                return changed;
            } catch (ConflictException | UnknownOutcomeException e) {
                // Somebody else changed streams, or it may be done: look again.
                store.sync();
            }
        }
    }

    /** {@link #create(String, Schema, RecordFormat, String, long[], int, StreamPolicy, LogIdentity)} with defaults. */
    public StreamInfo create(
            String name, Schema schema, RecordFormat format, String topic, long[] starts, int indexers) {
        return create(name, schema, format, topic, starts, indexers, StreamPolicy.DEFAULT, LogIdentity.ANY);
    }

    /**
     * Creates a stream: its entry, its first routing table over {@code indexers} indexers, its start positions.
     *
     * @param starts per partition of the topic, the first offset that belongs to the stream
     * @param log of the topic
     * @throws WaterwheelException STREAM_EXISTS when there is one of that name
     */
    public StreamInfo create(
            String name,
            Schema schema,
            RecordFormat format,
            String topic,
            long[] starts,
            int indexers,
            StreamPolicy policy,
            LogIdentity log) {
        while (true) {
            store.sync();
            CatalogStore.Node counter = store.read(NEXT_ID).orElseThrow();
            for (StreamInfo other : streams()) {
                if (other.topic().equals(topic) && !other.name().equals(name)) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.USER,
                            "TOPIC_TAKEN",
                            "topic " + topic + " feeds stream " + other.name() + " already; a topic feeds one stream");
                }
            }
            int id = nextId(counter);
            StreamInfo stream = new StreamInfo(name, id, schema, format, topic, starts.length, indexers, policy);
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(NEXT_ID, String.valueOf(id + 1).getBytes(StandardCharsets.UTF_8), counter.version()));
            ops.addAll(new StreamCatalog(store, stream)
                    .creation(RoutingTable.even(1, KeyMaker.domain(schema), indexers), starts, log));
            try {
                store.commit(ops);
                return stream;
            } catch (ConflictException e) {
                if (find(name).isPresent()) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.USER,
                            "STREAM_EXISTS",
                            "stream " + name + " exists already; describe it, or drop it first",
                            e);
                }
            } catch (UnknownOutcomeException e) {
                store.sync();
                Optional<StreamInfo> found = find(name);
                if (found.isPresent() && found.get().id() == id) {
                    return found.get();
                }
            }
        }
    }

    /**
     * Removes a stream: first, in one transaction, its name and everything that its writers must find to change
     * anything; then the rest. Its chunk files are left to the collector. Without effect when there is none.
     */
    public void drop(String name) {
        while (true) {
            store.sync();
            Optional<CatalogStore.Node> node = store.read(path(name));
            if (node.isEmpty()) {
                return;
            }
            StreamInfo stream = CatalogJson.readStream(path(name), node.get().data());
            String base = dataPath(stream.id());
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Delete(path(name), node.get().version()));
            // Without the pointer nobody adds an edit, or rolls any up.
            store.read(base + "/manifest")
                    .ifPresent(found -> ops.add(new Op.Delete(base + "/manifest", found.version())));
            for (String folder : List.of("/indexers", "/routes")) {
                for (String child : store.children(base + folder)) {
                    String path = base + folder + "/" + child;
                    store.read(path).ifPresent(found -> ops.add(new Op.Delete(path, found.version())));
                }
            }
            try {
                store.commit(ops);
            } catch (ConflictException | UnknownOutcomeException e) {
                // An indexer or a dispatcher was quicker, or it may be done: look again.
                continue;
            }
            for (String folder : List.of("/edits", "/tables", "/indexers", "/routes")) {
                deleteChildren(base + folder);
                delete(List.of(base + folder));
            }
            delete(List.of(base));
            return;
        }
    }

    private void deleteChildren(String parent) {
        List<String> batch = new ArrayList<>();
        for (String child : store.children(parent)) {
            batch.add(parent + "/" + child);
            if (batch.size() == DELETES) {
                delete(batch);
                batch.clear();
            }
        }
        delete(batch);
    }

    /** Deletes nodes that nobody changes any more. */
    private void delete(List<String> paths) {
        List<Op> ops = new ArrayList<>();
        for (String path : paths) {
            store.read(path).ifPresent(node -> ops.add(new Op.Delete(path, node.version())));
        }
        if (ops.isEmpty()) {
            return;
        }
        try {
            store.commit(ops);
        } catch (ConflictException | UnknownOutcomeException e) {
            throw new WaterwheelException(
                    WaterwheelException.Kind.TEMPORARY,
                    "DROP_UNFINISHED",
                    "the stream is dropped, but some of its entries are left in the catalog: " + e.getMessage(),
                    e);
        }
    }
}
