package io.waterwheel.topology.zookeeper;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * An ephemeral node that this process keeps. {@link #establish} is called at the start and after each reconnection; it
 * is not called when somebody else takes the node over, so that two processes of one name do not fight for ever.
 */
final class Announcement {
    private final CuratorFramework curator;
    private final String path;
    private final byte[] data;
    private final AtomicBoolean closed = new AtomicBoolean();

    Announcement(CuratorFramework curator, String path, byte[] data) {
        this.curator = curator;
        this.path = path;
        this.data = data;
    }

    /** Makes the node exist in the current session, in place of any other session's. Synchronized against close. */
    synchronized void establish() throws Exception {
        while (!closed.get()) {
            try {
                curator.create()
                        .creatingParentsIfNeeded()
                        .withMode(CreateMode.EPHEMERAL)
                        .forPath(path, data);
                return;
            } catch (KeeperException.NodeExistsException e) {
                if (isOurs()) {
                    return;
                }
                deleteIfThere();
            }
        }
    }

    /** Removes the node unless it is another's by now; the end of the session does so too. */
    synchronized void close() throws Exception {
        if (closed.compareAndSet(false, true) && isOurs()) {
            deleteIfThere();
        }
    }

    private boolean isOurs() throws Exception {
        Stat stat = curator.checkExists().forPath(path);
        long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
        return stat != null && stat.getEphemeralOwner() == session;
    }

    private void deleteIfThere() throws Exception {
        try {
            curator.delete().forPath(path);
        } catch (KeeperException.NoNodeException e) {
            // The dead session's end removed it first.
        }
    }

    @Override
    public String toString() {
        return "announcement of " + path;
    }
}
