package io.waterwheel.embedded.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/** A ZooKeeper server in this process, on a folder that outlives it, also when the process is killed. */
public final class EmbeddedZooKeeper implements AutoCloseable {
    private static final int TICK_MILLIS = 1_000;
    /** Half a second on a quiet machine; others may have taken most of it. */
    private static final long START_MILLIS = 300_000;

    /** Of one address; all that this process has open are a dozen. */
    private static final int MOST_CONNECTIONS = 500;

    private static final String CREDENTIALS = "credentials";

    private final int port;
    private final ZooKeeperServerEmbedded server;
    private final Path credentials;

    private EmbeddedZooKeeper(int port, ZooKeeperServerEmbedded server, Path credentials) {
        this.port = port;
        this.server = server;
        this.credentials = credentials;
    }

    /**
     * Starts and returns when clients can connect.
     *
     * @param folder made when absent; used by this server only
     * @param wantedPort 0 for the port of the last start on this folder, or any free one
     */
    public static EmbeddedZooKeeper start(Path folder, int wantedPort) throws IOException {
        ServerFolder.make(folder);
        Path credentials = credentials(folder);
        int port = new PortRegistry(folder).port("zookeeper", wantedPort);
        Properties settings = new Properties();
        settings.setProperty("tickTime", Integer.toString(TICK_MILLIS));
        settings.setProperty("clientPort", Integer.toString(port));
        settings.setProperty("clientPortAddress", "127.0.0.1");
        settings.setProperty("minSessionTimeout", "1000");
        settings.setProperty("maxSessionTimeout", "300000");
        settings.setProperty("maxClientCnxns", Integer.toString(MOST_CONNECTIONS));
        settings.setProperty("admin.enableServer", "false");
        try {
            ZooKeeperServerEmbedded server = ZooKeeperServerEmbedded.builder()
                    .baseDir(folder)
                    .configuration(settings)
                    .exitHandler(ExitHandler.LOG_ONLY)
                    .build();
            server.start(START_MILLIS);
            return new EmbeddedZooKeeper(port, server, credentials);
        } catch (Exception e) {
            throw new IOException("ZooKeeper in " + folder + " did not start: " + e, e);
        }
    }

    /** A file of one line, user:password, that its owner alone can read; the password is drawn at the first start. */
    private static Path credentials(Path folder) throws IOException {
        Path file = folder.resolve(CREDENTIALS);
        if (Files.exists(file)) {
            return file;
        }
        byte[] password = new byte[24];
        new SecureRandom().nextBytes(password);
        String line = "waterwheel:" + Base64.getUrlEncoder().withoutPadding().encodeToString(password) + "\n";
        // Whole or not at all: half a line would lock the owner out for ever.
        Path made = folder.resolve(CREDENTIALS + ".new");
        Files.deleteIfExists(made);
        boolean posix = folder.getFileSystem().supportedFileAttributeViews().contains("posix");
        Files.createFile(
                made,
                posix
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0]);
        Files.writeString(made, line);
        return Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The credentials that own the catalog on this server, as {@code zookeeper.auth} takes them. */
    public String auth() {
        return "file:" + credentials.toAbsolutePath();
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
