package io.waterwheel.topology.worker;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.schema.StreamPolicy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of the namespace as this worker last saw them; a stream that is created is here some milliseconds later.
 *
 * <p>Written by one thread at a time: the executor's, or at the beginning the constructor's; so never by an older list.
 * Readers: any. Published by: volatile write of an immutable map.
 */
public final class StreamDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamDirectory.class);

    private final CatalogStore store;
    private final ChildrenFollower entries;
    /** By name, what could be read last. Only touched by {@link #changed}. */
    private final Map<String, StreamInfo> byName = new HashMap<>();

    private volatile Map<Integer, StreamInfo> streams = Map.of();
    private final List<Runnable> followers = new CopyOnWriteArrayList<>();

    public StreamDirectory(CatalogStore store, Namespace namespace, ScheduledExecutorService executor) {
        this.store = store;
        this.entries = new ChildrenFollower(store, namespace.streamsPath(), executor, this::changed);
    }

    /**
     * Calls it whenever {@link #streams} is another object, from now on, on the thread that reads the list; it must not
     * wait.
     *
     * @return closing it ends that
     */
    public AutoCloseable onChange(Runnable follower) {
        followers.add(follower);
        return () -> followers.remove(follower);
    }

    /** By stream id; the same object as long as nothing changes. */
    public Map<Integer, StreamInfo> streams() {
        return streams;
    }

    /**
     * A stream with the scales of its dimensions up to a version, or beyond; blocks where that is not here yet.
     *
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when the catalog is away
     */
    public StreamInfo scaled(StreamInfo stream, int scales) {
        StreamInfo newest = streams.getOrDefault(stream.id(), stream);
        return newest.scales() >= scales ? newest : new StreamCatalog(store, stream).scaled(scales);
    }

    private void changed(Map<String, byte[]> present, Set<String> gone) {
        byName.keySet().removeAll(gone);
        present.forEach((name, entry) -> {
            try {
                byName.put(name, shared(name, Namespace.parse(name, entry)));
            } catch (CorruptCatalogException e) {
                // One bad entry must not hide the others; what is known of it goes on.
                LOG.error("[streams] stream {} cannot be read: {}", name, e.getMessage());
            }
        });
        Map<Integer, StreamInfo> fresh = new HashMap<>();
        byName.values().forEach(stream -> fresh.put(stream.id(), stream));
        if (!fresh.equals(streams)) {
            streams = Map.copyOf(fresh);
            followers.forEach(Runnable::run);
        }
    }

    /** The same with parts that other streams have too: of ten thousand, many are alike. Schemas are shared already. */
    private StreamInfo shared(String name, StreamInfo stream) {
        return new StreamInfo(
                name,
                stream.id(),
                stream.schema(),
                stream.format(),
                stream.topic().equals(name) ? name : stream.topic(),
                stream.partitions(),
                stream.indexers(),
                stream.policy().equals(StreamPolicy.DEFAULT) ? StreamPolicy.DEFAULT : stream.policy(),
                stream.sharesTopic());
    }

    @Override
    public void close() {
        entries.close();
    }
}
