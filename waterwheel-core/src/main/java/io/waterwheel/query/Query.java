package io.waterwheel.query;

import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.Shape;
import io.waterwheel.model.TimeInterval;
import io.waterwheel.query.expression.Expression;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks of one stream: the tuples whose key lies in any of the intervals, whose position lies in the
 * shape, whose time lies in the interval, and for which the condition is true. All bounds are closed.
 *
 * @param stream name of the stream
 * @param keys key intervals, any of which may hold the key; empty means every key
 * @param keyRanges ranges of the key field's values, any of which may hold it; empty means every value
 * @param shape what the position must lie in, or null; only for streams whose key is a position
 * @param times time interval
 * @param where a condition that must be true, or null
 * @param result what is returned of the tuples
 * @param timeout how long the answer may take in all
 * @param allowPartial whether an answer that lacks something may be returned, marked; otherwise the query waits for
 *     what is missing until the timeout, then fails
 * @param atLeast for partitions of the topic, offsets below which every tuple must have been seen: read your writes. A
 *     range of them that is lost makes the answer incomplete
 * @param seen the same for what the session has seen in earlier answers, that none goes back in time; what is lost is
 *     named, and the answer is complete all the same
 */
public record Query(
        String stream,
        List<KeyInterval> keys,
        List<KeyRange> keyRanges,
        @Nullable Shape shape,
        TimeInterval times,
        @Nullable Expression where,
        Result result,
        Duration timeout,
        boolean allowPartial,
        Map<Integer, Long> atLeast,
        Seen seen) {
    public static final long NO_LIMIT = Long.MAX_VALUE;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public Query {
        keys = List.copyOf(keys);
        keyRanges = List.copyOf(keyRanges);
        atLeast = Map.copyOf(atLeast);
        if (stream.isEmpty()) {
            throw new IllegalArgumentException("query: the stream's name is empty");
        }
        if (where != null) {
            where.requireLimits();
        }
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("query: timeout must be positive, got " + timeout);
        }
    }

    /** All tuples of a stream; narrow it with the {@code with} methods. */
    public static Query of(String stream) {
        return new Query(
                stream,
                List.of(),
                List.of(),
                null,
                TimeInterval.ALL,
                null,
                Result.Rows.ALL,
                DEFAULT_TIMEOUT,
                false,
                Map.of(),
                Seen.NOTHING);
    }

    public Query withKeys(List<KeyInterval> intervals) {
        return new Query(
                stream, intervals, keyRanges, shape, times, where, result, timeout, allowPartial, atLeast, seen);
    }

    /** Replaces the ranges of the key field's values. */
    public Query withKeyRanges(List<KeyRange> ranges) {
        return new Query(stream, keys, ranges, shape, times, where, result, timeout, allowPartial, atLeast, seen);
    }

    public Query withShape(Shape area) {
        return new Query(stream, keys, keyRanges, area, times, where, result, timeout, allowPartial, atLeast, seen);
    }

    public Query withTimes(TimeInterval interval) {
        return new Query(stream, keys, keyRanges, shape, interval, where, result, timeout, allowPartial, atLeast, seen);
    }

    /** Replaces the condition. */
    public Query withWhere(Expression condition) {
        return new Query(
                stream, keys, keyRanges, shape, times, condition, result, timeout, allowPartial, atLeast, seen);
    }

    /** Replaces the condition by that of a text, such as {@code speed > 50 AND name LIKE 'A%'}. */
    public Query withWhere(String condition) {
        return withWhere(Expression.parse(condition));
    }

    /** Replaces what is returned. */
    public Query withResult(Result wanted) {
        return new Query(stream, keys, keyRanges, shape, times, where, wanted, timeout, allowPartial, atLeast, seen);
    }

    /** Asks for these fields; of tuples only, not of aggregates. */
    public Query withSelect(List<String> fields) {
        if (result instanceof Result.Rows rows) {
            return withResult(new Result.Rows(fields, rows.orderBy(), rows.limit()));
        } else if (result instanceof Result.Latest latest) {
            return withResult(new Result.Latest(latest.perKey(), fields));
        }
        throw new IllegalArgumentException("query: fields are selected of tuples, not of aggregates");
    }

    /** Asks for so many tuples at most; not of aggregates, not of the latest. */
    public Query withLimit(long most) {
        Result.Rows rows = rows("a limit");
        return withResult(new Result.Rows(rows.select(), rows.orderBy(), most));
    }

    /** Asks for the tuples in this order; not of aggregates, not of the latest. */
    public Query withOrderBy(List<Order> order) {
        Result.Rows rows = rows("an order");
        return withResult(new Result.Rows(rows.select(), order, rows.limit()));
    }

    private Result.Rows rows(String what) {
        if (result instanceof Result.Rows rows) {
            return rows;
        }
        throw new IllegalArgumentException(
                "query: " + what + " is for tuples; aggregates and the latest have an order of their own");
    }

    /** Asks for the number of matching tuples in place of them. */
    public Query withCount() {
        return withResult(Result.Aggregates.COUNT);
    }

    /** Asks for aggregates of all matching tuples. */
    public Query withAggregates(List<Aggregate> values) {
        return withResult(new Result.Aggregates(values, List.of(), null));
    }

    /** Asks for the newest tuples of each key. */
    public Query withLatest(int perKey) {
        return withResult(new Result.Latest(perKey, List.of()));
    }

    /** Whether only the number of matching tuples is asked for. */
    public boolean count() {
        return result instanceof Result.Aggregates aggregates && aggregates.countsOnly();
    }

    /** Whether aggregates are asked for: the verdict then counts the tuples that went into them, not rows. */
    public boolean aggregates() {
        return result instanceof Result.Aggregates;
    }

    public Query withTimeout(Duration duration) {
        return new Query(stream, keys, keyRanges, shape, times, where, result, duration, allowPartial, atLeast, seen);
    }

    public Query withPartialAllowed() {
        return new Query(stream, keys, keyRanges, shape, times, where, result, timeout, true, atLeast, seen);
    }

    public Query withAtLeast(Map<Integer, Long> positions) {
        return new Query(stream, keys, keyRanges, shape, times, where, result, timeout, allowPartial, positions, seen);
    }

    /** Replaces what the session has seen. A client that has seen more adds it, unless this is {@link Seen#ANY}'s. */
    public Query withSeen(Seen before) {
        return new Query(stream, keys, keyRanges, shape, times, where, result, timeout, allowPartial, atLeast, before);
    }
}
