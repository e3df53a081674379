package io.waterwheel.sql.cache;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Words of a statement that stand for the time at which it is asked, or the beginning of that day. */
public final class NowNames {
    private static final String DAY = "CURRENT_DATE";
    private static final Set<String> PLAIN = Set.of("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", DAY);
    /** Without parentheses it is a column. */
    private static final String CALLED = "NOW";

    private NowNames() {}

    /** Whether a word is one of them, in any case of letters, with or without parentheses behind it. */
    public static boolean contains(String word) {
        return isPlain(word) || word.equalsIgnoreCase(CALLED);
    }

    /** Whether a word is one of them that is written without parentheses. */
    public static boolean isPlain(String word) {
        return PLAIN.contains(word.toUpperCase(Locale.ROOT));
    }

    /** Whether it is the beginning of the day, in UTC. */
    public static boolean isDay(String word) {
        return word.equalsIgnoreCase(DAY);
    }

    /** What a word stands for; null when it is none of them. */
    public static @Nullable Instant of(String word, Instant now) {
        return !contains(word) ? null : isDay(word) ? now.truncatedTo(ChronoUnit.DAYS) : now;
    }
}
