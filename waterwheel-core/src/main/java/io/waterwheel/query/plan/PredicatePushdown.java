package io.waterwheel.query.plan;

import io.waterwheel.key.KeyIntervals;
import io.waterwheel.key.KeyNarrowing;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.condition.Conditions;
import io.waterwheel.query.condition.ConjunctSink;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ranges of keys and times in a condition, so that a query that names them only there is as fast as one that
 * gives them as ranges. Looks at the terms of the outermost AND that compare the field with constants. One thread.
 */
final class PredicatePushdown implements ConjunctSink {
    private final KeyNarrowing narrowing;
    private long fromTime = Long.MIN_VALUE;
    private long toTime = Long.MAX_VALUE;

    /** Column of the field that the time is made from, and how many of its units are a millisecond. */
    private final int timeColumn;

    private final long unitsPerMilli;

    private PredicatePushdown(RowLayout stored, Schema schema, KeyScheme scheme) {
        int time = schema.indexOf(schema.timeField());
        this.timeColumn = stored.columnOf(time);
        this.unitsPerMilli = TimestampUnit.MILLISECONDS.nanos()
                / stored.fields().get(time).type().resolution().nanos();
        this.narrowing = scheme.narrowing(stored);
    }

    static PredicatePushdown of(Expression where, RowLayout stored, Schema schema, KeyScheme scheme) {
        PredicatePushdown pushdown = new PredicatePushdown(stored, schema, scheme);
        Conditions.conjuncts(new ExpressionCompiler(stored).compile(where), pushdown);
        return pushdown;
    }

    @Override
    public void within(int column, long low, long high) {
        narrowing.within(column, low, high);
        time(column, low, high);
    }

    private void time(int column, long low, long high) {
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
        narrowing.among(column, values);
        if (values.length == 0) {
            time(column, 1, 0);
        } else {
            time(column, values[0], values[values.length - 1]);
        }
    }

    @Override
    public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
        narrowing.withinBytes(column, low, high);
    }

    /** The keys of these that can match. */
    List<KeyInterval> keys(List<KeyInterval> asked) {
        return KeyIntervals.intersection(asked, narrowing.keys());
    }

    /** The only value that the text or bytes that keys are made from can have; null when there may be others. */
    byte @Nullable [] onlyText() {
        return narrowing.onlyText();
    }

    /** The times of these that can match; null when none can. */
    @Nullable
    TimeInterval times(TimeInterval asked) {
        long from = Math.max(asked.from(), fromTime);
        long to = Math.min(asked.to(), toTime);
        return from > to ? null : new TimeInterval(from, to);
    }
}
