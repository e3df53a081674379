package io.waterwheel.query.plan;

import io.waterwheel.key.KeyIntervals;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.tuple.KeyInterval;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ranges of the key field's values as intervals of keys, and as a condition where a key does not tell its value. */
final class ValueRanges {
    private ValueRanges() {}

    /**
     * Sorted disjoint intervals that hold the keys of all values in the ranges.
     *
     * @throws IllegalArgumentException when a bound is no value of the key field, or a range's bounds are in the wrong
     *     order
     */
    static List<KeyInterval> intervals(List<KeyRange> ranges, KeyScheme scheme) {
        KeyInterval domain = scheme.domain();
        List<KeyInterval> intervals = new ArrayList<>(ranges.size());
        for (KeyRange range : ranges) {
            String low = range.low();
            String high = range.high();
            long lowKey = low == null ? domain.low() : key(low, scheme);
            long highKey = high == null ? domain.high() : key(high, scheme);
            if (lowKey > highKey) {
                throw new IllegalArgumentException(
                        "key range: expected the lower value first, got '" + low + "' to '" + high + "'");
            }
            intervals.add(new KeyInterval(lowKey, highKey));
        }
        return KeyIntervals.merged(intervals);
    }

    private static long key(String bound, KeyScheme scheme) {
        try {
            return scheme.parse(bound);
        } catch (IllegalArgumentException e) {
            String hint = scheme.positions() == null ? "" : "; a box, polygon or circle can be asked for";
            throw new IllegalArgumentException("key range: " + e.getMessage() + hint, e);
        }
    }

    /** The condition that tuples must meet besides, or null when the intervals say all. */
    static @Nullable Expression condition(List<KeyRange> ranges, Schema schema, KeyScheme scheme) {
        int tested = scheme.inexactField();
        if (tested < 0) {
            return null;
        }
        Field field = schema.fields().get(tested);
        List<Expression> any = new ArrayList<>();
        // Single values are a list: Bloom filters rule out leaves by it.
        Set<Expression.Literal> values = new LinkedHashSet<>();
        boolean one = ranges.size() == 1;
        for (KeyRange range : ranges) {
            String low = range.low();
            if (!one && low != null && low.equals(range.high())) {
                values.add(literal(field, low));
                continue;
            }
            List<Expression> both = new ArrayList<>(2);
            add(both, field, Relation.AT_LEAST, range.low());
            add(both, field, Relation.AT_MOST, range.high());
            if (both.isEmpty()) {
                return null;
            }
            any.add(both.size() == 1 ? both.get(0) : new Expression.And(both));
        }
        if (!values.isEmpty()) {
            any.add(new Expression.In(new Expression.FieldValue(field.name()), List.copyOf(values), false));
        }
        return any.size() == 1 ? any.get(0) : new Expression.Or(any);
    }

    private static void add(List<Expression> terms, Field field, Relation relation, @Nullable String bound) {
        if (bound != null) {
            terms.add(new Comparison(relation, new Expression.FieldValue(field.name()), literal(field, bound)));
        }
    }

    /** A value of a field of variable length, or of decimals. */
    static Expression.Literal literal(Field field, String value) {
        if (field.type().isDecimal()) {
            return new Expression.Exact(Decimals.value(value));
        }
        if (field.type().hasSixteenBytes()) {
            return new Expression.Sixteen(ValueType.of(field.type()), value);
        }
        return field.type() != FieldType.BYTES
                ? new Expression.Text(value)
                : new Expression.Hex(
                        HexFormat.of().formatHex(Base64.getDecoder().decode(value)));
    }
}
