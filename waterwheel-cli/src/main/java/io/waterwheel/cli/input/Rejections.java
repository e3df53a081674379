package io.waterwheel.cli.input;

import java.io.PrintStream;
import java.util.OptionalLong;

/** The lines of a file that are no tuples: says the first of them, counts all. One thread. */
public final class Rejections {
    private static final int SHOWN = 10;

    private String source = "";
    private final PrintStream err;
    private final OptionalLong most;
    private long count;
    private long shown;

    /** @param most how many may be; absent: any number */
    public Rejections(PrintStream err, OptionalLong most) {
        this.err = err;
        this.most = most;
    }

    /** Lines are of this file from now on. */
    public void of(String file) {
        source = file;
    }

    /** Sets the number that an earlier run rejected. */
    public void before(long earlier) {
        count = earlier;
    }

    /** The record in these lines of the file, mostly one, is rejected. */
    public void add(long first, long last, String why, AppendProgress progress) {
        count++;
        shown++;
        if (shown <= SHOWN) {
            progress.clear();
            err.println(source + (first == last ? ", line " + first : ", lines " + first + " to " + last) + ": " + why);
        } else if (shown == SHOWN + 1) {
            progress.clear();
            err.println("further lines that are rejected are only counted");
        }
    }

    public long count() {
        return count;
    }

    /** Whether there are more than there may be. */
    public boolean tooMany() {
        return most.isPresent() && count > most.getAsLong();
    }

    /** Whether the file counts as appended. */
    public boolean accepted() {
        return count <= most.orElse(0);
    }
}
