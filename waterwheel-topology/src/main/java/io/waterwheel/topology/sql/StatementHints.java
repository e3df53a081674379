package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a statement says in a comment that begins with a plus sign, {@code SELECT /*+ at_least('orders:2:17'),
 * timeout(2.5) *}{@code / ...}: tools that can only send text demand so. Pure functions.
 */
public final class StatementHints {
    private static final String BEGIN = "/*+";
    /** It never looks at a letter twice: hints are read on a thread of the network. */
    private static final Pattern HINT =
            Pattern.compile("\\s*+([A-Za-z_]++)\\s*+\\(\\s*+(?:'([^']*+)'|([0-9.]++))\\s*+\\)\\s*+(?:,|$)");

    private static final BigDecimal LONGEST_SECONDS = BigDecimal.valueOf(3600);

    private final Map<String, Map<Integer, Long>> demands = new HashMap<>();
    private @Nullable Duration timeout;

    private StatementHints(Statement statement) {
        statement.atLeast().forEach((stream, offsets) -> demands.put(stream, new HashMap<>(offsets)));
        timeout = statement.timeout();
    }

    /**
     * A timeout as text.
     *
     * @param value seconds above 0, at most an hour, such as 2.5; below a millisecond they are one
     * @throws IllegalArgumentException when the text is something else; says what was expected
     */
    public static Duration seconds(String value) {
        try {
            BigDecimal seconds = new BigDecimal(value);
            if (value.length() <= 32 && seconds.signum() > 0 && seconds.compareTo(LONGEST_SECONDS) <= 0) {
                return Duration.ofMillis(Math.max(1, seconds.movePointRight(3).longValue()));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected seconds, such as 2.5, got '" + shortened(value) + "'", e);
        }
        throw new IllegalArgumentException(
                "expected seconds above 0, at most " + LONGEST_SECONDS + ", got " + shortened(value));
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "...";
    }

    /**
     * The statement with what its hints say; each leaves blanks in its place, so that statements that differ in them
     * alone are of one text. A demand holds beside those of the statement, and so does a timeout: the shorter one ends
     * it.
     *
     * @throws WaterwheelException code BAD_SQL when a hint is none that there is
     */
    public static Statement applied(Statement statement) {
        String sql = statement.sql();
        if (!sql.contains(BEGIN)) {
            return statement;
        }
        StringBuilder text = new StringBuilder(sql);
        StatementHints hints = new StatementHints(statement);
        int at = 0;
        while (at < sql.length()) {
            int end;
            char letter = sql.charAt(at);
            if (letter == '\'' || letter == '"') {
                end = sql.indexOf(letter, at + 1) + 1;
            } else if (sql.startsWith("--", at)) {
                end = sql.indexOf('\n', at) + 1;
            } else if (sql.startsWith("/*", at)) {
                int close = sql.indexOf("*/", at + 2);
                end = close < 0 ? 0 : close + 2;
                if (end > 0 && sql.startsWith(BEGIN, at)) {
                    hints.read(sql.substring(at + BEGIN.length(), close));
                    for (int i = at; i < end; i++) {
                        if (!Character.isWhitespace(text.charAt(i))) {
                            text.setCharAt(i, ' ');
                        }
                    }
                }
            } else {
                end = at + 1;
            }
            if (end == 0) {
                // A quote or a comment that does not end: the planner says so.
                break;
            }
            at = end;
        }
        return new Statement(
                text.toString(), hints.timeout, statement.allowPartial(), hints.demands, statement.parameters());
    }

    private void read(String hints) {
        Matcher hint = HINT.matcher(hints);
        int at = 0;
        while (at < hints.length() && hint.region(at, hints.length()).lookingAt()) {
            String name = hint.group(1).toLowerCase(Locale.ROOT);
            String value = hint.group(2) == null ? hint.group(3) : hint.group(2);
            try {
                switch (name) {
                    case "at_least" -> demand(DemandText.parse(value));
                    case "timeout" -> limit(seconds(value));
                    default ->
                        throw wrong("there is no hint '" + hint.group(1)
                                + "'; there are at_least('STREAM:PARTITION:OFFSET,...') and timeout(SECONDS)");
                }
            } catch (IllegalArgumentException e) {
                throw wrong("hint " + name + ": " + e.getMessage());
            }
            at = hint.end();
        }
        if (at == 0 || at < hints.length()) {
            throw wrong("expected a hint such as /*+ at_least('STREAM:PARTITION:OFFSET') */ or /*+ timeout(2.5) */, got"
                    + " /*+" + shortened(hints) + "*/");
        }
    }

    private void demand(Map<String, Map<Integer, Long>> positions) {
        positions.forEach((stream, offsets) -> offsets.forEach((partition, offset) ->
                demands.computeIfAbsent(stream, name -> new HashMap<>()).merge(partition, offset, Math::max)));
    }

    private void limit(Duration duration) {
        if (timeout == null || duration.compareTo(timeout) < 0) {
            timeout = duration;
        }
    }

    private static WaterwheelException wrong(String what) {
        return new WaterwheelException(ErrorCode.BAD_SQL, "statement: " + what);
    }
}
