package io.waterwheel.query;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.ExpressionPrinter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Which tuples of a series are kept for a plot of a field over time. Those whose value is null, NaN or infinite are
 * not.
 *
 * @param method how they are chosen
 * @param field a number: a field of the answer, or else of the stream
 * @param points most tuples of a series, 2 to 100,000
 */
public record Downsampling(Method method, String field, int points) {
    /** Most tuples of a series. */
    public static final int MAX_POINTS = 100_000;

    /** How tuples are chosen. */
    public enum Method {
        /**
         * Of each step of time the tuple with the least and the one with the greatest value, of equal ones the first.
         * The time that the query asks for is divided into {@code points / 2} steps of one length, whole milliseconds;
         * where it has no bound, it goes from the first or to the last tuple of any series.
         */
        MINMAX,
        /**
         * Largest triangle three buckets, of the published algorithm [Steinarsson 2013]: the first and the last tuple,
         * and between them of each of {@code points - 2} equal shares of the tuples that which makes the largest
         * triangle with the one kept before and the mean of the next share, of equal ones the first.
         */
        LTTB;

        /** As it is written. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * The method of this name, in any case.
         *
         * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when there is none
         */
        public static Method of(String name) {
            for (Method method : values()) {
                if (method.text().equalsIgnoreCase(name)) {
                    return method;
                }
            }
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "there is no method '" + name + "' to downsample; there are "
                            + Arrays.stream(values()).map(Method::text).collect(Collectors.joining(", ")));
        }
    }

    public Downsampling {
        if (points < 2 || points > MAX_POINTS) {
            throw new IllegalArgumentException(
                    "query: downsample: expected 2 to " + MAX_POINTS + " tuples of a series, got " + points);
        }
    }

    /**
     * The downsampling of a text such as {@code lttb(altitude, 500)}.
     *
     * @throws WaterwheelException of kind USER, code BAD_EXPRESSION, when it is none
     */
    public static Downsampling parse(String text) {
        ExpressionParser.NamedCall call = ExpressionParser.parseCall(text, "a method such as lttb(FIELD, 500)");
        Method method = Method.of(call.name());
        List<Expression> arguments = call.arguments();
        if (arguments.size() != 2
                || call.distinct()
                || call.filter() != null
                || !call.alias().isEmpty()
                || !(arguments.get(0) instanceof Expression.FieldValue field)
                || !(arguments.get(1) instanceof Expression.Whole points)) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "downsample '" + text + "': expected " + method.text() + "(FIELD, NUMBER)");
        }
        return new Downsampling(method, field.name(), (int) Math.max(-1, Math.min(points.value(), Integer.MAX_VALUE)));
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return method.text() + "(" + ExpressionPrinter.name(field) + ", " + points + ")";
    }
}
