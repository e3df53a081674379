package io.waterwheel.query.plan;

import io.waterwheel.geo.Box;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.key.PositionIndex;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ranges of the values of named fields as a condition: any of a field's ranges, and so for each field. */
final class FieldRanges {
    private static final BigDecimal BEYOND = BigDecimal.TEN.pow(400);
    /** How a condition says it; ranges have numbers as bounds. */
    private static final String NAN = " = CAST('NaN' AS DOUBLE)";

    private FieldRanges() {}

    /**
     * The condition of the ranges that name a field; null when none does.
     *
     * @throws IllegalArgumentException when a bound is no value of its field, or a range's bounds are in the wrong
     *     order
     */
    static @Nullable Expression condition(List<KeyRange> ranges, Schema schema) {
        Map<String, List<KeyRange>> byField = new LinkedHashMap<>();
        for (KeyRange range : ranges) {
            if (range.field() != null) {
                byField.computeIfAbsent(range.field(), field -> new ArrayList<>())
                        .add(range);
            }
        }
        List<Expression> all = new ArrayList<>();
        ExpressionTypes types = new ExpressionTypes(schema.fields());
        byField.forEach((name, of) -> all.add(any(types.field(name), of)));
        return all.isEmpty() ? null : all.size() == 1 ? all.get(0) : new Expression.And(all);
    }

    /**
     * The condition that a position on the globe lies in one of some boxes, none of which is over the antimeridian;
     * null when no such position does.
     */
    static @Nullable Expression within(List<Box> boxes, PositionIndex positions, Schema schema) {
        Field longitude = schema.fields().get(positions.longitudeField());
        Field latitude = schema.fields().get(positions.latitudeField());
        List<Expression> any = new ArrayList<>();
        for (Box box : boxes) {
            // Of shapes some lie a turn further: beyond all cells they would stand for the outer ones.
            double west = Math.max(box.west(), Box.WORLD.west());
            double east = Math.min(box.east(), Box.WORLD.east());
            double south = Math.max(box.south(), Box.WORLD.south());
            double north = Math.min(box.north(), Box.WORLD.north());
            if (west <= east && south <= north) {
                List<Expression> all = new ArrayList<>();
                add(all, longitude, Relation.AT_LEAST, Double.toString(west));
                add(all, longitude, Relation.AT_MOST, Double.toString(east));
                add(all, latitude, Relation.AT_LEAST, Double.toString(south));
                add(all, latitude, Relation.AT_MOST, Double.toString(north));
                any.add(new Expression.And(all));
            }
        }
        return any.isEmpty() ? null : any.size() == 1 ? any.get(0) : new Expression.Or(any);
    }

    private static Expression any(Field field, List<KeyRange> ranges) {
        List<Expression> any = new ArrayList<>();
        String least = ranges.get(0).low();
        String greatest = ranges.get(0).high();
        // Single values are a list: it narrows where an OR would not.
        Set<Expression.Literal> values = new LinkedHashSet<>();
        for (KeyRange range : ranges) {
            String low = range.low();
            String high = range.high();
            least = further(field, least, low, true);
            greatest = further(field, greatest, high, false);
            if (low != null && low.equals(high)) {
                values.add(literal(field, low));
                continue;
            }
            List<Expression> both = new ArrayList<>(2);
            add(both, field, Relation.AT_LEAST, low);
            add(both, field, Relation.AT_MOST, high);
            requireOrder(field, range);
            any.add(both.size() == 1 ? both.get(0) : new Expression.And(both));
        }
        if (!values.isEmpty()) {
            Expression value = new Expression.FieldValue(field.name());
            any.add(
                    values.size() == 1
                            ? new Comparison(
                                    Relation.EQUAL, value, values.iterator().next())
                            : new Expression.In(value, List.copyOf(values), false));
        }
        if (any.size() == 1) {
            return any.get(0);
        }
        Expression or = new Expression.Or(any);
        if (any.size() <= PredicatePushdown.MOST_ALTERNATIVES) {
            return or;
        }
        // It narrows no longer by each range; it still may by the span of all.
        List<Expression> all = new ArrayList<>();
        add(all, field, Relation.AT_LEAST, least);
        add(all, field, Relation.AT_MOST, greatest);
        all.add(or);
        return new Expression.And(all);
    }

    /** Of two lower bounds, or of two upper ones, that which reaches further; null is none, and reaches furthest. */
    private static @Nullable String further(Field field, @Nullable String a, @Nullable String b, boolean lower) {
        if (a == null || b == null) {
            return null;
        }
        return compare(field, a, b) <= 0 == lower ? a : b;
    }

    private static int compare(Field field, String a, String b) {
        if (field.type().isTimestamp()) {
            return instant(field, a).compareTo(instant(field, b));
        } else if (isNumber(field.type())) {
            return number(field, a).compareTo(number(field, b));
        }
        return field.type().variable()
                ? Arrays.compareUnsigned(bytes(field, a), bytes(field, b))
                : Long.compare(code(field, a), code(field, b));
    }

    private static boolean isNumber(FieldType type) {
        return type.isDecimal() || ValueType.of(type).numeric();
    }

    /** To compare it: what is infinite lies beyond all numbers. */
    private static BigDecimal number(Field field, String text) {
        Expression.Literal literal = literal(field, text);
        if (literal instanceof Expression.Whole whole) {
            return BigDecimal.valueOf(whole.value());
        } else if (literal instanceof Expression.Decimal decimal) {
            double value = decimal.value();
            return Double.isFinite(value)
                    ? new BigDecimal(value)
                    : BEYOND.multiply(BigDecimal.valueOf(Math.signum(value)));
        }
        return ((Expression.Exact) literal).value();
    }

    private static byte[] bytes(Field field, String text) {
        code(field, text);
        byte[] written = text.getBytes(StandardCharsets.UTF_8);
        if (field.type().hasSixteenBytes()) {
            byte[] bytes = new byte[FieldType.SIXTEEN];
            field.type().parseSixteen(written, 0, written.length, bytes);
            return bytes;
        }
        return field.type() == FieldType.BYTES ? Base64.getDecoder().decode(text) : written;
    }

    private static void add(List<Expression> terms, Field field, Relation relation, @Nullable String bound) {
        if (bound != null) {
            terms.add(new Comparison(relation, new Expression.FieldValue(field.name()), literal(field, bound)));
        }
    }

    private static void requireOrder(Field field, KeyRange range) {
        if (range.low() != null && range.high() != null && compare(field, range.low(), range.high()) > 0) {
            throw new IllegalArgumentException("range of '" + field.name() + "': expected the lower value first, got '"
                    + range.low() + "' to '" + range.high() + "'");
        }
    }

    private static long code(Field field, String text) {
        try {
            return KeyCodec.ofText(field, text);
        } catch (IllegalArgumentException e) {
            throw expected(field, text, e);
        }
    }

    /** As a condition would have it: it need be no value of the field, such as 1.5 beside whole numbers. */
    private static Expression.Literal literal(Field field, String text) {
        FieldType type = field.type();
        if (type.isTimestamp()) {
            try {
                return new Expression.Moment(instant(field, text));
            } catch (IllegalArgumentException | DateTimeException e) {
                throw new IllegalArgumentException(
                        "range of '" + field.name() + "': got '" + text + "'; " + e.getMessage(), e);
            }
        } else if (isNumber(type)) {
            try {
                return numeric(type, text);
            } catch (IllegalArgumentException e) {
                throw expected(field, text, e);
            }
        }
        long code = code(field, text);
        return switch (type.physical()) {
            case UINT32 -> new Expression.Address((int) code);
            case BOOLEAN -> new Expression.Truth(code != 0);
            default -> ValueRanges.literal(field, text);
        };
    }

    private static Expression.Literal numeric(FieldType type, String text) {
        if (type.isDecimal()) {
            return new Expression.Exact(Decimals.value(text));
        }
        PhysicalType physical = type.physical();
        boolean whole = physical == PhysicalType.INT32 || physical == PhysicalType.INT64;
        if (whole && text.matches("[+-]?[0-9]+")) {
            try {
                return new Expression.Whole(Long.parseLong(text));
            } catch (NumberFormatException beyond) {
                // As a double; of one below all whole numbers the nearest may be the least of them.
                double value = Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, Double.parseDouble(text)));
                return new Expression.Decimal(value < 0 ? Math.min(value, Math.nextDown(-0x1p63)) : value);
            }
        }
        return finite(physical == PhysicalType.FLOAT32 ? Float.parseFloat(text) : Double.parseDouble(text), text);
    }

    private static Expression.Literal finite(double value, String text) {
        // A number beyond the doubles is no infinity.
        if (Double.isNaN(value) || (Double.isInfinite(value) && !text.endsWith("Infinity"))) {
            throw new NumberFormatException("no number of the type");
        }
        return new Expression.Decimal(value);
    }

    /** A time as it is counted or as it is written, which may be finer than the field. */
    private static Instant instant(Field field, String text) {
        if (!text.contains(":")) {
            return field.type().resolution().instant(code(field, text));
        }
        try {
            return OffsetDateTime.parse(text.replace(' ', 'T')).toInstant();
        } catch (DateTimeException e) {
            throw expected(field, text, e);
        }
    }

    private static boolean isFloating(Field field) {
        PhysicalType physical = field.type().physical();
        return physical == PhysicalType.FLOAT32 || physical == PhysicalType.FLOAT64;
    }

    private static IllegalArgumentException expected(Field field, String text, RuntimeException cause) {
        return new IllegalArgumentException(
                "range of '" + field.name() + "': expected values of type "
                        + field.type().schemaName() + ", got '" + text + "'"
                        + (isFloating(field) && text.equals("NaN")
                                ? "; a condition finds it: " + field.name() + NAN
                                : ""),
                cause);
    }
}
