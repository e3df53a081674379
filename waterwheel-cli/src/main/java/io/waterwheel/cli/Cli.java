package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.status.ServerReport;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code waterwheel} command line. */
@Command(
        name = "waterwheel",
        description = "Index streams in real time, and ask for any range of key and time.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 done, 1 failed, 2 the command was not understood, 130 interrupted.",
            "Data goes to standard output, everything else to standard error.",
            "",
            "Environment:",
            "  WATERWHEEL_SERVER     the server to talk to, such as grpc://127.0.0.1:7070",
            "  WATERWHEEL_ZOOKEEPER  where to find the server in its place, such as zk1:2181,zk2:2181",
            "  WATERWHEEL_NAMESPACE  which of those found there, unless it is default",
            "  WATERWHEEL_REGISTRY   the schema registry of topics to look at, such as http://127.0.0.1:8081",
            "  WATERWHEEL_REGISTRY_AUTH",
            "                        its passwords and tokens: file:/PATH or env:VARIABLE",
            "  WATERWHEEL_JAVA_OPTS  further options for the JVM, such as -Xmx4g",
            "  JAVA_HOME             the JDK to run on",
            "",
            "Completion in the shell: source <(waterwheel completion bash), or zsh;",
            "in fish: waterwheel completion fish | source",
            "",
            "Example:",
            "  waterwheel stream create flights.yaml",
            "  waterwheel append flights flights.csv.gz",
            "  waterwheel query flights --box 2,48,3,49 --count"
        })
public final class Cli {
    /** The command failed. */
    public static final int FAILURE = 1;
    /** The command was not understood. */
    public static final int USAGE = 2;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help and exit.")
    @SuppressWarnings("UnusedVariable") // picocli sees to it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and exit.")
    @SuppressWarnings("UnusedVariable") // picocli sees to it
    private boolean version;

    private static final Pattern CHOICE =
            Pattern.compile("(.*expected one of )\\[(.*)] \\(case-insensitive\\) but was (.*)");
    private static final Pattern UNMATCHED = Pattern.compile("Unmatched arguments? (?:at|from) index \\d+: ('[^']*')");
    private static final Pattern NO_INTEGER = Pattern.compile("('[^']*') is not an? (int|long)");
    private static final Pattern NO_NUMBER = Pattern.compile("('[^']*') is not a double");

    /** No option begins so, or has several lines. */
    private static final Pattern COMMENT = Pattern.compile("^--(?:\\s|[^\\n]*\\n)");

    /** Commands of older releases, with their names of today. */
    private static final Map<String, String> RENAMED = Map.of("partitions", "key-ranges");

    private Cli() {}

    /**
     * Runs a command with an empty standard input.
     *
     * @return its exit code: 0, {@link #FAILURE} or {@link #USAGE}
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        return run(args, new Terminal(InputStream.nullInputStream(), out, err, false), Map.of());
    }

    /**
     * Runs a command.
     *
     * @param typed the command and what stands behind it
     * @param further by name commands beside the client's own, as picocli takes them
     * @return its exit code: 0, {@link #FAILURE} or {@link #USAGE}, or what a further command returns
     */
    public static int run(String[] typed, Terminal terminal, Map<String, Supplier<Object>> further) {
        String[] args = understood(typed);
        CommandLine commands = commands(args, terminal, further);
        PrintWriter out = new PrintWriter(new OutputStreamWriter(terminal.out(), StandardCharsets.UTF_8), true);
        PrintWriter err = new PrintWriter(new OutputStreamWriter(terminal.err(), StandardCharsets.UTF_8), true);
        commands.setOut(out)
                .setErr(err)
                .setColorScheme(CommandLine.Help.defaultColorScheme(terminal.interactive() ? Ansi.AUTO : Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(false)
                .setParameterExceptionHandler(Cli::notUnderstood)
                .setExecutionExceptionHandler(Cli::failed);
        int code = commands.execute(args);
        // The stream swallows its errors and remembers them.
        if (terminal.out().checkError() && code == 0) {
            err.println("waterwheel: standard output cannot be written (closed, or the disk is full): not all that"
                    + " belongs there is there");
            return FAILURE;
        }
        return code;
    }

    /** As picocli takes them: {@code help} as the option, and a statement that begins with a comment as no option. */
    private static String[] understood(String[] typed) {
        if (typed.length > 0 && typed[0].equals("help")) {
            String[] args = Arrays.copyOfRange(typed, 1, typed.length + 1);
            args[args.length - 1] = "--help";
            return args;
        }
        return typed.length > 0 && typed[0].equals("sql")
                ? Arrays.stream(typed)
                        .map(word -> COMMENT.matcher(word).find() ? " " + word : word)
                        .toArray(String[]::new)
                : typed;
    }

    /** The commands; only the one that is asked for, when one is: to look at all of them takes a tenth of a second. */
    static CommandLine commands(String[] args, Terminal terminal, Map<String, Supplier<Object>> further) {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>(further);
        all.put("stream", () -> new StreamCommand(terminal));
        all.put("append", () -> new AppendCommand(terminal));
        all.put("query", () -> new QueryCommand(terminal));
        all.put("sql", () -> new SqlCommand(terminal));
        all.put("tail", () -> new TailCommand(terminal));
        all.put("queries", () -> new QueriesCommand(terminal));
        all.put("flush", () -> new FlushCommand(terminal));
        all.put("verify", () -> new VerifyCommand(terminal));
        all.put("dead-letters", () -> new DeadLettersCommand(terminal));
        all.put("key-ranges", () -> new KeyRangesCommand(terminal));
        all.put("retention", () -> new RetentionCommand(terminal));
        all.put("offsets", () -> new OffsetsCommand(terminal));
        all.put("status", () -> new StatusCommand(terminal));
        all.put("chunk", () -> new ChunkCommand(terminal));
        all.put("completion", () -> new CompletionCommand(terminal));
        String asked = args.length == 0 ? "" : args[0];
        CommandLine commands = new CommandLine(new Cli());
        commands.getCommandSpec().version("waterwheel " + ServerReport.version(Cli.class));
        all.forEach((name, command) -> {
            if (asked.equals(name) || !all.containsKey(asked) || asked.equals("completion")) {
                commands.addSubcommand(name, command.get());
            }
        });
        return commands;
    }

    private static int notUnderstood(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        String renamed = args.length > 0 && command.getParent() == null ? RENAMED.get(args[0]) : null;
        if (renamed != null) {
            err.println(name + ": '" + args[0] + "' is now called '" + renamed + "'");
        } else {
            err.println(name + ": " + plain(command, String.valueOf(e.getMessage())));
            UnmatchedArgumentException.printSuggestions(e, err);
        }
        err.println("See '" + name + " --help'.");
        return USAGE;
    }

    /** What picocli says, in the words of the other messages. */
    private static String plain(CommandLine command, String message) {
        if (message.equals("Missing required subcommand")) {
            return "a command is missing: expected one of "
                    + String.join(", ", command.getSubcommands().keySet());
        }
        Matcher word = UNMATCHED.matcher(message);
        if (!command.getSubcommands().isEmpty() && command.getParent() != null && word.lookingAt()) {
            return word.group(1) + " is no command of '"
                    + command.getCommandSpec().qualifiedName() + "': expected one of "
                    + String.join(", ", command.getSubcommands().keySet());
        }
        if (command.getCommandName().equals("sql") && word.lookingAt()) {
            return word.group(1)
                    + " stands behind the statement; a statement is one argument: put it into quotes, \"SELECT ...\"";
        }
        return reworded(message);
    }

    /** What picocli says of a value, in the words of the other messages. */
    static String reworded(String message) {
        Matcher choice = CHOICE.matcher(message);
        String text = choice.matches()
                ? choice.group(1) + choice.group(2).toLowerCase(Locale.ROOT) + ", got " + choice.group(3)
                : message;
        text = NO_NUMBER.matcher(text).replaceFirst("expected a number, got $1");
        return NO_INTEGER.matcher(text).replaceFirst("expected a whole number, got $1");
    }

    /** What may help, beyond what the failure itself says. */
    private static String advice(WaterwheelException failure) {
        if (!failure.is(ErrorCode.SERVER_UNREACHABLE)) {
            return "";
        }
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof UnknownHostException) {
                return " There is no host of that name.";
            }
        }
        return " 'waterwheel server' starts one; --server or WATERWHEEL_SERVER names another.";
    }

    /** What is wrong with which file: the JDK's message is often only its path; null when it is no such failure. */
    static @Nullable String fileTrouble(Exception e) {
        Throwable cause = e instanceof UncheckedIOException && e.getCause() != null ? e.getCause() : e;
        if (!(cause instanceof FileSystemException trouble)) {
            return null;
        }
        String file = String.valueOf(trouble.getFile());
        if (trouble instanceof NoSuchFileException) {
            return "there is no file " + file;
        } else if (trouble instanceof AccessDeniedException) {
            return "cannot read or write " + file + ": permission denied";
        } else if (trouble instanceof FileAlreadyExistsException) {
            return file + " exists already";
        }
        return file + ": " + (trouble.getReason() == null ? trouble.getClass().getSimpleName() : trouble.getReason());
    }

    private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof WaterwheelException failure) {
            err.println(name + ": " + failure.getMessage() + advice(failure) + " [" + failure.code() + "]");
            if (failure.kind() == WaterwheelException.Kind.BUG) {
                failure.printStackTrace(err);
            }
        } else if (fileTrouble(e) != null) {
            err.println(name + ": " + fileTrouble(e));
        } else if (e instanceof java.io.IOException || e instanceof UncheckedIOException) {
            err.println(name + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()));
        } else {
            err.println(name + ": a defect of this command:");
            e.printStackTrace(err);
        }
        return FAILURE;
    }
}
