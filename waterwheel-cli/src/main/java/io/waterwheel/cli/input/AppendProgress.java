package io.waterwheel.cli.input;

import io.waterwheel.cli.output.Terminal;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The moving line of an append, on a terminal: how much, how fast, how long still. One thread. */
public final class AppendProgress {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int WIDTH = 78;
    /** Calls that a look at the clock is for, where none was accepted. */
    public static final int CALLS_A_LOOK = 64;

    private final PrintStream err;
    private final boolean shows;
    private final String unit;
    private final LongSupplier bytesRead;
    private final long bytesInAll;
    private final long begin = System.nanoTime();
    private long shownAt = begin;
    private boolean shown;
    private long before;
    private long lastAccepted = -1;
    private long calls;

    /**
     * @param unit what is counted
     * @param bytesRead of the file, as it lies on the disk
     * @param bytesInAll of the file; negative: not known
     */
    public AppendProgress(Terminal terminal, String unit, LongSupplier bytesRead, long bytesInAll) {
        this.err = terminal.err();
        this.shows = terminal.errWatched();
        this.unit = unit;
        this.bytesRead = bytesRead;
        this.bytesInAll = bytesInAll;
    }

    /** Sets the number that earlier runs accepted, which does not count for the speed of this one. */
    public void before(long earlier) {
        before = earlier;
    }

    /** Sets the numbers of lines that all runs have accepted and rejected by now. */
    public void at(long accepted, long rejected) {
        if (!shows || (accepted == lastAccepted && ++calls % CALLS_A_LOOK != 0)) {
            return;
        }
        lastAccepted = accepted;
        long now = System.nanoTime();
        if (now - shownAt < PERIOD_NANOS) {
            return;
        }
        shownAt = now;
        shown = true;
        String line = line(
                accepted, accepted - before, rejected, (now - begin) / 1e9, bytesRead.getAsLong(), bytesInAll, unit);
        err.print("\r" + line + " ".repeat(Math.max(0, WIDTH - line.length())));
        err.flush();
    }

    static String line(
            long accepted, long ofThisRun, long rejected, double seconds, long read, long inAll, String unit) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT, "%,d %s, %,.0f a second", accepted, unit, ofThisRun / Math.max(seconds, 1e-3)));
        if (rejected > 0) {
            line.append(String.format(Locale.ROOT, ", %,d rejected", rejected));
        }
        if (inAll > 0 && read > 0) {
            long left = Math.round(seconds * (inAll - Math.min(read, inAll)) / read);
            line.append(String.format(
                    Locale.ROOT, ", %d %%, %d:%02d left", 100 * Math.min(read, inAll) / inAll, left / 60, left % 60));
        }
        return line.toString();
    }

    /** Takes the line away, so that something else can be said. */
    public void clear() {
        if (shown) {
            shown = false;
            err.print("\r" + " ".repeat(WIDTH) + "\r");
            err.flush();
        }
    }
}
