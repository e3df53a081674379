package io.waterwheel.query.compile;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.condition.Conditions;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.text.Decimals;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decimals compared with literals of any number of digits and places, exactly. Stateless, thread-safe. */
final class DecimalComparisons {
    private DecimalComparisons() {}

    /** A comparison of a decimal with a number, which may lie between two values of its type, or beyond all. */
    static ColumnNode compare(Relation relation, ColumnNode left, BigDecimal number) {
        if (ConstantNode.isNull(left)) {
            return ConstantNode.unknown();
        }
        ValueType type = left.type();
        BigDecimal units = number.scaleByPowerOfTen(type.scale());
        BigInteger floor = units.setScale(0, RoundingMode.FLOOR).unscaledValue();
        boolean exact = new BigDecimal(floor).compareTo(units) == 0;
        // No value reaches the limit: to be beyond it is to be at it.
        BigInteger limit = Decimals.limit(type.precision());
        ConstantNode constant = constant(type, floor.min(limit).max(limit.negate()));
        Relation cut =
                switch (relation) {
                    case LESS -> exact ? Relation.LESS : Relation.AT_MOST;
                    case AT_LEAST -> exact ? Relation.AT_LEAST : Relation.GREATER;
                    default -> relation;
                };
        if (!exact && (relation == Relation.EQUAL || relation == Relation.UNEQUAL)) {
            return Conditions.in(left, List.of(), false, relation == Relation.UNEQUAL);
        }
        return Conditions.compare(cut, left, constant);
    }

    /** The value of the type that equals a number; null when there is none. */
    static @Nullable ConstantNode equal(ValueType type, BigDecimal number) {
        try {
            return type.variable()
                    ? new ConstantNode(type, Decimals.bytes(number, type.precision(), type.scale()))
                    : new ConstantNode(type, Decimals.unscaled(number, type.precision(), type.scale()));
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private static ConstantNode constant(ValueType type, BigInteger unscaled) {
        return new ConstantNode(type, type.variable() ? Decimals.bytes(unscaled) : unscaled.longValueExact());
    }
}
