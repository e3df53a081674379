package io.waterwheel.sim;

import java.util.ArrayDeque;
import java.util.Locale;

/** The last events of a run, for people: when, who, what. */
final class Trace {
    private static final int LINES = 120;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Line(long nanos, String who, String what, Object[] args) {}

    private final ArrayDeque<Line> lines = new ArrayDeque<>();

    /** Notes an event; the text is made when somebody reads it, so arguments must not change. */
    void note(long nanos, String who, String what, Object... args) {
        if (lines.size() >= LINES) {
            lines.removeFirst();
        }
        lines.add(new Line(nanos, who, what, args));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            text.append(String.format(Locale.ROOT, "%n  %9.3f ms  %-16s ", line.nanos() / 1e6, line.who()))
                    .append(String.format(Locale.ROOT, line.what(), line.args()));
        }
        return text.toString();
    }
}
