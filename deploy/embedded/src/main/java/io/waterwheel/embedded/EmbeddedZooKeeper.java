package io.waterwheel.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/** A ZooKeeper server in this process, on a folder that outlives it, also when the process is killed. */
public final class EmbeddedZooKeeper implements AutoCloseable {
    private static final int TICK_MILLIS = 1_000;
    /** Half a second on a quiet machine; others may have taken most of it. */
    private static final long START_MILLIS = 300_000;

    private final int port;
    private final ZooKeeperServerEmbedded server;

    private EmbeddedZooKeeper(int port, ZooKeeperServerEmbedded server) {
        this.port = port;
        this.server = server;
    }

    /**
     * Starts and returns when clients can connect.
     *
     * @param folder made when absent; nobody else's
     * @param wantedPort 0 for the port of the last start on this folder, or any free one
     */
    public static EmbeddedZooKeeper start(Path folder, int wantedPort) throws IOException {
        ServerFolder.make(folder);
        int port = new KeptPorts(folder).port("zookeeper", wantedPort);
        Properties settings = new Properties();
        settings.setProperty("tickTime", Integer.toString(TICK_MILLIS));
        settings.setProperty("clientPort", Integer.toString(port));
        settings.setProperty("clientPortAddress", "127.0.0.1");
        settings.setProperty("minSessionTimeout", "1000");
        settings.setProperty("maxSessionTimeout", "300000");
        settings.setProperty("maxClientCnxns", "0");
        settings.setProperty("admin.enableServer", "false");
        try {
            ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
                    .baseDir(folder)
                    .configuration(settings)
                    .exitHandler(ExitHandler.LOG_ONLY)
                    .build();
            server.start(START_MILLIS);
            return new EmbeddedZooKeeper(port, server);
        } catch (Exception e) {
            throw new IOException("ZooKeeper in " + folder + " did not start: " + e, e);
        }
    }

    public int port() {
        return port;
    }

    /** What clients connect to. */
    public String connect() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        server.close();
    }
}
