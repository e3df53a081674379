package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A value computed of a tuple and of the one before it in its series; null for the first of a series.
 *
 * @param kind what is computed
 * @param argument of both tuples
 * @param name of the answer's field
 */
public record NeighbourValue(Kind kind, Expression argument, String name) {
    private static final int LONGEST_NAME = 64;

    /** What is computed. */
    public enum Kind {
        /** The value of the tuple before; of any type. */
        LAG,
        /** The number less that of the tuple before; null where either is null. */
        DELTA,
        /** The same a second; null too where both tuples have the same time. */
        RATE;

        /** As it is written. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * The kind of this name, in any case.
         *
         * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when there is none
         */
        public static Kind of(String name) {
            for (Kind kind : values()) {
                if (kind.text().equalsIgnoreCase(name)) {
                    return kind;
                }
            }
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "there is no value '" + name + "' of a series; there are "
                            + Arrays.stream(values()).map(Kind::text).collect(Collectors.joining(", ")));
        }
    }

    public NeighbourValue {
        argument.requireLimits();
        // Checks the name.
        new Field(name, FieldType.LONG, false);
    }

    /**
     * The value of a text such as {@code delta(altitude)} or {@code rate(distance / 1000) AS kms}. Without a name that
     * of a field is made of both, such as {@code delta_altitude}.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none
     */
    public static NeighbourValue parse(String text) {
        ExpressionParser.NamedCall call = ExpressionParser.parseCall(text, "a value such as delta(FIELD)");
        Kind kind = Kind.of(call.name());
        if (call.arguments().size() != 1 || call.distinct() || call.filter() != null) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION, "series '" + text + "': expected " + kind.text() + "(VALUE)");
        }
        Expression argument = call.arguments().get(0);
        String name = call.alias();
        if (name.isEmpty()) {
            name = argument instanceof Expression.FieldValue field ? kind.text() + "_" + field.name() : kind.text();
            name = name.substring(0, Math.min(name.length(), LONGEST_NAME));
        }
        try {
            return new NeighbourValue(kind, argument, name);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_EXPRESSION, "series '" + text + "': " + e.getMessage(), e);
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return kind.text() + "(" + ExpressionPrinter.print(argument) + ") AS " + ExpressionPrinter.name(name);
    }
}
