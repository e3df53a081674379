package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
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
            "ready: (grpc://127\\.0\\.0\\.1:\\d+) kafka://127\\.0\\.0\\.1:\\d+ (http://127\\.0\\.0\\.1:\\d+)");

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
        Path log = data.resolve("logs").resolve("waterwheel.log");
        assertThat(log).content().contains("answers at grpc://", "[rows] created: id ", "INFO ");
        assertThat(Files.getPosixFilePermissions(data)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-x---"));
        inspectAChunk(data);
        // It asks itself about the rows, with time enough on a busy machine, and every question is a slow one.
        Path conf = Files.writeString(folder.resolve("slow.yaml"), "query.slow: 1 ms\nquery.warm-up: 3 s\n");
        String logged = Files.readString(log);
        try (CommandProcess server = CommandProcess.start(
                folder, "server", "--data", data.toString(), "--port", "0", "--conf", conf.toString())) {
            String url = url(server);
            clientsAloneCount(url, http(server), () -> Files.readString(log).substring(logged.length()));
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
        return ready(server).group(1);
    }

    private static String http(CommandProcess server) throws Exception {
        return ready(server).group(2);
    }

    private static Matcher ready(CommandProcess server) throws Exception {
        String line = server.line("ready:");
        Matcher ready = READY.matcher(line);
        assertThat(ready.matches()).as("%s%s", line, server.err()).isTrue();
        return ready;
    }

    /**
     * Of a server that no client has asked: what it asked itself is in no metric, list or log; a client's question is.
     */
    private static void clientsAloneCount(String url, String http, Callable<String> log) throws Exception {
        assertThat(log.call())
                .containsPattern("\\[warm-up] [1-9]\\d* questions about 1 streams answered as clients ask");
        assertThat(log.call()).doesNotContain("slow query");
        for (String metric :
                List.of("waterwheel_query_seconds", "waterwheel_statement_seconds", "waterwheel_subquery_seconds")) {
            assertThat(counted(http, metric)).as(metric).isZero();
        }
        try (WaterwheelClient client = WaterwheelClient.connect(url)) {
            assertThat(client.queries()).isEmpty();
            try (Cursor ended = client.sql("SELECT query_text FROM waterwheel.queries WHERE stage = 'ended'")) {
                assertThat(ended.next()).isFalse();
            }
            // Of all texts, which takes more than a millisecond.
            assertThat(client.query("rows").where("note LIKE '%7%'").count()).isPositive();
            Waiting.until("a question counts", () -> counted(http, "waterwheel_query_seconds") > 0);
            Waiting.until("it was slow", () -> log.call().contains("slow query"));
            assertThat(counted(http, "waterwheel_subquery_seconds")).isPositive();
            assertThat(counted(http, "waterwheel_statement_seconds")).isPositive();
            try (Cursor ended = client.sql("SELECT query_text FROM waterwheel.queries WHERE stage = 'ended'")) {
                assertThat(ended.next()).isTrue();
            }
        }
    }

    /** How many a histogram has counted, of all labels. */
    private static long counted(String http, String metric) throws Exception {
        String page = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(http + "/metrics")).build(),
                        HttpResponse.BodyHandlers.ofString(UTF_8))
                .body();
        assertThat(page).contains("waterwheel_");
        return page.lines()
                .filter(line -> line.startsWith(metric + "_count"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
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
