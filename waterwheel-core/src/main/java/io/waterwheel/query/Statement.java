package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A statement of SQL (docs/sql.md), and what holds for every query that it is answered by. Immutable.
 *
 * @param sql the text
 * @param timeout how long the answer may take in all, or null for the server's {@code query.timeout}
 * @param allowPartial whether an answer that lacks something may be returned, marked
 * @param atLeast by stream and partition, offsets below which every tuple must have been seen
 * @param parameters the values of the text's question marks, in their order; each means what a literal in its place
 *     means
 */
public record Statement(
        String sql,
        @Nullable Duration timeout,
        boolean allowPartial,
        Map<String, Map<Integer, Long>> atLeast,
        List<Expression.Literal> parameters) {
    /** Longest text, in characters. */
    public static final int MAX_CHARACTERS = 262_144;
    /** Most parameters. */
    public static final int MAX_PARAMETERS = 1000;

    public Statement {
        if (sql.isBlank()) {
            throw new IllegalArgumentException("statement: the text is empty");
        }
        if (sql.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException("statement: " + tooLong(sql.length()));
        }
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("statement: timeout must be positive, got " + timeout);
        }
        if (parameters.size() > MAX_PARAMETERS) {
            throw new IllegalArgumentException(
                    "statement: expected at most " + MAX_PARAMETERS + " parameters, got " + parameters.size());
        }
        parameters = List.copyOf(parameters);
        atLeast = atLeast.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, one -> Map.copyOf(one.getValue())));
    }

    /** What is wrong with a text of more characters or values than a statement may have, and what to do. */
    public static String tooLong(int characters) {
        return "expected at most " + MAX_CHARACTERS + " characters, got " + characters + "; " + MANY_VALUES;
    }

    /** Where many values go that a statement is about. */
    public static final String MANY_VALUES =
            "many values go into a table of a file (CREATE TABLE ... FROM, in the folder of"
                    + " sql.tables) or a stream that is joined, or into several statements";

    /** Words by which statements begin that change something. */
    private static final Set<String> CHANGES = Set.of("INSERT", "CREATE", "ALTER", "DROP");

    /** A statement without parameters. */
    public Statement(
            String sql, @Nullable Duration timeout, boolean allowPartial, Map<String, Map<Integer, Long>> atLeast) {
        this(sql, timeout, allowPartial, atLeast, List.of());
    }

    /** A statement that must be answered whole, in the server's usual time. */
    public static Statement of(String sql) {
        return new Statement(sql, null, false, Map.of());
    }

    /**
     * Whether it changes something, by its first word. Such a statement must not be asked a second time as long as it
     * is not known what has become of it.
     */
    public boolean changes() {
        int begin = 0;
        while (begin < sql.length()) {
            if (Character.isWhitespace(sql.charAt(begin))) {
                begin++;
            } else if (sql.startsWith("--", begin)) {
                int end = sql.indexOf('\n', begin);
                begin = end < 0 ? sql.length() : end;
            } else if (sql.startsWith("/*", begin)) {
                int end = sql.indexOf("*/", begin + 2);
                begin = end < 0 ? sql.length() : end + 2;
            } else {
                break;
            }
        }
        int end = begin;
        while (end < sql.length() && end - begin <= 6 && Character.isLetter(sql.charAt(end))) {
            end++;
        }
        return CHANGES.contains(sql.substring(begin, end).toUpperCase(Locale.ROOT));
    }

    /** The same with another timeout. */
    public Statement withTimeout(Duration duration) {
        return new Statement(sql, duration, allowPartial, atLeast, parameters);
    }

    /** The same with these parameters. */
    public Statement withParameters(List<Expression.Literal> values) {
        return new Statement(sql, timeout, allowPartial, atLeast, values);
    }

    /** The same with other demands. */
    public Statement withAtLeast(Map<String, Map<Integer, Long>> demands) {
        return new Statement(sql, timeout, allowPartial, demands, parameters);
    }

    /**
     * The same query, as this statement asks it: with its timeout, its demands, and what it allows.
     *
     * @throws WaterwheelException code BAD_QUERY when a demand is of another stream: it would not be kept
     */
    public Query demanding(Query query) {
        requireDemandsOf(Set.of(query.stream()));
        return oneOfSeveral(query);
    }

    /**
     * Checks that each demand can be kept.
     *
     * @param streams that the statement reads
     * @throws WaterwheelException code BAD_QUERY when a demand is of another one
     */
    public void requireDemandsOf(Set<String> streams) {
        for (String stream : atLeast.keySet()) {
            if (!streams.contains(stream)) {
                throw new WaterwheelException(
                        ErrorCode.BAD_QUERY,
                        "at least: the statement is of stream '"
                                + streams.stream().sorted().collect(Collectors.joining("', '")) + "', not of '"
                                + stream + "'");
            }
        }
    }

    /** The same query, as this statement asks it; one of several of a statement. */
    public Query oneOfSeveral(Query query) {
        Query.Builder asked =
                query.toBuilder().allowPartial(allowPartial).atLeast(atLeast.getOrDefault(query.stream(), Map.of()));
        return (timeout == null ? asked : asked.timeout(timeout)).build();
    }
}
