package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.query.Query;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * How tests start a JVM of their own class path. Most of such a JVM's first seconds go to reading and verifying
 * classes; an archive of those that a server takes spares that. The gate has it made once, by
 * {@code -Dwaterwheel.class-archive=true}; other runs use one that is there. Nothing depends on it.
 */
public final class ChildJvm {
    /** The compiler that is quick itself, and the collector that starts no threads: for what lives for seconds. */
    public static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    /**
     * Without collections for the classes alone, and as test JVMs are: most of what a child does is to load classes.
     */
    private static final List<String> LOADING =
            List.of("-XX:MetaspaceSize=128m", "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");

    /** As the launcher has them: newer JVMs say for each what will be refused one day. */
    private static final List<String> NEWER = Runtime.version().feature() < 23
            ? List.of()
            : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

    /** Where DuckDB's native code is kept unpacked, as the launcher has it. */
    private static final String DUCKDB = "waterwheel.duckdb.folder";

    private static final Path FOLDER = Path.of("target", "class-archive");
    private static final int ROWS = 2_000;
    private static final int PATIENCE_SECONDS = 300;

    /** Jars first: an archive is good for a class path that begins with that which it was made of. */
    private static final List<String> JARS = entries().filter(ChildJvm::isJar).toList();

    private static final Path ARCHIVE = FOLDER.resolve("classes-" + Long.toHexString(fingerprint()) + ".jsa");

    private static final AtomicBoolean tried = new AtomicBoolean();

    private ChildJvm() {}

    /** A command line that runs a class of this class path. */
    public static List<String> command(List<String> options, String mainClass, List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(NEWER);
        command.addAll(LOADING);
        String kept = System.getProperty(DUCKDB);
        if (kept != null) {
            command.add("-D" + DUCKDB + '=' + kept);
        }
        command.addAll(options);
        command.addAll(archived());
        command.add("-cp");
        command.add(String.join(
                File.pathSeparator,
                Stream.concat(JARS.stream(), entries().filter(entry -> !isJar(entry)))
                        .toList()));
        command.add(mainClass);
        command.addAll(args);
        return command;
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static Stream<String> entries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    }

    private static boolean isJar(String entry) {
        return entry.endsWith(".jar") && Files.isRegularFile(Path.of(entry));
    }

    /** The options to start from the archive, without a word where it does not fit; none where there is no archive. */
    private static List<String> archived() {
        if (!Files.exists(ARCHIVE) && Boolean.getBoolean("waterwheel.class-archive")) {
            makeOnce();
        }
        return Files.exists(ARCHIVE)
                ? List.of(
                        "-XX:SharedArchiveFile=" + ARCHIVE.toAbsolutePath(),
                        "-Xlog:disable",
                        "-Xlog:all=error,cds*=off:stderr")
                : List.of();
    }

    /** Of the JDK and the jars: none of them may have changed. */
    private static long fingerprint() {
        CRC32 sum = new CRC32();
        sum.update(System.getProperty("java.vm.version").getBytes(UTF_8));
        for (String jar : JARS) {
            File file = new File(jar);
            sum.update((jar + file.length() + ' ' + file.lastModified()).getBytes(UTF_8));
        }
        return sum.getValue();
    }

    /** While one test JVM makes it, the others start their children without. Where it cannot be made, so do all. */
    private static void makeOnce() {
        if (tried.getAndSet(true)) {
            return;
        }
        try {
            Files.createDirectories(FOLDER);
            try (FileChannel file = FileChannel.open(
                            FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = file.tryLock()) {
                if (lock != null && !Files.exists(ARCHIVE)) {
                    try (DirectoryStream<Path> before = Files.newDirectoryStream(FOLDER, "*.jsa*")) {
                        for (Path old : before) {
                            Files.delete(old);
                        }
                    }
                    make(ARCHIVE);
                }
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("class archive: not made, children start without: " + e);
        }
    }

    private static void make(Path archive) throws IOException {
        long begun = System.nanoTime();
        // What an archive was made with before has the stream already.
        Path training = FOLDER.resolve("training");
        if (Files.exists(training)) {
            try (Stream<Path> all = Files.walk(training)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Path data = Files.createDirectories(training).resolve("data");
        // Nor do the children of most tests: what the planner of SQL takes would make it larger by a quarter.
        Path conf = Files.writeString(training.resolve("server.yaml"), "query.warm-up: 0 s\n");
        Path made = FOLDER.resolve("made.jsa");
        List<String> command = new ArrayList<>(List.of(java(), "-Xmx1g"));
        command.addAll(NEWER);
        command.addAll(QUICK);
        command.addAll(List.of(
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-XX:ArchiveClassesAtExit=" + made.toAbsolutePath(),
                "-Xlog:disable",
                "-Xlog:all=error,cds*=off:stderr",
                "-cp",
                String.join(File.pathSeparator, JARS),
                Main.class.getName(),
                "server",
                "--data",
                data.toString(),
                "--port",
                "0",
                "--conf",
                conf.toString()));
        Process server = new ProcessBuilder(command)
                .redirectError(FOLDER.resolve("training.log").toFile())
                .start();
        // Ends what waits for its lines, too.
        Thread watch = new Thread(() -> end(server), "class-archive-watch");
        watch.setDaemon(true);
        watch.start();
        try (BufferedReader out = server.inputReader(UTF_8)) {
            Optional<String> ready =
                    out.lines().filter(line -> line.startsWith("ready: ")).findFirst();
            if (ready.isPresent()) {
                use(ready.get().split(" "));
                server.destroy();
                if (server.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && Files.exists(made)) {
                    Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
                    System.err.printf(
                            "class archive: %d MB, made in %.1f s%n",
                            Files.size(archive) >> 20, (System.nanoTime() - begun) / 1e9);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            server.destroyForcibly();
        }
    }

    private static void end(Process server) {
        try {
            if (!server.waitFor(2 * PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What most children do: rows are taken in, by the client and by HTTP, written into chunks, and asked for. */
    private static void use(String[] ready) throws IOException, InterruptedException {
        try (WaterwheelClient client = WaterwheelClient.connect(ready[1])) {
            client.createStream(KnownRows.definition());
            Map<Integer, Long> positions;
            try (Appender appender = client.appender(KnownRows.STREAM)) {
                for (long id = 0; id < ROWS; id++) {
                    appender.append(KnownRows.row(id));
                }
                positions = appender.flush();
            }
            Query all = Query.of(KnownRows.STREAM).withAtLeast(positions);
            client.count(all);
            client.flush(KnownRows.STREAM);
            try (Cursor rows = client.query(all)) {
                while (rows.next()) {
                    rows.value(0);
                }
            }
            client.status();
        }
        HttpRequest push = HttpRequest.newBuilder(URI.create(ready[3] + "/v1/streams/" + KnownRows.STREAM + "/rows"))
                .header("Content-Type", "text/csv")
                .header("Idempotency-Key", "training")
                .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
                .POST(HttpRequest.BodyPublishers.ofString("-1,1,1700000000000,1\n"))
                .build();
        HttpClient.newHttpClient().send(push, HttpResponse.BodyHandlers.discarding());
    }
}
