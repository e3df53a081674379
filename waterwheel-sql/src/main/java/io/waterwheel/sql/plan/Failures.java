package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Function;
import io.waterwheel.sql.cache.ParameterFunction;
import io.waterwheel.sql.leaf.EngineFunction;
import io.waterwheel.sql.leaf.EngineFunctions;
import java.math.BigDecimal;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Says of expressions whether they may fail. One that may is computed only of the rows that the statement computes it
 * of: {@code SELECT 10 / v.level ... WHERE v.level > o.amount} must not divide by the levels of rows that are joined
 * with nothing.
 */
final class Failures {
    private Failures() {}

    /** Whether the expression has a value, or null, for any row. */
    static boolean impossible(RexNode node) {
        if (node instanceof RexInputRef || node instanceof RexLiteral) {
            return true;
        }
        // Windows are calls too, and of no row alone.
        return node.getClass() == RexCall.class
                && cannotFail((RexCall) node)
                && ((RexCall) node).getOperands().stream().allMatch(Failures::impossible);
    }

    private static boolean cannotFail(RexCall call) {
        return switch (call.getKind()) {
            case EQUALS,
                    NOT_EQUALS,
                    LESS_THAN,
                    LESS_THAN_OR_EQUAL,
                    GREATER_THAN,
                    GREATER_THAN_OR_EQUAL,
                    IS_DISTINCT_FROM,
                    IS_NOT_DISTINCT_FROM,
                    AND,
                    OR,
                    NOT,
                    IS_NULL,
                    IS_NOT_NULL,
                    IS_TRUE,
                    IS_NOT_TRUE,
                    IS_FALSE,
                    IS_NOT_FALSE,
                    SEARCH,
                    CASE,
                    COALESCE -> true;
            // Whole numbers exceed 64 bits, and times their range.
            case PLUS, MINUS, TIMES, MINUS_PREFIX, FLOOR, CEIL -> isDouble(call.getType());
            case DIVIDE, MOD -> divides(call);
            case LIKE -> call.getOperands().stream().skip(1).allMatch(RexLiteral.class::isInstance);
            case CAST -> widens(call.getOperands().get(0).getType(), call.getType());
            default -> function(call);
        };
    }

    private static boolean isDouble(RelDataType type) {
        return type.getSqlTypeName() == SqlTypeName.DOUBLE;
    }

    /** By a written number other than zero; and -1, by which the least whole number cannot be divided. */
    private static boolean divides(RexCall call) {
        BigDecimal divisor = call.getOperands().get(1) instanceof RexLiteral literal && !literal.isNull()
                ? literal.getValueAs(BigDecimal.class)
                : null;
        return divisor != null
                && divisor.signum() != 0
                && (isDouble(call.getType()) || divisor.compareTo(BigDecimal.ONE.negate()) != 0);
    }

    /** To a type that has each value of the other. Nanoseconds have fewer years than what is coarser. */
    private static boolean widens(RelDataType from, RelDataType to) {
        SqlTypeName wider = to.getSqlTypeName();
        if (from.getSqlTypeName() == wider) {
            return wider != SqlTypeName.TIMESTAMP || from.getPrecision() == to.getPrecision() || to.getPrecision() <= 3;
        }
        return switch (from.getSqlTypeName()) {
            case BIGINT -> wider == SqlTypeName.DOUBLE || wider == SqlTypeName.VARCHAR;
            case NULL -> true;
            default -> false;
        };
    }

    private static boolean function(RexCall call) {
        List<RexNode> operands = call.getOperands();
        if (call.getOperator() instanceof ParameterFunction) {
            return true;
        } else if (call.getOperator() instanceof EngineFunction own) {
            Function function = own.function();
            // A text may become too long.
            return own.getName().equals(EngineFunctions.TO_DOUBLE)
                    || (function != null && function != Function.CONCAT && function != Function.REPLACE);
        }
        return call.getOperator().getName().equals("ABS")
                && isDouble(operands.get(0).getType());
    }
}
