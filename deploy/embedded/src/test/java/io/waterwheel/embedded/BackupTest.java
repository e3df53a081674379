package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The backup of docs/operations.md, in its order: the catalog, the chunks that are not newer, the topics; taken while
 * rows arrive and chunks are written, restored elsewhere, and held against the topic record by record.
 */
@Tag("embedded")
final class BackupTest {
    private static final int ROWS = 60_000;
    private static final int PATIENCE = 300;

    @TempDir
    Path folder;

    @Test
    void aCopyTakenWhileRowsArriveHoldsEachRowOnceWhenItIsRestored() throws Exception {
        assumeTrue(
                Rounds.ALL || Boolean.getBoolean("backup"),
                "runs with -Dbackup=true alone: a minute, most of it starts of servers");
        Path data = folder.resolve("data");
        Path copy = Files.createDirectory(folder.resolve("copy"));
        long first;
        try (CommandProcess server = start(data)) {
            String url = url(server);
            append(url, "first", 0);
            assertThat(run("flush", "rows", "--server", url).code()).isZero();
            try (CommandProcess second = CommandProcess.start(
                    folder, "append", "rows", rows("second", ROWS).toString(), "--rate", "20000", "--server", url)) {
                Waiting.until("half of the second file", () -> count(url) > ROWS * 3 / 2);
                first = count(url);
                copy(data.resolve("zookeeper"), copy.resolve("zookeeper"), null);
                FileTime catalogCopied = FileTime.fromMillis(System.currentTimeMillis());
                // Chunks that are written from now on, which the copied catalog does not name, are not copied.
                CliResult flushed = run("flush", "rows", "--server", url);
                assertThat(flushed.code()).as(flushed.err()).isZero();
                copy(data.resolve("chunks"), copy.resolve("chunks"), catalogCopied);
                copy(data.resolve("kafka"), copy.resolve("kafka"), null);
                Files.copy(data.resolve("version"), copy.resolve("version"));
                assertThat(second.code(PATIENCE)).as(second.err()).isZero();
            }
            assertThat(count(url)).isEqualTo(2 * ROWS);
        }
        int chunks = LiveFiles.chunks(data.resolve("chunks")).size();
        assertThat(LiveFiles.chunks(copy.resolve("chunks"))).hasSizeBetween(1, chunks - 1);
        try (CommandProcess restored = start(copy)) {
            String url = url(restored);
            CliResult verified = run("verify", "rows", "--server", url);
            assertThat(verified.code())
                    .as("%s%s", verified.out(), verified.err())
                    .isZero();
            long there = count(url);
            System.err.printf(
                    Locale.ROOT, "copied after %d rows, %d rows restored%n%s%n", first, there, verified.out());
            assertThat(there).isBetween(first, 2L * ROWS);
            // It goes on: new rows, new chunks.
            append(url, "third", 2 * ROWS);
            CliResult flushed = run("flush", "rows", "--server", url);
            assertThat(flushed.code()).as(flushed.err()).isZero();
            assertThat(count(url)).isEqualTo(there + ROWS);
        }
    }

    private CommandProcess start(Path data) throws IOException {
        return CommandProcess.start(folder, "server", "--data", data.toString(), "--port", "0");
    }

    private static String url(CommandProcess server) throws Exception {
        String line = server.line("ready:");
        assertThat(line).as(server.err()).startsWith("ready: grpc://");
        return line.split(" ", -1)[1];
    }

    private static long count(String url) {
        CliResult ran = run("query", "rows", "--count", "--server", url);
        assertThat(ran.code()).as(ran.err()).isZero();
        return Long.parseLong(ran.out().strip());
    }

    private void append(String url, String name, int from) throws IOException {
        if (from == 0) {
            Path yaml = Files.writeString(folder.resolve("rows.yaml"), """
                    name: rows
                    format: block
                    fields:
                      - {name: at, type: timestamp}
                      - {name: k, type: long}
                    key: {field: k}
                    time: at
                    """);
            CliResult created = run("stream", "create", yaml.toString(), "--server", url);
            assertThat(created.code()).as(created.err()).isZero();
        }
        CliResult ran = run("append", "rows", rows(name, from).toString(), "--server", url);
        assertThat(ran.code()).as(ran.err()).isZero();
    }

    private Path rows(String name, int from) throws IOException {
        StringBuilder csv = new StringBuilder("at,k\n");
        for (int i = from; i < from + ROWS; i++) {
            csv.append(1_633_608_000_000L + i)
                    .append(',')
                    .append(i * 2_654_435_761L)
                    .append('\n');
        }
        return Files.writeString(folder.resolve(name + ".csv"), csv);
    }

    /** @param notAfter leaves out files that were changed later; null: none */
    private static void copy(Path from, Path to, @Nullable FileTime notAfter) throws IOException {
        for (Path path : LiveFiles.below(from)) {
            Path target = to.resolve(from.relativize(path).toString());
            Files.createDirectories(target.getParent());
            try {
                if (notAfter == null || Files.getLastModifiedTime(path).compareTo(notAfter) <= 0) {
                    Files.copy(path, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            } catch (NoSuchFileException e) {
                // A temporary file of a broker that works: as a copying command, go on.
                System.err.println("went away while it was to be copied: " + path);
            }
        }
    }

    private static CliResult run(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(
                words,
                new Terminal(
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        false));
        return new CliResult(code, out.toString(UTF_8), err.toString(UTF_8));
    }
}
