package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a statement says in a comment that begins with a plus sign, {@code SELECT /*+ at_least('orders:2:17') *}{@code /
 * ...}: tools that can only send text demand so. Pure functions.
 */
final class StatementHints {
    private static final String BEGIN = "/*+";
    private static final Pattern HINT = Pattern.compile("\\s*([A-Za-z_]+)\\s*\\(\\s*'([^']*)'\\s*\\)\\s*(?:,|$)");

    private StatementHints() {}

    /**
     * The statement with what its hints say; each leaves blanks in its place, so that statements that differ in them
     * alone are of one text.
     *
     * @throws WaterwheelException code BAD_SQL when a hint is none that there is
     */
    static Statement applied(Statement statement) {
        String sql = statement.sql();
        if (!sql.contains(BEGIN)) {
            return statement;
        }
        StringBuilder text = new StringBuilder(sql);
        Map<String, Map<Integer, Long>> demands = new HashMap<>();
        statement.atLeast().forEach((stream, offsets) -> demands.put(stream, new HashMap<>(offsets)));
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
                    read(sql.substring(at + BEGIN.length(), close), demands);
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
                text.toString(), statement.timeout(), statement.allowPartial(), demands, statement.parameters());
    }

    private static void read(String hints, Map<String, Map<Integer, Long>> demands) {
        Matcher hint = HINT.matcher(hints);
        int at = 0;
        while (at < hints.length() && hint.find(at) && hint.start() == at) {
            if (!hint.group(1).equalsIgnoreCase("at_least")) {
                throw wrong(
                        "there is no hint '" + hint.group(1) + "'; there is at_least('STREAM:PARTITION:OFFSET,...')");
            }
            try {
                DemandText.parse(hint.group(2))
                        .forEach((stream, offsets) -> offsets.forEach(
                                (partition, offset) -> demands.computeIfAbsent(stream, name -> new HashMap<>())
                                        .merge(partition, offset, Math::max)));
            } catch (IllegalArgumentException e) {
                throw wrong("hint at_least: " + e.getMessage());
            }
            at = hint.end();
        }
        if (at == 0 || at < hints.length()) {
            throw wrong("expected a hint such as /*+ at_least('STREAM:PARTITION:OFFSET') */, got /*+"
                    + (hints.length() <= 60 ? hints : hints.substring(0, 60) + "...") + "*/");
        }
    }

    private static WaterwheelException wrong(String what) {
        return new WaterwheelException(ErrorCode.BAD_SQL, "statement: " + what);
    }
}
