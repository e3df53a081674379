package io.waterwheel.sql.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    /**
     * The columns that an answer is ordered by, the first first, up to one that is no column of it by its name.
     *
     * @param columns of the answer
     */
    static List<Integer> orderedBy(String statement, List<String> columns) {
        List<Integer> ordered = new ArrayList<>();
        for (String item : items(orderOf(withoutLimit(statement).replaceAll("\\s+", " ")))) {
            String name = item.strip().replaceAll("(?i) (asc|desc)( nulls (first|last))?$", "");
            int column = columns.indexOf(name.substring(name.lastIndexOf('.') + 1));
            if (column < 0) {
                break;
            }
            ordered.add(column);
        }
        return ordered;
    }

    /** What stands behind the last ORDER BY that is in no parentheses; empty when there is none. */
    private static String orderOf(String statement) {
        int at = statement.toLowerCase(Locale.ROOT).lastIndexOf(" order by ");
        String order = at < 0 ? "" : statement.substring(at + " order by ".length());
        int open = 0;
        for (int i = 0; i < order.length() && open >= 0; i++) {
            open += order.charAt(i) == '(' ? 1 : order.charAt(i) == ')' ? -1 : 0;
        }
        return open < 0 ? "" : order;
    }

    private static List<String> items(String list) {
        List<String> items = new ArrayList<>();
        int open = 0;
        int from = 0;
        for (int i = 0; i <= list.length(); i++) {
            char c = i < list.length() ? list.charAt(i) : ',';
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && open == 0) {
                items.add(list.substring(from, i));
                from = i + 1;
            }
        }
        return items;
    }

    static String withoutLimit(String statement) {
        return LIMIT.matcher(statement).replaceAll("");
    }
}
