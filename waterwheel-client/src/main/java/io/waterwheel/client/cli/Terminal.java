package io.waterwheel.client.cli;

import java.io.Console;
import java.io.InputStream;
import java.io.PrintStream;

/**
 * What a command reads and writes.
 *
 * @param in standard input
 * @param out for data
 * @param err for everything else
 * @param interactive whether a person watches: progress is shown only then
 */
public record Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
    /** This process's own. */
    @SuppressWarnings("SystemOut") // this is the one place that they come from
    public static Terminal ofProcess() {
        return new Terminal(System.in, System.out, System.err, watched());
    }

    @SuppressWarnings("SystemConsoleNull") // null before Java 22, asked for what it is afterwards
    private static boolean watched() {
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
