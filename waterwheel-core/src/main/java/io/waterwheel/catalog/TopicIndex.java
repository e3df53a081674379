package io.waterwheel.catalog;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which topics feed streams: a node for each topic with the name of the first stream that was created on it, so that
 * creating a stream need not read all that there are. A node is there and gone with that stream's entry, in one
 * transaction. Other streams of the topic share it ({@link StreamInfo#sharesTopic}), and have no node.
 *
 * <p>The node above says up to which stream id the index is whole. Releases without an index create streams all the
 * same, and raise the next id alone: then, and in a namespace that has no index yet, all entries are read once.
 */
final class TopicIndex {
    private static final String TOPICS = "/topics";
    /** No name of a stream has it; a path may, so that a release that does not know it finds no such stream. */
    private static final String LEFT = "~";
    /** Nodes written in one transaction; far below what a transaction may hold. */
    private static final int WRITES = 500;

    private final CatalogStore store;

    TopicIndex(CatalogStore store) {
        this.store = store;
        store.ensure(TOPICS);
    }

    /** A topic's node. Kafka's names are legal names of nodes, but for those that are dots only. */
    static String path(String topic) {
        String name = URLEncoder.encode(topic, StandardCharsets.UTF_8);
        return TOPICS + "/" + (name.startsWith(".") ? "%2E" + name.substring(1) : name);
    }

    /**
     * What a new stream finds of its topic.
     *
     * @param shared whether another stream has its node
     * @param other a stream that reads the topic already; empty where none is known
     * @param ops to be committed with the creation of the stream's entry and the raise of the next id by one
     */
    record Taking(boolean shared, String other, List<Op> ops) {}

    /**
     * Takes a topic for a stream, or finds it taken.
     *
     * @param nextId that the stream is to have
     * @throws WaterwheelException TOPIC_UNSURE when an entry that cannot be read may have the topic
     * @throws ConflictException when others write the index at this moment: read the next id again
     * @throws UnknownOutcomeException so too
     */
    Taking take(String topic, String stream, int nextId, Namespace namespace)
            throws ConflictException, UnknownOutcomeException {
        Node whole = store.read(TOPICS).orElseThrow();
        if (wholeUpTo(whole) != nextId) {
            // Before anything is written: who may not create a stream learns that first.
            complete(stream, topic, whole, namespace.entries());
            store.commit(List.of(new Op.Set(TOPICS, number(nextId), whole.version())));
            whole = store.read(TOPICS).orElseThrow();
        }
        List<Op> ops = new ArrayList<>();
        ops.add(new Op.Set(TOPICS, number(nextId + 1), whole.version()));
        Optional<Node> there = store.read(path(topic));
        if (there.isEmpty()) {
            ops.add(new Op.Create(path(topic), bytes(stream)));
            return new Taking(false, "", ops);
        }
        boolean left = name(there.get()).startsWith(LEFT);
        String other = left ? name(there.get()).substring(LEFT.length()) : name(there.get());
        Optional<Node> entry = other.equals(stream) ? Optional.empty() : store.read(Namespace.path(other));
        boolean reads = entry.isPresent() && mayHave(entry.get(), topic);
        if (reads && !left) {
            // As it is now: it is neither dropped nor given to a third stream meanwhile.
            ops.add(new Op.Check(path(topic), there.get().version()));
            return new Taking(true, other, ops);
        }
        // Its stream was dropped, by a release without an index where it is named.
        ops.add(new Op.Set(path(topic), bytes(stream), there.get().version()));
        return new Taking(false, reads ? other : "", ops);
    }

    /**
     * What gives a dropped stream's topic back. Another that still reads it is named behind {@link #LEFT}: the topic is
     * free, and who takes it must understand what that one writes.
     */
    List<Op> giveBack(StreamInfo stream, Namespace namespace) {
        Optional<Node> there = store.read(path(stream.topic()))
                .filter(node -> name(node).equals(stream.name()) || name(node).equals(LEFT + stream.name()));
        if (there.isEmpty()) {
            return List.of();
        }
        int version = there.get().version();
        return List.of(namespace.streams().stream()
                .filter(other -> other.topic().equals(stream.topic()) && other.id() != stream.id())
                .findFirst()
                .<Op>map(other -> new Op.Set(path(stream.topic()), bytes(LEFT + other.name()), version))
                .orElseGet(() -> new Op.Delete(path(stream.topic()), version)));
    }

    /** Whether a stream's entry names the topic, or cannot be read so far. */
    private static boolean mayHave(Node entry, String topic) {
        return CatalogJson.topic(entry.data()).map(topic::equals).orElse(true);
    }

    private static WaterwheelException unreadable(String topic, String other) {
        return new WaterwheelException(
                ErrorCode.TOPIC_UNSURE,
                "whether topic " + topic + " feeds stream " + other + " already is not known: its entry "
                        + Namespace.path(other) + " cannot be read; mend that, or use a release that can read it");
    }

    /**
     * Writes the nodes that are not there, or name streams that are gone; conflicts when a stream was created since.
     *
     * @param entries read after {@code whole}
     */
    private void complete(String creating, String topic, Node whole, StreamEntries entries)
            throws ConflictException, UnknownOutcomeException {
        Map<String, String> streams = new HashMap<>();
        Set<List<String>> feeds = new HashSet<>();
        for (StreamInfo stream : entries.readable()) {
            if (!stream.sharesTopic()) {
                streams.putIfAbsent(stream.topic(), stream.name());
            }
            feeds.add(List.of(stream.topic(), stream.name()));
        }
        for (String other : entries.unreadable()) {
            Optional<Node> entry = store.read(Namespace.path(other));
            Optional<String> theirs = entry.flatMap(node -> CatalogJson.topic(node.data()));
            if (theirs.isPresent()) {
                streams.putIfAbsent(theirs.get(), other);
                feeds.add(List.of(theirs.get(), other));
            } else if (entry.isPresent() && !other.equals(creating)) {
                throw unreadable(topic, other);
            }
        }
        List<String> topics = List.copyOf(streams.keySet());
        for (int from = 0; from < topics.size(); from += WRITES) {
            List<String> some = topics.subList(from, Math.min(topics.size(), from + WRITES));
            List<Optional<Node>> nodes =
                    store.readAll(some.stream().map(TopicIndex::path).toList());
            List<Op> ops = new ArrayList<>();
            for (int i = 0; i < some.size(); i++) {
                String path = path(some.get(i));
                byte[] name = bytes(streams.getOrDefault(some.get(i), ""));
                Optional<Node> node = nodes.get(i);
                if (node.isEmpty()) {
                    ops.add(new Op.Create(path, name));
                } else if (!feeds.contains(List.of(some.get(i), name(node.get())))) {
                    ops.add(new Op.Set(path, name, node.get().version()));
                }
            }
            if (!ops.isEmpty()) {
                // The nodes are newer than the entries: a topic may have another stream by now.
                ops.add(new Op.Check(TOPICS, whole.version()));
                store.commit(ops);
            }
        }
    }

    private static int wholeUpTo(Node whole) {
        return whole.data().length == 0 ? 1 : Integer.parseInt(name(whole));
    }

    private static byte[] number(int id) {
        return bytes(String.valueOf(id));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String name(Node node) {
        return new String(node.data(), StandardCharsets.UTF_8);
    }
}
