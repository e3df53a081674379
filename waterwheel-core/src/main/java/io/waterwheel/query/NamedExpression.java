package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.Arrays;
import java.util.List;

/**
 * A field of an answer: a field of the stream, or what is computed of fields, and its name. Tuples are selected and
 * grouped by such.
 *
 * @param expression a field, or what is computed of fields
 * @param name of the answer's field
 */
public record NamedExpression(Expression expression, String name) {
    public NamedExpression {
        expression.requireLimits();
        // Checks the name.
        new Field(name, FieldType.LONG, false);
    }

    /** A field of the stream, by its name. */
    public static NamedExpression field(String name) {
        return new NamedExpression(new Expression.FieldValue(name), name);
    }

    /** Fields of the stream, by their names. */
    public static List<NamedExpression> fields(String... names) {
        return Arrays.stream(names).map(NamedExpression::field).toList();
    }

    /**
     * The names of fields of the stream.
     *
     * @throws IllegalArgumentException when one is an expression
     */
    public static List<String> names(List<NamedExpression> fields) {
        for (NamedExpression one : fields) {
            if (!one.isField()) {
                throw new IllegalArgumentException("query: expected a field of the stream, got '" + one + "'");
            }
        }
        return fields.stream().map(NamedExpression::name).toList();
    }

    /** Whether it is a field of the stream by its own name. */
    public boolean isField() {
        return expression instanceof Expression.FieldValue field && field.name().equals(name);
    }

    /**
     * The value of a text such as {@code callsign} or {@code FLOOR(altitude / 1000) AS level}. A field is written as it
     * is called, a word of SQL too.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none, or an expression without a name
     */
    public static NamedExpression parse(String text) {
        String stripped = text.strip();
        if (Field.isName(stripped)) {
            return field(stripped);
        }
        ExpressionParser.Named named = ExpressionParser.parseNamed(text);
        String name = named.alias();
        if (name.isEmpty()) {
            if (!(named.expression() instanceof Expression.FieldValue field)) {
                throw new WaterwheelException(
                        ErrorCode.BAD_EXPRESSION, "'" + text + "': give it a name: " + stripped + " AS NAME");
            }
            name = field.name();
        }
        try {
            return new NamedExpression(named.expression(), name);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_EXPRESSION, "'" + text + "': " + e.getMessage(), e);
        }
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return isField() ? name : ExpressionPrinter.print(expression) + " AS " + ExpressionPrinter.name(name);
    }
}
