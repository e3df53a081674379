package io.waterwheel.catalog;

import io.waterwheel.catalog.maintenance.DroppedStreams;
import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The streams of a namespace: creates, lists and drops them. Creating one never touches Storm. Calls block. */
public final class Namespace {
    private static final Logger LOG = LoggerFactory.getLogger(Namespace.class);
    static final String STREAMS = "/streams";
    private static final String DATA = "/data";
    /** Nodes deleted in one transaction; far below what a transaction may hold. */
    private static final int DELETES = 500;
    /** Writers change nothing unless they find nodes in these. */
    private static final List<String> LIVE_FOLDERS = List.of("/indexers", "/routes");

    private static final Pattern ID = Pattern.compile("\\d{1,9}");

    private static final String NEXT_ID = "/next-stream-id";

    private final CatalogStore store;
    private final TopicIndex topics;

    public Namespace(CatalogStore store) {
        this.store = store;
        this.topics = new TopicIndex(store);
        store.ensure(STREAMS);
        store.ensure(DATA);
        store.ensure(NEXT_ID);
    }

    public static String path(String stream) {
        return STREAMS + "/" + stream;
    }

    public static String dataPath(int streamId) {
        return DATA + "/" + streamId;
    }

    /** Path of the node whose children are the streams; watch it to learn of new ones. */
    public String streamsPath() {
        return STREAMS;
    }

    /** All streams. */
    public StreamEntries entries() {
        return StreamEntries.read(this);
    }

    /** All streams whose entries can be read, by name. */
    public List<StreamInfo> streams() {
        return entries().readable();
    }

    /** A bound on the ids of streams that there are, or have been: every one of them is below. */
    public int nextId() {
        return nextId(store.read(NEXT_ID).orElseThrow());
    }

    private static int nextId(CatalogStore.Node counter) {
        return counter.data().length == 0 ? 1 : Integer.parseInt(new String(counter.data(), StandardCharsets.UTF_8));
    }

    /**
     * One stream.
     *
     * @throws CorruptCatalogException when its entry cannot be read
     */
    public Optional<StreamInfo> find(String name) {
        return entry(name).map(node -> CatalogJson.readStream(path(name), node.data()));
    }

    /** Of a name that no stream can have there is none: a store may take its path for another's, or for none at all. */
    private Optional<CatalogStore.Node> entry(String name) {
        return StreamDefinition.isName(name) ? store.read(path(name)) : Optional.empty();
    }

    /**
     * A stream by what its entry holds.
     *
     * @param entry what was read below {@link #streamsPath}
     * @throws CorruptCatalogException when it cannot be understood
     */
    public static StreamInfo parse(String name, byte[] entry) {
        return CatalogJson.readStream(path(name), entry);
    }

    /** The topic that a stream's entry names, whatever else is in it; nothing where that cannot be told. */
    public static Optional<String> topicOf(byte[] entry) {
        return CatalogJson.topic(entry);
    }

    /** What the entries of these streams hold, empty where there is none. */
    List<Optional<CatalogStore.Node>> read(List<String> names) {
        return store.readAll(names.stream().map(Namespace::path).toList());
    }

    /** Names of all streams, whether or not their entries can be read. */
    public List<String> names() {
        return store.children(STREAMS);
    }

    /** Lets the watchers of the streams look again. */
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
        store.sync();
        return new CatalogTransaction(store, "the policy of stream " + name + " could not be changed").run(before -> {
            CatalogStore.Node node = entry(name).orElseThrow(() -> SqlNames.noSuchStream(store, name));
            StreamInfo stream = CatalogJson.readStream(path(name), node.data());
            StreamInfo changed = stream.withPolicy(change.apply(stream.policy()));
            if (!changed.equals(stream)) {
                List<Op> ops = new ArrayList<>();
                ops.add(new Op.Set(path(name), CatalogJson.write(changed), node.version()));
                touch(store, ops);
                store.commit(ops);
            }
            return changed;
        });
    }

    /** {@link #create(String, Schema, RecordFormat, StartOfTopic, int, StreamPolicy)} with defaults. */
    public StreamInfo create(
            String name, Schema schema, RecordFormat format, String topic, long[] starts, int indexers) {
        return create(
                name, schema, format, new StartOfTopic(topic, starts, LogIdentity.ANY), indexers, StreamPolicy.DEFAULT);
    }

    /** The failure STREAM_EXISTS for a stream of that name. */
    public static WaterwheelException exists(String name) {
        return new WaterwheelException(
                ErrorCode.STREAM_EXISTS, "stream " + name + " exists already; describe it, or drop it first");
    }

    /**
     * Creates a stream: its entry, its first routing table over {@code indexers} indexers, its start positions.
     *
     * @throws WaterwheelException STREAM_EXISTS when there is one of that name; TOPIC_TAKEN when the topic has the
     *     stream's name and is read by another; TOPIC_HAS_BLOCKS when the streams of a topic could not read each
     *     other's rows; TOPIC_UNSURE when an entry that cannot be read may name the same topic
     */
    public StreamInfo create(
            String name, Schema schema, RecordFormat format, StartOfTopic start, int indexers, StreamPolicy policy) {
        String topic = start.topic();
        long[] offsets = start.offsets();
        store.sync();
        return new CatalogTransaction(store, "stream " + name + " could not be created").run(before -> {
            CatalogStore.Node counter = store.read(NEXT_ID).orElseThrow();
            int id = nextId(counter);
            List<Op> ops = new ArrayList<>();
            ops.add(new Op.Set(NEXT_ID, String.valueOf(id + 1).getBytes(StandardCharsets.UTF_8), counter.version()));
            try {
                TopicIndex.Taking taking = topics.take(topic, name, id, this);
                if (taking.shared() && topic.equals(name)) {
                    // Most such topics were not named, but follow from the stream's name.
                    throw new WaterwheelException(
                            ErrorCode.TOPIC_TAKEN,
                            "topic " + topic + " is read by another stream already, and stream " + name
                                    + " has its name. Give the stream another name; a definition that names the topic"
                                    + " (topic: " + topic + ") then shares it");
                }
                StreamInfo stream = new StreamInfo(
                        name, id, schema, format, topic, offsets.length, indexers, policy, taking.shared());
                if (!taking.other().isEmpty()) {
                    requireReadable(taking.other(), stream);
                }
                ops.addAll(new StreamCatalog(store, stream)
                        .creation(RoutingTable.even(1, KeyScheme.of(schema).domain(), indexers), offsets, start.log()));
                if (start.made()) {
                    ops.add(MadeTopic.creation(id, start.log().topicId()));
                }
                ops.addAll(taking.ops());
                store.commit(ops);
                return stream;
            } catch (ConflictException e) {
                if (find(name).isPresent()) {
                    WaterwheelException there = exists(name);
                    there.initCause(e);
                    throw there;
                }
                throw e;
            } catch (UnknownOutcomeException e) {
                store.sync();
                Optional<StreamInfo> found = find(name);
                if (found.isPresent() && found.get().id() == id) {
                    return found.get();
                }
                throw e;
            }
        });
    }

    /** Throws where one of two streams of a topic writes tuple blocks that the other cannot read. */
    private void requireReadable(String firstName, StreamInfo second) {
        Optional<StreamInfo> found;
        try {
            found = find(firstName);
        } catch (CorruptCatalogException e) {
            LOG.warn("whether stream {} can read what stream {} writes is not known", second.name(), firstName, e);
            return;
        }
        found.ifPresent(first -> requireReadable(first, second));
    }

    private static void requireReadable(StreamInfo first, StreamInfo second) {
        boolean ofFirst = first.format().takesBlocks(first.schema());
        boolean ofSecond = second.format().takesBlocks(second.schema());
        if (ofFirst != ofSecond
                || (ofFirst
                        && RowLayout.of(first.schema()).fingerprint()
                                != RowLayout.of(second.schema()).fingerprint())) {
            throw new WaterwheelException(
                    ErrorCode.TOPIC_HAS_BLOCKS,
                    "rows of stream " + (ofFirst ? first : second).name() + " are tuple blocks in topic "
                            + first.topic() + ", which stream " + (ofFirst ? second : first).name()
                            + " cannot read: it has other fields, another key or another format");
        }
    }

    /**
     * Removes a stream: first, in one transaction, its name and everything that its writers must find to change
     * anything; then the rest. What of that cannot be removed now is left to {@link DroppedStreams}, its chunk files to
     * {@link FileCollector}. Without effect when there is none.
     *
     * @throws WaterwheelException TEMPORARY when it is not known whether it is dropped; a later call never drops
     *     another stream than the one it finds
     */
    public void drop(String name) {
        store.sync();
        Optional<StreamInfo> found = find(name);
        if (found.isEmpty()) {
            return;
        }
        int id = found.get().id();
        dropEntry(name, id);
        try {
            removeRemains(id);
        } catch (WaterwheelException e) {
            LOG.warn("stream {} is dropped; what is left under {} is removed later", name, dataPath(id), e);
        }
    }

    /** Returns when no entry names the stream of this id; another process may have removed it. */
    private void dropEntry(String name, int id) {
        String base = dataPath(id);
        new CatalogTransaction(store, ErrorCode.STREAM_BUSY, "stream " + name + " could not be dropped").run(before -> {
            Optional<CatalogStore.Node> node = entry(name);
            // The name may be another stream's by now, which no caller asked to drop.
            StreamInfo stream = node.isEmpty()
                    ? null
                    : CatalogJson.readStream(path(name), node.get().data());
            if (stream == null || stream.id() != id) {
                return false;
            }
            List<Op> ops = new ArrayList<>(topics.giveBack(stream, this));
            // At its version: partitions and indexers are added with a change of it, so that the lists below are whole.
            ops.add(new Op.Delete(path(name), node.get().version()));
            // At any version: limits rise and indexers flush all the time, and who comes later finds nothing to change.
            // Without the pointer no process adds an edit, or rolls any up.
            if (store.read(base + "/manifest").isPresent()) {
                ops.add(new Op.Delete(base + "/manifest", Op.Delete.ANY_VERSION));
            }
            for (String folder : LIVE_FOLDERS) {
                for (String child : store.children(base + folder)) {
                    ops.add(new Op.Delete(base + folder + "/" + child, Op.Delete.ANY_VERSION));
                }
            }
            store.commit(ops);
            return true;
        });
    }

    /** Ids under which something is left; those of streams that there are among them. */
    public List<Integer> dataIds() {
        List<Integer> ids = new ArrayList<>();
        for (String child : store.children(DATA)) {
            if (ID.matcher(child).matches()) {
                ids.add(Integer.parseInt(child));
            }
        }
        return ids;
    }

    /** Whether the nodes are there that are deleted with a stream's entry, in one transaction. */
    public boolean isLive(int streamId) {
        return LIVE_FOLDERS.stream()
                .anyMatch(folder -> !store.children(dataPath(streamId) + folder).isEmpty());
    }

    /**
     * Deletes what is left of a stream that no entry names; other processes may do the same at once.
     *
     * @throws WaterwheelException TEMPORARY when some is left
     */
    public void removeRemains(int streamId) {
        String base = dataPath(streamId);
        String failure = "the stream of id " + streamId + " is dropped, but what is left of it in the catalog under "
                + base + " could not be deleted";
        // Others may delete the same: each try sees what is left.
        new CatalogTransaction(store, ErrorCode.DROP_UNFINISHED, failure).run(before -> {
            for (String folder : store.children(base)) {
                deleteChildren(base + "/" + folder);
                store.commit(List.of(new Op.Delete(base + "/" + folder, Op.Delete.ANY_VERSION)));
            }
            boolean left = store.read(base).isPresent();
            if (left) {
                store.commit(List.of(new Op.Delete(base, Op.Delete.ANY_VERSION)));
            }
            return left;
        });
    }

    private void deleteChildren(String parent) throws ConflictException, UnknownOutcomeException {
        List<String> children = store.children(parent);
        for (int from = 0; from < children.size(); from += DELETES) {
            List<Op> ops = new ArrayList<>();
            for (String child : children.subList(from, Math.min(from + DELETES, children.size()))) {
                ops.add(new Op.Delete(parent + "/" + child, Op.Delete.ANY_VERSION));
            }
            store.commit(ops);
        }
    }
}
