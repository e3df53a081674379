package io.waterwheel.client.cli;

import java.io.PrintStream;
import java.util.OptionalLong;

/** The lines of a file that are no tuples: says the first of them, counts all. One thread. */
final class Rejections {
    private static final int SHOWN = 10;

    private final String source;
    private final PrintStream err;
    private final OptionalLong most;
    private long count;

    /**
     * @param source what messages call the file
     * @param most how many may be; absent: any number
     */
    Rejections(String source, PrintStream err, OptionalLong most) {
        this.source = source;
        this.err = err;
        this.most = most;
    }

    /** So many were rejected by an earlier run. */
    void before(long earlier) {
        count = earlier;
    }

    void add(long line, String why, AppendProgress progress) {
        count++;
        if (count <= SHOWN) {
            progress.clear();
            err.println(source + ", line " + line + ": " + why);
        } else if (count == SHOWN + 1) {
            progress.clear();
            err.println("further lines that are rejected are only counted");
        }
    }

    long count() {
        return count;
    }

    /** Whether there are more than there may be. */
    boolean tooMany() {
        return most.isPresent() && count > most.getAsLong();
    }

    /** Whether the file counts as appended. */
    boolean accepted() {
        return count <= most.orElse(0);
    }
}
