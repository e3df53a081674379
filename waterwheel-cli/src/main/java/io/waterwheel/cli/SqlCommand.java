package io.waterwheel.cli;

import io.waterwheel.cli.output.AnswerStats;
import io.waterwheel.cli.output.ArrowPrinter;
import io.waterwheel.cli.output.RowPrinter;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.shell.SqlShell;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
            "Without STATEMENT, statements are typed at the terminal, with history and completion; or read from standard"
                    + " input where that is none, each up to a semicolon or the end. The first that fails is the last."
        },
        footer = {
            "",
            "Examples:",
            "  waterwheel sql \"SELECT callsign, COUNT(*) AS n FROM flights GROUP BY callsign ORDER BY n DESC LIMIT 10\"",
            "  waterwheel sql",
            "  waterwheel sql --format csv < statements.sql"
        })
final class SqlCommand implements Callable<Integer> {
    /** Where the server says that something is wrong, counted from the beginning of the statement. */
    private static final Pattern PLACE = Pattern.compile("^statement, line (\\d+), column (\\d+)");

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
                    + " since 1970 in the unit of their type, milliseconds for timestamp; arrow is an Arrow IPC"
                    + " stream. Default: table.")
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
            return terminal.inWatched() && terminal.outWatched() ? typed(client) : all(client);
        }
    }

    /** Statements that a person types. */
    private int typed(WaterwheelClient client) {
        RowPrinter.Format first =
                switch (format) {
                    case CSV -> RowPrinter.Format.CSV;
                    case JSON -> RowPrinter.Format.JSON;
                    case TABLE, ARROW -> RowPrinter.Format.TABLE;
                };
        Path history = Path.of(System.getProperty("user.home"), ".waterwheel_sql_history");
        try (org.jline.terminal.Terminal typing = SqlShell.terminal()) {
            SqlShell shell = new SqlShell(
                    client,
                    typing,
                    terminal.out(),
                    terminal.err(),
                    this::statement,
                    this::printed,
                    name -> StreamCommand.printWithoutFields(client.describe(name), terminal.out()));
            return shell.run(first, history);
        } catch (IOException e) {
            throw new UncheckedIOException("the terminal cannot be used: " + e.getMessage(), e);
        }
    }

    private void printed(Cursor cursor, RowPrinter.Format as, AnswerStats took) {
        if (whole(() -> RowPrinter.of(as, terminal.out()).print(cursor))) {
            told(cursor.verdict(), took);
        }
    }

    /** Statements from standard input. The first that fails is the last. */
    private int all(WaterwheelClient client) {
        StatementReader statements = new StatementReader(terminal.in());
        try {
            for (String next = statements.next(); next != null; next = statements.next()) {
                int code;
                try {
                    code = answer(client, next);
                } catch (WaterwheelException e) {
                    String message = String.valueOf(e.getMessage());
                    throw e.withMessage(placed(message, statements.line(), statements.column()));
                }
                if (code != 0) {
                    return code;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("standard input cannot be read: " + e.getMessage(), e);
        }
        return 0;
    }

    /** What is wrong with a statement, by the lines of the input that it begins in. */
    static String placed(String message, int line, int column) {
        Matcher place = PLACE.matcher(message);
        if (!place.find()) {
            return "line " + line + ": " + message;
        }
        int lines = Integer.parseInt(place.group(1));
        int columns = Integer.parseInt(place.group(2));
        return "line " + (line + lines - 1) + ", column " + (lines == 1 ? column + columns - 1 : columns)
                + message.substring(place.end());
    }

    private Statement statement(String text) {
        Map<String, Map<Integer, Long>> demanded = new TreeMap<>();
        for (StreamPositionText.Position one : atLeast) {
            demanded.computeIfAbsent(one.stream(), name -> new TreeMap<>())
                    .merge(one.partition(), one.offset(), Math::max);
        }
        return new Statement(text, timeout, partial == QueryCommand.Partial.ALLOW, demanded);
    }

    private int answer(WaterwheelClient client, String text) {
        Statement asked;
        try {
            asked = statement(text);
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
            told(cursor.verdict(), took);
            return 0;
        }
    }

    private void told(Verdict verdict, AnswerStats took) {
        if (stats) {
            took.print(verdict, terminal.err());
        }
        AnswerStats.printMissing(verdict, terminal.err());
    }

    /** Prints the answer; false when the reader of the output went away. */
    private boolean print(Cursor cursor) {
        return whole(() -> switch (format) {
            case ARROW -> new ArrowPrinter(terminal.out()).print(cursor);
            case TABLE -> RowPrinter.of(RowPrinter.Format.TABLE, terminal.out()).print(cursor);
            case CSV -> RowPrinter.of(RowPrinter.Format.CSV, terminal.out()).print(cursor);
            case JSON -> RowPrinter.of(RowPrinter.Format.JSON, terminal.out()).print(cursor);
        });
    }

    /** Prints; a failure says that what came before it is not all. */
    private static boolean whole(BooleanSupplier printing) {
        try {
            return printing.getAsBoolean();
        } catch (WaterwheelException e) {
            // Some of it may have been printed, and looks well.
            throw e.withMessage(e.getMessage() + "; what was printed is not the whole answer");
        }
    }
}
