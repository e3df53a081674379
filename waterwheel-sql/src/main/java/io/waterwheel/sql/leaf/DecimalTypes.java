package io.waterwheel.sql.leaf;

import io.waterwheel.schema.text.Decimals;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Exact decimals among Calcite's types. Pure functions. */
public final class DecimalTypes {
    /** Digits of the largest whole number of 64 bits. */
    private static final int BIGINT_DIGITS = 19;

    /** What is said where a decimal meets a double. */
    public static final String BESIDE_DOUBLES =
            "a DECIMAL beside a DOUBLE; write DECIMAL '...' for a number with a point, or CAST one of them";

    private DecimalTypes() {}

    /** Whether values are decimals. */
    public static boolean isDecimal(RelDataType type) {
        return type.getSqlTypeName() == SqlTypeName.DECIMAL;
    }

    /** Whether values are decimals. */
    public static boolean isDecimal(RexNode node) {
        return isDecimal(node.getType());
    }

    private static boolean isExact(RelDataType type) {
        return isDecimal(type) || type.getSqlTypeName() == SqlTypeName.BIGINT;
    }

    private static int scale(RelDataType type) {
        return isDecimal(type) ? type.getScale() : 0;
    }

    private static int before(RelDataType type) {
        return isDecimal(type) ? type.getPrecision() - type.getScale() : BIGINT_DIGITS;
    }

    /** Whether a decimal has each value of another, or each whole number of 64 bits. */
    public static boolean holds(RelDataType decimal, RelDataType other) {
        return isDecimal(decimal)
                && isExact(other)
                && scale(decimal) >= scale(other)
                && before(decimal) >= before(other);
    }

    /**
     * The decimals that values of exact types become to be compared or to be in one column, with as many places as any
     * has. With more than 38 digits it has fewer before the point than some, and what does not fit is an error. Null
     * when one is of another type, or none is a decimal.
     */
    static @Nullable RelDataType common(RelDataTypeFactory types, List<RelDataType> all) {
        int before = 0;
        int scale = 0;
        boolean any = false;
        boolean nullable = false;
        for (RelDataType type : all) {
            nullable |= type.isNullable();
            if (type.getSqlTypeName() == SqlTypeName.NULL) {
                nullable = true;
                continue;
            } else if (!isExact(type)) {
                return null;
            }
            any |= isDecimal(type);
            before = Math.max(before, before(type));
            scale = Math.max(scale, scale(type));
        }
        int digits = Math.min(Decimals.MOST_DIGITS, before + scale);
        return any
                ? types.createTypeWithNullability(types.createSqlType(SqlTypeName.DECIMAL, digits, scale), nullable)
                : null;
    }

    /**
     * What is compared of a side of a comparison: what was cast only to have the type of the other side, and lost
     * nothing by it but that a double has fewer digits. A cast to DOUBLE that the statement has is another function.
     */
    public static RexNode compared(RexNode side) {
        if (side.getKind() != SqlKind.CAST) {
            return side;
        }
        RexNode operand = ((RexCall) side).getOperands().get(0);
        boolean toDouble = side.getType().getSqlTypeName() == SqlTypeName.DOUBLE && isDecimal(operand);
        boolean most = isDecimal(side)
                && side.getType().getPrecision() == Decimals.MOST_DIGITS
                && isExact(operand.getType())
                && scale(side.getType()) >= scale(operand.getType());
        return toDouble || most || holds(side.getType(), operand.getType()) ? operand : side;
    }

    /**
     * The type as which two sides of a comparison are compared; nothing is rounded by it.
     *
     * @throws NotPushed when one is no exact number, or together they have too many digits
     */
    public static RelDataType comparable(RelDataTypeFactory types, RexNode left, RexNode right) throws NotPushed {
        RelDataType common = common(types, List.of(left.getType(), right.getType()));
        if (common == null) {
            boolean number = SqlTypes.isNumber(left.getType()) && SqlTypes.isNumber(right.getType());
            throw new NotPushed(
                    number ? BESIDE_DOUBLES : "a comparison of " + left.getType() + " and " + right.getType());
        } else if (!fits(common, left.getType()) || !fits(common, right.getType())) {
            throw new NotPushed("a comparison of " + left.getType() + " and " + right.getType()
                    + ", which together have more than " + Decimals.MOST_DIGITS + " digits; CAST one of them");
        }
        return common;
    }

    private static boolean fits(RelDataType common, RelDataType type) {
        return type.getSqlTypeName() == SqlTypeName.NULL || holds(common, type);
    }

    /** Whether a comparison is one of decimals, however Calcite casts its sides. */
    public static boolean areCompared(RexNode left, RexNode right) {
        RexNode one = compared(left);
        RexNode other = compared(right);
        return isOne(one, other) || isOne(other, one);
    }

    /** A literal beside doubles is one of these. */
    private static boolean isOne(RexNode side, RexNode other) {
        boolean among = side instanceof RexLiteral && other.getType().getSqlTypeName() == SqlTypeName.DOUBLE;
        return isDecimal(side) && !among;
    }
}
