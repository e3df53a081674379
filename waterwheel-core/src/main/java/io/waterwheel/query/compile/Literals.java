package io.waterwheel.query.compile;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.text.Decimals;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;

/** The constants that literals are. Stateless, thread-safe. */
final class Literals {
    private Literals() {}

    /**
     * A literal as a value.
     *
     * @throws WaterwheelException BAD_EXPRESSION for a moment that no value holds
     */
    static ConstantNode value(Expression.Literal literal) {
        ConstantNode node = compared(literal);
        if (node.value() instanceof Instant) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "expression: " + literal
                            + ": as a value with nanoseconds a time must lie in the years 1678 to 2261; round it");
        }
        return node;
    }

    /** A literal to compare with others: it may be a moment that no value holds. */
    static ConstantNode compared(Expression.Literal literal) {
        if (literal instanceof Expression.Whole whole) {
            return new ConstantNode(ValueType.INTEGER, whole.value());
        } else if (literal instanceof Expression.Decimal decimal) {
            return new ConstantNode(ValueType.DOUBLE, decimal.value());
        } else if (literal instanceof Expression.Exact exact) {
            ValueType type = exact.type();
            BigInteger unscaled = exact.value().unscaledValue();
            return new ConstantNode(type, type.variable() ? Decimals.bytes(unscaled) : unscaled.longValueExact());
        } else if (literal instanceof Expression.Text text) {
            return new ConstantNode(ValueType.STRING, text.value().getBytes(StandardCharsets.UTF_8));
        } else if (literal instanceof Expression.Hex hex) {
            return new ConstantNode(ValueType.BYTES, HexFormat.of().parseHex(hex.digits()));
        } else if (literal instanceof Expression.Truth truth) {
            return ConstantNode.truth(truth.value());
        } else if (literal instanceof Expression.Moment moment) {
            ValueType type = ExpressionTypes.resolution(moment);
            return new ConstantNode(type, moment(moment, type));
        } else if (literal instanceof Expression.Address address) {
            return new ConstantNode(ValueType.IPV4, address.bits() & 0xFFFFFFFFL);
        } else if (literal instanceof Expression.Sixteen value) {
            return new ConstantNode(value.type(), value.bytes());
        }
        return new ConstantNode(ValueType.NULL, null);
    }

    private static Object moment(Expression.Moment moment, ValueType type) {
        try {
            return type.fieldType().resolution().units(moment.value());
        } catch (DateTimeException e) {
            return moment.value();
        }
    }
}
