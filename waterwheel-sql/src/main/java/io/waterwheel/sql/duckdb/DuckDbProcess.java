package io.waterwheel.sql.duckdb;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBConnection;

/**
 * The process that DuckDB runs in. It answers one session a connection on a Unix domain socket in a folder of its own,
 * which is its working directory; it ends when its standard input does, which is with its parent, or when nothing was
 * asked for some minutes.
 *
 * <p>What it prints is for its parent: {@code ready} when it listens.
 */
final class DuckDbProcess {
    static final String READY = "ready";
    /** The socket, in the folder that it runs in. */
    static final String SOCKET = "duckdb.sock";

    /** What DuckDB's driver unpacks into the temporary folder. */
    private static final String LIBRARY = "libduckdb_java*";

    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final DuckDBConnection database;
    private final RowFunction rows;
    private final RegionTables regions;
    private final Path folder;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong lastUse = new AtomicLong(System.nanoTime());

    private DuckDbProcess(DuckDBConnection database, RowFunction rows, RegionTables regions, Path folder) {
        this.database = database;
        this.rows = rows;
        this.regions = regions;
        this.folder = folder;
    }

    /**
     * Runs it.
     *
     * @param arguments the folder, bytes of memory, bytes of disk in the folder, threads, and the folder whose files
     *     may be read; empty for none
     */
    public static void main(String[] arguments) throws IOException, SQLException {
        Path folder = Path.of(arguments[0]);
        DuckDBConnection database = DuckDBConnection.newConnection("jdbc:duckdb:", false, null, new Properties());
        // It is mapped: from the disk it goes with the process, however that ends.
        try (DirectoryStream<Path> unpacked = Files.newDirectoryStream(folder, LIBRARY)) {
            for (Path library : unpacked) {
                Files.delete(library);
            }
        }
        RegionTables regions = new RegionTables(RegionTables.MOST_BYTES);
        SpatialFunctions.register(database, regions);
        EngineFunctionsInDuckDb.register(database);
        RowFunction rows = RowFunction.register(database);
        AddressFunction.register(database);
        try (Statement statement = database.createStatement()) {
            for (String setting : new String[] {
                "memory_limit='" + arguments[1] + "B'",
                "temp_directory='" + folder.toString().replace("'", "''") + "'",
                "max_temp_directory_size='" + arguments[2] + "B'",
                "threads=" + arguments[3],
                "preserve_insertion_order=false",
                "TimeZone='UTC'",
                "autoinstall_known_extensions=false",
                "autoload_known_extensions=false",
                "default_null_order='nulls_first_on_asc_last_on_desc'",
                "error_on_division_by_zero=true",
                "ieee_floating_point_ops=false",
                // No other file is read or written by a statement, whatever its text.
                "allowed_directories="
                        + (arguments[4].isEmpty() ? "[]" : "['" + arguments[4].replace("'", "''") + "']"),
                "enable_external_access=false",
                "lock_configuration=true"
            }) {
                statement.execute("SET " + setting);
            }
        }
        new DuckDbProcess(database, rows, regions, folder).serve();
    }

    private void serve() throws IOException {
        daemon("parent-watch", this::watchParent);
        daemon("idle-watch", this::watchIdle);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            // By its name alone, in the folder that this process runs in: a whole path may be too long for a socket.
            server.bind(UnixDomainSocketAddress.of(SOCKET));
            System.out.println(READY);
            while (true) {
                SocketChannel channel = server.accept();
                open.incrementAndGet();
                daemon("session", () -> answer(channel));
            }
        }
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void answer(SocketChannel channel) {
        try (channel;
                DuckDBConnection connection = database.duplicate();
                DuckDbSession session = new DuckDbSession(channel, connection, rows, regions)) {
            session.run();
        } catch (EOFException e) {
            // The statement was given up, as when a leaf cannot be read: who gave it up says why.
        } catch (IOException | SQLException | RuntimeException | Error e) {
            // Told on standard error, which the parent logs.
            System.err.println("session: " + e);
        } finally {
            lastUse.set(System.nanoTime());
            open.decrementAndGet();
        }
    }

    private void watchParent() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is sent.
            }
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        end();
    }

    private void watchIdle() {
        try {
            do {
                TimeUnit.SECONDS.sleep(10);
            } while (open.get() > 0 || System.nanoTime() - lastUse.get() < IDLE_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end();
    }

    /** At once: what DuckDB is at is of no use to anyone. */
    private void end() {
        try (var files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.err.println("folder: " + e);
        }
        Runtime.getRuntime().halt(0);
    }
}
