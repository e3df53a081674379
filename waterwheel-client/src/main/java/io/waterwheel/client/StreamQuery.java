package io.waterwheel.client;

import io.waterwheel.geo.Shape;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.InstantRange;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A question to one stream, put together step by step and asked by its last step. All bounds belong to the range.
 *
 * <pre>{@code
 * try (Cursor rows = client.query("flights")
 *         .within(new Box(2, 48, 3, 49))
 *         .last(Duration.ofMinutes(5))
 *         .where("altitude_ft > 10000")
 *         .select("callsign", "altitude_ft")
 *         .orderByDescending("altitude_ft")
 *         .limit(10)
 *         .rows()) {
 *     while (rows.next()) {
 *         System.out.println(rows.getString("callsign") + " " + rows.getDouble("altitude_ft"));
 *     }
 * }
 * }</pre>
 *
 * <p>It returns one of five things of the tuples that match: the tuples ({@link #select}, {@link #distinct},
 * {@link #orderBy}, {@link #limit}), these by series and time ({@link #series}), aggregates of them
 * ({@link #aggregate}, {@link #groupBy}, {@link #bucket}, {@link #having}, {@link #orderBy}, {@link #limit}), the
 * newest of each key ({@link #latest}, {@link #select}), or the one of each pair of a key and a time ({@link #at},
 * {@link #asOf}, {@link #select}). docs/queries.md says what each means.
 *
 * <p>No step changes the object that it is called on: a question may be kept, narrowed in different ways, asked many
 * times and from many threads. A question that makes no sense, such as an order of the latest, is an
 * IllegalArgumentException when it is asked.
 */
public final class StreamQuery {
    private final WaterwheelClient client;

    // Assigned while a step makes its copy, before anyone else sees it.
    private Query query;
    private @Nullable Duration last;
    private ResultParts parts = new ResultParts();

    StreamQuery(WaterwheelClient client, String stream) {
        this.client = client;
        this.query = Query.of(stream);
    }

    private StreamQuery(StreamQuery from) {
        this.client = from.client;
        this.query = from.query;
        this.last = from.last;
        this.parts = new ResultParts(from.parts);
    }

    private StreamQuery with(Query narrowed) {
        StreamQuery copy = new StreamQuery(this);
        copy.query = narrowed;
        return copy;
    }

    private static <T> List<T> added(List<T> list, List<T> more) {
        List<T> all = new ArrayList<>(list);
        all.addAll(more);
        return List.copyOf(all);
    }

    /** Only tuples whose key field has this value; given several times, any of them. */
    public StreamQuery key(long value) {
        return keys(value, value);
    }

    /** The same for key fields of all types: the text as a CSV line has it, bytes in base64. */
    public StreamQuery key(String value) {
        return keys(value, value);
    }

    /** Only tuples whose key field lies between these values; given several times, in any of the ranges. */
    public StreamQuery keys(long low, long high) {
        return keys(Long.toString(low), Long.toString(high));
    }

    /** The same for key fields of all types: as a CSV line has them, bytes in base64. */
    public StreamQuery keys(String low, String high) {
        return with(query.withKeyRanges(added(query.keyRanges(), List.of(new KeyRange(low, high)))));
    }

    /**
     * Only tuples whose field lies between these values; given several times for one field, in any of the ranges, and
     * for several fields, in one of each. Of a stream whose key has dimensions, a range of any of them narrows what is
     * read.
     *
     * <pre>{@code
     * long low = client.query("flights")
     *         .range("longitude", 2.3, 2.7)
     *         .range("altitude_ft", 0, 5000)
     *         .count();
     * }</pre>
     */
    public StreamQuery range(String field, double low, double high) {
        return range(field, Double.toString(low), Double.toString(high));
    }

    /** The same for fields of whole numbers. */
    public StreamQuery range(String field, long low, long high) {
        return range(field, Long.toString(low), Long.toString(high));
    }

    /** The same for fields of all types: as a CSV line has them, bytes in base64. */
    public StreamQuery range(String field, String low, String high) {
        return with(query.withKeyRanges(added(query.keyRanges(), List.of(new KeyRange(field, low, high)))));
    }

    /**
     * Only positions in this box, circle or polygon; for streams whose key is a position.
     *
     * @throws IllegalArgumentException when a shape was given before
     */
    public StreamQuery within(Shape shape) {
        if (query.shape() != null) {
            throw new IllegalArgumentException(
                    "query: within: a shape was given before, and a query takes one: give one"
                            + " polygon of what lies in both, or a multipolygon of what lies in any");
        }
        return with(query.withShape(shape));
    }

    /**
     * Only times between these, which belong to it, exact to the nanosecond; given several times, or with
     * {@link #last}, in all of them. {@link Instant#MIN} and {@link Instant#MAX} are no bounds.
     *
     * @throws IllegalArgumentException when no time lies in all of them
     */
    public StreamQuery between(Instant from, Instant to) {
        InstantRange exact = query.instants().and(new InstantRange(from, to));
        return with(query.withInstants(exact).withTimes(both(query.times(), exact.millis())));
    }

    private static TimeInterval both(TimeInterval one, TimeInterval other) {
        if (!one.overlaps(other)) {
            throw new IllegalArgumentException("query: no time lies in both " + one.from() + " to " + one.to() + " and "
                    + other.from() + " to " + other.to() + ", milliseconds since 1970");
        }
        return new TimeInterval(Math.max(one.from(), other.from()), Math.min(one.to(), other.to()));
    }

    private static long millisAgo(Duration age) {
        try {
            return Math.subtractExact(System.currentTimeMillis(), age.toMillis());
        } catch (ArithmeticException e) {
            return Long.MIN_VALUE;
        }
    }

    /**
     * Only times from so long ago on, by this machine's clock at the moment when it is asked; given several times, the
     * shortest counts.
     */
    public StreamQuery last(Duration age) {
        if (age.isNegative() || age.isZero()) {
            throw new IllegalArgumentException("query: last: expected a positive duration, got " + age);
        }
        StreamQuery copy = new StreamQuery(this);
        copy.last = last == null || age.compareTo(last) < 0 ? age : last;
        return copy;
    }

    /**
     * Only tuples for which this is true, in the subset of SQL of docs/queries.md; given several times, all of them.
     */
    public StreamQuery where(String condition) {
        return with(query.withWhere(both(query.where(), Expression.parse(condition))));
    }

    private static Expression both(@Nullable Expression before, Expression more) {
        if (before == null) {
            return more;
        }
        // In one list: each condition more does not make it deeper.
        List<Expression> terms = before instanceof Expression.And and ? and.terms() : List.of(before);
        return new Expression.And(added(terms, List.of(more)));
    }

    /**
     * The fields of the answer, in this order; without it all. Also expressions with names, such as {@code "speed * 3.6
     * AS kmh"}, but not with {@link #latest}.
     */
    public StreamQuery select(String... fields) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.select = added(parts.select, Arrays.asList(fields));
        return copy;
    }

    /**
     * Each combination of the values of {@link #select} once, in their order unless {@link #orderBy} gives another. At
     * most 16 values, and as many combinations as an answer may have groups.
     */
    public StreamQuery distinct() {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.distinct = true;
        return copy;
    }

    /**
     * In the order of this field, null first; given several times, by the first, then by the next. With aggregates it
     * is a field of the answer.
     */
    public StreamQuery orderBy(String field) {
        return ordered(new Order(field, false));
    }

    /** In the opposite order of this field, null last. */
    public StreamQuery orderByDescending(String field) {
        return ordered(new Order(field, true));
    }

    private StreamQuery ordered(Order order) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.orders = added(parts.orders, List.of(order));
        return copy;
    }

    /**
     * At most this number of tuples, or of groups: the first in the order, or of series and time; else it is not
     * defined which tuples, and the first groups.
     */
    public StreamQuery limit(long most) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.limit = most;
        return copy;
    }

    /**
     * Only tuples behind a page: the token is {@link io.waterwheel.query.Verdict#next} of the same question, whose
     * order, fields and stream must not change. What has come since is there when the order puts it behind the page.
     *
     * <pre>{@code
     * StreamQuery question = client.query("flights").orderBy("time_ms").limit(1000);
     * PageToken page = null;
     * do {
     *     try (Cursor rows = question.after(page).rows()) {
     *         while (rows.next()) {
     *             System.out.println(rows.getInstant("time_ms"));
     *         }
     *         page = rows.verdict().next(); // null when these are fewer than the limit
     *     }
     * } while (page != null);
     * }</pre>
     *
     * <p>Also null when the last tuple of the first page is over about 70 KiB long.
     *
     * @param page null for the first
     */
    public StreamQuery after(@Nullable PageToken page) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.after = page;
        return copy;
    }

    /** Only the newest tuples of each key, at most this number. */
    public StreamQuery latest(int ofEachKey) {
        if (ofEachKey < 1) {
            throw new IllegalArgumentException("query: latest: expected at least 1 tuple a key, got " + ofEachKey);
        }
        StreamQuery copy = new StreamQuery(this);
        copy.parts.perKey = ofEachKey;
        return copy;
    }

    /**
     * Of the {@link #latest} of each key only the newest, and the first of each further number of tuples:
     * {@code latest(1000).every(10)} are at most 100.
     */
    public StreamQuery every(int tuples) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.every = tuples;
        return copy;
    }

    /**
     * A row for each of these pairs of a key and a time, at most 10,000: the tuple of the key with that very time, of
     * several the first by its fields. The answer has a row for each pair in the order given. Its first fields are
     * {@code pair}, its number from 1, and {@code found}; without a tuple the others are null.
     *
     * <pre>{@code
     * List<KeyTime> asked =
     *         List.of(new KeyTime("4711", Instant.now()), new KeyTime("4712", Instant.parse("2026-01-02T12:00:00Z")));
     * try (Cursor rows = client.query("orders").at(asked).asOf().select("at", "note").rows()) {
     *     while (rows.next()) {
     *         System.out.println(rows.getLong("pair") + " " + rows.getBoolean("found") + " " + rows.stringOrNull("note"));
     *     }
     * }
     * }</pre>
     */
    public StreamQuery at(List<KeyTime> asked) {
        if (asked.isEmpty()) {
            throw new IllegalArgumentException("query: at: expected 1 to 10000 pairs, got none");
        }
        StreamQuery copy = new StreamQuery(this);
        copy.parts.pairs = added(parts.pairs, asked);
        return copy;
    }

    /** With {@link #at}: the latest tuple of the key that is not after the time. */
    public StreamQuery asOf() {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.asOf = true;
        return copy;
    }

    /** These values of all tuples, or of each group, such as {@code "avg(speed) AS mean"}. */
    public StreamQuery aggregate(String... values) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.aggregates = added(
                parts.aggregates, Arrays.stream(values).map(Aggregate::parse).toList());
        return copy;
    }

    /**
     * A row of aggregates for each combination of these values, fields or expressions such as {@code "FLOOR(speed / 10)
     * AS decade"}; without aggregates the number of tuples. With {@link #series} the fields that make a series.
     */
    public StreamQuery groupBy(String... values) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.groups = added(
                parts.groups, Arrays.stream(values).map(NamedExpression::parse).toList());
        return copy;
    }

    /**
     * A row for every step of the times that are asked for, also without tuples: those of {@link #bucket}, or of the
     * calendar, where the last of {@link #groupBy} is {@code DATE_TRUNC('month', at, 'Europe/Paris') AS month} or such.
     */
    public StreamQuery fill(ResultSpec.Fill kind) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.fill = kind;
        return copy;
    }

    /**
     * The tuples of each series in the order of their times, with values computed of a tuple and of the one before it:
     * {@code lag}, {@code delta} and {@code rate}. The fields of {@link #groupBy} make a series, without it that of the
     * key.
     *
     * <pre>{@code
     * try (Cursor rows = client.query("flights")
     *         .groupBy("icao24")
     *         .select("icao24", "time_ms")
     *         .series("delta(altitude_ft) AS climbed", "rate(altitude_ft) AS climb")
     *         .limit(100)
     *         .rows()) {
     *     while (rows.next()) {
     *         System.out.println(rows.getString("icao24") + " " + rows.doubleOrNull("climb"));
     *     }
     * }
     * }</pre>
     */
    public StreamQuery series(String... values) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.series = added(
                parts.series, Arrays.stream(values).map(NeighbourValue::parse).toList());
        return copy;
    }

    /**
     * Which tuples of a series are kept for a plot: {@code "lttb(altitude_ft, 500)"} or {@code "minmax(altitude_ft,
     * 500)"}. With {@link #series}, or alone.
     *
     * <pre>{@code
     * try (Cursor rows = client.query("flights")
     *         .groupBy("icao24")
     *         .select("icao24", "time_ms", "altitude_ft")
     *         .downsample("lttb(altitude_ft, 10)")
     *         .rows()) {
     *     while (rows.next()) {
     *         System.out.println(rows.getString("icao24") + " " + rows.getDouble("altitude_ft"));
     *     }
     * }
     * }</pre>
     */
    public StreamQuery downsample(String method) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.downsampling = Downsampling.parse(method);
        return copy;
    }

    /** Only groups for which this is true of the fields of the answer; given several times, all of them. */
    public StreamQuery having(String condition) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.having = both(parts.having, Expression.parse(condition));
        return copy;
    }

    /** A row of aggregates for each step of time, of whole milliseconds from 1970 UTC on, that has tuples. */
    public StreamQuery bucket(Duration step) {
        return bucket(step, Instant.EPOCH);
    }

    /**
     * A row of aggregates for each step of time, of whole milliseconds, that has tuples; a step begins at the origin.
     * These are weeks from Monday on:
     *
     * <pre>{@code
     * try (Cursor weeks = client.query("flights")
     *         .aggregate("count(*) AS rows")
     *         .bucket(Duration.ofDays(7), Instant.parse("2021-01-04T00:00:00Z"))
     *         .rows()) {
     *     while (weeks.next()) {
     *         System.out.println(weeks.getInstant("bucket") + " " + weeks.getLong("rows"));
     *     }
     * }
     * }</pre>
     *
     * @param origin a whole millisecond, before or after the tuples
     */
    public StreamQuery bucket(Duration step, Instant origin) {
        StreamQuery copy = new StreamQuery(this);
        copy.parts.bucket = ResultSpec.Bucket.of(step, origin);
        return copy;
    }

    /**
     * How long the answer may take in all, the reader's time included, at most an hour; without it what the server has
     * as {@code query.timeout}, 30 seconds.
     */
    public StreamQuery timeout(Duration duration) {
        return with(query.withTimeout(duration));
    }

    /** Lets an answer lack something, and its verdict say what; without it such a query waits, then fails. */
    public StreamQuery allowPartial() {
        return with(query.withPartialAllowed());
    }

    /** Waits until everything below these positions is seen: {@code query.atLeast(appender.flush())}. */
    public StreamQuery atLeast(Map<Integer, Long> positions) {
        return with(query.withAtLeast(positions));
    }

    /** The question as a value, as {@link WaterwheelClient#query(Query)} takes it. */
    public Query toQuery() {
        ResultSpec result = parts.spec();
        Duration age = last;
        Query asked = age == null
                ? query
                : query.withTimes(both(query.times(), new TimeInterval(millisAgo(age), Long.MAX_VALUE)));
        return asked.withResult(result);
    }

    /** Asks. Returns when the answer begins; the cursor must be closed. */
    public Cursor rows() {
        return client.query(toQuery());
    }

    /**
     * Asks for records: each component is the field of its name. Without {@link #select} just these fields are asked
     * for.
     *
     * <pre>{@code
     * record Position(Instant time_ms, String callsign, double longitude, double latitude, Double altitude_ft) {}
     *
     * try (RecordCursor<Position> positions =
     *         client.query("flights").where("callsign IS NOT NULL").limit(100).records(Position.class)) {
     *     for (Position position : positions) {
     *         System.out.println(position.callsign() + " at " + position.altitude_ft());
     *     }
     * }
     * }</pre>
     *
     * @param type components may be int, long, float, double, boolean, or their classes where the field may be null;
     *     String (of addresses and UUIDs too), Instant (of timestamps), UUID, byte[]. An int field also fits a long, a
     *     float field a double, a timestamp a long in the unit of its type
     * @throws io.waterwheel.error.WaterwheelException of kind USER, code RECORD_MISFIT, when a component has no field,
     *     or one of another type
     */
    public <R extends Record> RecordCursor<R> records(Class<R> type) {
        Cursor cursor = client.query(recordQuery(type));
        try {
            return new RecordCursor<>(cursor, RecordMapper.of(type, cursor.fields()));
        } catch (RuntimeException e) {
            cursor.close();
            throw e;
        }
    }

    /**
     * All records of the answer, in memory: give a {@link #limit} where there may be many. Asked again, within the
     * timeout, when the coordinator is lost in the middle.
     *
     * @throws IllegalArgumentException when the query allows a partial answer, which a list cannot mark: ask
     *     {@link #records} and look at its verdict
     */
    public <R extends Record> List<R> list(Class<R> type) {
        if (query.allowPartial()) {
            throw new IllegalArgumentException(
                    "query: list cannot say that its answer is partial;" + " ask records(...) and read its verdict");
        }
        return client.questions().whole(recordQuery(type), cursor -> {
            RecordMapper<R> mapper = RecordMapper.of(type, cursor.fields());
            List<R> records = new ArrayList<>();
            while (cursor.next()) {
                records.add(mapper.read(cursor));
            }
            return records;
        });
    }

    private Query recordQuery(Class<? extends Record> type) {
        boolean fixed = parts.nameFields();
        return (fixed ? this : select(RecordMapper.names(type).toArray(String[]::new))).toQuery();
    }

    /** The number of tuples that match; see {@link WaterwheelClient#count}. */
    public long count() {
        if (!toQuery().result().equals(ResultSpec.Rows.ALL)) {
            throw new IllegalArgumentException(
                    "query: count is the number of all tuples that match: leave select, orderBy, limit, latest and"
                            + " aggregates away, or ask for the aggregate count(*)");
        }
        return client.count(toQuery());
    }

    /**
     * How it would be answered: which keys and times are looked for, which chunks are pruned and which are to be read.
     * Nothing is read.
     */
    public Explanation explain() {
        return explained(Explain.PLAN);
    }

    /**
     * Asks, reads the answer and forgets it: how it came about, and what it took. Who wants the rows too asks
     * {@link WaterwheelClient#query(Query)} for {@code toQuery().withExplain(Explain.ANALYZE)}, and reads
     * {@link io.waterwheel.query.Verdict#explanation}.
     *
     * <pre>{@code
     * Explanation took = client.query("flights").where("altitude_ft > 30000").analyze();
     * System.out.println(took.text());
     * System.out.println(took.chunks().pruned().by(PruneReason.TIME) + " chunks are of other times");
     * }</pre>
     */
    public Explanation analyze() {
        return explained(Explain.ANALYZE);
    }

    private Explanation explained(Explain wanted) {
        return client.questions().whole(toQuery().withExplain(wanted), cursor -> {
            if (wanted == Explain.PLAN && cursor.next()) {
                throw Verdict.notExplained();
            }
            return cursor.finish().requireExplanation();
        });
    }

    /**
     * Asks, and reads the answer, on a thread of the executor. The reader goes at its own pace and the server waits for
     * it. When it returns, the cursor is closed and the future has what it returned; when it throws, the future fails.
     *
     * <pre>{@code
     * CompletableFuture<Double> highest = client.query("flights")
     *         .aggregate("max(altitude_ft) AS top")
     *         .read(executor, rows -> rows.next() ? rows.getDouble("top") : Double.NaN);
     * highest.thenAccept(feet -> System.out.println("the highest is at " + feet + " ft"));
     * }</pre>
     *
     * @return to cancel it is to cancel the answer, wherever it is; any other way of completing it too
     */
    public <T> CompletableFuture<T> read(Executor executor, Function<Cursor, T> reader) {
        return client.read(toQuery(), executor, reader);
    }
}
