package io.waterwheel.query;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A statement of SQL (docs/sql.md), and what holds for every query that it is answered by. Immutable.
 *
 * @param sql the text
 * @param timeout how long the answer may take in all, or null for the server's {@code query.timeout}
 * @param allowPartial whether an answer that lacks something may be returned, marked
 * @param atLeast by stream and partition, offsets below which every tuple must have been seen
 */
public record Statement(
        String sql, @Nullable Duration timeout, boolean allowPartial, Map<String, Map<Integer, Long>> atLeast) {
    /** Longest text, in characters. */
    public static final int MAX_CHARACTERS = 262_144;

    public Statement {
        if (sql.isBlank()) {
            throw new IllegalArgumentException("statement: the text is empty");
        }
        if (sql.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException(
                    "statement: expected at most " + MAX_CHARACTERS + " characters, got " + sql.length());
        }
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("statement: timeout must be positive, got " + timeout);
        }
        atLeast = Map.copyOf(atLeast);
    }

    /** A statement that must be answered whole, in the server's usual time. */
    public static Statement of(String sql) {
        return new Statement(sql, null, false, Map.of());
    }

    /** The same with another timeout. */
    public Statement withTimeout(Duration duration) {
        return new Statement(sql, duration, allowPartial, atLeast);
    }

    /** The same query, as this statement asks it: with its timeout, its demands, and what it allows. */
    public Query demanding(Query query) {
        Query.Builder asked =
                query.toBuilder().allowPartial(allowPartial).atLeast(atLeast.getOrDefault(query.stream(), Map.of()));
        return (timeout == null ? asked : asked.timeout(timeout)).build();
    }
}
