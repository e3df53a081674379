package io.waterwheel.catalog;

import io.waterwheel.catalog.CatalogStore.ConflictException;
import io.waterwheel.catalog.CatalogStore.Op;
import io.waterwheel.catalog.CatalogStore.UnknownOutcomeException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.Schema;
import io.waterwheel.model.WaterwheelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The streams of a namespace: creates, lists and drops them. Creating one never touches Storm. Calls block. */
public final class Namespace {
    private static final String STREAMS = "/streams";
    private static final String NEXT_ID = "/next-stream-id";

    private final CatalogStore store;

    public Namespace(CatalogStore store) {
        this.store = store;
        store.ensure(STREAMS);
        store.ensure(NEXT_ID);
    }

    static String path(String stream) {
        return STREAMS + "/" + stream;
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

    public Optional<StreamInfo> find(String name) {
        return store.read(path(name)).map(node -> CatalogJson.readStream(path(name), node.data()));
    }

    /**
     * Creates a stream: its entry, its first routing table over {@code indexers} indexers, its start positions.
     *
     * @param starts per partition of the topic, the first offset that belongs to the stream
     * @throws WaterwheelException STREAM_EXISTS when there is one of that name
     */
    public StreamInfo create(
            String name, Schema schema, RecordFormat format, String topic, long[] starts, int indexers) {
        while (true) {
            for (StreamInfo other : streams()) {
                if (other.topic().equals(topic) && !other.name().equals(name)) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.USER,
                            "TOPIC_TAKEN",
                            "topic " + topic + " feeds stream " + other.name() + " already; a topic feeds one stream");
                }
            }
            CatalogStore.Node counter = store.read(NEXT_ID).orElseThrow();
            int id = counter.data().length == 0
                    ? 1
                    : Integer.parseInt(new String(counter.data(), StandardCharsets.UTF_8));
            StreamInfo stream = new StreamInfo(name, id, schema, format, topic, starts.length, indexers);
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(NEXT_ID, String.valueOf(id + 1).getBytes(StandardCharsets.UTF_8), counter.version()));
            ops.addAll(new StreamCatalog(store, stream)
                    .creation(RoutingTable.even(1, KeyMaker.domain(schema), indexers), starts));
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

    /** Removes a stream's entries; its chunk files are left to the collector. Without effect when there is none. */
    public void drop(String name) {
        while (true) {
            List<Op> ops = new ArrayList<>();
            collect(path(name), ops);
            // Children before parents.
            Collections.reverse(ops);
            if (ops.isEmpty()) {
                return;
            }
            try {
                store.commit(ops);
                return;
            } catch (ConflictException | UnknownOutcomeException e) {
                // Something was added meanwhile, or it may be done: look again.
                store.sync();
            }
        }
    }

    private void collect(String path, List<Op> ops) {
        Optional<CatalogStore.Node> node = store.read(path);
        if (node.isPresent()) {
            ops.add(new Op.Delete(path, node.get().version()));
            for (String child : store.children(path)) {
                collect(path + "/" + child, ops);
            }
        }
    }
}
