package io.waterwheel.cli.shell;

import io.waterwheel.cli.output.AnswerStats;
import io.waterwheel.cli.output.RowPrinter;
import io.waterwheel.cli.text.StatementReader;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.Terminal.SignalHandler;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/** {@code waterwheel sql} at a terminal. Run by one thread. */
public final class SqlShell {
    static final List<String> COMMANDS = List.of("\\?", "\\d", "\\format", "\\q", "\\timing");
    static final List<String> FORMATS = List.of("text", "csv", "json");

    private static final String PROMPT = "sql> ";
    private static final String NEXT_PROMPT = "  -> ";
    private static final int MOST_LINES = 5000;

    private static final String HELP = """
            A statement ends with a semicolon, on any line. Ctrl-C ends the statement that runs; Ctrl-D the shell.
            Tab completes key words, streams and fields; the arrows and Ctrl-R find earlier statements.

            \\d                      the streams, views and tables
            \\d NAME                 its columns; of a stream also its key, its topic, its options and its chunks
            \\format text|csv|json   how rows are printed
            \\timing                 say, or no longer say, how long each answer took
            \\?                      this help
            \\q                      leave
            """;

    /** Prints an answer, and what is to be said of it. */
    public interface Printer {
        /**
         * Prints one.
         *
         * @param took counts from when it was asked for
         */
        void print(Cursor cursor, RowPrinter.Format format, AnswerStats took);
    }

    private final WaterwheelClient client;
    private final Terminal terminal;
    private final PrintStream out;
    private final PrintStream err;
    private final Function<String, Statement> statements;
    private final Printer printer;
    private final Consumer<String> beside;
    private RowPrinter.Format format = RowPrinter.Format.TABLE;
    /** What is being answered; null between answers. */
    private volatile @Nullable Future<?> current;
    /** Whether Ctrl-C has come since it was asked, be it before that was known. */
    private volatile boolean ended;

    private boolean timing;

    /**
     * A shell.
     *
     * @param terminal where statements are typed
     * @param statements makes a statement of its text
     * @param beside prints what is known of a stream beside its columns; NO_SUCH_STREAM of what is none
     */
    public SqlShell(
            WaterwheelClient client,
            Terminal terminal,
            PrintStream out,
            PrintStream err,
            Function<String, Statement> statements,
            Printer printer,
            Consumer<String> beside) {
        this.client = client;
        this.terminal = terminal;
        this.out = out;
        this.err = err;
        this.statements = statements;
        this.printer = printer;
        this.beside = beside;
    }

    /** The terminal of this process; by the system's {@code stty}, so that no native code is loaded. */
    public static Terminal terminal() throws IOException {
        return TerminalBuilder.builder()
                .system(true)
                .exec(true)
                .jni(false)
                .jna(false)
                .jansi(false)
                .ffm(false)
                .build();
    }

    /**
     * Reads and answers statements until the end.
     *
     * @param first how rows are printed at first
     * @param history a file that keeps what was typed
     * @return the exit code
     */
    public int run(RowPrinter.Format first, Path history) {
        format = first;
        LineReader reader = reader(history);
        ExecutorService answers = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "answers");
            thread.setDaemon(true);
            return thread;
        });
        // For the life of the shell: between two answers Ctrl-C must not end it.
        SignalHandler before = terminal.handle(Signal.INT, signal -> cancel());
        // A terminal that can do nothing (TERM=dumb) does not hear of the process's signals by itself.
        Object ofProcess = Signals.register(Signal.INT.name(), () -> terminal.raise(Signal.INT));
        try {
            out.println("\\? for help, \\q to leave");
            while (true) {
                String text;
                try {
                    text = reader.readLine(PROMPT);
                } catch (UserInterruptException e) {
                    // Ctrl-C while typing: what was typed is given up.
                    continue;
                } catch (EndOfFileException e) {
                    return 0;
                }
                if (StatementParser.isCommand(text) ? !command(text.strip(), answers) : !answerAll(text, answers)) {
                    return 0;
                }
            }
        } finally {
            Signals.unregister(Signal.INT.name(), ofProcess);
            terminal.handle(Signal.INT, before);
            answers.shutdownNow();
        }
    }

    private void cancel() {
        ended = true;
        Future<?> answer = current;
        if (answer != null) {
            answer.cancel(true);
        }
    }

    private LineReader reader(Path history) {
        LineReaderBuilder builder = LineReaderBuilder.builder()
                .terminal(terminal)
                .parser(new StatementParser())
                .completer(new StatementCompleter(client))
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, NEXT_PROMPT)
                .variable(LineReader.HISTORY_SIZE, MOST_LINES)
                .variable(LineReader.HISTORY_FILE_SIZE, MOST_LINES)
                // An exclamation mark is one.
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .option(LineReader.Option.CASE_INSENSITIVE, true);
        String trouble = keepToOwner(history);
        if (trouble == null) {
            builder.variable(LineReader.HISTORY_FILE, history);
        } else {
            err.println("what is typed is not kept: " + trouble);
        }
        return builder.build();
    }

    /** Makes the file one that its owner alone reads; null when it is. Statements may name what is confidential. */
    private static @Nullable String keepToOwner(Path file) {
        Set<PosixFilePermission> owner = EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        try {
            if (Files.exists(file)) {
                Files.setPosixFilePermissions(file, owner);
            } else {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(owner));
            }
            return null;
        } catch (IOException | UnsupportedOperationException e) {
            return e.toString();
        }
    }

    /** Does what a line asks of the shell; false to leave. */
    private boolean command(String line, ExecutorService answers) {
        String[] words = line.split("\\s+", -1);
        String argument = words.length > 1 ? words[1].replaceAll(";$", "") : "";
        switch (words[0].toLowerCase(Locale.ROOT)) {
            case "\\q", "quit", "exit" -> {
                return false;
            }
            case "\\?", "help" -> out.print(HELP);
            case "\\timing" -> {
                timing = argument.isEmpty() ? !timing : argument.equals("on");
                out.println("timing is " + (timing ? "on" : "off"));
            }
            case "\\format" -> format(argument);
            case "\\d" -> describe(argument, answers);
            default ->
                err.println("there is no " + words[0] + "; did you mean " + NearestName.of(words[0], COMMANDS)
                        + "? \\? lists all");
        }
        return true;
    }

    private void describe(String name, ExecutorService answers) {
        if (name.isEmpty()) {
            answer("SHOW TABLES", answers);
        } else if (answer("DESCRIBE " + quoted(name), answers)) {
            String unquoted = name.startsWith("\"") ? name.substring(1, name.length() - 1) : name;
            ended = false;
            await(answers.submit(() -> describeBeside(unquoted)), answers);
        }
    }

    private void describeBeside(String name) {
        try {
            beside.accept(name);
        } catch (WaterwheelException e) {
            // Views and tables have columns alone, and so has a stream that is called so in other letters.
            if (!e.code().equals(ErrorCode.NO_SUCH_STREAM.name())) {
                throw e;
            }
        }
    }

    private static String quoted(String name) {
        return name.startsWith("\"") ? name : "\"" + name + "\"";
    }

    private void format(String name) {
        switch (name) {
            case "text", "table" -> format = RowPrinter.Format.TABLE;
            case "csv" -> format = RowPrinter.Format.CSV;
            case "json" -> format = RowPrinter.Format.JSON;
            case "" -> {}
            default -> {
                err.println("expected \\format text, csv or json, got '" + name + "'");
                return;
            }
        }
        out.println("rows are printed as "
                + (format == RowPrinter.Format.TABLE ? "text" : format.name().toLowerCase(Locale.ROOT)));
    }

    /** Answers what was typed, up to the first that fails; false when the reader of the output has gone. */
    private boolean answerAll(String text, ExecutorService answers) {
        StatementReader reader = new StatementReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        try {
            for (String next = reader.next(); next != null; next = reader.next()) {
                if (!answer(next, answers)) {
                    break;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return !out.checkError();
    }

    /** Whether the statement was answered. */
    private boolean answer(String text, ExecutorService answers) {
        Statement statement;
        try {
            statement = statements.apply(text);
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            return false;
        }
        long begun = System.nanoTime();
        AnswerStats took = new AnswerStats();
        RowPrinter.Format as = format;
        ended = false;
        boolean answered = await(
                client.read(statement, answers, cursor -> {
                    took.begun();
                    printer.print(cursor, as, took);
                    return null;
                }),
                answers);
        if (answered && timing) {
            out.printf(Locale.ROOT, "%.1f ms%n", (System.nanoTime() - begun) / 1e6);
        }
        return answered;
    }

    /** Waits for an answer, and says why there is none; Ctrl-C ends it. Whether there is one. */
    private boolean await(Future<?> answered, ExecutorService answers) {
        current = answered;
        if (ended) {
            answered.cancel(true);
        }
        try {
            answered.get();
            return true;
        } catch (CancellationException e) {
            awaitEnd(answers);
            err.println("cancelled");
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof WaterwheelException failure)) {
                throw new IllegalStateException(e.getCause());
            }
            err.println(failure.getMessage() + " (" + failure.code() + ")");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answered.cancel(true);
        } finally {
            current = null;
        }
        return false;
    }

    /** Rows that are being printed still are printed before the next prompt. */
    private static void awaitEnd(ExecutorService answers) {
        Future<?> end = answers.submit(() -> {});
        try {
            end.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
