package io.waterwheel.query.plan;

import io.waterwheel.key.KeyIntervals;
import io.waterwheel.key.KeyNarrowing;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.condition.Conditions;
import io.waterwheel.query.condition.ConjunctSink;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ranges of keys and times in a condition, so that a query that names them only there is as fast as one that
 * gives them as ranges. Looks at the terms of the outermost AND that compare the field with constants. One thread.
 */
final class PredicatePushdown implements ConjunctSink {
    /** An OR of more terms does not narrow. */
    static final int MOST_ALTERNATIVES = 64;

    private final RowLayout stored;
    private final KeyScheme scheme;
    private final KeyNarrowing narrowing;
    private long fromTime = Long.MIN_VALUE;
    private long toTime = Long.MAX_VALUE;

    /** Column of the field that the time is made from, and how many of its units are a millisecond. */
    private final int timeColumn;

    private final long unitsPerMilli;

    private PredicatePushdown(RowLayout stored, Schema schema, KeyScheme scheme) {
        this.stored = stored;
        this.scheme = scheme;
        int time = schema.indexOf(schema.timeField());
        this.timeColumn = stored.columnOf(time);
        this.unitsPerMilli = TimestampUnit.MILLISECONDS.nanos()
                / stored.fields().get(time).type().resolution().nanos();
        this.narrowing = scheme.narrowing(stored);
    }

    /** What one term of an OR says. */
    private PredicatePushdown(KeyNarrowing narrowing, PredicatePushdown whole) {
        this.stored = whole.stored;
        this.scheme = whole.scheme;
        this.timeColumn = whole.timeColumn;
        this.unitsPerMilli = whole.unitsPerMilli;
        this.narrowing = narrowing;
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
            // An open side stays open: of finer units the division would make a bound of it.
            fromTime = low == Long.MIN_VALUE ? fromTime : Math.max(fromTime, Math.floorDiv(low, unitsPerMilli));
            toTime = high == Long.MAX_VALUE ? toTime : Math.min(toTime, Math.floorDiv(high, unitsPerMilli));
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

    @Override
    public void amongBytes(int column, byte[][] values) {
        narrowing.amongBytes(column, values);
    }

    @Override
    public void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
        narrowing.withinAnyBytes(column, lows, ends);
    }

    @Override
    public void isNull(int column, boolean negated, ColumnNode term) {
        narrowing.isNull(column, negated);
    }

    /** Of an OR each term narrows by itself; a time narrows only outside of one. */
    @Override
    public void other(ColumnNode term) {
        List<ColumnNode> terms = Conditions.alternatives(term);
        if (terms.isEmpty() || terms.size() > MOST_ALTERNATIVES) {
            return;
        }
        List<KeyNarrowing> alternatives = new ArrayList<>();
        for (ColumnNode alternative : terms) {
            PredicatePushdown of = new PredicatePushdown(scheme.narrowing(stored), this);
            Conditions.conjuncts(alternative, of);
            alternatives.add(of.narrowing);
        }
        narrowing.any(alternatives);
    }

    /** The keys of these that can match. */
    List<KeyInterval> keys(List<KeyInterval> asked) {
        return KeyIntervals.intersection(asked, narrowing.keys());
    }

    /** The cells of the key's dimensions that can match; null where keys have none, or all can. */
    @Nullable
    WantedCells cells() {
        return narrowing.cells();
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
