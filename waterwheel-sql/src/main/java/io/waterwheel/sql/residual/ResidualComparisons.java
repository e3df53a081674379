package io.waterwheel.sql.residual;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.leaf.MixedNumbers;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SqlTypes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimestampString;

/**
 * Comparisons as DuckDB's text. As in the engine, the exact values are compared: of a whole number and a double, and of
 * times in different units. DuckDB would round the one and fail at the other.
 */
final class ResidualComparisons {
    /** Whole numbers of less than this are doubles, each another. */
    private static final double EXACT = 1L << 53;

    private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);

    private final ResidualExpressions expressions;

    ResidualComparisons(ResidualExpressions expressions) {
        this.expressions = expressions;
    }

    String of(RexCall call) throws NotPushed {
        RexNode left = call.getOperands().get(0);
        RexNode right = call.getOperands().get(1);
        String operator = operator(call.getKind());
        if (DecimalTypes.areCompared(left, right)) {
            return decimals(DecimalTypes.compared(left), operator, DecimalTypes.compared(right));
        }
        boolean numbers = MixedNumbers.isWidened(left) != MixedNumbers.isWidened(right);
        if (numbers && !isSmall(left) && !isSmall(right)) {
            return MixedNumbers.isWidened(left)
                    ? mixed(whole(left), operator, right)
                    : mixed(whole(right), mirrored(operator), left);
        }
        if (MixedNumbers.isInNanos(left) || MixedNumbers.isInNanos(right) || isNanos(left) || isNanos(right)) {
            return "(" + nanos(left) + " " + operator + " " + nanos(right) + ")";
        }
        return expressions.infix(operator, List.of(left, right));
    }

    /** Decimals, and what compares with them, as decimals that have all values of either side. */
    private String decimals(RexNode left, String operator, RexNode right) throws NotPushed {
        RexNode one = exact(left);
        RexNode other = exact(right);
        String type = ResidualExpressions.type(DecimalTypes.comparable(expressions.types(), one, other));
        return "(" + as(one, type) + " " + operator + " " + as(other, type) + ")";
    }

    private String as(RexNode node, String type) throws NotPushed {
        String text = expressions.of(node);
        return ResidualExpressions.type(node.getType()).equals(type) ? text : ResidualExpressions.cast(text, type);
    }

    /** A written number as the decimal that was written. */
    private RexNode exact(RexNode node) throws NotPushed {
        if (!(node instanceof RexLiteral literal) || literal.isNull() || !SqlTypes.isNumber(node.getType())) {
            return node;
        }
        try {
            BigDecimal number = DecimalTypes.isDecimal(node)
                    ? Literals.rounded(node.getType(), literal.getValueAs(BigDecimal.class))
                    : node.getType().getSqlTypeName() == SqlTypeName.BIGINT
                            ? literal.getValueAs(BigDecimal.class)
                            : ExpressionTypes.numberOf(new Expression.Decimal(literal.getValueAs(Double.class)));
            return expressions.exact(Objects.requireNonNull(number));
        } catch (WaterwheelException | IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    private static String operator(SqlKind kind) {
        return switch (kind) {
            case EQUALS -> "=";
            case NOT_EQUALS -> "<>";
            case LESS_THAN -> "<";
            case LESS_THAN_OR_EQUAL -> "<=";
            case GREATER_THAN -> ">";
            case GREATER_THAN_OR_EQUAL -> ">=";
            case IS_DISTINCT_FROM -> "IS DISTINCT FROM";
            case IS_NOT_DISTINCT_FROM -> "IS NOT DISTINCT FROM";
            default -> throw new IllegalArgumentException("no comparison: " + kind);
        };
    }

    private static String mirrored(String operator) {
        return switch (operator) {
            case "<" -> ">";
            case "<=" -> ">=";
            case ">" -> "<";
            case ">=" -> "<=";
            default -> operator;
        };
    }

    private static RexNode whole(RexNode widened) {
        return ((RexCall) widened).getOperands().get(0);
    }

    /** Whether it is a written number that no other whole number is rounded to. */
    private static boolean isSmall(RexNode node) {
        return node instanceof RexLiteral literal
                && !literal.isNull()
                && Math.abs(literal.getValueAs(Double.class)) < EXACT;
    }

    /**
     * A whole number beside a double. As doubles they are equal or in their order; those that are equal are compared as
     * whole numbers. A double of 2 to the power of 63 is none, and above all.
     */
    private String mixed(RexNode whole, String operator, RexNode number) throws NotPushed {
        if (operator.startsWith("IS ")) {
            throw new NotPushed(operator + " of a whole number and a double");
        }
        String exact = expressions.of(whole);
        String rounded = ResidualExpressions.cast(exact, "DOUBLE");
        String other = expressions.of(number);
        boolean below = operator.startsWith("<");
        String tie = "coalesce(" + exact + " " + operator + " TRY_CAST(" + other + " AS BIGINT), " + below + ")";
        String all = "(CASE WHEN " + rounded + " = " + other + " THEN " + tie + " ELSE " + rounded + " " + operator
                + " " + other + " END)";
        // The first term alone is what a join can look up.
        return operator.equals("=") ? "(" + rounded + " = " + other + " AND " + all + ")" : all;
    }

    /** Whether it is a written time in nanoseconds, which may lie beyond those that DuckDB has. */
    private static boolean isNanos(RexNode node) {
        return node instanceof RexLiteral && MixedNumbers.isNanos(node.getType());
    }

    /** A time as a whole number of nanoseconds, of 128 bits. */
    private String nanos(RexNode time) throws NotPushed {
        if (time instanceof RexLiteral literal
                && !literal.isNull()
                && time.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP) {
            TimestampString text = Objects.requireNonNull(literal.getValueAs(TimestampString.class));
            Instant instant =
                    LocalDateTime.parse(text.toString().replace(' ', 'T')).toInstant(ZoneOffset.UTC);
            BigInteger nanos = BigInteger.valueOf(instant.getEpochSecond())
                    .multiply(NANOS_PER_SECOND)
                    .add(BigInteger.valueOf(instant.getNano()));
            return huge(ResidualExpressions.quoted(new BigDecimal(nanos).toPlainString()));
        } else if (MixedNumbers.isInNanos(time)) {
            RexNode coarse = whole(time);
            boolean millis = coarse.getType().getPrecision() <= 3;
            String number = (millis ? "epoch_ms(" : "epoch_us(") + expressions.of(coarse) + ")";
            return "(" + huge(number) + " * " + (millis ? 1_000_000 : 1000) + ")";
        }
        return huge("epoch_ns(" + expressions.of(time) + ")");
    }

    private static String huge(String number) {
        return ResidualExpressions.cast(number, "HUGEINT");
    }
}
