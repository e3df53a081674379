package io.waterwheel.query.plan;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Shape;
import io.waterwheel.key.KeyIntervals;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.PositionIndex;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.scan.ScanSpec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query in terms of its stream's schema: names looked up, the shape turned into key intervals.
 *
 * @param fields of the answer, in order
 * @param keys sorted and disjoint; what lies outside cannot match, by the condition neither
 * @param spec what a scan looks for; without keys when no row can match
 */
public record ResolvedQuery(Query query, StreamInfo stream, List<Field> fields, List<KeyInterval> keys, ScanSpec spec) {
    private static final TimeInterval NOWHERE = new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE);

    /**
     * Looks everything up, and leaves out what is gone at a snapshot: its {@link #query} asks for no time before the
     * horizon, so that a task that is asked a part of it looks no further back.
     *
     * @throws WaterwheelException of kind USER when the query asks for what the stream has not
     */
    public static ResolvedQuery of(Query query, StreamSnapshot snapshot, Planning planning) {
        long horizon = snapshot.horizon();
        if (snapshot.stream().scales() < snapshot.scales()) {
            throw new IllegalStateException("stream " + snapshot.stream().name() + ", edit " + snapshot.edit()
                    + ": keys are made by version " + snapshot.scales() + " of the scales, and "
                    + snapshot.stream().scales() + " are known");
        }
        if (query.times().from() >= horizon) {
            return of(query, snapshot.stream(), planning);
        }
        if (query.times().to() < horizon) {
            return of(query, snapshot.stream(), planning).ofNoRow();
        }
        return of(query, snapshot.stream(), planning, horizon);
    }

    /**
     * The same for rows that are all gone: each indexer that could have them is asked how far it is, and no row is
     * taken.
     */
    private ResolvedQuery ofNoRow() {
        ScanSpec nothing = new ScanSpec(List.of(), NOWHERE, spec.area(), spec.where(), spec.gather());
        return new ResolvedQuery(query.withTimes(NOWHERE), stream, fields, keys, nothing);
    }

    /** Whether no row can match, whatever there is. */
    public boolean isOfNoRow() {
        return spec.keys().isEmpty();
    }

    /** As {@link #of(Query, StreamInfo, Planning)}, whatever it takes. */
    public static ResolvedQuery of(Query query, StreamInfo stream) {
        return of(query, stream, null);
    }

    /**
     * Looks everything up.
     *
     * @param planning what it may take, and holds the memory of the query's shape for as long as this is used; null
     *     when nothing is bounded
     * @throws WaterwheelException of kind USER when the query asks for what the stream has not; others when it may not
     *     go on
     */
    public static ResolvedQuery of(Query query, StreamInfo stream, @Nullable Planning planning) {
        return of(query, stream, planning, Long.MIN_VALUE);
    }

    /** @param horizon no later than the query's last time */
    private static ResolvedQuery of(Query query, StreamInfo stream, @Nullable Planning planning, long horizon) {
        Schema schema = stream.schema();
        RowLayout stored = RowLayout.of(schema);
        KeyScheme scheme = KeyScheme.of(schema);
        for (int partition : query.atLeast().keySet()) {
            if (partition < 0 || partition >= stream.partitions()) {
                throw new WaterwheelException(
                        ErrorCode.NO_SUCH_PARTITION,
                        "stream " + stream.name() + " has partitions 0 to " + (stream.partitions() - 1) + ", not "
                                + partition);
            }
        }
        List<KeyInterval> keys = query.keys().isEmpty() ? List.of(KeyInterval.ALL) : KeyIntervals.merged(query.keys());
        Expression where = query.where();
        if (where != null) {
            new ExpressionTypes(schema.fields()).requireCondition(where);
        }
        if (!query.keyRanges().isEmpty()) {
            List<KeyRange> ofKey = query.keyRanges().stream()
                    .filter(range -> range.field() == null)
                    .toList();
            if (!ofKey.isEmpty()) {
                keys = KeyIntervals.intersection(keys, ValueRanges.intervals(ofKey, scheme));
                where = both(where, ValueRanges.condition(ofKey, schema, scheme));
            }
            where = both(where, FieldRanges.condition(query.keyRanges(), schema));
        }
        Shape shape = query.shape();
        ScanSpec.AreaTest test = null;
        if (shape != null) {
            PositionIndex positions = scheme.positions();
            if (positions == null) {
                throw new WaterwheelException(
                        ErrorCode.NO_POSITION,
                        "stream " + stream.name() + " has no position for a key; a shape cannot be asked for");
            }
            PreparedShapes.Prepared prepared =
                    (planning == null ? Planning.unbounded() : planning).prepared(shape, positions);
            keys = KeyIntervals.intersection(keys, prepared.keys());
            Expression bounds = null;
            if (positions.narrowsByConditions()) {
                bounds = FieldRanges.within(prepared.area().bounds(), positions, schema);
                keys = bounds == null ? List.of() : keys;
            }
            test = new ScanSpec.AreaTest(
                    prepared.area(), positions.longitudeField(), positions.latitudeField(), bounds);
        }
        TimeBounds bounds = TimeBounds.of(query, schema);
        if (bounds.condition() != null) {
            where = both(bounds.condition(), where);
        }
        TimeInterval times = bounds.millis();
        if (times == null) {
            keys = List.of();
            times = query.times();
        }
        // What a condition says of keys it says of rows too: where keys must be made of columns, it alone is tested.
        boolean implied = isAll(keys) && scheme.derived(stored) != null;
        byte[] onlyText = null;
        WantedCells cells = null;
        Expression narrows = both(test == null ? null : test.bounds(), where);
        if (narrows != null) {
            PredicatePushdown narrowing = PredicatePushdown.of(narrows, stored, schema, scheme);
            keys = narrowing.keys(keys);
            times = narrowing.times(times);
            onlyText = narrowing.onlyText();
            cells = narrowing.cells();
            if (times == null) {
                keys = List.of();
                times = query.times();
            }
        }
        // What is gone makes no bound of the buckets that are filled: the query does not name it.
        TimeInterval filled = times;
        Query clipped = query;
        if (horizon != Long.MIN_VALUE) {
            clipped = query.withTimes(new TimeInterval(horizon, query.times().to()));
            keys = times.to() < horizon ? List.of() : keys;
            times = times.to() < horizon
                    ? clipped.times()
                    : new TimeInterval(Math.max(times.from(), horizon), times.to());
        }
        LookupPairs pairs =
                query.result() instanceof ResultSpec.Lookup lookup ? LookupPairs.of(lookup, schema, scheme) : null;
        if (pairs != null) {
            keys = KeyIntervals.intersection(keys, pairs.keys());
            TimeInterval asked = pairs.times();
            if (asked == null || !asked.overlaps(times)) {
                keys = List.of();
            } else {
                times = new TimeInterval(Math.max(times.from(), asked.from()), Math.min(times.to(), asked.to()));
            }
        }
        if (query.result() instanceof ResultSpec.Latest && !scheme.tellsTuplesApart()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_QUERY,
                    "stream " + stream.name() + " has a key of dimensions, which many tuples share: the newest of each"
                            + " key cannot be asked for; order by the time, or group by a field");
        }
        Gather gather = pairs == null
                ? Gather.of(
                        query.result(),
                        stored,
                        schema,
                        query.result() instanceof ResultSpec.Aggregates ? filled : times,
                        onlyText,
                        stream.name() + " " + stream.id())
                : Gather.of((ResultSpec.Lookup) query.result(), stored, schema, pairs.slots());
        return new ResolvedQuery(
                clipped, stream, gather.fields(), keys, new ScanSpec(keys, implied, cells, times, test, where, gather));
    }

    private static boolean isAll(List<KeyInterval> keys) {
        return keys.size() == 1
                && keys.get(0).low() == Long.MIN_VALUE
                && keys.get(0).high() == Long.MAX_VALUE;
    }

    /** What both say; null when neither says anything. */
    private static @Nullable Expression both(@Nullable Expression one, @Nullable Expression other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return new Expression.And(List.of(one, other));
    }
}
