package io.waterwheel.topology.zookeeper;

import io.waterwheel.catalog.store.CatalogPaths;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalog in ZooKeeper, under a root of its own. Thread-safe. Calls block: reads are tried again for about the
 * session timeout and then fail as TEMPORARY. Callbacks of watches run on one thread of the store, never ZooKeeper's
 * own, and may read.
 */
public final class ZooKeeperCatalogStore implements CatalogStore {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperCatalogStore.class);
    private static final int RETRY_MILLIS = 50;
    private static final int MAX_RETRY_MILLIS = 1_000;
    /** Twice this is the longest pause after one try. */
    private static final long FIRST_PAUSE_MILLIS = 5;

    private static final long MAX_PAUSE_MILLIS = 500;
    /** What a refused transaction says of the steps after the refused one. */
    private static final Set<Code> NO_CAUSE = Set.of(Code.OK, Code.RUNTIMEINCONSISTENCY);

    private static final Set<Code> CONFLICT = Set.of(Code.NODEEXISTS, Code.NONODE, Code.BADVERSION, Code.NOTEMPTY);
    private static final Set<Code> DENIED = Set.of(Code.NOAUTH, Code.AUTHFAILED, Code.INVALIDACL);
    private static final Set<Code> UNKNOWN =
            Set.of(Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT, Code.SESSIONEXPIRED, Code.REQUESTTIMEOUT);

    private final String connect;
    private final String root;
    private final Duration patience;
    private final CatalogAccess access;
    private final CuratorFramework curator;
    private final ScheduledExecutorService executor;
    /** By path the newest, until its node is removed. */
    private final ConcurrentMap<String, Announcement> announcements = new ConcurrentHashMap<>();

    private volatile boolean closed;

    private ZooKeeperCatalogStore(String connect, String root, Duration sessionTimeout, CatalogAccess access) {
        this.connect = connect;
        this.root = root;
        this.patience = sessionTimeout;
        this.access = access;
        int sessionMillis = Math.toIntExact(sessionTimeout.toMillis());
        int retries = Math.max(3, sessionMillis / MAX_RETRY_MILLIS);
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(connect)
                .sessionTimeoutMs(sessionMillis)
                .connectionTimeoutMs(sessionMillis)
                .aclProvider(access.provider(root))
                .retryPolicy(new BoundedExponentialBackoffRetry(RETRY_MILLIS, MAX_RETRY_MILLIS, retries));
        byte[] credentials = access.credentials();
        this.curator = (credentials == null ? builder : builder.authorization("digest", credentials)).build();
        this.executor = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "catalog-" + root);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Connects as the configuration says. */
    public static ZooKeeperCatalogStore connect(WaterwheelConfig config) {
        return connect(
                config.get(Keys.ZOOKEEPER_CONNECT),
                config.catalogRoot(),
                config.get(Keys.ZOOKEEPER_SESSION_TIMEOUT),
                CatalogAccess.of(config));
    }

    /** {@link #connect(String, String, Duration, CatalogAccess)} without credentials, with open nodes. */
    public static ZooKeeperCatalogStore connect(String connect, String root, Duration sessionTimeout) {
        return connect(connect, root, sessionTimeout, CatalogAccess.OPEN);
    }

    /**
     * Connects and makes the root if need be.
     *
     * @param connect host:port with commas between
     * @param root absolute path of the node that becomes {@code /}
     * @param access who we are
     * @throws WaterwheelException TEMPORARY when no server answers within the session timeout; CATALOG_DENIED when we
     *     are not allowed
     */
    public static ZooKeeperCatalogStore connect(
            String connect, String root, Duration sessionTimeout, CatalogAccess access) {
        ZooKeeperCatalogStore store =
                new ZooKeeperCatalogStore(connect, CatalogPaths.check(root), sessionTimeout, access);
        try {
            store.curator.getConnectionStateListenable().addListener((client, state) -> store.connectionChanged(state));
            store.curator.start();
            store.awaitConnection();
            store.ensure("/");
            return store;
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    @Override
    public Optional<Node> read(String path) {
        String full = full(path);
        return ask("read " + path, () -> {
            try {
                Stat stat = new Stat();
                byte[] data = curator.getData().storingStatIn(stat).forPath(full);
                return Optional.of(new Node(data == null ? new byte[0] : data, stat.getVersion()));
            } catch (KeeperException.NoNodeException e) {
                return Optional.empty();
            }
        });
    }

    /** All are sent before the first is answered; one answer for all could be larger than a client takes. */
    @Override
    public List<Optional<Node>> readAll(List<String> paths) {
        return ask("read " + paths.size() + " nodes", () -> {
            List<CompletableFuture<CuratorEvent>> events = new ArrayList<>();
            for (String path : paths) {
                CompletableFuture<CuratorEvent> event = new CompletableFuture<>();
                curator.getData()
                        .inBackground((client, answer) -> event.complete(answer))
                        .forPath(full(path));
                events.add(event);
            }
            long deadline = System.nanoTime() + 2 * patience.toNanos();
            List<Optional<Node>> nodes = new ArrayList<>();
            for (int i = 0; i < paths.size(); i++) {
                CuratorEvent event = events.get(i).get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                Code code = Code.get(event.getResultCode());
                if (code == Code.NONODE) {
                    nodes.add(Optional.empty());
                } else if (code == Code.OK) {
                    byte[] data = event.getData();
                    nodes.add(Optional.of(new Node(
                            data == null ? new byte[0] : data, event.getStat().getVersion())));
                } else {
                    throw KeeperException.create(code, paths.get(i));
                }
            }
            return nodes;
        });
    }

    @Override
    public boolean isConnected() {
        return curator.getZookeeperClient().isConnected();
    }

    @Override
    public void pause(int tries) {
        long longest = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries, 20));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(longest + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("waiting for another try", e);
        }
    }

    @Override
    public List<String> children(String path) {
        String full = full(path);
        return ask("list " + path, () -> {
            try {
                return curator.getChildren().forPath(full).stream().sorted().toList();
            } catch (KeeperException.NoNodeException e) {
                return List.of();
            }
        });
    }

    @Override
    public void ensure(String path) {
        String full = full(path);
        ask("create " + path, () -> {
            try {
                curator.create().creatingParentsIfNeeded().forPath(full, new byte[0]);
            } catch (KeeperException.NodeExistsException e) {
                if (access.isForClients(root, full)
                        && access.lacksReaders(curator.getACL().forPath(full))) {
                    curator.setACL().withACL(access.acl(root, full)).forPath(full);
                }
                return false;
            }
            return true;
        });
    }

    @Override
    public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
        CatalogPaths.check(ops);
        requireOpen();
        awaitConnection();
        List<org.apache.zookeeper.Op> steps = ops.stream().map(this::step).toList();
        try {
            curator.getZookeeperClient().getZooKeeper().multi(steps);
        } catch (KeeperException e) {
            throw refused(ops, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnknownOutcomeException(describe(ops) + ": interrupted while waiting for the answer", e);
        } catch (Exception e) {
            throw failed(describe(ops), e); // of taking the connection: nothing was sent
        }
    }

    private org.apache.zookeeper.Op step(Op op) {
        String path = full(op.path());
        if (op instanceof Op.Create create) {
            return org.apache.zookeeper.Op.create(path, create.data(), access.acl(root, path), CreateMode.PERSISTENT);
        } else if (op instanceof Op.Set set) {
            return org.apache.zookeeper.Op.setData(path, set.data(), set.expectedVersion());
        } else if (op instanceof Op.Delete delete) {
            return org.apache.zookeeper.Op.delete(path, delete.expectedVersion());
        } else if (op instanceof Op.Check check) {
            return org.apache.zookeeper.Op.check(path, check.expectedVersion());
        }
        throw new IllegalArgumentException("unknown step " + op);
    }

    private RuntimeException refused(List<Op> ops, KeeperException e)
            throws ConflictException, UnknownOutcomeException {
        if (UNKNOWN.contains(e.code())) {
            throw new UnknownOutcomeException(
                    describe(ops) + ": the connection was lost (" + e.code() + "); sync, read and see if it was done",
                    e);
        }
        List<OpResult> results = e.getResults();
        if (results != null) {
            for (int i = 0; i < results.size(); i++) {
                if (results.get(i) instanceof OpResult.ErrorResult error) {
                    Code code = Code.get(error.getErr());
                    if (CONFLICT.contains(code)) {
                        throw new ConflictException(conflict(ops.get(i), code));
                    } else if (!NO_CAUSE.contains(code)) {
                        return failed(
                                describe(ops) + ", step " + i,
                                DENIED.contains(code) ? KeeperException.create(code) : e);
                    }
                }
            }
        }
        if (CONFLICT.contains(e.code())) {
            throw new ConflictException(describe(ops) + ": " + e.code());
        }
        return failed(describe(ops), e);
    }

    private static String conflict(Op op, Code code) {
        String step = op.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + " " + op.path() + ": ";
        return switch (code) {
            case NODEEXISTS -> step + "it exists";
            case NOTEMPTY -> step + "it has children";
            case NONODE -> step + (op instanceof Op.Create ? "its parent does not exist" : "it does not exist");
            default ->
                step + "it is not at the expected version "
                        + (op instanceof Op.Set set
                                ? set.expectedVersion()
                                : op instanceof Op.Delete delete
                                        ? delete.expectedVersion()
                                        : op instanceof Op.Check check ? check.expectedVersion() : -1);
        };
    }

    private static String describe(List<Op> ops) {
        List<String> paths = new ArrayList<>();
        ops.forEach(op -> paths.add(op.path()));
        return "catalog transaction on " + paths;
    }

    @Override
    public void sync() {
        ask("sync", () -> {
            CompletableFuture<Code> done = new CompletableFuture<>();
            curator.sync()
                    .inBackground((client, event) -> done.complete(Code.get(event.getResultCode())))
                    .forPath(root);
            Code code = done.get(2 * patience.toMillis(), TimeUnit.MILLISECONDS);
            if (code != Code.OK) {
                throw KeeperException.create(code, root);
            }
            return true;
        });
    }

    @Override
    public AutoCloseable watch(String path, Runnable onChange) {
        requireOpen();
        Watch watch = new Watch(curator, full(path), onChange, executor);
        watch.start();
        return watch;
    }

    @Override
    public AutoCloseable watchChildren(String path, Consumer<String> onChange) {
        requireOpen();
        ChildrenWatch watch = new ChildrenWatch(curator, full(path), onChange, executor);
        watch.start();
        return watch;
    }

    @Override
    public AutoCloseable announce(String path, byte[] data) {
        Announcement announcement = new Announcement(curator, full(path), data.clone());
        Announcement before = announcements.put(announcement.path(), announcement);
        if (before != null) {
            before.replace();
        }
        try {
            ask("announce " + path, () -> {
                announcement.establish();
                return true;
            });
        } catch (RuntimeException | Error e) {
            // The node may have been made, or be there from the announcement before.
            soon(announcement, 0, () -> remove(announcement));
            throw e;
        }
        return () -> remove(announcement);
    }

    /** Removes it, however long that takes: the session, and with it the node, may outlive a failure. */
    private void remove(Announcement announcement) {
        if (closed) {
            return;
        }
        try {
            announcement.remove();
            announcements.remove(announcement.path(), announcement);
        } catch (Exception e) {
            LOG.warn("{}: not removed, trying again in {} ms: {}", announcement, MAX_RETRY_MILLIS, e.toString());
            soon(announcement, MAX_RETRY_MILLIS, () -> remove(announcement));
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void connectionChanged(ConnectionState state) {
        switch (state) {
            case RECONNECTED ->
                announcements.values().forEach(announcement -> soon(announcement, 0, () -> establish(announcement)));
            case LOST ->
                LOG.warn(
                        "catalog {} at {}: session lost; announcements come back and watches are called when a server answers",
                        root,
                        connect);
            default -> LOG.info("catalog {} at {}: {}", root, connect, state);
        }
    }

    private void soon(Announcement announcement, long millis, Runnable action) {
        try {
            Future<?> unused = executor.schedule(action, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: the store is closed", announcement);
        }
    }

    private void establish(Announcement announcement) {
        if (closed) {
            return;
        }
        try {
            announcement.establish();
        } catch (Exception e) {
            LOG.warn("{}: not established, trying again in {} ms: {}", announcement, MAX_RETRY_MILLIS, e.toString());
            soon(announcement, MAX_RETRY_MILLIS, () -> establish(announcement));
        }
    }

    /** For tests, which end sessions behind the store's back. */
    CuratorFramework curator() {
        return curator;
    }

    private interface Question<T> {
        T ask() throws Exception;
    }

    private <T> T ask(String what, Question<T> question) {
        requireOpen();
        try {
            return question.ask();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(what, e);
        } catch (Exception e) {
            throw failed(what, e);
        }
    }

    private WaterwheelException failed(String what, Exception e) {
        if (e instanceof KeeperException keeper && DENIED.contains(keeper.code())) {
            return denied(what, e);
        }
        return new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "catalog: " + what + " failed: " + e, e);
    }

    private WaterwheelException denied(String what, Exception e) {
        return new WaterwheelException(
                ErrorCode.CATALOG_DENIED,
                "catalog " + root + ": " + what + ": ZooKeeper at " + connect + " refuses it (" + e.getMessage()
                        + "), asked with " + access
                        + ". The node was created with other credentials: set zookeeper.auth to"
                        + " those, or change its ACL with ZooKeeper's shell (setAcl -R)",
                e);
    }

    private void awaitConnection() {
        try {
            if (curator.blockUntilConnected(Math.toIntExact(patience.toMillis()), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new WaterwheelException(
                ErrorCode.CATALOG_UNAVAILABLE,
                "catalog " + root + ": no ZooKeeper server at " + connect + " answered within " + patience.toMillis()
                        + " ms; is it running, and is zookeeper.connect right?");
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the catalog store is closed");
        }
    }

    private String full(String path) {
        CatalogPaths.check(path);
        if (path.equals("/")) {
            return root;
        }
        return root.equals("/") ? path : root + path;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            executor.shutdownNow();
            curator.close();
        }
    }
}
