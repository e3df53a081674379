package io.waterwheel.query;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Function;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is returned of the tuples that match. */
public sealed interface ResultSpec {
    /** Most rows that an ordered answer with a limit, or {@link Latest}, may have. */
    int MAX_KEPT_ROWS = 1_000_000;

    /** How often an answer may have the same field: each time it travels, and is held, once more. */
    int MAX_REPEATS = 4;

    /** What a row of a time bucket without tuples holds. Counts are 0. */
    enum Fill {
        /** Null. */
        NULL,
        /** The values of the bucket before, in the same series; null before the first. */
        PREVIOUS,
        /**
         * Numbers on the line between the bucket before and the bucket after, whole ones rounded; null at the ends, and
         * for other types.
         */
        LINEAR
    }

    /**
     * Steps of time, all of one length. Equal when the steps are.
     *
     * @param millis how long each is, above 0
     * @param ahead where steps begin: so long after 1970 UTC, and any whole number of steps before and after that; 0 to
     *     {@code millis - 1}
     */
    record Bucket(long millis, long ahead) {
        private static final Duration MAX = Duration.ofDays(1_000_000);

        public Bucket {
            if (millis <= 0 || millis > MAX.toMillis()) {
                throw wrong(Duration.ofMillis(millis));
            }
            ahead = Math.floorMod(ahead, millis);
        }

        /** Steps of a length of whole milliseconds, of which one begins at the beginning of 1970 UTC. */
        public static Bucket of(Duration length) {
            return of(length, Instant.EPOCH);
        }

        /**
         * Steps of a length of whole milliseconds.
         *
         * @param origin a whole millisecond at which a step begins, before, within or after the times of tuples
         */
        public static Bucket of(Duration length, Instant origin) {
            // A length that milliseconds cannot count is out of bounds, too.
            if (length.compareTo(MAX) > 0
                    || length.isNegative()
                    || !length.equals(Duration.ofMillis(length.toMillis()))) {
                throw wrong(length);
            }
            long begins;
            try {
                begins = origin.toEpochMilli();
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException("query: the origin of time buckets is too far away: " + origin, e);
            }
            if (!origin.equals(Instant.ofEpochMilli(begins))) {
                throw new IllegalArgumentException(
                        "query: the origin of time buckets must be a whole millisecond, got " + origin);
            }
            return new Bucket(length.toMillis(), begins);
        }

        private static IllegalArgumentException wrong(Duration length) {
            return new IllegalArgumentException(
                    "query: a time bucket must be a positive number of whole milliseconds, at most " + MAX + ", got "
                            + length);
        }

        /** Where the bucket of a time begins; the least long for the first, whose beginning no long can tell. */
        public long begin(long time) {
            long begin = time - past(time);
            return begin > time ? Long.MIN_VALUE : begin;
        }

        /** How long after the beginning of its bucket a time is. */
        private long past(long time) {
            long past = Math.floorMod(time, millis) - ahead;
            return past < 0 ? past + millis : past;
        }

        /** Where the bucket after one begins; the same where no long can tell. */
        public long next(long begin) {
            long length = millis - past(begin);
            return begin > Long.MAX_VALUE - length ? begin : begin + length;
        }

        /** A bucket's number: one more than that of the bucket before it. */
        public long number(long begin) {
            return Math.floorDiv(begin, millis) - (Math.floorMod(begin, millis) < ahead ? 1 : 0);
        }
    }

    /** Most fields that an answer may be ordered by. */
    int MAX_ORDERS = 16;

    private static void requireOrder(List<Order> orderBy, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("query: limit must not be negative, got " + limit);
        }
        if (orderBy.size() > MAX_ORDERS) {
            throw new IllegalArgumentException(
                    "query: order by at most " + MAX_ORDERS + " fields, got " + orderBy.size());
        }
        if (limit != Query.NO_LIMIT && limit > MAX_KEPT_ROWS) {
            throw new IllegalArgumentException("query: a limit of ordered tuples, or of groups, may be at most "
                    + MAX_KEPT_ROWS + ", got " + limit + "; ask for less, or order where the rows arrive");
        }
    }

    private static void requireFew(List<String> names) {
        Map<String, Integer> times = new HashMap<>();
        for (String name : names) {
            if (times.merge(name, 1, Integer::sum) > MAX_REPEATS) {
                throw new IllegalArgumentException("query: the field '" + name + "' is selected more than "
                        + MAX_REPEATS + " times; select it once, and repeat it where the answer is read");
            }
        }
    }

    /**
     * The tuples.
     *
     * @param select the fields of the answer, in order; empty means all of the stream
     * @param orderBy what they are ordered by, fields of the answer or of the stream; empty for no order. Tuples that
     *     are equal in all of it are ordered by the fields of the answer
     * @param limit most tuples to return: the first in the order, or without an order any; {@link Query#NO_LIMIT} for
     *     all. With an order at most {@link #MAX_KEPT_ROWS}
     * @param after where the page before ended ({@link Verdict#next}), of a query of the same fields and order: only
     *     tuples behind it; null for the first page. Only with an order
     */
    record Rows(
            List<NamedExpression> select,
            List<Order> orderBy,
            long limit,
            @Nullable PageToken after) implements ResultSpec {
        /** All tuples with all fields. */
        public static final Rows ALL = new Rows(List.of(), List.of(), Query.NO_LIMIT);

        public Rows {
            select = List.copyOf(select);
            requireFew(select.stream().map(NamedExpression::name).toList());
            orderBy = List.copyOf(orderBy);
            requireOrder(orderBy, orderBy.isEmpty() ? Math.min(limit, MAX_KEPT_ROWS) : limit);
            if (after != null && orderBy.isEmpty()) {
                throw new IllegalArgumentException("query: page: pages need an order, such as that of the time");
            }
        }

        /** The first page, or all. */
        public Rows(List<NamedExpression> select, List<Order> orderBy, long limit) {
            this(select, orderBy, limit, null);
        }

        /** The tuples behind a page. */
        public Rows withAfter(@Nullable PageToken page) {
            return new Rows(select, orderBy, limit, page);
        }
    }

    /**
     * Values computed from all tuples, or from the tuples of each group. Without groups the answer is one row, even of
     * no tuple. Without values it is the groups themselves: each combination of what they are grouped by, once.
     *
     * @param values at most 32, names unique; at least one where there are no groups
     * @param groupBy what makes the groups, at most 16
     * @param bucket when not null, tuples are also grouped by the step that their time lies in; the answer's field
     *     after those of {@code groupBy} is called {@code bucket}, and has where it begins
     * @param fill when not null, each series, the groups that differ in nothing but the bucket, has a row for every
     *     bucket of the query's times; where these have no bound, from the first or to the last tuple of any series.
     *     The bucket is {@code bucket}, or without it the last of {@code groupBy}: a DATE_TRUNC of the stream's time
     * @param having only groups for which this is true of the fields of the answer; null for all
     * @param orderBy fields of the answer; groups that are equal in all of it, or all when it is empty, are in the
     *     order of the fields of the answer
     * @param limit most groups to return, the first in the order; {@link Query#NO_LIMIT} for all, else at most
     *     {@link #MAX_KEPT_ROWS}
     */
    record Aggregates(
            List<Aggregate> values,
            List<NamedExpression> groupBy,
            @Nullable Bucket bucket,
            @Nullable Fill fill,
            @Nullable Expression having,
            List<Order> orderBy,
            long limit)
            implements ResultSpec {
        /** Name of the field that holds the beginning of the time bucket. */
        public static final String BUCKET = "bucket";

        private static final int MAX_VALUES = 32;
        private static final int MAX_GROUPS = 16;

        /** The number of tuples. */
        public static final Aggregates COUNT = new Aggregates(List.of(Aggregate.count()), List.of(), null);

        /** Of all groups, in the order of the groups; buckets are counted from 1970 UTC. */
        public Aggregates(List<Aggregate> values, List<NamedExpression> groupBy, @Nullable Duration bucket) {
            this(values, groupBy, bucket == null ? null : Bucket.of(bucket), null, null, List.of(), Query.NO_LIMIT);
        }

        public Aggregates {
            values = List.copyOf(values);
            groupBy = List.copyOf(groupBy);
            orderBy = List.copyOf(orderBy);
            int least = groupBy.isEmpty() && bucket == null ? 1 : 0;
            if (values.size() < least || values.size() > MAX_VALUES) {
                throw new IllegalArgumentException(
                        "query: expected " + least + " to " + MAX_VALUES + " aggregates, got " + values.size());
            }
            if (groupBy.size() > MAX_GROUPS) {
                throw new IllegalArgumentException("query: expected at most " + MAX_GROUPS
                        + " values to group by, or to select with distinct, got " + groupBy.size());
            }
            Set<String> names = new HashSet<>();
            for (NamedExpression group : groupBy) {
                requireNew(names, group.name());
            }
            if (bucket != null) {
                requireNew(names, BUCKET);
            }
            for (Aggregate value : values) {
                requireNew(names, value.name());
            }
            if (fill != null && bucket == null && calendarBucket(groupBy) == null) {
                throw new IllegalArgumentException("query: fill is for time buckets: give a bucket, such as 1m, or make"
                        + " DATE_TRUNC('month', time) the last value to group by");
            }
            if (having != null) {
                having.requireLimits();
            }
            requireOrder(orderBy, limit);
        }

        private static Expression.@Nullable Call calendarBucket(List<NamedExpression> groupBy) {
            Expression last =
                    groupBy.isEmpty() ? null : groupBy.get(groupBy.size() - 1).expression();
            return last instanceof Expression.Call call && call.function() == Function.DATE_TRUNC ? call : null;
        }

        /** The DATE_TRUNC whose buckets are filled; null where those of {@code bucket} are, or none. */
        public Expression.@Nullable Call filledCalendar() {
            return fill == null || bucket != null ? null : calendarBucket(groupBy);
        }

        private static void requireNew(Set<String> names, String name) {
            if (!names.add(name)) {
                throw new IllegalArgumentException("query: two fields of the answer are called '" + name
                        + "'; name them apart with AS, and name each value once");
            }
        }

        /**
         * Each combination of these values once, in their order.
         *
         * @param values fields or expressions, 1 to 16
         */
        public static Aggregates distinct(List<NamedExpression> values) {
            if (values.isEmpty()) {
                throw new IllegalArgumentException("query: distinct: name the fields whose combinations are wanted");
            }
            return new Aggregates(List.of(), values, null);
        }

        /** With a row for every bucket. */
        public Aggregates withFill(@Nullable Fill kind) {
            return new Aggregates(values, groupBy, bucket, kind, having, orderBy, limit);
        }

        /** Only groups for which this is true of the fields of the answer. */
        public Aggregates withHaving(@Nullable Expression condition) {
            return new Aggregates(values, groupBy, bucket, fill, condition, orderBy, limit);
        }

        /** The first groups in this order, of fields of the answer. */
        public Aggregates withOrder(List<Order> order, long most) {
            return new Aggregates(values, groupBy, bucket, fill, having, order, most);
        }

        /** Whether all groups are returned, in the order of the groups. */
        public boolean inOrderOfGroups() {
            return having == null && orderBy.isEmpty() && limit == Query.NO_LIMIT;
        }

        /** Whether only the number of all tuples is asked for, by that name. */
        public boolean countsOnly() {
            // Part by part, which are mostly those very ones: a command would wait for a record's first equals.
            return groupBy.isEmpty() && bucket == null && inOrderOfGroups() && values.equals(COUNT.values);
        }
    }

    /**
     * The newest tuples of each key, by their time; of tuples with equal times those first that come first in the
     * fields of the answer. Ordered by key, then newest first.
     *
     * @param perKey most tuples of a key that are looked for, 1 to 100,000
     * @param every of these, in each key, the first of each number of tuples is returned, the newest among them; at
     *     least 1, which is all
     * @param select names of the fields of the answer, in order; empty means all
     */
    record Latest(int perKey, int every, List<String> select) implements ResultSpec {
        private static final int MAX_PER_KEY = 100_000;

        public Latest {
            select = List.copyOf(select);
            requireFew(select);
            if (perKey < 1 || perKey > MAX_PER_KEY) {
                throw new IllegalArgumentException(
                        "query: latest: expected 1 to " + MAX_PER_KEY + " tuples a key, got " + perKey);
            }
            if (every < 1) {
                throw new IllegalArgumentException("query: every: expected at least 1, got " + every);
            }
        }

        /** All of the newest. */
        public Latest(int perKey, List<String> select) {
            this(perKey, 1, select);
        }
    }

    /**
     * The tuples of each series in the order of their times, with what is computed of a tuple and of the one before it.
     * The tuple before is the one that precedes it in this order: by time, then by the fields that the query names.
     *
     * @param by names of the fields whose values make a series, at most 15; empty for the field of the key
     * @param select the fields of the answer, in order; empty means all of the stream
     * @param values the fields of the answer behind these, at most 32; all names of the answer differ
     * @param downsampling which tuples of a series are kept, values of neighbours among all computed before; null for
     *     all, then there is at least one value
     * @param limit most tuples to return, the first by series and time; {@link Query#NO_LIMIT} for all, else at most
     *     {@link #MAX_KEPT_ROWS}
     */
    record Series(
            List<String> by,
            List<NamedExpression> select,
            List<NeighbourValue> values,
            @Nullable Downsampling downsampling,
            long limit)
            implements ResultSpec {
        private static final int MAX_BY = MAX_ORDERS - 1;
        private static final int MAX_VALUES = 32;

        public Series {
            by = List.copyOf(by);
            select = List.copyOf(select);
            values = List.copyOf(values);
            if (by.size() > MAX_BY) {
                throw new IllegalArgumentException(
                        "query: series: expected at most " + MAX_BY + " fields to group by, got " + by.size());
            }
            int least = downsampling == null ? 1 : 0;
            if (values.size() < least || values.size() > MAX_VALUES) {
                throw new IllegalArgumentException(
                        "query: series: expected " + least + " to " + MAX_VALUES + " values, got " + values.size());
            }
            requireOrder(List.of(), limit);
        }
    }

    /**
     * A row for each pair of a key and a moment, in the order asked: the tuple of the key with that time, or as of it;
     * of several the first by the fields of the answer. Only tuples that match the rest of the query are looked at.
     * Before its fields the answer has the number of the pair, from 1, and whether there is such a tuple; without one
     * all its fields are null.
     *
     * @param pairs 1 to 10,000, not all different perhaps
     * @param asOf whether the latest tuple that is not after the moment is wanted, and not one of that very time
     * @param select names of the fields of the answer, in order; empty means all
     */
    record Lookup(List<KeyTime> pairs, boolean asOf, List<String> select) implements ResultSpec {
        /** Most pairs. */
        public static final int MAX_PAIRS = 10_000;
        /** Name of the field that holds the number of the pair. */
        public static final String PAIR = "pair";
        /** Name of the field that says whether there is a tuple. */
        public static final String FOUND = "found";

        public Lookup {
            pairs = List.copyOf(pairs);
            select = List.copyOf(select);
            requireFew(select);
            if (pairs.isEmpty() || pairs.size() > MAX_PAIRS) {
                throw new IllegalArgumentException(
                        "query: at: expected 1 to " + MAX_PAIRS + " pairs of a key and a time, got " + pairs.size());
            }
            if (select.contains(PAIR) || select.contains(FOUND)) {
                throw new IllegalArgumentException("query: at: the answer has fields '" + PAIR + "' and '" + FOUND
                        + "' of its own: select others");
            }
        }
    }
}
