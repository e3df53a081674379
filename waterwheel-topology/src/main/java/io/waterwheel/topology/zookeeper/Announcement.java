package io.waterwheel.topology.zookeeper;

import java.util.Arrays;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * An ephemeral node that this process keeps. {@link #establish} is called at the start and after each reconnection; it
 * is not called when somebody else takes the node over, so that two processes of one name do not fight for ever.
 * Thread-safe.
 */
final class Announcement {
    private final CuratorFramework curator;
    private final String path;
    private final byte[] data;
    /** It is wanted no longer. */
    private boolean closed;
    /** The node, if it is there, is a later announcement's. */
    private boolean replaced;

    Announcement(CuratorFramework curator, String path, byte[] data) {
        this.curator = curator;
        this.path = path;
        this.data = data;
    }

    String path() {
        return path;
    }

    /** Makes the node exist with this data in the current session, in place of any other's; not once it is closed. */
    synchronized void establish() throws Exception {
        while (!closed) {
            try {
                curator.create()
                        .creatingParentsIfNeeded()
                        .withMode(CreateMode.EPHEMERAL)
                        .forPath(path, data);
                return;
            } catch (KeeperException.NodeExistsException e) {
                if (!isOurs()) {
                    deleteIfThere();
                } else if (isRenewed()) {
                    return;
                }
            }
        }
    }

    /**
     * Removes the node unless it is another's by now; the end of the session does so too. When it fails the node may be
     * there as long as the session lives: call it again.
     */
    synchronized void remove() throws Exception {
        closed = true;
        if (!replaced && isOurs()) {
            deleteIfThere();
        }
    }

    /** Another announcement of this process takes the node over: this one leaves it alone from now on. */
    synchronized void replace() {
        closed = true;
        replaced = true;
    }

    private boolean isOurs() throws Exception {
        Stat stat = curator.checkExists().forPath(path);
        long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
        return stat != null && stat.getEphemeralOwner() == session;
    }

    /** Gives the node its data, where an announcement before left other; false when it is gone. */
    private boolean isRenewed() throws Exception {
        try {
            if (!Arrays.equals(curator.getData().forPath(path), data)) {
                curator.setData().forPath(path, data);
            }
            return true;
        } catch (KeeperException.NoNodeException e) {
            return false;
        }
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
