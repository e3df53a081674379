package io.waterwheel.embedded.server;

import java.io.IOException;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * ZooKeeper's port and what listens there. Where the server behind it does not start, since its disk is full for
 * example, the port is given back: ZooKeeper 3.9 leaves it open, and waits for ever in the close that follows. Made by
 * ZooKeeper, by its name.
 */
public final class ReleasingCnxnFactory extends NIOServerCnxnFactory {
    @Override
    public void startup(ZooKeeperServer server, boolean startServer) throws IOException, InterruptedException {
        try {
            super.startup(server, startServer);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            shutdown();
            throw e;
        }
    }
}
