package io.waterwheel.query;

import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.Shape;
import io.waterwheel.model.TimeInterval;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks of one stream: the tuples whose key lies in any of the intervals, whose position lies in the
 * shape, and whose time lies in the interval. All bounds are closed.
 *
 * @param stream name of the stream
 * @param keys key intervals, any of which may hold the key; empty means every key
 * @param shape what the position must lie in, or null; only for streams whose key is a position
 * @param times time interval
 * @param select names of the fields of the answer, in order; empty means all
 * @param limit most tuples to return; {@link #NO_LIMIT} for all. Which ones is not defined
 * @param count whether to return the number of matching tuples in place of them; the limit does not apply
 * @param timeout how long the answer may take in all
 * @param allowPartial whether an answer that lacks something may be returned, marked; otherwise the query waits for
 *     what is missing until the timeout, then fails
 * @param atLeast for partitions of the topic, offsets below which every tuple must have been seen: read your writes
 */
public record Query(
        String stream,
        List<KeyInterval> keys,
        @Nullable Shape shape,
        TimeInterval times,
        List<String> select,
        long limit,
        boolean count,
        Duration timeout,
        boolean allowPartial,
        Map<Integer, Long> atLeast) {
    public static final long NO_LIMIT = Long.MAX_VALUE;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    public Query {
        keys = List.copyOf(keys);
        select = List.copyOf(select);
        atLeast = Map.copyOf(atLeast);
        if (stream.isEmpty()) {
            throw new IllegalArgumentException("query: the stream's name is empty");
        }
        if (limit < 0) {
            throw new IllegalArgumentException("query: limit must not be negative, got " + limit);
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
                null,
                TimeInterval.ALL,
                List.of(),
                NO_LIMIT,
                false,
                DEFAULT_TIMEOUT,
                false,
                Map.of());
    }

    public Query withKeys(List<KeyInterval> intervals) {
        return new Query(stream, intervals, shape, times, select, limit, count, timeout, allowPartial, atLeast);
    }

    public Query withShape(Shape area) {
        return new Query(stream, keys, area, times, select, limit, count, timeout, allowPartial, atLeast);
    }

    public Query withTimes(TimeInterval interval) {
        return new Query(stream, keys, shape, interval, select, limit, count, timeout, allowPartial, atLeast);
    }

    public Query withSelect(List<String> fields) {
        return new Query(stream, keys, shape, times, fields, limit, count, timeout, allowPartial, atLeast);
    }

    public Query withLimit(long most) {
        return new Query(stream, keys, shape, times, select, most, count, timeout, allowPartial, atLeast);
    }

    public Query withCount() {
        return new Query(stream, keys, shape, times, select, limit, true, timeout, allowPartial, atLeast);
    }

    public Query withTimeout(Duration duration) {
        return new Query(stream, keys, shape, times, select, limit, count, duration, allowPartial, atLeast);
    }

    public Query withPartialAllowed() {
        return new Query(stream, keys, shape, times, select, limit, count, timeout, true, atLeast);
    }

    public Query withAtLeast(Map<Integer, Long> positions) {
        return new Query(stream, keys, shape, times, select, limit, count, timeout, allowPartial, positions);
    }
}
