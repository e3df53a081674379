package io.waterwheel.topology.zookeeper;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes what older releases left open to everyone: the nodes of the catalogs of a ZooKeeper that is all ours, and its
 * root and what is ZooKeeper's own, where everyone may make nodes else. Done once: the root is the last, and tells.
 */
public final class OpenNodes {
    private static final Logger LOG = LoggerFactory.getLogger(OpenNodes.class);

    /** What ZooKeeper makes itself, open to everyone, in the order in which it is closed. */
    private static final List<String> ITS_OWN = List.of("/zookeeper/quota", "/zookeeper", "/");

    private OpenNodes() {}

    /**
     * Gives every node below {@code zookeeper.root} that is open to all the ACL that it would be created with, then
     * {@code /zookeeper} and the root of the tree theirs.
     *
     * @param config whose {@code zookeeper.acl} is {@code creator}
     * @return how many nodes below {@code zookeeper.root} were open, itself included
     * @throws WaterwheelException TEMPORARY when ZooKeeper does not answer
     */
    public static int close(WaterwheelConfig config) {
        CatalogAccess access = CatalogAccess.of(config);
        byte[] credentials = access.credentials();
        if (credentials == null) {
            throw new IllegalArgumentException("zookeeper.auth is none: nodes can be closed only to credentials");
        }
        String servers = config.get(Keys.ZOOKEEPER_CONNECT);
        int sessionMillis =
                Math.toIntExact(config.get(Keys.ZOOKEEPER_SESSION_TIMEOUT).toMillis());
        CountDownLatch connected = new CountDownLatch(1);
        try (ZooKeeper session = new ZooKeeper(servers, sessionMillis, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        })) {
            session.addAuthInfo("digest", credentials);
            if (!connected.await(sessionMillis, TimeUnit.MILLISECONDS)) {
                throw away(servers, "no server answered in time", null);
            }
            List<String> open = new ArrayList<>();
            for (String path : ITS_OWN) {
                if (isOpen(session, path)) {
                    open.add(path);
                }
            }
            if (open.isEmpty()) {
                return 0;
            }
            int closed = close(session, access, config.get(Keys.ZOOKEEPER_ROOT));
            for (String path : open) {
                session.setACL(path, access.rootAcl(), -1);
            }
            if (closed > 0) {
                LOG.info("closed {} nodes of ZooKeeper that an older release had left open to everyone", closed);
            }
            return closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw away(servers, "interrupted", e);
        } catch (java.io.IOException | KeeperException e) {
            throw away(servers, String.valueOf(e.getMessage()), e);
        }
    }

    private static WaterwheelException away(
            String servers, String why, @org.jspecify.annotations.Nullable Exception e) {
        String message = "the nodes of ZooKeeper at " + servers + " could not be closed to others: " + why;
        return e == null
                ? new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, message)
                : new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, message, e);
    }

    private static int close(ZooKeeper session, CatalogAccess access, String top)
            throws KeeperException, InterruptedException {
        int closed = 0;
        Deque<String> left = new ArrayDeque<>();
        left.add(top);
        while (!left.isEmpty()) {
            String path = left.remove();
            try {
                if (isOpen(session, path)) {
                    session.setACL(path, access.acl(catalogOf(top, path), path), -1);
                    closed++;
                }
                for (String child : session.getChildren(path, false)) {
                    left.add(path + "/" + child);
                }
            } catch (KeeperException.NoNodeException e) {
                LOG.debug("{} is not there any longer", path, e);
            } catch (KeeperException.NoAuthException e) {
                LOG.warn("{} belongs to other credentials than zookeeper.auth names, and is left alone", path);
            }
        }
        return closed;
    }

    /** The root of the namespace that a node belongs to; the top's own is of any. */
    private static String catalogOf(String top, String path) {
        int end = path.indexOf('/', top.length() + 1);
        return path.equals(top) ? path + "/any" : end < 0 ? path : path.substring(0, end);
    }

    private static boolean isOpen(ZooKeeper session, String path) throws KeeperException, InterruptedException {
        List<ACL> acl = session.getACL(path, new Stat());
        return acl.stream()
                .anyMatch(entry -> entry.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE)
                        && (entry.getPerms() & ~ZooDefs.Perms.READ) != 0);
    }
}
