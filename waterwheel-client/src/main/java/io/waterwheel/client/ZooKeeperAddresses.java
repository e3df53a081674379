package io.waterwheel.client;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that the coordinators of a namespace announce in ZooKeeper: the content of each node under
 * {@code ROOT/NAMESPACE/coordinators}. Every look is a session of its own, of some tens of milliseconds: a client that
 * runs for months keeps none, and looks again only when no coordinator that it knows answers.
 */
final class ZooKeeperAddresses implements Addresses {
    static final String DEFAULT_ROOT = "/waterwheel";

    private static final Pattern CONNECT =
            Pattern.compile("([^,:/\\s]+:\\d{1,5}(?:,[^,:/\\s]+:\\d{1,5})*)((?:/[A-Za-z0-9._-]+)+)?");
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final int SESSION_MILLIS = 10_000;

    private final String servers;
    private final String root;
    private final String namespace;

    /**
     * @param connect {@code HOST:PORT,...}, then perhaps the root, such as {@code /waterwheel}
     * @throws IllegalArgumentException when one of them is none
     */
    ZooKeeperAddresses(String connect, String namespace) {
        Matcher matcher = CONNECT.matcher(connect);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("ZooKeeper '" + connect
                    + "': expected HOST:PORT, several with commas between, then the root unless it is " + DEFAULT_ROOT
                    + ", such as zk1:2181,zk2:2181/waterwheel");
        }
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException("namespace '" + namespace
                    + "': expected letters, digits, dots, underscores and hyphens, at most 100");
        }
        this.servers = matcher.group(1);
        this.root = matcher.group(2) == null ? DEFAULT_ROOT : matcher.group(2);
        this.namespace = namespace;
    }

    @Override
    public boolean change() {
        return true;
    }

    @Override
    public List<String> now() {
        try {
            return look();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaterwheelException(
                    ErrorCode.INTERRUPTED, "interrupted while looking for coordinators; ask again", e);
        } catch (KeeperException.NoAuthException e) {
            throw new WaterwheelException(
                    ErrorCode.ZOOKEEPER_DENIED,
                    "ZooKeeper at " + servers + " does not let a client without credentials read " + e.getPath()
                            + ", where the coordinators of namespace " + namespace
                            + " announce themselves; submit the topology again, whose coordinators open it to"
                            + " readers, or let all read it ('setAcl' of ZooKeeper's shell), or name a coordinator's"
                            + " address instead of ZooKeeper's",
                    e);
        } catch (IOException | KeeperException e) {
            throw new WaterwheelException(
                    ErrorCode.ZOOKEEPER_FAILED,
                    "ZooKeeper at " + servers + " did not say where the coordinators of namespace " + namespace
                            + " are: " + e.getMessage(),
                    e);
        }
    }

    private List<String> look() throws IOException, InterruptedException, KeeperException {
        CountDownLatch connected = new CountDownLatch(1);
        // A server that has lost the others may answer too: better an address that is old than none.
        ZooKeeper session = new ZooKeeper(
                servers,
                SESSION_MILLIS,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected
                            || event.getState() == KeeperState.ConnectedReadOnly) {
                        connected.countDown();
                    }
                },
                true);
        try {
            if (!connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new WaterwheelException(
                        ErrorCode.ZOOKEEPER_UNREACHABLE,
                        "no ZooKeeper server answered at " + servers + " within " + SESSION_MILLIS / 1000 + " s");
            }
            return read(session);
        } finally {
            endAside(session);
        }
    }

    /** Without being waited for: ZooKeeper's client takes a tenth of a second to end a session, in which it sleeps. */
    private static void endAside(ZooKeeper session) {
        Thread thread = new Thread(
                () -> {
                    try {
                        session.close();
                    } catch (InterruptedException e) {
                        // Its server ends it after SESSION_MILLIS.
                        Thread.currentThread().interrupt();
                    }
                },
                "waterwheel-zookeeper-end");
        thread.setDaemon(true);
        thread.start();
    }

    private List<String> read(ZooKeeper session) throws InterruptedException, KeeperException {
        String path = root + "/" + namespace + "/coordinators";
        List<String> nodes;
        try {
            nodes = session.getChildren(path, false);
        } catch (KeeperException.NoNodeException e) {
            throw new WaterwheelException(
                    ErrorCode.NO_SUCH_NAMESPACE,
                    "ZooKeeper at " + servers + " has no " + path + ": no topology of namespace " + namespace
                            + " was ever there; " + others(session),
                    e);
        }
        List<String> urls = new ArrayList<>();
        for (String node : nodes) {
            String url = address(session, path + "/" + node);
            if (url != null) {
                urls.add(url);
            }
        }
        if (urls.isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.NO_COORDINATOR,
                    "no coordinator of namespace " + namespace + " has announced itself in ZooKeeper at " + servers
                            + " under " + path + "; is its topology running?");
        }
        // Not everybody asks the same one.
        Collections.shuffle(urls);
        return urls;
    }

    /** What a node announces; null when it went meanwhile. */
    private @Nullable String address(ZooKeeper session, String node) throws InterruptedException, KeeperException {
        try {
            String url = new String(session.getData(node, false, null), StandardCharsets.UTF_8).strip();
            Connection.parse(url);
            return url;
        } catch (KeeperException.NoNodeException e) {
            return null;
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(
                    ErrorCode.BAD_ADDRESS, "ZooKeeper at " + servers + ": " + node + ": " + e.getMessage(), e);
        }
    }

    /** What there is in place of what was asked for. */
    private String others(ZooKeeper session) throws InterruptedException, KeeperException {
        try {
            List<String> names = new ArrayList<>(session.getChildren(root, false));
            Collections.sort(names);
            return names.isEmpty() ? root + " is empty" : "namespaces there: " + String.join(", ", names);
        } catch (KeeperException.NoAuthException e) {
            return "which there are cannot be read without credentials";
        } catch (KeeperException.NoNodeException e) {
            return "nor is there a " + root + ", which zookeeper.root of the configuration names";
        }
    }

    @Override
    public String toString() {
        return "ZooKeeper at " + servers + root + ", namespace " + namespace;
    }
}
