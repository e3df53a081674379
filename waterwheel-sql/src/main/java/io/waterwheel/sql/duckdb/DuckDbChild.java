package io.waterwheel.sql.duckdb;

import ch.randelshofer.fastdoubleparser.JavaDoubleParser;
import com.fasterxml.jackson.core.io.NumberOutput;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Schema;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.locationtech.jts.index.strtree.STRtree;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** DuckDB's process, seen from its parent. Thread-safe. */
final class DuckDbChild implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DuckDbChild.class);
    private static final String LIBRARY = "org.duckdb.DuckDBConnection";
    /** A start takes a second or two; on a machine that is out of memory it may never end. */
    private static final Duration START = Duration.ofSeconds(30);
    /** What they say is for the parent's JVM: a debugger's port, an agent, gigabytes of heap. */
    private static final List<String> NOT_INHERITED = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    /** Of a socket's path; Linux has 108 with an end mark, others some less. */
    private static final int MOST_PATH_BYTES = 100;

    /** Of a line of /proc/PID/status, in units of 1024 bytes. */
    private static final String RESIDENT = "VmRSS:";

    private final Process process;
    private final Path folder;

    private DuckDbChild(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
    }

    /**
     * Starts a process and waits until it listens.
     *
     * @throws WaterwheelException code SQL_EXECUTOR_MISSING without DuckDB's library; SQL_EXECUTOR_ENDED when the
     *     process does not start
     */
    static DuckDbChild start(DuckDbSettings settings) {
        return start(settings, Path.of(System.getProperty("java.home"), "bin", "java"), START);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
    }

    /** The same in the usual place. */
    static DuckDbChild start(DuckDbSettings settings, Path java, Duration most) {
        return start(settings, java, most, temporary(), System.getProperty(DuckDbLibrary.FOLDER, ""));
    }

    /**
     * The same.
     *
     * @param java the program to run
     * @param most how long it may take until it listens
     * @param temporary in which a new folder is made for it
     * @param keptIn as of {@link DuckDbLibrary#of}
     */
    static DuckDbChild start(DuckDbSettings settings, Path java, Duration most, Path temporary, String keptIn) {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC", "-Xss1m"));
        command.addAll(compiler(ManagementFactory.getRuntimeMXBean().getInputArguments()));
        // Java would write what it says of a crash into the working directory, which is removed.
        command.add("-XX:+ErrorFileToStderr");
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        long begun = System.nanoTime();
        Set<String> classPath = classPath();
        DuckDbLibrary kept = DuckDbLibrary.of(where(library()), keptIn);
        classPath.add(kept.jar().toString());
        if (kept.nativeFolder() != null) {
            command.add("-Djava.library.path=" + kept.nativeFolder());
        }
        Path folder = newFolder(temporary);
        // DuckDB's driver unpacks its library there, 70 MB, and removes it in an orderly exit alone: the process does.
        command.add("-Djava.io.tmpdir=" + folder);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), DuckDbProcess.class.getName()));
        command.add(folder.toString());
        command.add(Long.toString(settings.memoryBytes()));
        command.add(Long.toString(settings.spillBytes()));
        command.add(Integer.toString(settings.threads()));
        command.add(settings.files() == null ? "" : settings.files().toAbsolutePath() + File.separator);
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        NOT_INHERITED.forEach(builder.environment()::remove);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            remove(folder);
            throw notStarted(folder, String.valueOf(e.getMessage()), e);
        }
        DuckDbChild child = new DuckDbChild(process, folder);
        child.logErrors();
        child.awaitReady(most);
        LOG.info("DuckDB runs in process {}, started in {} ms", process.pid(), (System.nanoTime() - begun) / 1_000_000);
        return child;
    }

    /** Of a JVM's options those that leave out the optimising compiler: where this one lives too short for it. */
    static List<String> compiler(List<String> options) {
        return options.stream()
                .filter(option -> option.startsWith("-XX:TieredStopAtLevel="))
                .toList();
    }

    /** A new folder, readable by this user alone. */
    private static Path newFolder(Path temporary) {
        try {
            return Files.createTempDirectory(temporary, "waterwheel-sql");
        } catch (IOException e) {
            throw notStarted(temporary, e.toString(), e);
        }
    }

    private static WaterwheelException notStarted(Path folder, String why, Throwable cause) {
        return new WaterwheelException(
                ErrorCode.SQL_EXECUTOR_ENDED, "DuckDB's process cannot be started in " + folder + ": " + why, cause);
    }

    /** @throws WaterwheelException code SQL_EXECUTOR_MISSING when there is none */
    private static Class<?> library() {
        try {
            return Class.forName(LIBRARY, false, DuckDbChild.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new WaterwheelException(
                    ErrorCode.SQL_EXECUTOR_MISSING,
                    "joins, windows and set operations need DuckDB, which the workers do not have: submit the topology"
                            + " with duckdb_jdbc's jar ('storm jar --jars', 'waterwheel topology submit')",
                    e);
        }
    }

    /** Where the classes are that the process needs beside DuckDB's: no more, so that it starts quickly. */
    private static Set<String> classPath() {
        Set<String> path = new LinkedHashSet<>();
        // What the engine's shapes and functions need.
        for (Class<?> needed : List.of(
                DuckDbProcess.class,
                Schema.class,
                Nullable.class,
                STRtree.class,
                JavaDoubleParser.class,
                NumberOutput.class)) {
            path.add(where(needed).toString());
        }
        return path;
    }

    private static Path where(Class<?> needed) {
        CodeSource source = needed.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new WaterwheelException(ErrorCode.BUG, "it is not known where " + needed + " came from");
        }
        try {
            return Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new WaterwheelException(ErrorCode.BUG, "a class path of " + source.getLocation(), e);
        }
    }

    /** Waits until the process listens; one that does not in this time is ended. */
    private void awaitReady(Duration most) {
        CompletableFuture<@Nullable String> said = new CompletableFuture<>();
        daemon("duckdb-ready", () -> {
            try {
                said.complete(
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                                .readLine());
            } catch (IOException e) {
                said.completeExceptionally(e);
            }
        });
        String why;
        Throwable cause;
        try {
            String line = said.get(most.toNanos(), TimeUnit.NANOSECONDS);
            if (DuckDbProcess.READY.equals(line)) {
                return;
            }
            why = "it said " + line + " and no more; the log has its errors";
            cause = new IOException(why);
        } catch (TimeoutException e) {
            why = "it was not ready within " + most.toMillis() + " ms";
            cause = e;
        } catch (ExecutionException e) {
            why = String.valueOf(e.getCause());
            cause = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "the start was interrupted";
            cause = e;
        }
        close();
        throw notStarted(folder, why, cause);
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void logErrors() {
        BufferedReader errors =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        daemon("duckdb-errors", () -> {
            try {
                for (String line = errors.readLine(); line != null; line = errors.readLine()) {
                    LOG.warn("DuckDB's process: {}", line);
                }
            } catch (IOException e) {
                LOG.debug("the errors of DuckDB's process have ended", e);
            }
        });
    }

    /** What is its own, until it is closed. */
    Path folder() {
        return folder;
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Memory that it takes, as Linux tells; 0 where nothing is told. */
    long residentBytes() {
        try (BufferedReader status =
                Files.newBufferedReader(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            for (String line = status.readLine(); line != null; line = status.readLine()) {
                if (line.startsWith(RESIDENT)) {
                    return 1024
                            * Long.parseLong(line.substring(RESIDENT.length()).replaceAll("[^0-9]", ""));
                }
            }
        } catch (IOException e) {
            LOG.trace("there is no process {}, or no /proc", process.pid(), e);
        }
        return 0;
    }

    /** Whether the process lives and can be found: one that is about to end removes its socket first. */
    boolean listens() {
        return alive() && Files.exists(socket());
    }

    private Path socket() {
        return folder.resolve(DuckDbProcess.SOCKET);
    }

    /** Waits until the process has ended, if it is about to. */
    void awaitEnd() throws InterruptedException {
        if (!process.waitFor(1, TimeUnit.SECONDS)) {
            LOG.warn("a statement's connection to DuckDB's process {} broke, and the process lives", process.pid());
        }
    }

    /** The process, for tests that end it. */
    ProcessHandle handle() {
        return process.toHandle();
    }

    /** A connection for one statement. */
    SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(address()));
    }

    /**
     * A path of the socket that is short enough for one: Storm's workers have temporary folders with paths of 100
     * characters and more. Linux has a short one for each, by the process's working directory.
     */
    private Path address() {
        Path socket = socket();
        Path byProcess = Path.of("/proc", Long.toString(process.pid()), "cwd", DuckDbProcess.SOCKET);
        return socket.toString().getBytes(StandardCharsets.UTF_8).length > MOST_PATH_BYTES && Files.exists(byProcess)
                ? byProcess
                : socket;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                LOG.warn("DuckDB's process {} has not ended", process.pid());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        remove(folder);
    }

    private static void remove(Path folder) {
        try (var files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (NoSuchFileException e) {
            LOG.debug("{} was removed already", folder, e);
        } catch (IOException e) {
            LOG.warn("{} is not removed", folder, e);
        }
    }
}
