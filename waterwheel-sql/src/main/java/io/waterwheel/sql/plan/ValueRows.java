package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.SqlValues;
import io.waterwheel.sql.parse.SqlErrors;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlUnnestOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * Rows that need no query: {@code VALUES (1, 'a'), (?, ?)}, series of numbers and times, elements of a written array.
 */
final class ValueRows {
    /** Of all series and arrays of a statement: each becomes a row of VALUES, which is planned as written ones are. */
    static final int MOST_ROWS = 1_000;

    static final String SERIES = "GENERATE_SERIES";

    private ValueRows() {}

    /** What a table is made by, {@code GENERATE_SERIES(1, 5)} or {@code UNNEST(ARRAY[1, 2])}; null for another one. */
    static @Nullable SqlCall function(SqlCall table) {
        if (table.getKind() == SqlKind.UNNEST) {
            return table.operandCount() == 1 && table.<SqlNode>operand(0).getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR
                    ? table
                    : null;
        }
        return table.getKind() == SqlKind.COLLECTION_TABLE
                        && table.operand(0) instanceof SqlCall function
                        && function.getOperator().getName().equalsIgnoreCase(SERIES)
                ? function
                : null;
    }

    /**
     * The rows of such a table.
     *
     * @param function as it is found, but for what stands in its parentheses
     */
    static SqlCall rows(SqlCall function) {
        List<SqlNode> values = function.getKind() == SqlKind.UNNEST
                ? ((SqlCall) function.operand(0)).getOperandList()
                : series(function);
        if (values.isEmpty()) {
            throw SqlErrors.at(
                    function.getParserPosition(), "UNNEST needs an array of at least one value, such as ARRAY[1, 2]");
        }
        boolean numbered = isNumbered(function);
        List<SqlNode> rows = new ArrayList<>();
        for (SqlNode value : values) {
            SqlParserPos position = value.getParserPosition();
            List<SqlNode> cells = numbered
                    ? List.of(value, SqlLiteral.createExactNumeric(String.valueOf(rows.size() + 1), position))
                    : List.of(value);
            rows.add(SqlStdOperatorTable.ROW.createCall(position, cells));
        }
        return SqlStdOperatorTable.VALUES.createCall(function.getParserPosition(), rows);
    }

    /** Whether rows of an array have their numbers, in a second column. */
    static boolean isNumbered(SqlCall function) {
        return function.getOperator() instanceof SqlUnnestOperator unnest && unnest.withOrdinality;
    }

    private static List<SqlNode> series(SqlCall call) {
        List<SqlNode> ends = call.getOperandList();
        List<SqlNode> values = List.of();
        if (ends.size() == 2 || ends.size() == 3) {
            SqlNode step = ends.size() == 3 ? ends.get(2) : null;
            LocalDateTime from = time(ends.get(0));
            LocalDateTime to = time(ends.get(1));
            values = from != null && to != null && step instanceof SqlIntervalLiteral interval
                    ? times(from, to, interval, call)
                    : numbers(
                            whole(ends.get(0)), whole(ends.get(1)), step == null ? Long.valueOf(1) : whole(step), call);
        }
        if (values.isEmpty()) {
            throw SqlErrors.unsupported(
                    call.getParserPosition(),
                    "this GENERATE_SERIES; it is of written whole numbers, GENERATE_SERIES(1, 5), or of written times and"
                            + " an interval, GENERATE_SERIES(TIMESTAMP '2026-01-01 00:00:00', TIMESTAMP '2026-01-02"
                            + " 00:00:00', INTERVAL '1' HOUR), has at least one row and at most " + MOST_ROWS
                            + "; TIME_BUCKET_GAPFILL has each step of a stream's time");
        }
        return values;
    }

    /** A written time, also as {@code '2026-01-01'::timestamp}. */
    private static @Nullable LocalDateTime time(SqlNode node) {
        boolean cast = node instanceof SqlCall call
                && (call.getKind() == SqlKind.CAST
                        || call.getOperator().getName().equals("::"))
                && call.operand(0) instanceof SqlCharStringLiteral
                && call.<SqlNode>operand(1).toString().toUpperCase(Locale.ROOT).startsWith("TIMESTAMP");
        return MovedTimes.time(cast ? TimeCalls.moment(((SqlCall) node).operand(0)) : node);
    }

    private static @Nullable Long whole(SqlNode node) {
        boolean negative = node.getKind() == SqlKind.MINUS_PREFIX;
        SqlNode number = negative ? ((SqlCall) node).operand(0) : node;
        return number instanceof SqlNumericLiteral literal && literal.isInteger()
                ? Long.valueOf(literal.longValue(true) * (negative ? -1 : 1))
                : null;
    }

    /** None where they are not all written, or too many. */
    private static List<SqlNode> numbers(@Nullable Long from, @Nullable Long to, @Nullable Long step, SqlCall call) {
        List<SqlNode> values = new ArrayList<>();
        if (from == null || to == null || step == null || step == 0) {
            return values;
        }
        for (long value = from; step > 0 ? value <= to : value >= to; value += step) {
            if (values.size() == MOST_ROWS || Math.abs(value) > Long.MAX_VALUE - Math.abs(step)) {
                return List.of();
            }
            values.add(SqlLiteral.createExactNumeric(String.valueOf(value), call.getParserPosition()));
        }
        return values;
    }

    private static List<SqlNode> times(
            LocalDateTime from, LocalDateTime to, SqlIntervalLiteral interval, SqlCall call) {
        List<SqlNode> values = new ArrayList<>();
        LocalDateTime time = from;
        boolean back = MovedTimes.moved(from, interval).isBefore(from);
        while (back ? !time.isBefore(to) : !time.isAfter(to)) {
            if (values.size() == MOST_ROWS) {
                return List.of();
            }
            values.add(TimeCalls.timestamp(time.toInstant(ZoneOffset.UTC), call.getParserPosition()));
            time = MovedTimes.moved(time, interval);
        }
        return values;
    }

    /** The rows; null when the statement is something else, or a value has to be computed. */
    static @Nullable SqlValues of(SqlNode statement, Instant now) {
        if (statement.getKind() != SqlKind.VALUES) {
            return null;
        }
        List<List<SqlValues.Value>> rows = new ArrayList<>();
        for (SqlNode row : ((SqlCall) statement).getOperandList()) {
            List<SqlNode> cells = row.getKind() == SqlKind.ROW ? ((SqlCall) row).getOperandList() : List.of(row);
            List<SqlValues.Value> values = new ArrayList<>();
            for (SqlNode cell : cells) {
                Expression.Literal literal = ConstantSelect.value(cell, now);
                if (literal == null && !(cell instanceof SqlDynamicParam)) {
                    return null;
                }
                values.add(new SqlValues.Value(literal, cell instanceof SqlDynamicParam mark ? mark.getIndex() : -1));
            }
            if (!rows.isEmpty() && values.size() != rows.get(0).size()) {
                throw SqlErrors.at(
                        row.getParserPosition(),
                        "expected " + rows.get(0).size() + " values, as in the first row, got " + values.size());
            }
            rows.add(values);
        }
        return new SqlValues(rows);
    }
}
