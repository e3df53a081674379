package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWindow;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT DISTINCT ON (a) b FROM t ORDER BY a, c DESC} as {@code SELECT b FROM t QUALIFY ROW_NUMBER() OVER
 * (PARTITION BY a ORDER BY c DESC) = 1 ORDER BY a, c DESC}. Calcite's parser does not know the words: it gets a text of
 * the same length, in which what stands in the parentheses is a call in the first column.
 */
final class DistinctOn extends SqlShuttle {
    /** As long as DISTINCT. */
    private static final String MARK = "\"_d_on_\"";

    private static final String FUNCTION = "_d_on_";

    private DistinctOn() {}

    /** The text with calls in the place of DISTINCT ON; the same text where there is none. */
    static String marked(String statement) {
        if (statement.contains(FUNCTION)) {
            return statement;
        }
        StringBuilder text = new StringBuilder(statement);
        Matcher token = StatementParser.TOKEN.matcher(statement);
        // The words of "SELECT DISTINCT ON (" that the last tokens are.
        int words = 0;
        int distinct = 0;
        int on = 0;
        // Parentheses that are open within each list, the innermost last.
        List<int[]> lists = new ArrayList<>();
        while (token.find()) {
            String word = token.group();
            if (word.startsWith("--") || word.startsWith("/*")) {
                continue;
            }
            if (word.equals("(")) {
                lists.forEach(list -> list[0]++);
                if (words == 3) {
                    text.replace(distinct, distinct + MARK.length(), MARK).replace(on, on + 2, "  ");
                    lists.add(new int[] {1, on + 1});
                }
            } else if (word.equals(")")) {
                lists.forEach(list -> list[0]--);
                int last = lists.size() - 1;
                if (last >= 0 && lists.get(last)[0] == 0) {
                    comma(text, lists.remove(last)[1], token.end());
                }
            }
            if (word.equalsIgnoreCase("SELECT")) {
                words = 1;
            } else if (words == 1 && word.equalsIgnoreCase("DISTINCT")) {
                words = 2;
                distinct = token.start();
            } else if (words == 2 && word.equalsIgnoreCase("ON")) {
                words = 3;
                on = token.start();
            } else {
                words = 0;
            }
        }
        return text.toString();
    }

    /** Puts a comma behind a list: over a blank, or else the list moves by one onto a blank before it. */
    private static void comma(StringBuilder text, int blank, int end) {
        if (end < text.length() && (text.charAt(end) == ' ' || text.charAt(end) == '\t')) {
            text.setCharAt(end, ',');
        } else {
            text.deleteCharAt(blank).insert(end - 1, ',');
        }
    }

    /** The tree of a marked text with windows in the place of the calls. */
    static @Nullable SqlNode windows(SqlNode marked) {
        return marked.accept(new DistinctOn());
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        if (call instanceof SqlOrderBy ordered) {
            SqlNode query = ordered.query instanceof SqlWith with ? with.body : ordered.query;
            SqlCall keys = query instanceof SqlSelect select ? keys(select) : null;
            if (keys != null) {
                number((SqlSelect) query, keys, ordered.orderList);
            }
        } else if (call instanceof SqlSelect select) {
            SqlCall keys = keys(select);
            if (keys != null) {
                throw unordered(keys);
            }
        }
        return super.visit(call);
    }

    private static @Nullable SqlCall keys(SqlSelect select) {
        return select.getSelectList().get(0) instanceof SqlBasicCall call
                        && call.getOperator().getName().equals(FUNCTION)
                ? call
                : null;
    }

    private static RuntimeException unordered(SqlCall keys) {
        return SqlErrors.at(
                keys.getParserPosition(),
                "DISTINCT ON needs an ORDER BY of its SELECT, which says what row of each group is the first,"
                        + " such as SELECT DISTINCT ON (key) key, time_ms FROM s ORDER BY key, time_ms DESC");
    }

    private static void number(SqlSelect select, SqlCall keys, SqlNodeList order) {
        SqlParserPos at = keys.getParserPosition();
        if (order.isEmpty()) {
            throw unordered(keys);
        }
        if (keys.operandCount() == 0) {
            throw SqlErrors.at(at, "DISTINCT ON needs a value in its parentheses");
        }
        if (select.getGroup() != null || select.getHaving() != null || select.getQualify() != null) {
            throw SqlErrors.at(
                    at,
                    "DISTINCT ON cannot stand beside GROUP BY, HAVING or QUALIFY: write these into a sub-query,"
                            + " SELECT DISTINCT ON (a) * FROM (SELECT ... GROUP BY ...) AS g ORDER BY a, b");
        }
        SqlNodeList columns = select.getSelectList();
        columns.remove(0);
        SqlNodeList partition = new SqlNodeList(at);
        for (SqlNode key : keys.getOperandList()) {
            partition.add(value(key, columns));
        }
        SqlNodeList within = new SqlNodeList(order.getParserPosition());
        SqlNodeList all = new SqlNodeList(order.getParserPosition());
        for (SqlNode item : order) {
            SqlNode value = item;
            while (isDirection(value)) {
                value = ((SqlCall) value).operand(0);
            }
            SqlNode resolved = value(value, columns);
            SqlNode directed = directed(item, resolved);
            all.add(directed);
            // What is the same in all rows of a group orders none of them.
            if (partition.stream().noneMatch(key -> key.equalsDeep(resolved, Litmus.IGNORE))) {
                within.add(directed);
            }
        }
        SqlSelect form = (SqlSelect) StatementParser.parseAsWritten(
                "SELECT 1 FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) = 1");
        if (form.getQualify() instanceof SqlCall first
                && first.operand(0) instanceof SqlCall over
                && over.operand(1) instanceof SqlWindow window) {
            window.setOperand(2, partition);
            window.setOperand(3, within.isEmpty() ? all : within);
            select.setQualify(first);
            return;
        }
        throw new IllegalStateException("a QUALIFY has another form");
    }

    private static boolean isDirection(SqlNode node) {
        return node.getKind() == SqlKind.DESCENDING
                || node.getKind() == SqlKind.NULLS_FIRST
                || node.getKind() == SqlKind.NULLS_LAST;
    }

    private static SqlNode directed(SqlNode item, SqlNode value) {
        return isDirection(item)
                ? ((SqlCall) item)
                        .getOperator()
                        .createCall(item.getParserPosition(), directed(((SqlCall) item).operand(0), value))
                : value;
    }

    /** A copy of what a value of ORDER BY stands for: the number or the label of a column is that column. */
    private static SqlNode value(SqlNode node, SqlNodeList columns) {
        SqlNode value = node;
        if (node instanceof SqlNumericLiteral literal && literal.isInteger()) {
            int number = literal.intValue(false);
            for (int c = 0; c < Math.min(number, columns.size()); c++) {
                if (columns.get(c) instanceof SqlIdentifier name && name.isStar()) {
                    throw SqlErrors.at(node.getParserPosition(), "beside DISTINCT ON and * columns go by their names");
                }
            }
            if (number < 1 || number > columns.size()) {
                throw SqlErrors.at(node.getParserPosition(), "there is no column " + number);
            }
            value = unlabelled(columns.get(number - 1));
        } else if (node instanceof SqlIdentifier name && name.isSimple()) {
            for (SqlNode column : columns) {
                if (column.getKind() == SqlKind.AS
                        && ((SqlCall) column).operand(1) instanceof SqlIdentifier label
                        && label.getSimple().equals(name.getSimple())) {
                    value = unlabelled(column);
                }
            }
        }
        SqlNode copy = value.accept(new Copied());
        if (copy == null) {
            throw new IllegalStateException("a value became nothing");
        }
        return copy;
    }

    private static SqlNode unlabelled(SqlNode column) {
        return column.getKind() == SqlKind.AS ? ((SqlCall) column).operand(0) : column;
    }

    /** The planner changes names where they stand, so that no two places may share one. */
    private static final class Copied extends SqlShuttle {
        @Override
        public SqlNode visit(SqlIdentifier name) {
            return name.clone(name.getParserPosition());
        }
    }
}
