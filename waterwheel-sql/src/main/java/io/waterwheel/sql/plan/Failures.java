package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Function;
import io.waterwheel.sql.cache.ParameterFunction;
import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.EngineFunction;
import io.waterwheel.sql.leaf.EngineFunctions;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.Strong;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Says of expressions whether they may fail. One that may is computed only of the rows that the statement computes it
 * of: {@code SELECT 10 / v.level ... WHERE v.level > o.amount} must not divide by the levels of rows that are joined
 * with nothing.
 */
final class Failures {
    private Failures() {}

    /**
     * Whether the expression has a value, or null, for any row, and no part of it is taken not to be null for what
     * stands around it: of {@code COALESCE(level, 0)} Calcite makes {@code CASE WHEN level IS NOT NULL THEN CAST(level)
     * ELSE 0 END}, and a leaf that computed this cast for all rows would have nulls in a column that has none.
     */
    static boolean impossible(RexNode node) {
        return answersAlways(node) && !presumes(node, List.of());
    }

    private static boolean answersAlways(RexNode node) {
        if (node instanceof RexInputRef || node instanceof RexLiteral) {
            return true;
        }
        // Windows are calls too, and of no row alone.
        return node.getClass() == RexCall.class
                && cannotFail((RexCall) node)
                && ((RexCall) node).getOperands().stream().allMatch(Failures::answersAlways);
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
        if (wider == SqlTypeName.DECIMAL) {
            return from.getSqlTypeName() == SqlTypeName.NULL || DecimalTypes.holds(to, from);
        } else if (from.getSqlTypeName() == wider) {
            return wider != SqlTypeName.TIMESTAMP || from.getPrecision() == to.getPrecision() || to.getPrecision() <= 3;
        }
        return switch (from.getSqlTypeName()) {
            case BIGINT -> wider == SqlTypeName.DOUBLE || wider == SqlTypeName.VARCHAR;
            case DECIMAL -> wider == SqlTypeName.DOUBLE || wider == SqlTypeName.VARCHAR;
            case BOOLEAN, DOUBLE, TIMESTAMP -> wider == SqlTypeName.VARCHAR;
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
                    || own.getName().equals(EngineFunctions.TO_TEXT)
                    || own.getName().equals(EngineFunctions.DIGITS)
                    || (function != null && function != Function.CONCAT && function != Function.REPLACE);
        }
        return call.getOperator().getName().equals("ABS")
                && isDouble(operands.get(0).getType());
    }

    /**
     * Whether a cast in it says that it is not null of what may be.
     *
     * @param known what is not null wherever it is computed
     */
    private static boolean presumes(RexNode node, List<RexNode> known) {
        if (!(node instanceof RexCall call)) {
            return false;
        }
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case CASE -> presumesInCase(operands, known);
            case AND -> {
                List<RexNode> within = with(known, notNull(call));
                yield operands.stream().anyMatch(operand -> presumes(operand, within));
            }
            case CAST ->
                (!call.getType().isNullable() && mayBeNull(operands.get(0), known)) || presumes(operands.get(0), known);
            default -> operands.stream().anyMatch(operand -> presumes(operand, known));
        };
    }

    private static boolean presumesInCase(List<RexNode> operands, List<RexNode> known) {
        List<RexNode> later = known;
        for (int i = 0; i + 1 < operands.size(); i += 2) {
            RexNode condition = operands.get(i);
            if (presumes(condition, later) || presumes(operands.get(i + 1), with(later, notNull(condition)))) {
                return true;
            }
            if (condition.isA(SqlKind.IS_NULL)) {
                later = with(later, ((RexCall) condition).getOperands());
            }
        }
        return presumes(operands.get(operands.size() - 1), later);
    }

    /** What is not null where the condition is true. */
    private static List<RexNode> notNull(RexNode condition) {
        return RelOptUtil.conjunctions(condition).stream()
                .filter(term -> term.isA(SqlKind.IS_NOT_NULL))
                .map(term -> ((RexCall) term).getOperands().get(0))
                .toList();
    }

    private static List<RexNode> with(List<RexNode> known, List<RexNode> more) {
        return Stream.concat(known.stream(), more.stream()).toList();
    }

    private static boolean mayBeNull(RexNode node, List<RexNode> known) {
        if (!node.getType().isNullable() || known.contains(node)) {
            return false;
        }
        return !(node instanceof RexCall call)
                || Strong.policy(call) != Strong.Policy.ANY
                || call.getOperands().stream().anyMatch(operand -> mayBeNull(operand, known));
    }
}
