package io.waterwheel.catalog.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A catalog in memory, with the semantics of the one in ZooKeeper: for tests, simulations and the engine as a library.
 * Each store is one client of a {@link Tree}; several share one. Nothing outlives the tree. Callbacks of watches run on
 * the thread whose call made the change, after the change and without a lock, so that a simulation on one thread
 * repeats exactly.
 *
 * <p>Thread-safe. All state is guarded by the tree.
 */
public final class InMemoryCatalogStore implements CatalogStore {
    /** The nodes that several clients share. */
    public static final class Tree {
        private final Map<String, Entry> nodes = new TreeMap<>();
        private final Set<Watch> watches = new LinkedHashSet<>();

        public Tree() {
            nodes.put("/", new Entry(new byte[0], 0, null));
        }

        private boolean hasChildren(String path) {
            return !namesUnder(path).isEmpty();
        }

        private List<String> namesUnder(String path) {
            String prefix = path.equals("/") ? "/" : path + "/";
            List<String> names = new ArrayList<>();
            for (String other : nodes.keySet()) {
                if (other.length() > prefix.length()
                        && other.startsWith(prefix)
                        && other.indexOf('/', prefix.length()) < 0) {
                    names.add(other.substring(prefix.length()));
                }
            }
            return names;
        }

        private List<Watch> watchesOf(Set<String> changed) {
            return watches.stream()
                    .filter(watch -> changed.contains(watch.path()))
                    .toList();
        }
    }

    /** @param owner the announcement that keeps it alive; null when it stays */
    @SuppressWarnings("ArrayRecordComponent") // bytes, never compared
    private record Entry(byte[] data, int version, @Nullable Announcement owner) {}

    /** Compared by identity: two watches of one path and one callback are two. */
    private static final class Watch {
        private final InMemoryCatalogStore client;
        private final String path;
        private final Runnable onChange;

        Watch(InMemoryCatalogStore client, String path, Runnable onChange) {
            this.client = client;
            this.path = path;
            this.onChange = onChange;
        }

        String path() {
            return path;
        }
    }

    /** Compared by identity. */
    private static final class Announcement {
        private final String path;
        private final byte[] data;

        Announcement(String path, byte[] data) {
            this.path = path;
            this.data = data;
        }
    }

    private final Tree tree;
    private final Set<Announcement> announcements = new LinkedHashSet<>();
    private boolean closed;

    public InMemoryCatalogStore(Tree tree) {
        this.tree = tree;
    }

    @Override
    public Optional<Node> read(String path) {
        CatalogPaths.check(path);
        synchronized (tree) {
            requireOpen();
            Entry entry = tree.nodes.get(path);
            return entry == null ? Optional.empty() : Optional.of(new Node(entry.data.clone(), entry.version));
        }
    }

    @Override
    public List<String> children(String path) {
        CatalogPaths.check(path);
        synchronized (tree) {
            requireOpen();
            return tree.namesUnder(path);
        }
    }

    @Override
    public void ensure(String path) {
        CatalogPaths.check(path);
        Set<String> changed = new LinkedHashSet<>();
        List<Watch> called;
        synchronized (tree) {
            requireOpen();
            ensure(path, changed);
            called = tree.watchesOf(changed);
        }
        call(called);
    }

    private void ensure(String path, Set<String> changed) {
        if (tree.nodes.containsKey(path)) {
            return;
        }
        String parent = CatalogPaths.parent(path);
        ensure(parent, changed);
        tree.nodes.put(path, new Entry(new byte[0], 0, null));
        changed.add(path);
        changed.add(parent);
    }

    @Override
    public void commit(List<Op> ops) throws ConflictException {
        CatalogPaths.check(ops);
        Set<String> changed = new LinkedHashSet<>();
        List<Watch> called;
        synchronized (tree) {
            requireOpen();
            Map<String, Optional<Entry>> before = new LinkedHashMap<>();
            try {
                for (Op op : ops) {
                    before.putIfAbsent(op.path(), Optional.ofNullable(tree.nodes.get(op.path())));
                    apply(op, changed);
                }
            } catch (ConflictException e) {
                before.forEach((path, entry) ->
                        entry.ifPresentOrElse(old -> tree.nodes.put(path, old), () -> tree.nodes.remove(path)));
                throw e;
            }
            called = tree.watchesOf(changed);
        }
        call(called);
    }

    private void apply(Op op, Set<String> changed) throws ConflictException {
        String path = op.path();
        Entry entry = tree.nodes.get(path);
        if (op instanceof Op.Create create) {
            if (entry != null) {
                throw new ConflictException("create " + path + ": it exists, at version " + entry.version);
            }
            Entry parent = tree.nodes.get(CatalogPaths.parent(path));
            if (parent == null) {
                throw new ConflictException("create " + path + ": its parent does not exist");
            }
            tree.nodes.put(path, new Entry(create.data().clone(), 0, null));
            changed.add(path);
            changed.add(CatalogPaths.parent(path));
        } else if (op instanceof Op.Set set) {
            Entry current = require("set", path, entry, set.expectedVersion());
            tree.nodes.put(path, new Entry(set.data().clone(), current.version + 1, current.owner));
            changed.add(path);
        } else if (op instanceof Op.Delete delete) {
            boolean any = entry != null && delete.expectedVersion() == Op.Delete.ANY_VERSION;
            if (!any) {
                require("delete", path, entry, delete.expectedVersion());
            }
            if (tree.hasChildren(path)) {
                throw new ConflictException("delete " + path + ": it has children");
            }
            tree.nodes.remove(path);
            changed.add(path);
            changed.add(CatalogPaths.parent(path));
        } else if (op instanceof Op.Check check) {
            require("check", path, entry, check.expectedVersion());
        }
    }

    private static Entry require(String step, String path, @Nullable Entry entry, int version)
            throws ConflictException {
        if (entry == null) {
            throw new ConflictException(step + " " + path + ": expected version " + version + ", it does not exist");
        }
        if (entry.version != version) {
            throw new ConflictException(step + " " + path + ": expected version " + version + ", got " + entry.version);
        }
        return entry;
    }

    /** Without effect: every read sees everything that was committed. */
    @Override
    public void sync() {
        synchronized (tree) {
            requireOpen();
        }
    }

    @Override
    public AutoCloseable watch(String path, Runnable onChange) {
        Watch watch = new Watch(this, CatalogPaths.check(path), onChange);
        synchronized (tree) {
            requireOpen();
            tree.watches.add(watch);
        }
        return () -> {
            synchronized (tree) {
                tree.watches.remove(watch);
            }
        };
    }

    @Override
    public AutoCloseable announce(String path, byte[] data) {
        Announcement announcement = new Announcement(CatalogPaths.check(path), data.clone());
        List<Watch> called;
        synchronized (tree) {
            requireOpen();
            announcements.add(announcement);
            called = put(announcement);
        }
        call(called);
        return () -> {
            List<Watch> closing;
            synchronized (tree) {
                announcements.remove(announcement);
                closing = remove(announcement);
            }
            call(closing);
        };
    }

    private List<Watch> put(Announcement announcement) {
        Set<String> changed = new LinkedHashSet<>();
        ensure(CatalogPaths.parent(announcement.path), changed);
        tree.nodes.put(announcement.path, new Entry(announcement.data, 0, announcement));
        changed.add(announcement.path);
        changed.add(CatalogPaths.parent(announcement.path));
        return tree.watchesOf(changed);
    }

    private List<Watch> remove(Announcement announcement) {
        Entry entry = tree.nodes.get(announcement.path);
        if (entry == null || entry.owner != announcement) {
            return List.of(); // another process has announced itself in its place
        }
        tree.nodes.remove(announcement.path);
        return tree.watchesOf(Set.of(announcement.path, CatalogPaths.parent(announcement.path)));
    }

    /**
     * Loses the session and gets a new one, as after a long pause of the process: its announcements vanish and come
     * back, its watches are called.
     */
    public void loseSession() {
        List<Watch> called = new ArrayList<>();
        synchronized (tree) {
            requireOpen();
            announcements.forEach(announcement -> called.addAll(remove(announcement)));
            announcements.forEach(announcement -> called.addAll(put(announcement)));
            tree.watches.stream().filter(watch -> watch.client == this).forEach(called::add);
        }
        call(called);
    }

    /** Ends the session: its announcements vanish, its watches end. What the process of a crashed client leaves. */
    @Override
    public void close() {
        List<Watch> called = new ArrayList<>();
        synchronized (tree) {
            if (closed) {
                return;
            }
            closed = true;
            tree.watches.removeIf(watch -> watch.client == this);
            announcements.forEach(announcement -> called.addAll(remove(announcement)));
            announcements.clear();
        }
        call(called);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the catalog store is closed");
        }
    }

    private static void call(List<Watch> watches) {
        new LinkedHashSet<>(watches).forEach(watch -> watch.onChange.run());
    }
}
