package io.waterwheel.embedded.operate;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.error.WaterwheelException.Kind;
import io.waterwheel.topology.SubmitNotice;
import io.waterwheel.topology.WaterwheelTopology;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.CodeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.storm.StormSubmitter;
import org.apache.storm.generated.TopologySummary;
import org.jspecify.annotations.Nullable;

/** Submits a topology, and may wait until it takes queries. One use. */
final class Submission {
    private static final String BUILD =
            "build it with 'mvn -DskipTests -pl waterwheel-topology/jar -am package', or say --jar FILE";
    /** A class of DuckDB's library, which answers joins in SQL. */
    private static final String EXECUTOR = "org.duckdb.DuckDBConnection";
    /** In the place of a file: workers are given none. */
    private static final Path NONE = Path.of("none");

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Terminal terminal;
    private final Nimbus nimbus;
    private final WaterwheelConfig config;
    private final Path jar;
    private final @Nullable Path executor;

    /**
     * A submission.
     *
     * @param named the jar; null: the one that was built, or lies beside this program
     * @param executor DuckDB's jar, for the workers; {@code none}: they have it, or do without; null: the one that this
     *     program has
     */
    Submission(Terminal terminal, Nimbus nimbus, WaterwheelConfig config, @Nullable Path named, @Nullable Path executor)
            throws IOException {
        this.terminal = terminal;
        this.nimbus = nimbus;
        this.config = config;
        this.jar = named == null ? find(Path.of(System.getProperty("waterwheel.home", ".")), program()) : named;
        if (!Files.isRegularFile(jar)) {
            throw new IOException("there is no topology jar " + jar);
        }
        this.executor = executor(executor, library(), terminal.err());
    }

    /**
     * DuckDB's jar, for the workers; null where they are given none.
     *
     * @param named as a person says; null: nothing is said
     * @param own the one that this program has; null where it has none
     */
    static @Nullable Path executor(@Nullable Path named, @Nullable Path own, PrintStream err) throws IOException {
        if (NONE.equals(named)) {
            return null;
        }
        if (named != null && !Files.isRegularFile(named)) {
            throw new IOException("there is no DuckDB jar " + named);
        }
        if (named == null && own == null) {
            err.println(
                    "this program has no DuckDB jar, so the topology gets none: joins, windows and set operations in"
                            + " SQL are refused (SQL_EXECUTOR_MISSING). Name one with --duckdb FILE, or none where the workers"
                            + " have it");
        }
        return named == null ? own : named;
    }

    /** DuckDB's jar, as this program has it; null where it has none. */
    private static @Nullable Path library() throws IOException {
        try {
            return place(Class.forName(EXECUTOR, false, Submission.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /** The jar that a class is from; null where it is in none. */
    private static @Nullable Path place(Class<?> type) throws IOException {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        try {
            Path place = source == null ? null : Path.of(source.getLocation().toURI());
            return place != null && Files.isRegularFile(place) ? place : null;
        } catch (URISyntaxException e) {
            throw new IOException("cannot tell where this program's classes are: " + source, e);
        }
    }

    /** The jars that this program runs the topology's code from; none where it runs from folders of classes. */
    private static List<Path> program() throws IOException {
        List<Path> jars = new ArrayList<>();
        for (Class<?> part : List.of(WaterwheelException.class, WaterwheelTopology.class)) {
            Path place = place(part);
            if (place != null) {
                jars.add(place);
            }
        }
        return jars;
    }

    /**
     * The one topology jar below a folder.
     *
     * @param program jars with the same code, that the topology jar was made after: a build of the program alone (the
     *     launcher's) leaves the topology jar as it was, and a build leaves those as they are that do not change
     * @throws IOException when there is none, or several, or an old one
     */
    static Path find(Path home, List<Path> program) throws IOException {
        List<Path> folders = List.of(home.resolve("waterwheel-topology/target"), home, home.resolve("lib"));
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            if (Files.isDirectory(folder)) {
                try (DirectoryStream<Path> jars =
                        Files.newDirectoryStream(folder, "waterwheel-topology-*topology.jar")) {
                    jars.forEach(found::add);
                }
            }
            if (found.size() == 1) {
                refuseOld(found.get(0), program);
                return found.get(0);
            }
            if (!found.isEmpty()) {
                throw new IOException("several topology jars: " + found + "; say --jar FILE");
            }
        }
        throw new IOException("no topology jar (waterwheel-topology-*-topology.jar) in "
                + String.join(", ", folders.stream().map(Path::toString).toList())
                + "; " + BUILD);
    }

    private static void refuseOld(Path jar, List<Path> program) throws IOException {
        FileTime made = Files.getLastModifiedTime(jar);
        for (Path part : program) {
            FileTime newer = Files.getLastModifiedTime(part);
            if (made.compareTo(newer) < 0) {
                throw new IOException("the topology jar " + jar + " is of " + made + ", older than this program's "
                        + part.getFileName() + " of " + newer + ": workers would run other code; " + BUILD);
            }
        }
    }

    /** Uploads and starts it, and says what is next. */
    void run() {
        String name = config.get(Keys.TOPOLOGY_NAME);
        nimbus.find(name).ifPresent(there -> {
            throw new WaterwheelException(ErrorCode.TOPOLOGY_EXISTS, SubmitNotice.taken(name, there.get_status()));
        });
        nimbus.submit(
                name,
                WaterwheelTopology.stormConf(config),
                WaterwheelTopology.build(config),
                jar,
                executor,
                new Progress());
        SubmitNotice.of(config).forEach(terminal.err()::println);
    }

    /**
     * Waits until a coordinator answers, and prints its namespace's address.
     *
     * @throws WaterwheelException TEMPORARY when none does in time
     */
    void await(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        String name = config.get(Keys.TOPOLOGY_NAME);
        String last = "Nimbus has given it no workers yet";
        String zooKeeper = config.get(Keys.ZOOKEEPER_CONNECT) + config.get(Keys.ZOOKEEPER_ROOT);
        try (WaterwheelClient client = WaterwheelClient.discover(zooKeeper, config.get(Keys.NAMESPACE))) {
            do {
                if (nimbus.find(name).map(TopologySummary::get_num_workers).orElse(0) > 0) {
                    try {
                        client.listStreams();
                        terminal.out()
                                .println("ready: --zookeeper " + zooKeeper + " --namespace "
                                        + config.get(Keys.NAMESPACE));
                        return;
                    } catch (WaterwheelException e) {
                        // Before its first start there is no such namespace either.
                        if (e.kind() != Kind.TEMPORARY && !e.is(ErrorCode.NO_SUCH_NAMESPACE)) {
                            throw e;
                        }
                        last = String.valueOf(e.getMessage());
                    }
                }
                LockSupport.parkNanos(POLL_NANOS);
            } while (System.nanoTime() - deadline < 0 && !Thread.currentThread().isInterrupted());
        }
        throw new WaterwheelException(
                ErrorCode.NOT_READY,
                "topology " + name + " is submitted, but took no query within " + patience.toSeconds() + " s: " + last
                        + ". Storm's logs of its workers say more");
    }

    /** Tells a person how far the upload is. */
    private final class Progress implements StormSubmitter.ProgressListener {
        private int said = -1;

        @Override
        public void onStart(String file, String target, long bytes) {
            terminal.err().println("uploading " + file + ", " + (bytes >> 20) + " MiB");
        }

        @Override
        public void onProgress(String file, String target, long sent, long bytes) {
            int percent = bytes == 0 ? 100 : (int) (100 * sent / bytes);
            if (terminal.errWatched() && percent != said) {
                said = percent;
                terminal.err().print("\r" + percent + " %" + (percent == 100 ? "\n" : ""));
            }
        }

        @Override
        public void onCompleted(String file, String target, long bytes) {
            // Said when Nimbus has taken the topology.
        }
    }
}
