package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.local.QuestionTwin;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.WireErrors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random questions of every kind to a server, about rows that have just come, are being flushed, lie in chunks, and
 * came late: each answer is that of looking at all rows. What the server holds does not grow meanwhile. Long:
 * {@code -Dquestions=100000}; {@code -Dseed=N} is the first stream's. With {@code -Dwaterwheel.url=grpc://HOST:PORT} a
 * server that is there is asked, such as a cluster's, and what it holds is not looked at; give it
 * {@code late.threshold: 3ms} and {@code query.warm-up: 0 s}.
 */
@Tag("embedded")
final class QuestionSoakTest {
    private static final int QUESTIONS = Rounds.of("questions", 400, 20_000);
    /** Of one stream, about rows that grow in steps. */
    private static final int OF_A_STREAM = Math.min(2_000, Math.max(100, QUESTIONS / 4));

    private static final int STEPS = 8;
    private static final long FIRST = Long.getLong("seed", 1);
    private static final @Nullable String URL = System.getProperty("waterwheel.url");
    private static final long BEGUN = System.currentTimeMillis();

    /** What stays is bounded by what the server has served, not by how often it was asked. */
    private static final long MOST_MORE_HEAP = 48 << 20;

    private static final int MOST_MORE_THREADS = 16;
    private static final int MOST_MORE_FILES = 60;
    /** The server's own broker keeps the files of the topic of a stream that was dropped, one a partition at least. */
    private static final int FILES_OF_A_STREAM = 4;

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** A stream is left as it is when the next one is made: its trees go with a flush. */
    @Test
    void answersAreThoseOfLookingAtEveryRow() throws Exception {
        try {
            if (URL == null) {
                askAServer();
            } else {
                ask(URL, (asked, seed) -> System.out.printf("%d questions, stream %d%n", asked, seed));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** What is done when all questions about one stream were asked, and it was dropped. */
    @FunctionalInterface
    private interface AfterStream {
        void look(int asked, long seed) throws Exception;
    }

    private void askAServer() throws Exception {
        // Times are milliseconds from 0 to 8: many rows are late.
        Path conf = Files.writeString(folder.resolve("server.yaml"), "late.threshold: 3ms\nquery.warm-up: 0 s\n");
        try (CommandProcess server = CommandProcess.start(
                folder,
                // In a minute the optimising compiler takes more than all questions do.
                Rounds.ALL ? List.of("-Xmx512m") : List.of("-Xmx512m", "-XX:TieredStopAtLevel=1"),
                "server",
                "--data",
                folder.resolve("data").toString(),
                "--port",
                "0",
                "--conf",
                conf.toString())) {
            String ready = server.line("ready:");
            assertThat(ready).as(server.err()).startsWith("ready: grpc://");
            String url = ready.substring("ready: ".length(), ready.indexOf(" kafka:"));
            ask(url, new Held(server));
        }
    }

    /** Looks at what a server holds. */
    private static final class Held implements AfterStream {
        private final CommandProcess server;
        private final long begun = System.nanoTime();
        private @Nullable ServerLoad before;
        private long filesBefore;

        Held(CommandProcess server) {
            this.server = server;
        }

        @Override
        public void look(int asked, long seed) throws Exception {
            ServerLoad now = ServerLoad.of(server);
            long files = files(server);
            System.out.printf(
                    "%d questions in %d s: %s, %d files%n",
                    asked, (System.nanoTime() - begun) / 1_000_000_000, now, files);
            // After the first stream a server still loads classes.
            if (before == null || seed == FIRST + 1) {
                before = now;
                filesBefore = files;
            }
            long mostFiles = filesBefore + MOST_MORE_FILES + FILES_OF_A_STREAM * Math.max(0, seed - FIRST - 1);
            assertNoMore(server, now, before, mostFiles);
        }
    }

    private void ask(String url, AfterStream after) throws Exception {
        int asked = 0;
        try (WaterwheelClient client = WaterwheelClient.connect(url);
                FlightQueries flight = new FlightQueries(url)) {
            for (long seed = FIRST; asked < QUESTIONS; seed++) {
                asked += ask(client, flight, seed, Math.min(OF_A_STREAM, QUESTIONS - asked));
                client.drop(name(seed));
                after.look(asked, seed);
            }
        }
    }

    /** What ends by itself, a merge or a connection, may take a moment. */
    private static void assertNoMore(CommandProcess server, ServerLoad first, ServerLoad before, long mostFiles)
            throws Exception {
        String[] seen = new String[1];
        boolean[] looked = new boolean[1];
        boolean within = Waiting.holds(Duration.ofMinutes(5), () -> {
            ServerLoad now = looked[0] ? ServerLoad.of(server) : first;
            looked[0] = true;
            long files = files(server);
            seen[0] = now + ", " + files + " files";
            return now.heapBytes() < before.heapBytes() + MOST_MORE_HEAP
                    && now.threads() < before.threads() + MOST_MORE_THREADS
                    && files < mostFiles;
        });
        assertThat(within)
                .as("%s; before %s, at most %d files", seen[0], before, mostFiles)
                .isTrue();
    }

    /** Of a server that is there another with each run: a topic outlives its stream. */
    private static String name(long seed) {
        return "s" + seed + (URL == null ? "" : "-" + ProcessHandle.current().pid() + "-" + BEGUN);
    }

    /** Sockets, too. */
    private static long files(CommandProcess server) throws Exception {
        Path held = Path.of("/proc/" + server.pid() + "/fd");
        if (!Files.isDirectory(held)) {
            return 0;
        }
        try (var files = Files.list(held)) {
            return files.count();
        }
    }

    private int ask(WaterwheelClient client, FlightQueries flight, long seed, int most) throws Exception {
        Random random = new Random(seed);
        SmallRows small = random.nextInt(3) == 0 ? SmallRows.ofSeveralFields(random) : new SmallRows(random, true);
        Schema schema = small.schema();
        QuestionTwin twin = new QuestionTwin(random, schema);
        client.createStream(
                new StreamDefinition(name(seed), name(seed), RecordFormat.BLOCK, 1 + random.nextInt(3), schema));
        KeyMaker keys = KeyMaker.of(RowLayout.of(schema), schema);
        int asked = 0;
        try (Appender appender = client.appender(name(seed))) {
            for (int step = 0; step < STEPS; step++) {
                for (int b = random.nextInt(3); b >= 0; b--) {
                    TupleBlock block = small.block(1 + random.nextInt(random.nextInt(12) == 0 ? 1000 : 40));
                    clearNulls(block);
                    appender.append(block);
                    keys.fill(block, 0, (row, why) -> {
                        throw new IllegalStateException("row " + row + ": " + why);
                    });
                    twin.add(block);
                }
                Map<Integer, Long> positions = appender.flush();
                // What is flushed is asked for meanwhile.
                Future<?> flushing = random.nextInt(3) == 0
                        ? null
                        : threads.submit(() -> client.flush(name(seed), Duration.ofMinutes(5)));
                // None of them is a dead letter.
                twin.check(
                        about(seed, positions).withCount(),
                        one -> answer(flight, one),
                        "-Dseed=" + seed + " step " + step);
                int of = most * (step + 1) / STEPS - most * step / STEPS;
                for (int q = 0; q < of; q++) {
                    Query question = twin.query(about(seed, positions));
                    twin.check(
                            question,
                            one -> answer(flight, one),
                            "-Dseed=" + seed + " step " + step + " question " + q);
                    asked++;
                }
                if (flushing != null) {
                    flushing.get();
                }
            }
        }
        return asked;
    }

    private static Query about(long seed, Map<Integer, Long> positions) {
        return Query.of(name(seed)).withAtLeast(positions).withTimeout(Duration.ofMinutes(5));
    }

    /** As records have it: nothing but zeros stands where a value is null. */
    private static void clearNulls(TupleBlock block) {
        RowLayout layout = block.layout();
        for (int field = 0; field < layout.fields().size(); field++) {
            int column = layout.columnOf(field);
            for (int row = 0; column >= 0 && row < block.size(); row++) {
                if (block.isNull(field, row)) {
                    int width = layout.width(column);
                    Arrays.fill(block.column(column), row * width, (row + 1) * width, (byte) 0);
                }
            }
        }
    }

    private static QuestionTwin.Answer answer(FlightQueries flight, Query question) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        try {
            Verdict verdict = flight.ask(question, root -> {
                for (int row = 0; row < root.getRowCount(); row++) {
                    List<String> texts = new ArrayList<>();
                    for (FieldVector vector : root.getFieldVectors()) {
                        texts.add(QuestionTwin.text(value(vector, row)));
                    }
                    rows.add(texts);
                }
            });
            assertThat(verdict.complete()).as("%s: %s", question, verdict).isTrue();
            return new QuestionTwin.Answer(rows, verdict.tuples(), verdict.next());
        } catch (FlightRuntimeException e) {
            ErrorFlightMetadata detail = e.status().metadata();
            throw detail == null || !detail.containsKey(WireErrors.TRAILER)
                    ? e
                    : WireErrors.parse(detail.getByte(WireErrors.TRAILER), e);
        }
    }

    /** A value as the twin has it. */
    private static @Nullable Object value(FieldVector vector, int row) {
        if (vector.isNull(row)) {
            return null;
        }
        if (vector instanceof TimeStampVector times) {
            long units = times.get(row);
            return switch (((ArrowType.Timestamp) vector.getField().getType()).getUnit()) {
                case SECOND -> Instant.ofEpochSecond(units);
                case MILLISECOND -> Instant.ofEpochMilli(units);
                case MICROSECOND ->
                    Instant.ofEpochSecond(Math.floorDiv(units, 1_000_000L), Math.floorMod(units, 1_000_000L) * 1000);
                case NANOSECOND ->
                    Instant.ofEpochSecond(Math.floorDiv(units, 1_000_000_000L), Math.floorMod(units, 1_000_000_000L));
            };
        }
        if (vector instanceof UInt4Vector numbers) {
            return numbers.get(row) & 0xFFFFFFFFL;
        }
        Object value = vector.getObject(row);
        if (value instanceof Integer whole) {
            return (long) whole;
        } else if (value instanceof Float number) {
            return (double) number;
        }
        return value instanceof Text ? value.toString() : value;
    }
}
