package io.waterwheel.embedded.server;

import io.waterwheel.topology.worker.Uninterrupted;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A ZooKeeper server in this process, on a folder that outlives it, also when the process is killed. */
public final class EmbeddedZooKeeper implements KeptPart.Part<EmbeddedZooKeeper> {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedZooKeeper.class);
    private static final int TICK_MILLIS = 1_000;
    /** Half a second on a quiet machine; others may have taken most of it. */
    private static final long START_MILLIS = 300_000;

    /** Of one address; all that this process has open are a dozen. */
    private static final int MOST_CONNECTIONS = 500;

    private static final String WORKERS = NIOServerCnxnFactory.ZOOKEEPER_NIO_NUM_WORKER_THREADS;
    /** KiB. */
    private static final String PREALLOCATED = "zookeeper.preAllocSize";

    private static final String CREDENTIALS = "credentials";

    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(START_MILLIS + 10_000);
    private static final long LOOK_MILLIS = 100;
    private static final long INTERRUPTED_MILLIS = 10_000;

    /** How often in a row a start must be seen to wait for a server that is not there. */
    private static final int LOOKS_WITHOUT_RUNNER = 10;

    /** The thread that is a server as long as it lives. */
    private static final String RUNNER = "zkservermainrunner";

    static {
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, ReleasingCnxnFactory.class.getName());
        // None: the thread that waits for requests reads and writes them, too. By default there are twice as many as
        // processors, for what a few clients of one process ask now and then.
        if (System.getProperty(WORKERS) == null) {
            System.setProperty(WORKERS, "0");
        }
        // It fills a file of its log ahead with zeros, by default 64 MiB of them.
        if (System.getProperty(PREALLOCATED) == null) {
            System.setProperty(PREALLOCATED, "1024");
        }
    }

    private final Path folder;
    private final int port;
    private final ZooKeeperServerEmbedded server;
    private final Thread runner;
    private final Path credentials;

    private EmbeddedZooKeeper(Path folder, int port, ZooKeeperServerEmbedded server, Thread runner, Path credentials) {
        this.folder = folder;
        this.port = port;
        this.server = server;
        this.runner = runner;
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
        forgetSettings(folder);
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
            return new EmbeddedZooKeeper(folder, port, server, start(server), credentials);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ZooKeeper was starting", e);
        } catch (Exception e) {
            throw new IOException("ZooKeeper in " + folder + " did not start: " + e, e);
        }
    }

    /** Returns its thread, which is told from those of other servers by the group that it was started in. */
    private static Thread start(ZooKeeperServerEmbedded server) throws Exception {
        ThreadGroup own = new ThreadGroup("zookeeper");
        FutureTask<@Nullable Void> starting = new FutureTask<>(() -> {
            server.start(START_MILLIS);
            return null;
        });
        Thread thread = new Thread(own, starting, "zookeeper-start");
        thread.start();
        try {
            awaitStart(starting, thread, own);
        } catch (InterruptedException e) {
            // Closed in the middle of its start it would not end.
            if (Uninterrupted.join(thread, INTERRUPTED_MILLIS)) {
                server.close();
            } else {
                LOG.warn("ZooKeeper is still starting, and is left behind");
            }
            throw e;
        } catch (Exception e) {
            thread.interrupt();
            throw e;
        }
        Thread runner = runner(own);
        if (runner == null) {
            throw new IOException("the server has ended already");
        }
        return runner;
    }

    /** The start waits for the server's thread for its whole time, also for one that has died. */
    private static void awaitStart(FutureTask<@Nullable Void> starting, Thread thread, ThreadGroup own)
            throws Exception {
        long begin = System.nanoTime();
        int without = 0;
        while (without < LOOKS_WITHOUT_RUNNER && System.nanoTime() - begin < MOST_NANOS) {
            try {
                starting.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                return;
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception failure ? failure : e;
            } catch (TimeoutException e) {
                boolean waits = thread.getState() == Thread.State.TIMED_WAITING;
                without = waits && runner(own) == null ? without + 1 : 0;
            }
        }
        throw new IOException(
                "the server has ended while it was starting; the lines of the log before this one say why");
    }

    private static @Nullable Thread runner(ThreadGroup own) {
        Thread[] threads = new Thread[own.activeCount() + 100];
        int count = own.enumerate(threads);
        return Arrays.stream(threads, 0, count)
                .filter(thread -> thread.getName().equals(RUNNER))
                .findFirst()
                .orElse(null);
    }

    @Override
    public boolean ended() {
        return !runner.isAlive();
    }

    @Override
    public EmbeddedZooKeeper again() throws IOException {
        return start(folder, port);
    }

    /** ZooKeeper writes its settings at each start, into a file of a new name, and reads it once. */
    private static void forgetSettings(Path folder) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, "zookeeper.configuration*.properties")) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
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
