package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server as people start and end it, and what commands say when it goes away under them. */
@Tag("embedded")
final class ServerLifeTest {
    private static final int ROWS = 400_000;
    /** Those that are in memory when the server is told to end: few, as it gives up writing after ten seconds. */
    private static final int LATE = 20_000;

    private static final int PATIENCE = 300;
    private static final Pattern READY = Pattern.compile(
            "ready: (grpc://127\\.0\\.0\\.1:\\d+) kafka://127\\.0\\.0\\.1:\\d+ http://127\\.0\\.0\\.1:\\d+");

    @TempDir
    Path folder;

    @Test
    void endsWithZeroHavingWrittenAllAndALostOneCutsAnswersVisibly() throws Exception {
        Path data = folder.resolve("data");
        try (CommandProcess server = CommandProcess.start(folder, "server", "--data", data.toString(), "--port", "0")) {
            String url = url(server);
            create(url);
            append(url, 0, ROWS - LATE);
            CliResult flushed = run(url, null, "flush", "rows", "--timeout", "300");
            assertThat(flushed.code()).as(flushed.err()).isZero();
            append(url, ROWS - LATE, ROWS);
            // A question that names no positions may be answered without an indexer that has just got its first row.
            Waiting.until(
                    "all rows are seen",
                    () -> run(url, null, "query", "rows", "--count").out().equals(ROWS + "\n"));
            server.signal("TERM");
            assertThat(server.code(PATIENCE)).as(server.err()).isZero();
            assertThat(server.err())
                    .contains("ending: writing what is in memory into chunks")
                    .doesNotContain("warning: ");
        }
        assertThat(data.resolve("logs").resolve("waterwheel.log"))
                .content()
                .contains("answers at grpc://", "[rows] created: id ", "INFO ");
        assertThat(Files.getPosixFilePermissions(data)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-x---"));
        inspectAChunk(data);
        try (CommandProcess server = CommandProcess.start(folder, "server", "--data", data.toString(), "--port", "0")) {
            String url = url(server);
            assertThat(server.err()).contains("warning: others on this machine can read the data folder " + data);
            try (WaterwheelClient client = WaterwheelClient.connect(url)) {
                assertThat(client.describe("rows").knownChunks().tuples()).isEqualTo(ROWS);
            }
            CliResult verified = run(url, null, "chunk", "verify", "rows");
            assertThat(verified.code()).as(verified.err()).isZero();
            assertThat(verified.out()).matches("rows: \\d+ chunks, \\d+ bytes read; all are right\n");
            CliResult ran = run(url, server, "query", "rows", "--format", "csv", "--timeout", "300");
            assertThat(ran.code()).as(ran.err()).isEqualTo(1);
            assertThat(ran.out().lines().count()).isBetween(2L, (long) ROWS);
            assertThat(ran.err().lines().reduce((a, b) -> b).orElse(""))
                    .startsWith("waterwheel query: ")
                    .contains("what was printed is not the whole answer");
            assertThat(run(url, null, "stream", "list").err())
                    .contains("does not answer: is it running? 'waterwheel server' starts one");
        }
    }

    private static String url(CommandProcess server) throws Exception {
        String line = server.line("ready:");
        Matcher ready = READY.matcher(line);
        assertThat(ready.matches()).as("%s%s", line, server.err()).isTrue();
        return ready.group(1);
    }

    private void create(String url) throws IOException {
        Path yaml = Files.writeString(folder.resolve("rows.yaml"), """
                name: rows
                format: block
                fields:
                  - {name: at, type: timestamp}
                  - {name: k, type: long}
                  - {name: note, type: string}
                key: {field: k}
                time: at
                """);
        assertThat(run(url, null, "stream", "create", yaml.toString()).code()).isZero();
    }

    private void append(String url, int from, int to) throws IOException {
        StringBuilder csv = new StringBuilder("at,k,note\n");
        for (int i = from; i < to; i++) {
            csv.append(1_633_608_000_000L + i)
                    .append(',')
                    .append(i * 2_654_435_761L)
                    .append(",some words that make a row as long as rows are: ")
                    .append(i)
                    .append('\n');
        }
        Path file = Files.writeString(folder.resolve("rows-" + from + ".csv"), csv);
        CliResult ran = run(url, null, "append", "rows", file.toString());
        assertThat(ran.code()).as(ran.err()).isZero();
        assertThat(ran.err()).contains(to - from + " tuples accepted, 0 rejected, in ");
    }

    /** Without a server: a chunk is described and checked, and one with a flipped bit refused. */
    private void inspectAChunk(Path data) throws IOException {
        Path chunk = LiveFiles.chunks(data.resolve("chunks")).get(0);
        CliResult ran = run("", null, "chunk", "inspect", chunk.toString());
        assertThat(ran.code()).as(ran.err()).isZero();
        assertThat(ran.out()).contains("rows  ").contains("note").contains("the directory are right");
        byte[] bytes = Files.readAllBytes(chunk);
        bytes[bytes.length / 3] ^= 1;
        Path flipped = Files.write(folder.resolve("flipped"), bytes);
        CliResult refused = run("", null, "chunk", "inspect", flipped.toString());
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).startsWith("waterwheel chunk inspect: chunk flipped is damaged: ");
        CliResult verified = run("", null, "chunk", "verify", chunk.toString(), flipped.toString());
        assertThat(verified.code()).isEqualTo(1);
        assertThat(verified.out()).contains(chunk + ": ").contains("the directory are right");
        assertThat(verified.err()).startsWith(flipped + ": chunk flipped is damaged: ");
    }

    /** @param killed is killed as soon as something is printed */
    private static CliResult run(String url, CommandProcess killed, String... words) {
        String[] all = Stream.concat(Stream.of(words), url.isEmpty() ? Stream.of() : Stream.of("--server", url))
                .toArray(String[]::new);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(killed == null ? out : new Killing(out, killed), true, UTF_8);
        int code = Main.run(
                all, new Terminal(InputStream.nullInputStream(), print, new PrintStream(err, true, UTF_8), false));
        return new CliResult(code, out.toString(UTF_8), err.toString(UTF_8));
    }

    /** Kills the server with the first byte. */
    private static final class Killing extends OutputStream {
        private final OutputStream to;
        private final CommandProcess server;

        Killing(OutputStream to, CommandProcess server) {
            this.to = to;
            this.server = server;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                server.close();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            to.write(bytes, from, length);
        }
    }
}
