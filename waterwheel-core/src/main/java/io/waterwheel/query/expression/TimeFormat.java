package io.waterwheel.query.expression;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A pattern by which times are written, for FORMAT_TIME, such as {@code yyyy-MM-dd HH:mm:ss}: those letters of
 * {@link DateTimeFormatter} that mean the same in every country. Names of days and months are English. Immutable.
 */
public final class TimeFormat {
    static final int LONGEST = 64;
    /** Of a date, and of the zone, which stays the same between two changes of the clock. */
    private static final String DAY = "yuMdDEQVX";

    private static final String MINUTE = "Hham";

    private final DateTimeFormatter formatter;
    private final @Nullable CalendarUnit within;

    private TimeFormat(DateTimeFormatter formatter, @Nullable CalendarUnit within) {
        this.formatter = formatter;
        this.within = within;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException when it is none; the message says why
     */
    static TimeFormat of(String pattern) {
        if (pattern.isEmpty() || pattern.length() > LONGEST) {
            throw new IllegalArgumentException("a pattern has 1 to " + LONGEST + " characters");
        }
        CalendarUnit within = CalendarUnit.DAY;
        boolean quoted = false;
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\'') {
                quoted = !quoted;
            } else if (!quoted && isLetter(c)) {
                if (c == 'S') {
                    within = null;
                } else if (c == 's') {
                    within = within == null ? null : CalendarUnit.SECOND;
                } else if (MINUTE.indexOf(c) >= 0) {
                    within = within == CalendarUnit.DAY ? CalendarUnit.MINUTE : within;
                } else if (DAY.indexOf(c) < 0) {
                    throw new IllegalArgumentException("the letter " + c
                            + " is none of y, u, M, d, D, E, Q, H, h, a, m, s, S, X and VV; text stands in quotes");
                }
            } else if (!quoted && "[]{}#".indexOf(c) >= 0) {
                throw new IllegalArgumentException("the sign " + c + " stands in quotes");
            }
        }
        if (quoted) {
            throw new IllegalArgumentException("a quote is not closed");
        }
        try {
            return new TimeFormat(DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH), within);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(misspelt(pattern), e);
        }
    }

    /** The first letter that stands there as often as no pattern has it. */
    private static String misspelt(String pattern) {
        boolean quoted = false;
        int end;
        for (int i = 0; i < pattern.length(); i = end) {
            char c = pattern.charAt(i);
            end = i + 1;
            if (c == '\'') {
                quoted = !quoted;
            } else if (!quoted && isLetter(c)) {
                while (end < pattern.length() && pattern.charAt(end) == c) {
                    end++;
                }
                String run = pattern.substring(i, end);
                if (!isPattern(run)) {
                    return run + " has no meaning; " + (c == 'V' ? "a zone is VV" : "write fewer " + c);
                }
            }
        }
        return "no such pattern: " + pattern;
    }

    private static boolean isPattern(String pattern) {
        try {
            DateTimeFormatter unused = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    /** The unit within which all times are written alike; null where each may differ. */
    public @Nullable CalendarUnit within() {
        return within;
    }

    /** A time as text. */
    public String text(ZonedDateTime time) {
        return formatter.format(time);
    }
}
