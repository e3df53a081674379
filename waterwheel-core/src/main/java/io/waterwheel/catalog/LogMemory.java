package io.waterwheel.catalog;

import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogPaths;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CatalogStore.Op;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The part of a stream's catalog that exposes a broker's answer from the past (protocol rule 14): the topic ids that
 * were left, and the highest leader epoch seen of each partition. It outlives every spout. Small and rarely written: an
 * epoch rises when a partition changes its leader. Thread-safe as far as its store is; calls block.
 *
 * <pre>
 * /data/ID/logs      topic ids that were left
 * /data/ID/logs/G    leader epochs of partitions 256 G to 256 G + 255
 * /log-changes       written with every change of a log, in all streams: its version tells whether there was one
 * </pre>
 */
public final class LogMemory {
    /** Partitions whose epochs are in one node. */
    static final int GROUP = 256;
    /** Topic ids; beyond it the oldest is forgotten: no broker is that far behind. */
    static final int MAX_LEFT = 100;

    private static final String CHANGES = "/log-changes";

    /**
     * The highest leader epoch seen of a partition.
     *
     * @param topicId of the making of the topic that it is an epoch of; each counts anew
     */
    public record LeaderEpoch(String topicId, int epoch) {}

    /**
     * Everything that is remembered of some partitions.
     *
     * @param left topic ids that were left
     * @param epochs by partition; absent where none was ever seen
     */
    public record Known(Set<String> left, Map<Integer, LeaderEpoch> epochs) {
        public Known {
            left = Set.copyOf(left);
            epochs = Map.copyOf(epochs);
        }
    }

    private final CatalogStore store;
    private final StreamInfo stream;
    private final String path;

    public LogMemory(CatalogStore store, StreamInfo stream) {
        this.store = store;
        this.stream = stream;
        this.path = Namespace.dataPath(stream.id()) + "/logs";
    }

    private String groupPath(int partition) {
        return path + "/" + partition / GROUP;
    }

    /** Reads what is remembered, in one round trip where the store can. */
    public Known read(Collection<Integer> partitions) {
        Set<String> paths = new TreeSet<>();
        partitions.forEach(partition -> paths.add(groupPath(partition)));
        List<String> all = new ArrayList<>(paths);
        all.add(path);
        List<Optional<Node>> nodes = store.readAll(all);
        Map<Integer, LeaderEpoch> epochs = new HashMap<>();
        for (int i = 0; i < all.size() - 1; i++) {
            int number = i;
            nodes.get(i).ifPresent(node -> epochs.putAll(CatalogJson.readLeaderEpochs(all.get(number), node.data())));
        }
        epochs.keySet().retainAll(Set.copyOf(partitions));
        List<String> left = nodes.get(all.size() - 1)
                .map(node -> CatalogJson.readTopicsLeft(path, node.data()))
                .orElse(List.of());
        return new Known(Set.copyOf(left), epochs);
    }

    /**
     * Remembers epochs, where they are higher than those that are remembered, or of another making of the topic.
     *
     * @return the partitions of which this epoch, or a higher one of the same topic id, is remembered now: not those
     *     whose topic id was left
     */
    public Set<Integer> raise(Map<Integer, LeaderEpoch> seen) {
        Map<String, Map<Integer, LeaderEpoch>> byNode = new TreeMap<>();
        seen.forEach((partition, epoch) -> byNode.computeIfAbsent(groupPath(partition), key -> new TreeMap<>())
                .put(partition, epoch));
        Set<Integer> taken = new HashSet<>();
        for (Map.Entry<String, Map<Integer, LeaderEpoch>> node : byNode.entrySet()) {
            taken.addAll(raise(node.getKey(), node.getValue()));
        }
        return taken;
    }

    private Set<Integer> raise(String group, Map<Integer, LeaderEpoch> seen) {
        return transaction(group + ": leader epochs").run(before -> {
            requireStream(before);
            Optional<Node> node = store.read(group);
            Optional<Node> parent = store.read(path);
            List<String> left = parent.map(found -> CatalogJson.readTopicsLeft(path, found.data()))
                    .orElse(List.of());
            Map<Integer, LeaderEpoch> epochs = node.map(found -> CatalogJson.readLeaderEpochs(group, found.data()))
                    .orElse(Map.of());
            Map<Integer, LeaderEpoch> raised = new TreeMap<>(epochs);
            Set<Integer> taken = new HashSet<>();
            seen.forEach((partition, epoch) -> {
                // A task that still reads a topic that was left has nothing to say.
                if (!left.contains(epoch.topicId())) {
                    taken.add(partition);
                    LeaderEpoch old = raised.get(partition);
                    if (old == null || !old.topicId().equals(epoch.topicId()) || old.epoch() < epoch.epoch()) {
                        raised.put(partition, epoch);
                    }
                }
            });
            if (raised.equals(epochs)) {
                return taken;
            }
            List<Op> ops = new ArrayList<>();
            if (parent.isEmpty()) {
                ops.add(new Op.Create(path, CatalogJson.writeTopicsLeft(List.of())));
            }
            byte[] data = CatalogJson.writeLeaderEpochs(raised);
            ops.add(
                    node.isEmpty()
                            ? new Op.Create(group, data)
                            : new Op.Set(group, data, node.get().version()));
            store.commit(ops);
            return taken;
        });
    }

    private CatalogTransaction transaction(String what) {
        return new CatalogTransaction(store, what + " could not be remembered");
    }

    /** After a try in vain: the stream may have been dropped, and then none gets through. */
    private void requireStream(@Nullable Exception before) {
        String base = CatalogPaths.parent(path);
        if (before != null && store.read(base).isEmpty()) {
            throw new StreamGoneException(stream.name(), base);
        }
    }

    /** Remembers that a topic id was left. */
    public void leave(String topicId) {
        change("that " + topicId + " was left", topicId, true);
    }

    /** Somebody has decided by hand that the topic of this id is to be followed, also if it was left. */
    public void takeBack(String topicId) {
        change("that " + topicId + " is followed again", topicId, false);
    }

    private void change(String what, String topicId, boolean leave) {
        transaction(path + ": " + what).run(before -> {
            requireStream(before);
            Optional<Node> node = store.read(path);
            List<String> left = node.map(found -> CatalogJson.readTopicsLeft(path, found.data()))
                    .orElse(List.of());
            if (left.contains(topicId) == leave) {
                return false;
            }
            List<String> more = new ArrayList<>(left);
            if (leave) {
                more.add(topicId);
            } else {
                more.remove(topicId);
            }
            byte[] data = CatalogJson.writeTopicsLeft(more.subList(Math.max(0, more.size() - MAX_LEFT), more.size()));
            store.commit(List.of(
                    node.isEmpty()
                            ? new Op.Create(path, data)
                            : new Op.Set(path, data, node.get().version())));
            return true;
        });
    }

    /**
     * A number that differs from the one before if the log of any partition of any stream was changed between them. One
     * read: frequent checks need not read the routes of all partitions each time.
     */
    public static long changes(CatalogStore store) {
        return store.read(CHANGES).map(Node::version).orElse(-1);
    }

    /** The operation that lets {@link #changes} be another number. */
    static Op change(CatalogStore store) {
        return store.read(CHANGES)
                .<Op>map(node -> new Op.Set(CHANGES, node.data(), node.version()))
                .orElseGet(() -> new Op.Create(CHANGES, new byte[0]));
    }

    /** By topic id, then by partition: few ids, many partitions. */
    static Map<String, Map<Integer, Integer>> byTopic(Map<Integer, LeaderEpoch> epochs) {
        Map<String, Map<Integer, Integer>> topics = new LinkedHashMap<>();
        new TreeMap<>(epochs)
                .forEach((partition, epoch) -> topics.computeIfAbsent(epoch.topicId(), key -> new TreeMap<>())
                        .put(partition, epoch.epoch()));
        return topics;
    }
}
