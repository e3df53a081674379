package io.waterwheel.sql.suite;

import java.util.regex.Pattern;

/** The statements of TPC as Spark's tests write them, in words that our SQL and DuckDB have in common. */
final class TpcTexts {
    private static final Pattern DAYS = Pattern.compile("(?i)\\binterval\\s+(\\d+)\\s+days?\\b");
    private static final Pattern DECIMAL = Pattern.compile("(?i)\\bas\\s+decimal\\s*\\(\\s*\\d+\\s*,\\s*\\d+\\s*\\)");
    private static final Pattern LIMIT = Pattern.compile("(?i)\\blimit\\s+\\d+\\s*;?\\s*$");
    private static final Pattern COMMENT = Pattern.compile("(?m)--.*$");

    private TpcTexts() {}

    static String statement(String text) {
        String plain = COMMENT.matcher(text).replaceAll("").strip();
        plain = plain.replace('`', '"');
        plain = DAYS.matcher(plain).replaceAll("INTERVAL '$1' DAY");
        plain = DECIMAL.matcher(plain).replaceAll("AS DOUBLE");
        // Of whole numbers our SQL divides whole numbers; a word of DuckDB's; a column by its name of today.
        return plain.replace(" / ", " * 1e0 / ")
                .replaceAll("\\) at,", ") a_m,")
                .replaceAll("c_last_review_date\\b", "c_last_review_date_sk");
    }

    static String withoutLimit(String statement) {
        return LIMIT.matcher(statement).replaceAll("");
    }
}
