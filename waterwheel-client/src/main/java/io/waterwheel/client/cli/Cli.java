package io.waterwheel.client.cli;

import io.waterwheel.model.WaterwheelException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
            "Exit codes: 0 done, 1 failed, 2 the command was not understood.",
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

    private Cli() {}

    /**
     * Runs a command with an empty standard input.
     *
     * @return its exit code: 0, {@link #FAILURE} or {@link #USAGE}
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        return run(args, new Terminal(InputStream.nullInputStream(), out, err, false), List.of());
    }

    /**
     * Runs a command.
     *
     * @param further commands beside the client's own, as picocli takes them
     * @return its exit code: 0, {@link #FAILURE} or {@link #USAGE}, or what a further command returns
     */
    public static int run(String[] args, Terminal terminal, List<Object> further) {
        CommandLine commands = new CommandLine(new Cli());
        further.forEach(commands::addSubcommand);
        commands.addSubcommand(new StreamCommand(terminal))
                .addSubcommand(new AppendCommand(terminal))
                .addSubcommand(new QueryCommand(terminal))
                .addSubcommand(new FlushCommand(terminal))
                .addSubcommand(new DeadLettersCommand(terminal))
                .addSubcommand(new OffsetsCommand(terminal))
                .addSubcommand(new VerifyCommand(terminal))
                .addSubcommand(new StatusCommand(terminal));
        PrintWriter out = new PrintWriter(new OutputStreamWriter(terminal.out(), StandardCharsets.UTF_8), true);
        PrintWriter err = new PrintWriter(new OutputStreamWriter(terminal.err(), StandardCharsets.UTF_8), true);
        commands.setOut(out)
                .setErr(err)
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(false)
                .setParameterExceptionHandler(Cli::notUnderstood)
                .setExecutionExceptionHandler(Cli::failed);
        int code = commands.execute(args);
        terminal.out().flush();
        return code;
    }

    private static int notUnderstood(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        err.println(name + ": " + e.getMessage());
        UnmatchedArgumentException.printSuggestions(e, err);
        err.println("See '" + name + " --help'.");
        return USAGE;
    }

    private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        if (e instanceof WaterwheelException failure) {
            err.println(name + ": " + failure.getMessage() + " [" + failure.code() + "]");
            if (failure.kind() == WaterwheelException.Kind.BUG) {
                failure.printStackTrace(err);
            }
        } else if (e instanceof java.io.IOException || e instanceof UncheckedIOException) {
            err.println(name + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()));
        } else {
            err.println(name + ": a defect of this command:");
            e.printStackTrace(err);
        }
        return FAILURE;
    }
}
