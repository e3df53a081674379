package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.parse.ExactLiteral;
import io.waterwheel.sql.parse.SqlErrors;
import java.math.BigDecimal;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * Sums, differences and products of written numbers, as the number that they are: {@code 0.06 + 0.01} is 0.07. Of
 * doubles it would be less.
 */
final class WrittenNumbers {
    /** Longer ones than anybody writes are left to the arithmetic of doubles. */
    private static final int MOST_DIGITS = 60;

    /** Of a longer chain no one writes numbers alone; each of its calls is looked at. */
    private static final int MOST_DEEP = 32;

    private WrittenNumbers() {}

    /**
     * A number as a double. One that a double does not keep is a computed double, for beside a decimal the double is
     * not what was written.
     *
     * @param computed makes such a one; null where any is a literal
     */
    static SqlNode approximate(String number, SqlParserPos position, @Nullable SqlOperator computed) {
        if (Double.isInfinite(Double.parseDouble(number))) {
            throw SqlErrors.at(
                    position,
                    "expected a number within the range of a double, to about 1.8e308, got " + number
                            + "; CAST('Infinity' AS DOUBLE) is the infinite one");
        }
        boolean exponent = number.indexOf('E') >= 0 || number.indexOf('e') >= 0;
        SqlNode literal = SqlLiteral.createApproxNumeric(exponent ? number : number + "E0", position);
        return computed == null || Expression.Decimal.of(number).written() == null
                ? literal
                : computed.createCall(position, literal);
    }

    /** The number; null for what is of anything but written numbers, and for whole numbers alone. */
    static @Nullable BigDecimal of(SqlCall call) {
        return hasPoint(call, 0) ? value(call, 0) : null;
    }

    private static boolean hasPoint(SqlNode node, int depth) {
        if (node instanceof SqlNumericLiteral number) {
            return !number.isInteger() && !(node instanceof ExactLiteral);
        }
        if (depth == MOST_DEEP || !(node instanceof SqlCall call) || !isArithmetic(call)) {
            return false;
        }
        for (SqlNode operand : call.getOperandList()) {
            if (hasPoint(operand, depth + 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isArithmetic(SqlCall call) {
        SqlKind kind = call.getKind();
        return kind == SqlKind.PLUS || kind == SqlKind.MINUS || kind == SqlKind.TIMES || kind == SqlKind.MINUS_PREFIX;
    }

    private static @Nullable BigDecimal value(SqlNode node, int depth) {
        if (node instanceof ExactLiteral) {
            return null;
        } else if (node instanceof SqlNumericLiteral number) {
            String text = number.toValue();
            // One with an exponent is a double as it is written.
            boolean exact = text != null && text.indexOf('E') < 0 && text.indexOf('e') < 0;
            return exact ? number.bigDecimalValue() : null;
        } else if (depth == MOST_DEEP || !(node instanceof SqlCall call) || !isArithmetic(call)) {
            return null;
        } else {
            BigDecimal first = value(call.operand(0), depth + 1);
            if (first == null || call.getKind() == SqlKind.MINUS_PREFIX) {
                return first == null ? null : first.negate();
            }
            BigDecimal second = value(call.operand(1), depth + 1);
            if (second == null || first.precision() + second.precision() > MOST_DIGITS) {
                return null;
            }
            return switch (call.getKind()) {
                case PLUS -> first.add(second);
                case MINUS -> first.subtract(second);
                default -> first.multiply(second);
            };
        }
    }
}
