package io.waterwheel.schema;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Policy for records that cannot be decoded. A record that is passed is kept in the dead-letter topic. If the policy
 * says halt, the partition stops before the record, and nothing is lost.
 *
 * @param maxPerMillion most refused rows per million recent records; {@link #ALWAYS_SKIP} never halts, 0 halts at the
 *     first. Recent are the last half to whole million records that the partition's dispatcher decoded, counted as
 *     {@link #LEAST_RECORDS} at least
 */
public record BadRecords(int maxPerMillion) {
    /** No number of refused rows halts. */
    public static final int ALWAYS_SKIP = Integer.MAX_VALUE;
    /** Fewer records than this say nothing about a rate. */
    public static final long LEAST_RECORDS = 10_000;

    /** Every one is set aside, and the stream goes on. */
    public static final BadRecords SKIP = new BadRecords(ALWAYS_SKIP);
    /** The partition stops before the first. */
    public static final BadRecords HALT = new BadRecords(0);

    private static final Pattern ABOVE = Pattern.compile("halt above (\\d{1,6}) per million");

    public BadRecords {
        if (maxPerMillion < 0) {
            throw new IllegalArgumentException("bad records: a negative rate: " + maxPerMillion);
        }
    }

    /**
     * Reads {@code skip}, {@code halt} or {@code halt above N per million}.
     *
     * @throws IllegalArgumentException when it is none of them
     */
    public static BadRecords parse(String text) {
        Matcher above = ABOVE.matcher(text);
        if (text.equals("skip")) {
            return SKIP;
        } else if (text.equals("halt")) {
            return HALT;
        } else if (above.matches() && Integer.parseInt(above.group(1)) > 0) {
            return new BadRecords(Integer.parseInt(above.group(1)));
        }
        throw new IllegalArgumentException(
                "dead-letters: expected skip, halt, or halt above N per million (N 1 to 999999), got '" + text + "'");
    }

    /** Whether a rate above the bound is reached by one more refused row. */
    public boolean halts(long refusedBefore, long recent) {
        return maxPerMillion != ALWAYS_SKIP
                && (refusedBefore + 1) * 1_000_000 > maxPerMillion * Math.max(recent, LEAST_RECORDS);
    }

    @Override
    public String toString() {
        return maxPerMillion == ALWAYS_SKIP
                ? "skip"
                : maxPerMillion == 0 ? "halt" : "halt above " + maxPerMillion + " per million";
    }
}
