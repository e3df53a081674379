package io.waterwheel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.UnknownFieldSet;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
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
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.expression.RandomExpressions;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.Aggregates;
import io.waterwheel.wire.proto.AheadMessage;
import io.waterwheel.wire.proto.Ticket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireQueriesTest {
    private static final Pruning BY_SPEED = Pruning.of(PruneReason.DIMENSION, "speed", 4);

    @Test
    void everyQueryComesBackAsItWas() {
        for (long seed = 1; seed <= 500; seed++) {
            Query query = query(new Random(seed));
            Ticket ticket = WireQueries.parseTicket(WireQueries.ticket(query));
            assertThat(WireQueries.fromMessage(ticket.getQuery()))
                    .as("seed %s", seed)
                    .isEqualTo(query);
        }
    }

    @Test
    void damagedTicketsAreRefusedOrRead() {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = WireQueries.ticket(query(random));
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            try {
                WireQueries.fromMessage(WireQueries.parseTicket(bytes).getQuery());
            } catch (WaterwheelException e) {
                assertThat(e.code()).as("seed %s", seed).isIn("BAD_QUERY", "BAD_EXPRESSION");
                assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.USER);
            }
        }
    }

    @Test
    void saysWhatIsWrongWithAQuery() {
        io.waterwheel.wire.proto.Query.Builder message =
                io.waterwheel.wire.proto.Query.newBuilder().setStream("s");
        assertRefused(message.clone().setStream(""), "query: the stream's name is empty");
        assertRefused(message.clone().setLimit(-1), "query: limit must not be negative, got -1");
        String selected =
                "query: select is for tuples, not for count or aggregates, whose answers have what these compute";
        assertRefused(message.clone().setCount(true).addSelect("a"), selected);
        assertRefused(
                message.clone().setAggregates(Aggregates.getDefaultInstance()).addSelect("a"), selected);
        assertRefused(
                message.clone().setCount(true).setLimit(5),
                "query: order_by and limit are for tuples, order_by not for count, aggregates, the latest, series or a"
                        + " look-up, limit not for count, aggregates, the latest or a look-up");
        assertRefused(
                message.clone().setTimeoutMillis(4_000_000),
                "query: timeout_millis: expected 0 to 3600000, got 4000000");
        assertRefused(
                message.clone()
                        .addKeys(io.waterwheel.wire.proto.KeyInterval.newBuilder()
                                .setLow(2)
                                .setHigh(1)),
                "query: key interval: low 2 is above high 1");
        assertRefused(
                message.clone()
                        .setUnknownFields(UnknownFieldSet.newBuilder()
                                .addField(
                                        99,
                                        UnknownFieldSet.Field.newBuilder()
                                                .addVarint(1)
                                                .build())
                                .build()),
                "query: fields [99] are unknown to this server; client and server are of different releases");
        assertThatThrownBy(() -> WireQueries.parseTicket(new byte[2 << 20]))
                .hasMessage("query: the ticket has 2097152 bytes, expected at most 1048576");
    }

    @Test
    void ofAnIndexerThatIsNamedTwiceTheGreatestOffsetsHold() {
        io.waterwheel.wire.proto.Query query = io.waterwheel.wire.proto.Query.newBuilder()
                .setStream("s")
                .setSeenStreamId(1)
                .putSeen(0, 5)
                .setSeenEdit(3)
                .addSeenAhead(ahead(2, Map.of(0, 9L, 1, 4L)))
                .addSeenAhead(ahead(SessionPositions.EVERY_INDEXER, Map.of(0, 6L)))
                .addSeenAhead(ahead(2, Map.of(0, 7L, 1, 8L, 2, 1L)))
                .build();
        assertThat(WireQueries.fromMessage(query).seen())
                .isEqualTo(new SessionPositions(
                        1,
                        Map.of(0, 5L),
                        3,
                        Map.of(2, Map.of(0, 9L, 1, 8L, 2, 1L), SessionPositions.EVERY_INDEXER, Map.of(0, 6L))));
    }

    private static AheadMessage ahead(int indexer, Map<Integer, Long> positions) {
        return AheadMessage.newBuilder()
                .setIndexer(indexer)
                .putAllPositions(positions)
                .build();
    }

    @Test
    void saysWhatIsWrongWithWhatASessionHasSeen() {
        io.waterwheel.wire.proto.Query.Builder message =
                io.waterwheel.wire.proto.Query.newBuilder().setStream("s");
        assertRefused(message.clone().setSeenEdit(-1), "query: seen_edit: expected 0 or the number of an edit, got -1");
        assertRefused(
                message.clone().addSeenAhead(ahead(-2, Map.of(0, 1L))),
                "query: seen_ahead: expected the id of an indexer or -1 for all, got -2");
        assertRefused(
                message.clone().addSeenAhead(ahead(0, Map.of(3, -7L))),
                "query: seen_ahead: partition 3, offset -7: expected neither to be negative");
        assertRefused(
                message.clone()
                        .addSeenAhead(ahead(0, Map.of(0, 1L)).toBuilder()
                                .setUnknownFields(UnknownFieldSet.newBuilder()
                                        .addField(
                                                98,
                                                UnknownFieldSet.Field.newBuilder()
                                                        .addVarint(1)
                                                        .build())
                                        .build())),
                "query: seen_ahead: fields [98] are unknown to this server; client and server are of different"
                        + " releases");
        // Too many in all, each of the indexers with less; and too many indexers without an offset.
        Map<Integer, Long> half = new HashMap<>();
        for (int partition = 0; partition <= SessionPositions.MOST_AHEAD / 2; partition++) {
            half.put(partition, 1L);
        }
        assertRefused(
                message.clone().addSeenAhead(ahead(0, half)).addSeenAhead(ahead(1, half)),
                "query: seen_ahead: expected at most 10000, got 10002");
        io.waterwheel.wire.proto.Query.Builder many = message.clone();
        for (int indexer = 0; indexer <= SessionPositions.MOST_AHEAD; indexer++) {
            many.addSeenAhead(ahead(indexer, Map.of()));
        }
        assertRefused(many, "query: seen_ahead: expected at most 10000, got 10001");
    }

    @Test
    void ofManyLostRangesNeighboursAreToldAsOne() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<LostRange> lost = new ArrayList<>();
        for (int partition = 0; partition < 3; partition++) {
            long from = 0;
            for (int i = 0; i < 700; i++) {
                from += 1 + random.nextInt(50);
                lost.add(new LostRange(partition, from, from + 2, i % 7 == 0 ? "set by hand" : "retention"));
                from += 2;
            }
        }
        Verdict verdict = new Verdict(
                Verdict.Completeness.WHOLE,
                new SessionPositions(3, Map.of()),
                new Verdict.Gone(lost, Retention.NO_HORIZON),
                1,
                0,
                new Verdict.Effort(1, 1, Statistics.NONE));
        List<LostRange> told = WireQueries.parseVerdict(ByteBuffer.wrap(WireQueries.verdict(verdict)))
                .lost();
        assertThat(told).as("seed %s", seed).hasSize(1_000);
        Verdict page = new Verdict(
                Verdict.Completeness.WHOLE,
                new SessionPositions(3, Map.of()),
                Verdict.Gone.NOTHING,
                1,
                0,
                new Verdict.Effort(1, 1, Statistics.NONE),
                new PageToken("Aa0-_"),
                null);
        Verdict ahead = new Verdict(
                Verdict.Completeness.WHOLE,
                new SessionPositions(7, Map.of(0, 5L, 1, 6L), 3, Map.of(2, Map.of(1, 9L), -1, Map.of(0, 8L))),
                Verdict.Gone.NOTHING,
                2,
                1,
                new Verdict.Effort(1, 1, Statistics.NONE));
        assertThat(WireQueries.parseVerdict(ByteBuffer.wrap(WireQueries.verdict(ahead))))
                .isEqualTo(ahead);
        assertThat(WireQueries.parseVerdict(ByteBuffer.wrap(WireQueries.verdict(page))))
                .isEqualTo(page);
        for (LostRange range : lost) {
            assertThat(told)
                    .as("seed %s, %s", seed, range)
                    .anyMatch(one -> one.partition() == range.partition()
                            && one.from() <= range.from()
                            && one.to() >= range.to());
        }
    }

    @Test
    void aConditionMayBeLongerPrintedThanWritten() {
        StringBuilder text = new StringBuilder("a IN (1");
        for (int i = 0; i < 19_900; i++) {
            text.append(",123456789012");
        }
        Query query = Query.of("s").withWhere(text.append(')').toString());
        assertThat(query.where().toString()).hasSizeGreaterThan(ExpressionParser.MAX_TEXT);
        assertThat(WireQueries.fromMessage(WireQueries.toMessage(query))).isEqualTo(query);
    }

    @Test
    void verdictsAndErrorsComeBackAsTheyWere() throws Exception {
        Verdict verdict = new Verdict(
                new Verdict.Completeness(
                        false, List.of("indexer 3 is recovering"), List.of("indexer 4 was last heard of 12 s ago")),
                new SessionPositions(9, Map.of(0, 12L, 7, 9L)),
                new Verdict.Gone(List.of(new LostRange(7, 3, 9, "set by hand")), 1_600_000_000_000L),
                44,
                5,
                new Verdict.Effort(2, 1, new Statistics(20, 9, BY_SPEED, 8, 5, 2, scanned(1), scanned(11))));
        assertThat(WireQueries.parseVerdict(ByteBuffer.wrap(WireQueries.verdict(verdict))))
                .isEqualTo(verdict);
        for (WaterwheelException.Kind kind : WaterwheelException.Kind.values()) {
            WaterwheelException back = WireErrors.parse(
                    WireErrors.detail(WaterwheelException.received(kind, "A_CODE", "why", new Exception())),
                    new Exception());
            assertThat(back.kind()).isEqualTo(kind);
            assertThat(back.code()).isEqualTo("A_CODE");
            assertThat(back).hasMessage("why");
        }
    }

    @Test
    void explanationsComeBackAsTheyWere() throws Exception {
        Statistics statistics = new Statistics(20, 9, BY_SPEED, 8, 5, 2, scanned(1), scanned(11));
        Explanation planned = new Explanation(
                new Explanation.Asked(
                        7,
                        List.of(
                                new Explanation.KeySpan(Long.MIN_VALUE, 3, "", "three"),
                                new Explanation.KeySpan(5, 5, "5", "5")),
                        12,
                        new TimeInterval(-4, Long.MAX_VALUE),
                        true,
                        "speed > 5",
                        "10 rows in order"),
                new Explanation.Chunks(
                        20, Pruning.of(PruneReason.KEY, 8).plus(Pruning.of(PruneReason.TIME, 3)), 9, 10, 11),
                new Explanation.Indexers(5, 1, 2, List.of(0, 4)),
                new Explanation.Cost(17, "light"),
                null);
        Explanation analyzed = planned.with(new Explanation.Analysis(
                List.of(
                        new Explanation.Step("planning", Duration.ofNanos(5)),
                        new Explanation.Step("chunks", Duration.ofSeconds(3))),
                new Explanation.Work(
                        Duration.ofSeconds(9),
                        Duration.ofNanos(statistics.inChunks().parts().readNanos()),
                        Duration.ofMillis(8),
                        Duration.ofMillis(7)),
                List.of(
                        new Explanation.Server("indexer 0", "", 1, 0, 0, scanned(11), Duration.ofSeconds(4)),
                        new Explanation.Server("query-server-0", "host", 8, 2, 3, scanned(1), Duration.ofSeconds(5))),
                statistics));
        Explanation impossible = new Explanation(
                new Explanation.Asked(7, List.of(), 0, null, false, "", "count"),
                planned.chunks(),
                planned.indexers(),
                planned.cost(),
                null);
        for (Explanation explanation : List.of(planned, analyzed, impossible)) {
            Verdict verdict = new Verdict(
                    Verdict.Completeness.WHOLE,
                    new SessionPositions(3, Map.of()),
                    Verdict.Gone.NOTHING,
                    1,
                    0,
                    new Verdict.Effort(1, 1, explanation.equals(analyzed) ? statistics : Statistics.NONE),
                    null,
                    explanation);
            assertThat(WireQueries.parseVerdict(ByteBuffer.wrap(WireQueries.verdict(verdict))))
                    .isEqualTo(verdict);
        }
        assertThat(analyzed.text()).isEqualTo("""
                result     10 rows in order, at edit 7
                keys       12 intervals: ..three, 5 and 10 more
                times      1969-12-31T23:59:59.996Z to the end
                tests      the position against the shape, speed > 5
                cost       about 17 tuples to look at: light
                indexers   5 there; pruned 1 by key, 2 by report; to ask: indexers 0, 4
                chunks     20 there; pruned 8 by key, 3 by time; 9 to read: 10 tuples, 11 bytes
                time       3000.000 ms: planning 0.000 ms, chunks 3000.000 ms
                work       of all threads: scanning 9000.000 ms (0.000 ms of it reading and decoding), merging 8.000 ms, sending 7.000 ms
                read       8 chunks, 3 of them by the directory alone; 1 left
                in chunks  1 leaf; pruned 2 by key, 7 by zone (name 4, speed 3), 4 by a reason of tomorrow; 5 counted unread; 6 read with 8 tuples, 7 of them in vain; -23 left
                bytes      39 from the store (9 columns of 10, 13 directories of 14, 15 read along), 12 from the cache (11 columns)
                in memory  11 leaves; pruned 12 by key, 27 by zone (name 14, speed 13), 4 by a reason of tomorrow; 15 counted unread; 16 read with 18 tuples, 17 of them in vain; -63 left
                server     indexer 0: 16 of 11 leaves read, 18 tuples, in 4000.000 ms
                server     query-server-0 on host: 8 chunks and 2 attempts in vain, 6 of 1 leaf read, 8 tuples, in 5000.000 ms; 39 bytes from the store in 0.000 ms, 12 from the cache
                """);
        assertThat(impossible.text())
                .contains("keys       none: nothing can match\n")
                .contains("times      none: nothing can match\n")
                .doesNotContain("tests")
                .doesNotContain("work");
    }

    private static ScanStatistics scanned(long first) {
        return new ScanStatistics(
                first,
                Pruning.of(PruneReason.KEY, first + 1)
                        .plus(Pruning.of(PruneReason.ZONE, "speed", first + 2))
                        .plus(Pruning.of(PruneReason.ZONE, "name", first + 3))
                        .plus(new Pruning(List.of(new Pruning.Count("a reason of tomorrow", "", 4)))),
                first + 4,
                first + 5,
                first + 6,
                first + 7,
                new ScanStatistics.Parts(
                        first + 8, first + 9, first + 10, first + 11, first + 12, first + 13, first + 14, first + 15));
    }

    private static void assertRefused(io.waterwheel.wire.proto.Query.Builder message, String why) {
        assertThatThrownBy(() -> WireQueries.fromMessage(message.build()))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage(why);
    }

    private static final List<Field> FIELDS =
            List.of(new Field("a", FieldType.LONG, true), new Field("order", FieldType.STRING, true));

    private static ResultSpec result(Random random) {
        List<String> select = random.nextBoolean() ? List.of() : List.of("a", "b");
        return switch (random.nextInt(7)) {
            case 0 -> ResultSpec.Aggregates.COUNT;
            case 1 ->
                new ResultSpec.Aggregates(
                        List.of(
                                Aggregate.parse("sum(a * 2.5 + -1) AS total"),
                                Aggregate.count(),
                                Aggregate.parse("quantile(a, 0.95) FILTER (WHERE a > 3) AS high"),
                                Aggregate.parse("max(\"order\")")),
                        random.nextBoolean()
                                ? List.of()
                                : List.of(NamedExpression.field("order"), NamedExpression.parse("a % 3 AS third")),
                        new ResultSpec.Bucket(
                                1 + random.nextInt(100_000), random.nextBoolean() ? 0 : random.nextLong()),
                        random.nextBoolean()
                                ? null
                                : List.of(ResultSpec.Fill.values()).get(random.nextInt(3)),
                        random.nextBoolean() ? null : Expression.parse("total > 1.5 OR count = 0"),
                        random.nextBoolean() ? List.of() : List.of(new Order("total", true), new Order("high", false)),
                        random.nextBoolean() ? Query.NO_LIMIT : random.nextInt(100));
            case 2 -> new ResultSpec.Latest(1 + random.nextInt(100), 1 + random.nextInt(9), select);
            case 3 -> ResultSpec.Aggregates.distinct(List.of(NamedExpression.field("order")));
            case 5 ->
                new ResultSpec.Lookup(
                        List.of(
                                new KeyTime("a", Instant.parse("1960-05-01T00:00:00.000000001Z")),
                                new KeyTime("", Instant.EPOCH)),
                        random.nextBoolean(),
                        select);
            case 4 ->
                new ResultSpec.Series(
                        random.nextBoolean() ? List.of() : List.of("order"),
                        random.nextBoolean() ? List.of() : List.of(NamedExpression.parse("a * 2 AS \"order\"")),
                        List.of(NeighbourValue.parse("delta(a + 1) AS b"), NeighbourValue.parse("lag(\"order\")")),
                        random.nextBoolean() ? null : Downsampling.parse("lttb(\"order\", 7)"),
                        random.nextBoolean() ? Query.NO_LIMIT : random.nextInt(100));
            default -> {
                List<Order> orders =
                        random.nextBoolean() ? List.of() : List.of(new Order("a", true), new Order("b", false));
                yield new ResultSpec.Rows(
                        random.nextBoolean()
                                ? NamedExpression.fields(select.toArray(String[]::new))
                                : List.of(NamedExpression.parse("a * 2 AS \"order\""), NamedExpression.field("order")),
                        orders,
                        random.nextBoolean() ? Query.NO_LIMIT : random.nextInt(100),
                        orders.isEmpty() || random.nextBoolean() ? null : new PageToken("Aa0-_"));
            }
        };
    }

    private static Query query(Random random) {
        List<KeyInterval> keys = new ArrayList<>();
        Map<Integer, Long> atLeast = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            long low = random.nextLong();
            keys.add(new KeyInterval(low, random.nextBoolean() ? low : Long.MAX_VALUE));
            atLeast.put(random.nextInt(100), random.nextLong() >>> 1);
        }
        return Query.builder("stream-" + random.nextInt(9))
                .keys(keys)
                .keyRanges(
                        random.nextBoolean()
                                ? List.of()
                                : List.of(
                                        new KeyRange("a", null),
                                        new KeyRange(null, ""),
                                        KeyRange.of("10.0.0.1"),
                                        new KeyRange("speed", null, "7")))
                .shape(random.nextBoolean() ? null : new Box(-random.nextDouble(), -1, random.nextDouble(), 2))
                .times(
                        random.nextBoolean()
                                ? TimeInterval.ALL
                                : new TimeInterval(-random.nextInt(99), random.nextInt(99)))
                .instants(new InstantRange(
                        random.nextBoolean()
                                ? Instant.MIN
                                : Instant.ofEpochSecond(-random.nextInt(), random.nextInt(1_000_000_000)),
                        random.nextBoolean() ? Instant.MAX : Instant.parse("2262-05-01T00:00:00.000000001Z")))
                .where(random.nextBoolean() ? null : new RandomExpressions(random, FIELDS, false).condition(3))
                .result(result(random))
                .timeout(Duration.ofMillis(1 + random.nextInt(3_600_000)))
                .allowPartial(random.nextBoolean())
                .atLeast(atLeast)
                .seen(
                        random.nextBoolean()
                                ? SessionPositions.NOTHING
                                : new SessionPositions(
                                        random.nextInt(3),
                                        Map.of(random.nextInt(9), random.nextLong() >>> 1),
                                        random.nextInt(3),
                                        Map.of(
                                                random.nextInt(9) - 1,
                                                Map.of(random.nextInt(9), random.nextLong() >>> 1))))
                .explain(List.of(Explain.values()).get(random.nextInt(3)))
                .build();
    }
}
