package io.waterwheel.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.UnknownFieldSet;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.InstantRange;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
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
                new PageToken("Aa0-_"));
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
                new Verdict.Effort(2, 1, new Statistics(20, 9, 8, 5, 2, scanned(1), scanned(11))));
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

    private static ScanStatistics scanned(long first) {
        return new ScanStatistics(
                first,
                new ScanStatistics.Skipped(first + 1, first + 2, first + 3),
                first + 4,
                first + 5,
                first + 6,
                new ScanStatistics.Parts(first + 7, first + 8, first + 9));
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
        return switch (random.nextInt(4)) {
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
                        Duration.ofMillis(1 + random.nextInt(100_000)),
                        random.nextBoolean()
                                ? null
                                : List.of(ResultSpec.Fill.values()).get(random.nextInt(3)),
                        random.nextBoolean() ? null : Expression.parse("total > 1.5 OR count = 0"),
                        random.nextBoolean() ? List.of() : List.of(new Order("total", true), new Order("high", false)),
                        random.nextBoolean() ? Query.NO_LIMIT : random.nextInt(100));
            case 2 -> new ResultSpec.Latest(1 + random.nextInt(100), select);
            case 3 -> ResultSpec.Aggregates.distinct(List.of(NamedExpression.field("order")));
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
                                : List.of(new KeyRange("a", null), new KeyRange(null, ""), KeyRange.of("10.0.0.1")))
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
                                        random.nextInt(3), Map.of(random.nextInt(9), random.nextLong() >>> 1)))
                .build();
    }
}
