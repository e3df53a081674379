package io.waterwheel.sql.parse;

import io.waterwheel.sql.leaf.EngineFunctions;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlIntervalLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * {@code TABLE(TUMBLE(TABLE s, DESCRIPTOR(at), INTERVAL '1' MINUTE))} and {@code HOP} as SELECTs with the columns
 * window_start and window_end. A row is in each of the windows that hold its time; they begin at multiples of the step,
 * counted from 1970. {@code TABLE s} alone is all of its rows.
 */
final class WindowTables extends SqlShuttle {
    /** Windows of HOP that a row may be in. */
    private static final int MOST_WINDOWS = 32;

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        if (call.getKind() == SqlKind.COLLECTION_TABLE && call.operand(0) instanceof SqlCall function) {
            String name = function.getOperator().getName().toUpperCase(Locale.ROOT);
            if (name.equals("TUMBLE") || name.equals("HOP")) {
                return windows(function, name.equals("HOP"));
            }
        }
        if (call.getKind() == SqlKind.EXPLICIT_TABLE && call.operand(0) instanceof SqlIdentifier) {
            SqlSelect select = (SqlSelect) StatementParser.parseAsWritten("SELECT * FROM t");
            select.setFrom(call.operand(0));
            return select;
        }
        return super.visit(call);
    }

    private SqlNode windows(SqlCall call, boolean hops) {
        List<SqlNode> operands = call.getOperandList();
        SqlNode rows = operands.isEmpty() ? null : rows(operands.get(0));
        String time = operands.size() < 3 ? null : time(operands.get(1));
        if (operands.size() != (hops ? 4 : 3) || rows == null || time == null) {
            throw SqlErrors.at(
                    call.getParserPosition(),
                    hops
                            ? "expected HOP(TABLE stream, DESCRIPTOR(time), INTERVAL of the step, INTERVAL of the size)"
                            : "expected TUMBLE(TABLE stream, DESCRIPTOR(time), INTERVAL of the size)");
        }
        long step = millis(operands.get(2));
        long size = hops ? millis(operands.get(3)) : step;
        if (size % step != 0 || size / step > MOST_WINDOWS) {
            throw SqlErrors.at(
                    operands.get(3).getParserPosition(),
                    "the size of a HOP is a multiple of its step, at most " + MOST_WINDOWS + " times the step");
        }
        List<SqlNode> parts = new ArrayList<>();
        String bucket = EngineFunctions.TIME_BUCKET + "(" + interval(step) + ", " + time + ")";
        for (long back = 0; back < size; back += step) {
            String begin = back == 0 ? bucket : bucket + " - " + interval(back);
            SqlSelect select = (SqlSelect) StatementParser.parseAsWritten("SELECT *, " + begin + " AS window_start, "
                    + bucket + " + " + interval(size - back) + " AS window_end FROM t");
            select.setFrom(rows);
            parts.add(select);
        }
        SqlNode all = parts.get(0);
        for (SqlNode part : parts.subList(1, parts.size())) {
            all = SqlStdOperatorTable.UNION_ALL.createCall(call.getParserPosition(), all, part);
        }
        return all;
    }

    /** What the windows are of: TABLE s, or a query. */
    private @Nullable SqlNode rows(SqlNode node) {
        SqlNode inner =
                node instanceof SqlCall call && call.getKind() == SqlKind.EXPLICIT_TABLE ? call.operand(0) : node;
        boolean known = inner instanceof SqlIdentifier || inner.isA(SqlKind.QUERY);
        return known ? inner.accept(this) : null;
    }

    private static @Nullable String time(SqlNode node) {
        return node instanceof SqlCall call
                        && call.getOperator().getName().equalsIgnoreCase("DESCRIPTOR")
                        && call.operandCount() == 1
                        && call.operand(0) instanceof SqlIdentifier name
                        && name.isSimple()
                ? "\"" + name.getSimple().replace("\"", "\"\"") + "\""
                : null;
    }

    private static long millis(SqlNode node) {
        if (node instanceof SqlIntervalLiteral literal
                && literal.getValue() instanceof SqlIntervalLiteral.IntervalValue value
                && !value.getIntervalQualifier().isYearMonth()) {
            long millis = SqlParserUtil.intervalToMillis(value);
            if (millis > 0) {
                return millis;
            }
        }
        throw SqlErrors.at(node.getParserPosition(), "expected an interval such as INTERVAL '5' MINUTE, above zero");
    }

    private static String interval(long millis) {
        return "INTERVAL '" + BigDecimal.valueOf(millis, 3).toPlainString() + "' SECOND(10, 3)";
    }
}
