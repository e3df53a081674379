package io.waterwheel.sql.leaf;

import java.math.BigDecimal;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/** What Calcite casts by itself to compare it with a value of another type. */
public final class MixedNumbers {
    /** Whole numbers up to this are doubles, each another. */
    public static final long EXACT = 1L << 53;

    private MixedNumbers() {}

    /** Whether it is a whole number as a double, which rounds it beyond 53 bits. */
    public static boolean isWidened(RexNode node) {
        return casts(node, SqlTypeName.BIGINT, SqlTypeName.DOUBLE);
    }

    /** Whether it is a written whole number as a double, which it is not exactly. */
    static boolean isRounded(RexNode node) {
        return isWidened(node)
                && ((RexCall) node).getOperands().get(0) instanceof RexLiteral literal
                && !literal.isNull()
                && literal.getValueAs(BigDecimal.class).abs().compareTo(BigDecimal.valueOf(EXACT)) > 0;
    }

    /** Whether it is a time in nanoseconds that was in a coarser unit, which reaches further. */
    public static boolean isInNanos(RexNode node) {
        return casts(node, SqlTypeName.TIMESTAMP, SqlTypeName.TIMESTAMP)
                && isNanos(node.getType())
                && !isNanos(((RexCall) node).getOperands().get(0).getType());
    }

    /** Whether values are times in nanoseconds. */
    public static boolean isNanos(RelDataType type) {
        return type.getSqlTypeName() == SqlTypeName.TIMESTAMP && type.getPrecision() > 6;
    }

    private static boolean casts(RexNode node, SqlTypeName from, SqlTypeName to) {
        return node.getKind() == SqlKind.CAST
                && node.getType().getSqlTypeName() == to
                && ((RexCall) node).getOperands().get(0).getType().getSqlTypeName() == from;
    }
}
