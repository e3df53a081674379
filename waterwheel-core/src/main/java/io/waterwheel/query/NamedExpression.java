package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.Arrays;
import java.util.List;

/**
 * A value that tuples are grouped by: those equal in all of them make a group, and null equals null.
 *
 * @param expression a field, or what is computed of fields
 * @param name of the answer's field
 */
public record Grouping(Expression expression, String name) {
    public Grouping {
        expression.requireLimits();
        // Checks the name.
        new Field(name, FieldType.LONG, false);
    }

    /** A field. */
    public static Grouping field(String name) {
        return new Grouping(new Expression.FieldValue(name), name);
    }

    /** Fields. */
    public static List<Grouping> fields(String... names) {
        return Arrays.stream(names).map(Grouping::field).toList();
    }

    /**
     * What a text such as {@code callsign} or {@code FLOOR(altitude / 1000) AS level} says. A field is written as it is
     * called, a word of SQL too.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none, or an expression without a name
     */
    public static Grouping parse(String text) {
        String stripped = text.strip();
        if (Field.isName(stripped)) {
            return field(stripped);
        }
        ExpressionParser.Named named = ExpressionParser.parseNamed(text);
        if (named.alias().isEmpty() && !(named.expression() instanceof Expression.FieldValue)) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION, "group by '" + text + "': give it a name: " + stripped + " AS NAME");
        }
        try {
            return new Grouping(
                    named.expression(),
                    named.alias().isEmpty() ? ((Expression.FieldValue) named.expression()).name() : named.alias());
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_EXPRESSION, "group by '" + text + "': " + e.getMessage(), e);
        }
    }
}
