package io.waterwheel.schema;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a stream keeps its tuples, by event time. What is kept is told by a horizon: tuples before it are gone.
 *
 * @param millis whole seconds, 1 s to 36500 d; {@link Long#MAX_VALUE}: for ever
 */
public record Retention(long millis) {
    /** Everything is kept. */
    public static final Retention OFF = new Retention(Long.MAX_VALUE);

    /** A horizon before all times: nothing is gone. */
    public static final long NO_HORIZON = Long.MIN_VALUE;

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final long MAX = 36_500 * DAY;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,10})\\s*(s|min|h|d)");

    public Retention {
        if (millis != Long.MAX_VALUE && (millis < SECOND || millis > MAX || millis % SECOND != 0)) {
            throw new IllegalArgumentException(
                    "retention: expected whole seconds, 1 s to 36500 d, got " + millis + " ms");
        }
    }

    /**
     * Reads {@code off}, or a whole number and a unit of s, min, h or d.
     *
     * @throws IllegalArgumentException when it is neither, or not between 1 s and 36500 d
     */
    public static Retention parse(String text) {
        if (text.equals("off")) {
            return OFF;
        }
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "retention: expected off, or a whole number and a unit of s, min, h or d, such as '30 d', got '"
                            + text + "'");
        }
        long unit =
                switch (matcher.group(2)) {
                    case "s" -> SECOND;
                    case "min" -> MINUTE;
                    case "h" -> HOUR;
                    default -> DAY;
                };
        long millis = Long.parseLong(matcher.group(1)) * unit;
        if (millis < SECOND || millis > MAX) {
            throw new IllegalArgumentException("retention: expected 1 s to 36500 d, got '" + text + "'");
        }
        return new Retention(millis);
    }

    public boolean isOff() {
        return equals(OFF);
    }

    /**
     * Where the horizon may be at most: this long before the newest tuple, or before now when that is earlier. So
     * neither a tuple of a clock that is ahead nor a machine whose clock is ahead takes what should be kept; it needs
     * both at once.
     *
     * @param clockMillis time of day
     * @param newestMillis time of the stream's newest tuple
     */
    public long horizon(long clockMillis, long newestMillis) {
        long from = Math.min(clockMillis, newestMillis);
        return isOff() || from < Long.MIN_VALUE + millis ? NO_HORIZON : from - millis;
    }

    /** As {@link #parse} reads it, in the largest unit that divides it. */
    @Override
    public String toString() {
        if (isOff()) {
            return "off";
        }
        if (millis % DAY == 0) {
            return millis / DAY + " d";
        }
        if (millis % HOUR == 0) {
            return millis / HOUR + " h";
        }
        return millis % MINUTE == 0 ? millis / MINUTE + " min" : millis / SECOND + " s";
    }
}
