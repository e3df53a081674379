package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.cli.Cli;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailBatch;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.embedded.ChildJvm;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LostRange;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command line's append under a name, killed again and again while it works: each line of the file is there once.
 */
@Tag("embedded")
final class NamedAppendTest {
    private static final int ROWS = 100_000;
    private static final int ADDED = 1_000;
    private static final int KILLED_RUNS = Rounds.of("kills", 3, 20);
    private static final int MAX_RUNS = 2 * KILLED_RUNS + 10;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void aFileAppendedByManyKilledProcessesIsThereOnce() throws Exception {
        System.err.println("named append: seed " + seed);
        Path file = folder.resolve("rows.csv");
        write(file, "id,k,t,v\n", 0, ROWS);
        // What is in chunks leaves the topic all the while: notes and rows that are appended then are not in what goes.
        try (Installation installation = new Installation(
                folder,
                folder.resolve("chunks"),
                false,
                "kafka.delete-indexed=0 ms",
                "maintenance.interval=300 ms",
                "source.check-interval=100 ms",
                "indexer.seal-size=1 MiB")) {
            installation.startAll();
            try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
                client.createStream(KnownRows.definition());
                int killed = 0;
                int runs = 0;
                Process process;
                do {
                    assertThat(++runs).as("seed %s", seed).isLessThan(MAX_RUNS);
                    process = append(installation, file);
                    // Most of the first runs die while they work.
                    long patience = runs < KILLED_RUNS ? 700 + random.nextInt(2_500) : 180_000;
                    if (!process.waitFor(patience, TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly().waitFor();
                        killed++;
                    }
                } while (process.exitValue() != 0);
                check(client, ROWS);

                assertThat(appended(installation, file).code()).isZero();
                check(client, ROWS);
                write(file, "", ROWS, ROWS + ADDED);
                assertThat(appended(installation, file).code()).isZero();
                check(client, ROWS + ADDED);

                theTopicIsDeletedUpToTheChunks(installation, client);
                assertThat(appended(installation, file).code()).isZero();
                check(client, ROWS + ADDED);
                whatIsGoneIsSaid(installation, client);

                List<String> lines = new ArrayList<>(Files.readAllLines(file, UTF_8));
                lines.set(7, "7,7,7,7");
                Files.write(file, lines, UTF_8);
                Ran refused = appended(installation, file);
                assertThat(refused.code()).as(refused.said()).isEqualTo(1);
                assertThat(refused.said())
                        .contains("its first " + (1 + ROWS + ADDED)
                                + " lines are not those that were appended under this name");
                check(client, ROWS + ADDED);
                System.err.println("named append: " + runs + " runs, " + killed + " killed, each of " + ROWS
                        + " lines is there once");
            }
        }
    }

    /** Killed right after that, the server answers as before. */
    private void theTopicIsDeletedUpToTheChunks(Installation installation, WaterwheelClient client) throws Exception {
        client.flush(KnownRows.STREAM);
        awaitDeleted(client);
        installation.part(Installation.Part.SERVER).kill();
        installation.start(Installation.Part.SERVER);
        // Kafka notes once a minute where a log begins: after a kill it may begin earlier again for a moment.
        awaitDeleted(client);
        check(client, ROWS + ADDED);
        assertThatThrownBy(() -> client.verify(KnownRows.STREAM, Duration.ofMinutes(5)))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("NOTHING_TO_COMPARE"));
    }

    private static void awaitDeleted(WaterwheelClient client) {
        Waiting.until("the topic begins where the chunks end", () -> client.offsets(KnownRows.STREAM).stream()
                .allMatch(partition -> {
                    long start = partition.positions().logStart().orElse(0);
                    return start > 0
                            && start == Collections.min(partition.checkpoints().values());
                }));
    }

    private void whatIsGoneIsSaid(Installation installation, WaterwheelClient client) throws Exception {
        client.flush(KnownRows.STREAM);
        awaitDeleted(client);
        Map<Integer, Long> starts = new TreeMap<>();
        client.offsets(KnownRows.STREAM)
                .forEach(partition -> starts.put(
                        partition.partition(), partition.positions().logStart().orElse(0)));
        StreamDefinition known = KnownRows.definition();
        StreamDetails second = client.createStream(
                new StreamDefinition("second", known.topic(), known.format(), known.partitions(), known.schema()));
        assertThat(second.topic().begins())
                .as("a stream of a topic whose beginning is gone")
                .isEqualTo(starts);
        assertThat(client.count(Query.of("second"))).isZero();
        try (Tail tail = client.tail(KnownRows.STREAM, TailSettings.NOW.from("earliest"))) {
            Map<Integer, LostRange> missed = new TreeMap<>();
            while (missed.size() < starts.size()) {
                TailBatch batch = tail.poll(Duration.ofMinutes(5));
                assertThat(batch).as("missed so far: %s", missed).isNotNull();
                batch.missed().forEach(range -> missed.put(range.partition(), range));
            }
            starts.forEach((partition, start) -> assertThat(missed.get(partition))
                    .isEqualTo(new LostRange(partition, 0, start, "the topic no longer has them")));
        }
        assertThat(ran(installation, "stream", "describe", "second"))
                .contains("# it begins with what the topic still had: ");
        assertThat(ran(installation, "stream", "drop", "second"))
                .matches("dropped stream second\ntopic " + known.topic() + " stays(, with up to \\d+ records?: .*)?"
                        + "\\. Streams that read it: " + KnownRows.STREAM + "\n");
    }

    private record Ran(int code, String said) {}

    private static String ran(Installation installation, String... words) {
        Ran ran = run(installation, List.of(words));
        assertThat(ran.code()).as(ran.said()).isZero();
        return ran.said();
    }

    private static Ran run(Installation installation, List<String> words) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--server", installation.url()));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(said, true, UTF_8);
        int code = Cli.run(all.toArray(String[]::new), print, print);
        return new Ran(code, said.toString(UTF_8));
    }

    /** One that is not killed needs no process of its own. */
    private static Ran appended(Installation installation, Path file) {
        return run(installation, words(file));
    }

    private static List<String> words(Path file) {
        return List.of("append", KnownRows.STREAM, file.toString(), "--format", "csv", "--name", "rows");
    }

    private static void write(Path file, String header, long from, long to) throws Exception {
        try (BufferedWriter out =
                Files.newBufferedWriter(file, UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            out.write(header);
            for (long id = from; id < to; id++) {
                out.write(id + "," + KnownRows.key(id) + "," + KnownRows.time(id) + "," + KnownRows.value(id) + "\n");
            }
        }
    }

    private Process append(Installation installation, Path file) throws Exception {
        List<String> words = new ArrayList<>(words(file));
        words.addAll(List.of("--server", installation.url()));
        List<String> command = ChildJvm.command(
                Installation.withQuickStart("-Xmx256m", "--add-opens=java.base/java.nio=ALL-UNNAMED"),
                "io.waterwheel.embedded.Main",
                words);
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("append.log").toFile())
                .start();
    }

    private void check(WaterwheelClient client, int rows) {
        // A question that names no positions may be answered without an indexer that has just got its first row.
        Waiting.until("all rows are seen", () -> client.query(KnownRows.STREAM).count() >= rows);
        BitSet found = new BitSet();
        try (Cursor cursor = client.query(
                Query.of(KnownRows.STREAM).withSelect(List.of("id", "v")).withTimeout(Duration.ofMinutes(5)))) {
            while (cursor.next()) {
                int id = (int) cursor.getLong("id");
                assertThat(found.get(id))
                        .as("seed %s: row %s is twice", seed, id)
                        .isFalse();
                assertThat(cursor.getLong("v")).isEqualTo(KnownRows.value(id));
                found.set(id);
            }
        }
        assertThat(found.cardinality()).as("seed %s", seed).isEqualTo(rows);
    }
}
