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
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean outWatched, boolean errWatched) {
    /** Where both outputs are watched, or neither is. */
    public Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
        this(in, out, err, interactive, interactive);
    }

    /** Whether a person sees both outputs. */
    public boolean interactive() {
        return outWatched && errWatched;
    }

    /**
     * This process's own. The launcher says by the system properties {@code waterwheel.stdout.terminal} and
     * {@code waterwheel.stderr.terminal}, {@code true} or {@code false}, which of its outputs is a terminal; the JDK,
     * asked where they are not set, knows it only of both input and output together.
     */
    @SuppressWarnings("SystemOut") // this is the one place that they come from
    public static Terminal ofProcess() {
        return new Terminal(
                System.in,
                System.out,
                System.err,
                watched("waterwheel.stdout.terminal"),
                watched("waterwheel.stderr.terminal"));
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
