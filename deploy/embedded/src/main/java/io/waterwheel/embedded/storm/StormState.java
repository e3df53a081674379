package io.waterwheel.embedded.storm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.storm.callback.ZKStateChangedCallback;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.cluster.VersionedData;
import org.apache.storm.shade.org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.storm.shade.org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.storm.shade.org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * What a worker of Storm shares with its cluster, in memory: whether its topology is active, and the last errors of
 * each component, which Storm itself cuts at ten. In ZooKeeper it would be away whenever that is, and Storm ends its
 * process then. Heartbeats are not kept, because they have no reader. Thread-safe.
 */
final class StormState implements IStateStorage {
    private final NavigableMap<String, byte[]> nodes = new TreeMap<>();
    private final Set<String> watched = ConcurrentHashMap.newKeySet();
    private final Map<String, ZKStateChangedCallback> callbacks = new ConcurrentHashMap<>();
    private long sequence;

    @Override
    public String register(ZKStateChangedCallback callback) {
        String id = UUID.randomUUID().toString();
        callbacks.put(id, callback);
        return id;
    }

    @Override
    public void unregister(String id) {
        callbacks.remove(id);
    }

    @Override
    public synchronized String create_sequential(String path, byte[] data, List<ACL> acls) {
        String name = path + String.format("%010d", sequence++);
        nodes.put(name, data);
        return name;
    }

    @Override
    public synchronized void mkdirs(String path, List<ACL> acls) {
        nodes.putIfAbsent(path, new byte[0]);
    }

    @Override
    public synchronized void delete_node(String path) {
        nodes.remove(path);
        nodes.subMap(path + "/", path + "0").clear();
    }

    @Override
    public void set_ephemeral_node(String path, byte[] data, List<ACL> acls) {
        set_data(path, data, acls);
    }

    @Override
    public synchronized @Nullable Integer get_version(String path, boolean watch) {
        return nodes.containsKey(path) ? 0 : null;
    }

    @Override
    public synchronized boolean node_exists(String path, boolean watch) {
        return nodes.containsKey(path);
    }

    @Override
    public synchronized List<String> get_children(String path, boolean watch) {
        List<String> names = new ArrayList<>();
        // '0' comes right after '/'.
        for (String child : nodes.subMap(path + "/", path + "0").keySet()) {
            String name = child.substring(path.length() + 1);
            if (name.indexOf('/') < 0) {
                names.add(name);
            }
        }
        return names;
    }

    @Override
    public void close() {
        callbacks.clear();
    }

    /** Tells those who wait for the node, as ZooKeeper does: once, and no others. */
    @Override
    public void set_data(String path, byte[] data, List<ACL> acls) {
        synchronized (this) {
            nodes.put(path, data);
        }
        if (watched.remove(path)) {
            for (ZKStateChangedCallback callback : callbacks.values()) {
                callback.changed(EventType.NodeDataChanged, path);
            }
        }
    }

    @Override
    public byte @Nullable [] get_data(String path, boolean watch) {
        if (watch) {
            watched.add(path);
        }
        synchronized (this) {
            byte[] data = nodes.get(path);
            return data == null || data.length == 0 ? null : data;
        }
    }

    @Override
    public @Nullable VersionedData<byte[]> get_data_with_version(String path, boolean watch) {
        byte[] data = get_data(path, watch);
        return data == null ? null : new VersionedData<>(0, data);
    }

    @Override
    public void set_worker_hb(String path, byte[] data, List<ACL> acls) {}

    @Override
    public byte @Nullable [] get_worker_hb(String path, boolean watch) {
        return null;
    }

    @Override
    public List<String> get_worker_hb_children(String path, boolean watch) {
        return List.of();
    }

    @Override
    public void delete_worker_hb(String path) {}

    @Override
    public void add_listener(ConnectionStateListener listener) {}

    @Override
    public void sync_path(String path) {}

    @Override
    public void delete_node_blobstore(String path, String nimbusHostPortInfo) {
        delete_node(path);
    }
}
