package io.waterwheel.cli.output;

import java.io.Console;
import java.io.InputStream;
import java.io.PrintStream;

/**
 * What a command reads and writes.
 *
 * @param in standard input
 * @param out for data
 * @param err for everything else
 * @param outWatched whether a person sees what goes to {@code out}
 * @param errWatched whether a person sees what goes to {@code err}: progress is shown only then
 * @param inWatched whether a person types what is read
 */
public record Terminal(
        InputStream in, PrintStream out, PrintStream err, boolean outWatched, boolean errWatched, boolean inWatched) {
    /** One whose input is not typed. */
    public Terminal(InputStream in, PrintStream out, PrintStream err, boolean outWatched, boolean errWatched) {
        this(in, out, err, outWatched, errWatched, false);
    }

    /** Where a person types and sees both outputs, or no person is there. */
    public Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
        this(in, out, err, interactive, interactive, interactive);
    }

    /** Whether a person can be asked: sees both outputs and types what is read. */
    public boolean asks() {
        return interactive() && inWatched;
    }

    /** Whether a person sees both outputs. */
    public boolean interactive() {
        return outWatched && errWatched;
    }

    /**
     * This process's own. The launcher says by the system properties {@code waterwheel.stdin.terminal},
     * {@code waterwheel.stdout.terminal} and {@code waterwheel.stderr.terminal}, {@code true} or {@code false}, which
     * of them is a terminal; the JDK, asked where they are not set, knows it only of both input and output together.
     */
    @SuppressWarnings("SystemOut") // this is the one place that they come from
    public static Terminal ofProcess() {
        return new Terminal(
                System.in,
                System.out,
                System.err,
                watched("waterwheel.stdout.terminal"),
                watched("waterwheel.stderr.terminal"),
                watched("waterwheel.stdin.terminal"));
    }

    private static boolean watched(String property) {
        String said = System.getProperty(property);
        return said == null ? console() : said.equals("true");
    }

    @SuppressWarnings("SystemConsoleNull") // null before Java 22, asked for what it is afterwards
    private static boolean console() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // Since Java 22 there is a console also where there is no terminal, and this method to ask it.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }
}
