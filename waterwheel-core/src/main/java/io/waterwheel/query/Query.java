package io.waterwheel.query;

import io.waterwheel.geo.Shape;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client's query of one stream: the tuples whose key lies in any of the intervals, whose position lies in the shape,
 * whose time lies in the interval, and for which the condition is true. All bounds are closed. Made by a
 * {@link #builder}, or from {@link #of} by the {@code with} methods, which leave their object as it is. Immutable.
 */
public final class Query {
    public static final long NO_LIMIT = Long.MAX_VALUE;
    /** Timeout of a query that names none, unless a server says otherwise. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private final String stream;
    private final List<KeyInterval> keys;
    private final List<KeyRange> keyRanges;
    private final @Nullable Shape shape;
    private final TimeInterval times;
    private final InstantRange instants;
    private final @Nullable Expression where;
    private final ResultSpec result;
    private final @Nullable Duration timeout;
    private final boolean allowPartial;
    private final Map<Integer, Long> atLeast;
    private final SessionPositions seen;
    private final Explain explain;

    private Query(Builder from) {
        stream = from.stream;
        keys = List.copyOf(from.keys);
        keyRanges = List.copyOf(from.keyRanges);
        shape = from.shape;
        times = from.times;
        instants = from.instants;
        where = from.where;
        result = from.result;
        timeout = from.timeout;
        allowPartial = from.allowPartial;
        atLeast = Map.copyOf(from.atLeast);
        seen = from.seen;
        explain = from.explain;
        if (stream.isEmpty()) {
            throw new IllegalArgumentException("query: the stream's name is empty");
        }
        if (where != null) {
            where.requireLimits();
        }
        if (timeout != null && (timeout.isNegative() || timeout.isZero())) {
            throw new IllegalArgumentException("query: timeout must be positive, got " + timeout);
        }
    }

    /** All tuples of a stream, until more is said. */
    public static Builder builder(String stream) {
        return new Builder(stream);
    }

    /** All tuples of a stream; narrow it with the {@code with} methods. */
    public static Query of(String stream) {
        return builder(stream).build();
    }

    /** A builder that holds what this query says. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Makes a query; what is not said narrows nothing. Not thread-safe. */
    public static final class Builder {
        private final String stream;
        private List<KeyInterval> keys = List.of();
        private List<KeyRange> keyRanges = List.of();
        private @Nullable Shape shape;
        private TimeInterval times = TimeInterval.ALL;
        private InstantRange instants = InstantRange.ALL;
        private @Nullable Expression where;
        private ResultSpec result = ResultSpec.Rows.ALL;
        private @Nullable Duration timeout;
        private boolean allowPartial;
        private Map<Integer, Long> atLeast = Map.of();
        private SessionPositions seen = SessionPositions.NOTHING;
        private Explain explain = Explain.NONE;

        private Builder(String stream) {
            this.stream = stream;
        }

        private Builder(Query from) {
            stream = from.stream;
            keys = from.keys;
            keyRanges = from.keyRanges;
            shape = from.shape;
            times = from.times;
            instants = from.instants;
            where = from.where;
            result = from.result;
            timeout = from.timeout;
            allowPartial = from.allowPartial;
            atLeast = from.atLeast;
            seen = from.seen;
            explain = from.explain;
        }

        /** Key intervals, any of which may hold the key; empty for every key. */
        public Builder keys(List<KeyInterval> intervals) {
            keys = intervals;
            return this;
        }

        /** Ranges of the key field's values, any of which may hold it; empty for every value. */
        public Builder keyRanges(List<KeyRange> ranges) {
            keyRanges = ranges;
            return this;
        }

        /** What the position must lie in, or null; only for streams whose key is a position. */
        public Builder shape(@Nullable Shape area) {
            shape = area;
            return this;
        }

        /** Milliseconds in which the time must lie, whatever finer digits it has. */
        public Builder times(TimeInterval interval) {
            times = interval;
            return this;
        }

        /** Instants between which the time must lie as well, to the last digit of its field. */
        public Builder instants(InstantRange range) {
            instants = range;
            return this;
        }

        /** A condition that must be true, or null. */
        public Builder where(@Nullable Expression condition) {
            where = condition;
            return this;
        }

        /** What is returned of the tuples. */
        public Builder result(ResultSpec wanted) {
            result = wanted;
            return this;
        }

        /** How long the answer may take in all; positive. Without it the server's {@code query.timeout}. */
        public Builder timeout(Duration duration) {
            timeout = duration;
            return this;
        }

        /**
         * Whether an answer that lacks something may be returned, marked; otherwise the query waits for what is missing
         * until the timeout, then fails.
         */
        public Builder allowPartial(boolean allowed) {
            allowPartial = allowed;
            return this;
        }

        /**
         * For partitions of the topic, offsets below which every tuple must have been seen: read your writes. A range
         * of them that is lost makes the answer incomplete.
         */
        public Builder atLeast(Map<Integer, Long> positions) {
            atLeast = positions;
            return this;
        }

        /**
         * The same for what the session has seen in earlier answers, that none goes back in time; what is lost is
         * named, and the answer is complete all the same.
         */
        public Builder seen(SessionPositions before) {
            seen = before;
            return this;
        }

        /** What the verdict says beside what it always says. */
        public Builder explain(Explain wanted) {
            explain = wanted;
            return this;
        }

        /**
         * The query.
         *
         * @throws IllegalArgumentException when it names no stream, its timeout is not positive or its condition is
         *     beyond the limits of docs/limits.md
         */
        public Query build() {
            return new Query(this);
        }
    }

    /** Name of the stream. */
    public String stream() {
        return stream;
    }

    /** As {@link Builder#keys} says. */
    public List<KeyInterval> keys() {
        return keys;
    }

    /** As {@link Builder#keyRanges} says. */
    public List<KeyRange> keyRanges() {
        return keyRanges;
    }

    /** As {@link Builder#shape} says. */
    public @Nullable Shape shape() {
        return shape;
    }

    /** As {@link Builder#times} says. */
    public TimeInterval times() {
        return times;
    }

    /** As {@link Builder#instants} says. */
    public InstantRange instants() {
        return instants;
    }

    /** As {@link Builder#where} says. */
    public @Nullable Expression where() {
        return where;
    }

    /** As {@link Builder#result} says. */
    public ResultSpec result() {
        return result;
    }

    /** As {@link Builder#timeout} says; {@link #DEFAULT_TIMEOUT} when it names none. */
    public Duration timeout() {
        return timeout == null ? DEFAULT_TIMEOUT : timeout;
    }

    /** Whether it names a timeout. */
    public boolean hasTimeout() {
        return timeout != null;
    }

    /** As {@link Builder#allowPartial} says. */
    public boolean allowPartial() {
        return allowPartial;
    }

    /** As {@link Builder#atLeast} says. */
    public Map<Integer, Long> atLeast() {
        return atLeast;
    }

    /** As {@link Builder#seen} says. */
    public SessionPositions seen() {
        return seen;
    }

    /** As {@link Builder#explain} says. */
    public Explain explain() {
        return explain;
    }

    /** Replaces the key intervals. */
    public Query withKeys(List<KeyInterval> intervals) {
        return toBuilder().keys(intervals).build();
    }

    /** Replaces the ranges of the key field's values. */
    public Query withKeyRanges(List<KeyRange> ranges) {
        return toBuilder().keyRanges(ranges).build();
    }

    /** Replaces the shape. */
    public Query withShape(Shape area) {
        return toBuilder().shape(area).build();
    }

    /** Replaces the milliseconds in which times must lie. */
    public Query withTimes(TimeInterval interval) {
        return toBuilder().times(interval).build();
    }

    /** Replaces the instants between which times must lie as well. */
    public Query withInstants(InstantRange range) {
        return toBuilder().instants(range).build();
    }

    /** Replaces the condition. */
    public Query withWhere(Expression condition) {
        return toBuilder().where(condition).build();
    }

    /** Replaces the condition by that of a text, such as {@code speed > 50 AND name LIKE 'A%'}. */
    public Query withWhere(String condition) {
        return withWhere(Expression.parse(condition));
    }

    /** Replaces what is returned. */
    public Query withResult(ResultSpec wanted) {
        return toBuilder().result(wanted).build();
    }

    /**
     * Asks for these fields, of the latest tuples too; else also for expressions with names, as
     * {@link NamedExpression#parse} reads them. Not of aggregates.
     */
    public Query withSelect(List<String> fields) {
        if (result instanceof ResultSpec.Rows rows) {
            return withResult(new ResultSpec.Rows(
                    fields.stream().map(NamedExpression::parse).toList(), rows.orderBy(), rows.limit(), rows.after()));
        } else if (result instanceof ResultSpec.Latest latest) {
            return withResult(new ResultSpec.Latest(latest.perKey(), latest.every(), fields));
        }
        throw new IllegalArgumentException("query: fields are selected of tuples, not of aggregates");
    }

    /** Asks for a number of tuples, or of groups, at most; not of the latest. */
    public Query withLimit(long most) {
        if (result instanceof ResultSpec.Aggregates aggregates) {
            return withResult(aggregates.withOrder(aggregates.orderBy(), most));
        }
        ResultSpec.Rows rows = rows("a limit");
        return withResult(new ResultSpec.Rows(rows.select(), rows.orderBy(), most, rows.after()));
    }

    /** Asks for the tuples, or the groups, in this order; not of the latest. */
    public Query withOrderBy(List<Order> order) {
        if (result instanceof ResultSpec.Aggregates aggregates) {
            return withResult(aggregates.withOrder(order, aggregates.limit()));
        }
        ResultSpec.Rows rows = rows("an order");
        return withResult(new ResultSpec.Rows(rows.select(), order, rows.limit(), rows.after()));
    }

    private ResultSpec.Rows rows(String what) {
        if (result instanceof ResultSpec.Rows rows) {
            return rows;
        }
        throw new IllegalArgumentException(
                "query: " + what + " is for tuples and groups; the latest have an order of their own");
    }

    /** Asks for the number of matching tuples in place of them. */
    public Query withCount() {
        return withResult(ResultSpec.Aggregates.COUNT);
    }

    /** Asks for aggregates of all matching tuples. */
    public Query withAggregates(List<Aggregate> values) {
        return withResult(new ResultSpec.Aggregates(values, List.of(), null));
    }

    /** Asks for the newest tuples of each key. */
    public Query withLatest(int perKey) {
        return withResult(new ResultSpec.Latest(perKey, List.of()));
    }

    /** Whether only the number of matching tuples is asked for. */
    public boolean count() {
        return result instanceof ResultSpec.Aggregates aggregates && aggregates.countsOnly();
    }

    /** Whether aggregates are asked for: the verdict then counts the tuples that went into them, not rows. */
    public boolean aggregates() {
        return result instanceof ResultSpec.Aggregates;
    }

    public Query withTimeout(Duration duration) {
        return toBuilder().timeout(duration).build();
    }

    public Query withPartialAllowed() {
        return toBuilder().allowPartial(true).build();
    }

    public Query withAtLeast(Map<Integer, Long> positions) {
        return toBuilder().atLeast(positions).build();
    }

    /**
     * Replaces what the session has seen. A client that has seen more adds it, unless this is
     * {@link SessionPositions#ANY}'s.
     */
    public Query withSeen(SessionPositions before) {
        return toBuilder().seen(before).build();
    }

    /**
     * The same query, whose verdict explains it.
     *
     * @param wanted with {@link Explain#PLAN} nothing is read, and the answer has no rows
     */
    public Query withExplain(Explain wanted) {
        return toBuilder().explain(wanted).build();
    }

    private List<Object> parts() {
        return Arrays.asList(
                stream,
                keys,
                keyRanges,
                shape,
                times,
                instants,
                where,
                result,
                timeout,
                allowPartial,
                atLeast,
                seen,
                explain);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Query query && parts().equals(query.parts());
    }

    @Override
    public int hashCode() {
        return parts().hashCode();
    }

    @Override
    public String toString() {
        return "Query[stream=" + stream + ", keys=" + keys + ", keyRanges=" + keyRanges + ", shape=" + shape
                + ", times=" + times + ", instants=" + instants + ", where=" + where + ", result=" + result
                + ", timeout=" + timeout + ", allowPartial=" + allowPartial + ", atLeast=" + atLeast + ", seen="
                + seen + ", explain=" + explain + "]";
    }
}
