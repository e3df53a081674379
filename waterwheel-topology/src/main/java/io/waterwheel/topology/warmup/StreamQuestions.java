package io.waterwheel.topology.warmup;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.WireStatements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Questions about a stream that is there, as clients ask: for keys that it has. Any thread. */
final class StreamQuestions {
    /** Rows that are looked at for keys to ask for: those of some dozens of leaves. */
    private static final int SAMPLED = 1 << 16;
    /** Keys that are asked for, at most. */
    private static final int KEYS = 32;

    /** Kinds of questions about a stream, at most: these come first, one of each. */
    static final int KINDS = 7;

    private static final int FEW = 10;
    private static final int MORE = 100;

    private StreamQuestions() {}

    /**
     * Takes the values of some rows, of the fields that make the key. They lie evenly among those that come, so that
     * most are of leaves of their own: clients will ask for rows that were not read yet, too.
     */
    static final class Sample implements AnswerSink {
        private final List<List<@Nullable Object>> keys = new ArrayList<>();
        private int fields;
        /** Rows that have come. */
        private long seen;
        /** The row to take next, and how far apart those are that were taken. */
        private long next;

        private long step = 1;

        @Override
        public void start(List<Field> shown) {
            fields = shown.size();
        }

        @Override
        public void rows(TupleBlock rows) {
            for (; next < seen + rows.size(); next += step) {
                keys.add(key(rows, (int) (next - seen)));
                if (keys.size() > KEYS) {
                    // Every other one stays.
                    for (int key = keys.size() - 2; key > 0; key -= 2) {
                        keys.remove(key);
                    }
                    step *= 2;
                }
            }
            seen += rows.size();
        }

        private List<@Nullable Object> key(TupleBlock rows, int row) {
            List<@Nullable Object> values = new ArrayList<>(fields);
            for (int field = 0; field < fields; field++) {
                // As text, by which those that are the same are equal.
                values.add(
                        rows.value(field, row) instanceof byte[] bytes
                                ? Base64.getEncoder().encodeToString(bytes)
                                : rows.value(field, row));
            }
            return values;
        }

        Set<List<@Nullable Object>> keys() {
            return new LinkedHashSet<>(keys);
        }

        @Override
        public void finish(Verdict verdict) {}

        /** What came before is good to ask for. */
        @Override
        public void fail(WaterwheelException failure) {}

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public boolean counts() {
            return false;
        }
    }

    /** The question by whose answer it is known what to ask for. */
    static Query sampling(StreamInfo stream, Duration most) {
        return Query.of(stream.name())
                .withSelect(keyFields(stream))
                .withLimit(SAMPLED)
                .withTimeout(most);
    }

    private static List<String> keyFields(StreamInfo stream) {
        return stream.schema().key().roles().stream().map(KeySpec.Role::field).toList();
    }

    /** What to ask, as tickets, first one of each kind; none where the sample has no rows. */
    static List<byte[]> of(StreamInfo stream, Sample sample, Duration most) {
        List<byte[]> tickets = new ArrayList<>();
        if (sample.keys().isEmpty()) {
            return tickets;
        }
        Query all = Query.of(stream.name()).withTimeout(most);
        String time = stream.schema().timeField();
        KeyScheme scheme = KeyScheme.of(stream.schema());
        ResultSpec groups = groups(stream.schema().fields().get(0).name(), time);
        for (List<@Nullable Object> key : sample.keys()) {
            Query one = narrowed(all, scheme, keyFields(stream), key);
            tickets.add(WireQueries.ticket(one.withLimit(1)));
            if (scheme.tellsTuplesApart()) {
                // A cell of dimensions has no newest rows.
                tickets.add(WireQueries.ticket(one.withLatest(FEW)));
            }
            tickets.add(WireQueries.ticket(
                    one.withOrderBy(List.of(new Order(time, true))).withLimit(FEW)));
            tickets.add(WireQueries.ticket(one.withCount()));
            tickets.add(WireQueries.ticket(one.withResult(groups)));
            if (tickets.size() < KINDS) {
                tickets.add(WireQueries.ticket(all.withLimit(MORE)));
                tickets.add(WireStatements.ticket(Statement.of("SELECT * FROM \"" + stream.name() + "\" LIMIT " + FEW)
                        .withTimeout(most)));
            }
        }
        return tickets;
    }

    /** How many there are of each value of a field, and the last time; by any names of fields, words of SQL too. */
    private static ResultSpec groups(String by, String time) {
        // Two names that are not that of the field.
        String other = by.startsWith("a") ? "b" : "a";
        return new ResultSpec.Aggregates(
                List.of(
                        new Aggregate(AggregateFunctions.of("count"), List.of(), null, other + "_count"),
                        new Aggregate(
                                AggregateFunctions.of("max"),
                                List.of(new Expression.FieldValue(time)),
                                null,
                                other + "_last")),
                NamedExpression.fields(by),
                null);
    }

    /** The question for a key that the stream has. */
    private static Query narrowed(Query all, KeyScheme scheme, List<String> fields, List<@Nullable Object> key) {
        if (scheme.positions() != null
                && key.get(0) instanceof Double longitude
                && key.get(1) instanceof Double latitude) {
            return all.withShape(new Box(longitude, latitude, longitude, latitude));
        }
        List<KeyRange> ranges = new ArrayList<>(key.size());
        for (int part = 0; part < key.size(); part++) {
            Object value = key.get(part);
            // Null is no value that can be asked for by a range.
            if (value != null) {
                String field = scheme.tellsTuplesApart() ? null : fields.get(part);
                ranges.add(new KeyRange(field, value.toString(), value.toString()));
            }
        }
        return all.withKeyRanges(ranges);
    }
}
