package io.waterwheel.query.plan;

import io.waterwheel.key.KeyCodec;
import io.waterwheel.key.KeyIntervals;
import io.waterwheel.query.column.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a condition says of keys and times, so that a query that names them only there is as fast as one that gives them
 * as ranges: the terms of its outermost AND that compare the field with constants. One thread.
 */
final class PredicatePushdown implements ExpressionCompiler.ConjunctSink {
    /** More values of an IN than this are not made intervals of their own: only their range is taken. */
    private static final int MOST_KEYS = 1000;

    private List<KeyInterval> keys = List.of(KeyInterval.ALL);
    private long fromTime = Long.MIN_VALUE;
    private long toTime = Long.MAX_VALUE;

    /**
     * Column of the field that the key is made from, when bounds of its values are bounds of keys: a double, whose key
     * is its {@code OrderedBits}, text or bytes. Else that of the key.
     */
    private final int keyColumn;
    /** Column of the field that the time is made from, and how many of its units are a millisecond. */
    private final int timeColumn;

    private final long unitsPerMilli;

    private byte @Nullable [] lowText;
    private byte @Nullable [] highText;

    private PredicatePushdown(RowLayout stored, Schema schema) {
        int time = schema.indexOf(schema.timeField());
        this.timeColumn = stored.columnOf(time);
        this.unitsPerMilli = TimestampUnit.MILLISECONDS.nanos()
                / stored.fields().get(time).type().resolution().nanos();
        int key = schema.key() instanceof KeySpec.Ordered ordered ? schema.indexOf(ordered.field()) : -1;
        FieldType type = key < 0 ? FieldType.LONG : stored.fields().get(key).type();
        boolean made = type == FieldType.DOUBLE || type.variable();
        // A timestamp may be both key and time.
        boolean both = key == time;
        this.keyColumn = made || both ? stored.columnOf(key) : RowLayout.KEY;
    }

    static PredicatePushdown of(Expression where, RowLayout stored, Schema schema) {
        PredicatePushdown narrowing = new PredicatePushdown(stored, schema);
        ExpressionCompiler.conjuncts(new ExpressionCompiler(stored).compile(where), narrowing);
        return narrowing;
    }

    @Override
    public void within(int column, long low, long high) {
        if (column == keyColumn) {
            keys = KeyIntervals.intersection(
                    keys, low > high ? List.<KeyInterval>of() : List.of(new KeyInterval(low, high)));
        }
        if (column == timeColumn && low <= high) {
            fromTime = Math.max(fromTime, Math.floorDiv(low, unitsPerMilli));
            toTime = Math.min(toTime, Math.floorDiv(high, unitsPerMilli));
        } else if (column == timeColumn) {
            fromTime = Long.MAX_VALUE;
            toTime = Long.MIN_VALUE;
        }
    }

    @Override
    public void among(int column, long[] values) {
        if (values.length == 0) {
            within(column, 1, 0);
        } else if (column == keyColumn && values.length <= MOST_KEYS) {
            List<KeyInterval> points = new ArrayList<>(values.length);
            for (long value : values) {
                points.add(new KeyInterval(value, value));
            }
            keys = KeyIntervals.intersection(keys, KeyIntervals.merged(points));
        } else {
            within(column, values[0], values[values.length - 1]);
        }
    }

    @Override
    public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
        if (column == keyColumn) {
            // Keys are the first bytes: values beyond a bound may share its key, and are looked at again.
            within(
                    column,
                    low == null ? Long.MIN_VALUE : KeyCodec.ofBytes(low, 0, low.length),
                    high == null ? Long.MAX_VALUE : KeyCodec.ofBytes(high, 0, high.length));
            if (low != null && (lowText == null || Arrays.compareUnsigned(lowText, low) < 0)) {
                lowText = low;
            }
            if (high != null && (highText == null || Arrays.compareUnsigned(highText, high) > 0)) {
                highText = high;
            }
        }
    }

    /** The keys of these that can match. */
    List<KeyInterval> keys(List<KeyInterval> asked) {
        return KeyIntervals.intersection(asked, keys);
    }

    /** The only value that the text or bytes that keys are made from can have; null when there may be others. */
    byte @Nullable [] onlyText() {
        return Arrays.equals(lowText, highText) ? lowText : null;
    }

    /** The times of these that can match; null when none can. */
    @Nullable
    TimeInterval times(TimeInterval asked) {
        long from = Math.max(asked.from(), fromTime);
        long to = Math.min(asked.to(), toTime);
        return from > to ? null : new TimeInterval(from, to);
    }
}
