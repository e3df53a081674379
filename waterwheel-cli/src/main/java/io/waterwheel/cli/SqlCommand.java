package io.waterwheel.cli;

import io.waterwheel.cli.output.AnswerStats;
import io.waterwheel.cli.output.ArrowPrinter;
import io.waterwheel.cli.output.RowPrinter;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.Seconds;
import io.waterwheel.cli.text.StatementReader;
import io.waterwheel.cli.text.StreamPositionText;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel sql}. */
@Command(
        name = "sql",
        description = {
            "Ask in SQL: docs/sql.md has what is understood.",
            "Without STATEMENT, statements are read from standard input, each up to a semicolon or the end."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel sql \"SELECT callsign, COUNT(*) AS n FROM flights GROUP BY callsign ORDER BY n DESC LIMIT 10\"",
            "  waterwheel sql --format csv < statements.sql"
        })
final class SqlCommand implements Callable<Integer> {
    private static final String PROMPT = "sql> ";

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(paramLabel = "STATEMENT", arity = "0..1", description = "One statement.")
    private @Nullable String statement;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            converter = Seconds.class,
            description = "How long each answer may take in all. Without it the server's query.timeout.")
    private @Nullable Duration timeout;

    @Option(
            names = "--partial",
            paramLabel = "fail|allow",
            defaultValue = "fail",
            description =
                    "Whether to fail when something is missing at the end of the timeout, or to show what there is"
                            + " and say what is missing. Default: fail.")
    private QueryCommand.Partial partial = QueryCommand.Partial.FAIL;

    @Option(
            names = "--at-least",
            paramLabel = "STREAM:P:O",
            split = ",",
            converter = StreamPositionText.class,
            description = "By stream and partition, offsets below which the answer must have seen everything: it waits"
                    + " for that, up to the timeout.")
    private List<StreamPositionText.Position> atLeast = List.of();

    @Option(
            names = "--stats",
            description =
                    "Say on standard error what the answer took: chunks there, pruned and read, leaves, bytes, what"
                            + " the cache had, and how long.")
    private boolean stats;

    @Option(
            names = "--format",
            paramLabel = "table|csv|json|arrow",
            defaultValue = "table",
            description = "table for people; csv with a line of names first, or one JSON object a line, both with times"
                    + " in milliseconds since 1970; arrow is an Arrow IPC stream. Default: table.")
    private QueryCommand.Format format = QueryCommand.Format.TABLE;

    SqlCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (format == QueryCommand.Format.ARROW && terminal.outWatched()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--format arrow is not for a terminal: send standard output to a file or a program");
        }
        try (WaterwheelClient client = server.connect()) {
            if (statement != null) {
                return answer(client, statement);
            }
            return all(client);
        }
    }

    /** Statements from standard input. At a terminal a failed one is told and the next is read; else it is the last. */
    private int all(WaterwheelClient client) {
        boolean conversing = terminal.interactive();
        StatementReader statements = new StatementReader(terminal.in(), conversing ? () -> prompt() : () -> {});
        int code = 0;
        try {
            for (String next = statements.next(); next != null; next = statements.next()) {
                try {
                    code = answer(client, next);
                } catch (WaterwheelException e) {
                    if (!conversing) {
                        throw e;
                    }
                    terminal.err().println(e.getMessage() + " (" + e.code() + ")");
                }
                if (code != 0 && !conversing) {
                    return code;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("standard input cannot be read: " + e.getMessage(), e);
        }
        return code;
    }

    private void prompt() {
        terminal.err().print(PROMPT);
        terminal.err().flush();
    }

    private int answer(WaterwheelClient client, String text) {
        Map<String, Map<Integer, Long>> demanded = new TreeMap<>();
        for (StreamPositionText.Position one : atLeast) {
            demanded.computeIfAbsent(one.stream(), name -> new TreeMap<>())
                    .merge(one.partition(), one.offset(), Math::max);
        }
        Statement asked;
        try {
            asked = new Statement(text, timeout, partial == QueryCommand.Partial.ALLOW, demanded);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        AnswerStats took = new AnswerStats();
        try (Cursor cursor = client.sql(asked)) {
            took.begun();
            if (!print(cursor)) {
                terminal.err().println("waterwheel sql: standard output was closed before the answer ended");
                return Cli.FAILURE;
            }
            Verdict verdict = cursor.verdict();
            if (stats) {
                took.print(verdict, terminal.err());
            }
            AnswerStats.printMissing(verdict, terminal.err());
            return 0;
        }
    }

    /** Prints the answer; false when the reader of the output went away. */
    private boolean print(Cursor cursor) {
        try {
            return switch (format) {
                case ARROW -> new ArrowPrinter(terminal.out()).print(cursor);
                case TABLE ->
                    RowPrinter.of(RowPrinter.Format.TABLE, terminal.out()).print(cursor);
                case CSV -> RowPrinter.of(RowPrinter.Format.CSV, terminal.out()).print(cursor);
                case JSON ->
                    RowPrinter.of(RowPrinter.Format.JSON, terminal.out()).print(cursor);
            };
        } catch (WaterwheelException e) {
            // Some of it may have been printed, and looks well.
            throw e.withMessage(e.getMessage() + "; what was printed is not the whole answer");
        }
    }
}
