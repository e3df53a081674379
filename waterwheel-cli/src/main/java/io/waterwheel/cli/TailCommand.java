package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailBatch;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.encode.TextRows;
import io.waterwheel.schema.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code waterwheel tail}. */
@Command(
        name = "tail",
        description = {
            "Follow a stream: print each row once, when queries see it, until the command is ended.",
            "Ranges that the topic no longer has are named on standard error."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel tail flights --where \"altitude_ft > 40000\"",
            "  waterwheel tail flights --from earliest --format json --limit 10"
        })
final class TailCommand implements Callable<Integer> {
    enum Format {
        CSV,
        JSON
    }

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StreamOption stream = new StreamOption();

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            description =
                    "Only rows that this is true of, such as \"altitude_ft > 30000\"; docs/queries.md has all of it.")
    private @Nullable String where;

    @Option(
            names = "--from",
            paramLabel = "FROM",
            description = "now: rows that become visible from now on. earliest: before them all that the topic"
                    + " still has."
                    + " Or positions, such as 0:1200,1:40, as --limit prints them. Default: now.")
    private String from = "now";

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "csv, with a line of names, or json, an object a line. Default: csv.")
    private Format format = Format.CSV;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "End after N rows, and say on standard error from where to go on: 0:1200.3 is behind the"
                    + " first three rows of the record at 1200.")
    private long limit = Long.MAX_VALUE;

    TailCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (limit < 1) {
            throw new ParameterException(spec.commandLine(), "--limit: expected 1 or more, got " + limit);
        }
        TailSettings settings = where == null ? TailSettings.NOW : TailSettings.NOW.where(where);
        try (WaterwheelClient client = stream.connect();
                Tail tail = client.tail(stream.stream(), settings.from(from))) {
            List<String> names = tail.definition().schema().fields().stream()
                    .map(Field::name)
                    .toList();
            if (format == Format.CSV && !write(TextRows.csv(new ArrayList<>(names)) + "\n")) {
                return 0;
            }
            Passed passed = new Passed(tail.positions(), tail.within());
            long left = limit;
            while (true) {
                TailBatch batch = tail.poll(PATIENCE);
                if (batch == null) {
                    continue;
                }
                batch.missed().forEach(range -> terminal.err().println("missed: " + range));
                int rows = (int) Math.min(left, batch.size());
                if (!write(text(batch, rows, names))) {
                    return 0;
                }
                left -= rows;
                passed.add(batch, rows);
                if (left == 0) {
                    terminal.err().println("go on with --from " + passed.text(tail.streamId()));
                    return 0;
                }
            }
        }
    }

    /** What was printed, which need not end with a record. */
    private static final class Passed {
        private final Map<Integer, Long> positions;
        /** By partition, how many rows of the record at its position were printed, where that is not all. */
        private final Map<Integer, Integer> within;

        Passed(Map<Integer, Long> positions, Map<Integer, Integer> within) {
            this.positions = new TreeMap<>(positions);
            this.within = new TreeMap<>(within);
        }

        /** Adds the first rows of a batch. */
        void add(TailBatch batch, int rows) {
            if (rows == batch.size()) {
                positions.putAll(batch.positions());
                within.clear();
                within.putAll(batch.within());
                return;
            }
            for (int row = 0; row < rows; row++) {
                int partition = batch.partition(row);
                boolean whole = batch.position(row + 1) != batch.position(row) || batch.partition(row + 1) != partition;
                positions.put(partition, batch.position(row) + (whole ? 1 : 0));
                if (whole) {
                    within.remove(partition);
                } else {
                    within.put(partition, batch.index(row) + 1);
                }
            }
        }

        String text(int stream) {
            return TailSettings.text(stream, positions, within);
        }
    }

    private String text(TailBatch batch, int rows, List<String> names) {
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < rows; row++) {
            List<@Nullable Object> values = new ArrayList<>(names.size());
            for (int field = 0; field < names.size(); field++) {
                values.add(batch.value(row, field));
            }
            text.append(format == Format.CSV ? TextRows.csv(values) : TextRows.jsonOf(names, values))
                    .append('\n');
        }
        return text.toString();
    }

    /** Whether somebody still reads the output. */
    private boolean write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        terminal.out().write(bytes, 0, bytes.length);
        return !terminal.out().checkError();
    }
}
