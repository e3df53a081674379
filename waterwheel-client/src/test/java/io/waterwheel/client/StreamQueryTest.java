package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TimeInterval;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class StreamQueryTest {
    private static final List<Field> FIELDS = List.of(
            new Field("t", FieldType.TIMESTAMP, false),
            new Field("n", FieldType.INT, false),
            new Field("speed", FieldType.FLOAT, true),
            new Field("name", FieldType.STRING, true));

    private static final List<@Nullable Object[]> ROWS =
            List.of(new @Nullable Object[] {1500L, 7, 2.5f, "seven"}, new @Nullable Object[] {-1L, 8, null, null});

    private static Verdict verdict(long tuples) {
        return new Verdict(true, List.of(), Map.of(0, 7L), 3, tuples, 1, 2);
    }

    private static FakeServer server() throws Exception {
        return FakeServer.answering((query, answer) -> answer.whole(FIELDS, ROWS, verdict(ROWS.size())));
    }

    @Test
    void putsAQuestionTogether() throws Exception {
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            StreamQuery orders = client.query("orders");
            assertThat(orders.toQuery()).isEqualTo(Query.of("orders"));
            StreamQuery narrowed = orders.keys(4000, 4999)
                    .key("7")
                    .within(new Box(2, 48, 3, 49))
                    .between(Instant.ofEpochMilli(5), Instant.ofEpochMilli(9))
                    .where("a > 1 OR b > 1")
                    .where("c = 'x'")
                    .timeout(Duration.ofSeconds(5))
                    .allowPartial()
                    .atLeast(Map.of(2, 9L));
            Query expected = Query.of("orders")
                    .withKeyRanges(List.of(new KeyRange("4000", "4999"), KeyRange.of("7")))
                    .withShape(new Box(2, 48, 3, 49))
                    .withTimes(new TimeInterval(5, 9))
                    .withInstants(new InstantRange(Instant.ofEpochMilli(5), Instant.ofEpochMilli(9)))
                    .withWhere("(a > 1 OR b > 1) AND c = 'x'")
                    .withTimeout(Duration.ofSeconds(5))
                    .withPartialAllowed()
                    .withAtLeast(Map.of(2, 9L));
            assertThat(narrowed.toQuery()).isEqualTo(expected);
            assertThat(orders.toQuery()).as("steps change nothing").isEqualTo(Query.of("orders"));

            assertThat(narrowed.select("a", "b")
                            .orderByDescending("b")
                            .orderBy("a")
                            .limit(10)
                            .toQuery())
                    .isEqualTo(expected.withResult(new ResultSpec.Rows(
                            NamedExpression.fields("a", "b"),
                            List.of(new Order("b", true), new Order("a", false)),
                            10)));
            assertThat(narrowed.select("a", "b * 3.6 AS kmh").toQuery())
                    .isEqualTo(expected.withResult(new ResultSpec.Rows(
                            List.of(NamedExpression.field("a"), NamedExpression.parse("b * 3.6 AS kmh")),
                            List.of(),
                            Query.NO_LIMIT)));
            assertThat(narrowed.latest(3).select("a").toQuery())
                    .isEqualTo(expected.withResult(new ResultSpec.Latest(3, List.of("a"))));
            assertThat(narrowed.groupBy("a")
                            .bucket(Duration.ofMinutes(1))
                            .aggregate("max(b) AS top")
                            .toQuery())
                    .isEqualTo(expected.withResult(new ResultSpec.Aggregates(
                            List.of(Aggregate.parse("max(b) AS top")),
                            NamedExpression.fields("a"),
                            Duration.ofMinutes(1))));
            assertThat(narrowed.bucket(Duration.ofDays(7), Instant.parse("2021-01-04T00:00:00Z"))
                            .fill(ResultSpec.Fill.NULL)
                            .toQuery())
                    .isEqualTo(expected.withResult(new ResultSpec.Aggregates(
                            List.of(Aggregate.count()),
                            List.of(),
                            new ResultSpec.Bucket(
                                    Duration.ofDays(7).toMillis(),
                                    Duration.ofDays(4).toMillis()),
                            ResultSpec.Fill.NULL,
                            null,
                            List.of(),
                            Query.NO_LIMIT)));
            assertThat(narrowed.groupBy("a").toQuery())
                    .isEqualTo(expected.withResult(
                            new ResultSpec.Aggregates(List.of(Aggregate.count()), NamedExpression.fields("a"), null)));
            assertThat(narrowed.groupBy("a % 10 AS last")
                            .having("count > 5")
                            .having("last <> 3")
                            .orderByDescending("count")
                            .limit(7)
                            .toQuery())
                    .isEqualTo(expected.withResult(new ResultSpec.Aggregates(
                            List.of(Aggregate.count()),
                            List.of(NamedExpression.parse("a % 10 AS last")),
                            null,
                            null,
                            Expression.parse("count > 5 AND last <> 3"),
                            List.of(new Order("count", true)),
                            7)));
            assertThat(narrowed.select("a", "b * 3.6 AS kmh")
                            .distinct()
                            .orderByDescending("kmh")
                            .limit(3)
                            .toQuery()
                            .result())
                    .isEqualTo(new ResultSpec.Aggregates(
                                    List.of(),
                                    List.of(NamedExpression.parse("a"), NamedExpression.parse("b * 3.6 AS kmh")),
                                    null)
                            .withOrder(List.of(new Order("kmh", true)), 3));
            PageToken page = new PageToken("Aa0-_");
            assertThat(narrowed.orderBy("a").limit(3).after(page).toQuery().result())
                    .isEqualTo(new ResultSpec.Rows(List.of(), List.of(new Order("a", false)), 3, page));
            assertThatThrownBy(() -> narrowed.limit(3).after(page).toQuery())
                    .hasMessageContaining("pages need an order");
            assertThatThrownBy(() -> narrowed.select("a").distinct().after(page).toQuery())
                    .hasMessageContaining("after: pages are of tuples");
            assertThatThrownBy(() -> narrowed.distinct().toQuery()).hasMessageContaining("distinct: name the fields");
            assertThatThrownBy(() -> narrowed.select("a").distinct().latest(1).toQuery())
                    .hasMessageContaining("distinct is for selected fields");
            assertThatThrownBy(() -> narrowed.having("a > 3").toQuery())
                    .hasMessage("query: having is for groups of aggregates; for tuples there is where");
        }
    }

    @Test
    void theLastMinutesAreThoseBeforeItIsAsked() throws Exception {
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThat(client.query("s")
                            .between(Instant.MIN, Instant.MAX)
                            .toQuery()
                            .times())
                    .isEqualTo(TimeInterval.ALL);
            assertThat(client.query("s")
                            .last(Duration.ofSeconds(Long.MAX_VALUE))
                            .toQuery()
                            .times())
                    .isEqualTo(TimeInterval.ALL);
            StreamQuery recent = client.query("s").last(Duration.ofMinutes(5));
            long before = System.currentTimeMillis() - 300_000;
            TimeInterval times = recent.toQuery().times();
            assertThat(times.from()).isBetween(before, System.currentTimeMillis() - 300_000);
            assertThat(times.to()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void stepsGivenAgainNarrowFurther() throws Exception {
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            StreamQuery query = client.query("s");
            for (int i = 0; i < 500; i++) {
                query = query.where("n <> " + i + " OR n > 3");
            }
            assertThat(query.toQuery().where())
                    .isEqualTo(Expression.parse(IntStream.range(0, 500)
                            .mapToObj(i -> "(n <> " + i + " OR n > 3" + ")")
                            .collect(Collectors.joining(" AND "))));

            StreamQuery between = client.query("s").between(Instant.ofEpochMilli(5), Instant.ofEpochMilli(9));
            assertThat(between.between(Instant.ofEpochMilli(7), Instant.MAX)
                            .toQuery()
                            .times())
                    .isEqualTo(new TimeInterval(7, 9));
            assertThatThrownBy(() -> between.between(Instant.ofEpochMilli(10), Instant.MAX))
                    .hasMessageContaining(
                            "no time lies in both 1970-01-01T00:00:00.005Z to 1970-01-01T00:00:00.009Z and ");
            Instant fine = Instant.parse("2021-10-07T12:00:00.000000001Z");
            assertThat(client.query("s")
                            .between(Instant.EPOCH, fine)
                            .between(fine, Instant.MAX)
                            .toQuery()
                            .instants())
                    .isEqualTo(new InstantRange(fine, fine));
            assertThatThrownBy(() ->
                            client.query("s").between(Instant.EPOCH, fine).between(fine.plusNanos(1), Instant.MAX))
                    .hasMessageContaining("no time lies in both");
            assertThatThrownBy(() -> between.last(Duration.ofDays(1)).toQuery())
                    .hasMessageContaining("no time lies in");
            Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
            TimeInterval times = client.query("s")
                    .last(Duration.ofDays(2))
                    .last(Duration.ofDays(1))
                    .last(Duration.ofDays(3))
                    .between(Instant.EPOCH, now)
                    .toQuery()
                    .times();
            assertThat(times.to()).isEqualTo(now.toEpochMilli());
            assertThat(times.from()).isGreaterThanOrEqualTo(now.toEpochMilli() - 86_400_000);

            StreamQuery within = client.query("s").within(new Box(2, 48, 3, 49));
            assertThatThrownBy(() -> within.within(new Box(2, 48, 3, 49))).hasMessageContaining("a query takes one");
        }
    }

    @Test
    void nullsAreAskedForByNameAndAClosedCursorHasNoMoreRows() throws Exception {
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Cursor rows = client.query("s").rows()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.intOrNull("n")).isEqualTo(7);
            assertThat(rows.longOrNull("n")).isEqualTo(7);
            assertThat(rows.floatOrNull("speed")).isEqualTo(2.5f);
            assertThat(rows.doubleOrNull("speed")).isEqualTo(2.5);
            assertThat(rows.stringOrNull("name")).isEqualTo("seven");
            assertThat(rows.value("name")).isEqualTo("seven");
            assertThat(rows.instantOrNull("t")).isEqualTo(Instant.ofEpochMilli(1500));
            rows.close();
            assertThat(rows.next()).isFalse();
            assertThat(rows.nextBatch()).isFalse();
            assertThatThrownBy(rows::verdict).isInstanceOf(IllegalStateException.class);
        }
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Cursor rows = client.query("s").rows()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.next()).isTrue();
            assertThat(rows.floatOrNull("speed")).isNull();
            assertThat(rows.doubleOrNull("speed")).isNull();
            assertThat(rows.stringOrNull("name")).isNull();
            assertThat(rows.value("name")).isNull();
        }
    }

    @Test
    void refusesWhatMakesNoSense() throws Exception {
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            StreamQuery query = client.query("s");
            assertThatThrownBy(() -> query.aggregate("count(*)").latest(3).rows())
                    .hasMessage("query: select and latest are for tuples, not for aggregates");
            assertThatThrownBy(() -> query.latest(1).orderBy("a").rows())
                    .hasMessage("query: orderBy and limit are for tuples; the latest are in the order of key and time");
            assertThatThrownBy(() -> query.limit(3).count()).hasMessageContaining("leave select, orderBy, limit");
            assertThatThrownBy(() -> query.allowPartial().list(Reading.class))
                    .hasMessageContaining("list cannot say that its answer is partial");
            assertThatThrownBy(() -> query.last(Duration.ZERO)).hasMessageContaining("positive duration, got PT0S");
            assertThatThrownBy(() -> query.where("a >")).isInstanceOf(WaterwheelException.class);
            assertThat(server.queries).isEmpty();
        }
    }

    record Reading(
            Instant t,
            long n,
            @Nullable Double speed,
            @Nullable String name) {}

    @Test
    void makesRecordsOfRows() throws Exception {
        List<Reading> expected = List.of(
                new Reading(Instant.ofEpochMilli(1500), 7, 2.5, "seven"),
                new Reading(Instant.ofEpochMilli(-1), 8, null, null));
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            List<Reading> readings = new ArrayList<>();
            try (RecordCursor<Reading> cursor = client.query("s").records(Reading.class)) {
                cursor.forEach(readings::add);
                assertThat(cursor.verdict().tuples()).isEqualTo(2);
                assertThatThrownBy(cursor::iterator).hasMessageStartingWith("an answer is read once");
            }
            assertThat(readings).isEqualTo(expected);
            assertThat(client.query("s").list(Reading.class)).isEqualTo(expected);
            assertThat(server.queries)
                    .as("only the fields of the record are asked for")
                    .allMatch(query -> query.result()
                            .equals(new ResultSpec.Rows(
                                    NamedExpression.fields("t", "n", "speed", "name"), List.of(), Query.NO_LIMIT)));
        }
    }

    record Price(BigDecimal price, @Nullable BigDecimal total) {}

    @Test
    void makesRecordsOfDecimals() throws Exception {
        List<Field> fields = List.of(
                new Field("price", FieldType.decimal(18, 2), false),
                new Field("total", FieldType.decimal(38, 10), true));
        BigDecimal total = new BigDecimal("-1234567890123456789012345678.0000000001");
        List<@Nullable Object[]> rows = List.of(
                new @Nullable Object[] {new BigDecimal("0.10"), null},
                new @Nullable Object[] {new BigDecimal("-9999999999999999.99"), total});
        try (FakeServer server = FakeServer.answering((query, answer) -> answer.whole(fields, rows, verdict(2)));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThat(client.query("s").list(Price.class))
                    .containsExactly(
                            new Price(new BigDecimal("0.10"), null),
                            new Price(new BigDecimal("-9999999999999999.99"), total));
            try (Cursor cursor = client.query("s").rows()) {
                assertThat(cursor.fields()).isEqualTo(fields);
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.decimalOrNull("total")).isNull();
                assertThat(cursor.getDecimal("price")).isEqualTo(new BigDecimal("0.10"));
                assertThat(cursor.getString("price")).isEqualTo("0.10");
                assertThatThrownBy(() -> cursor.getDouble("price"))
                        .hasMessage("field price is of type decimal(18, 2), not float or double");
            }
        }
    }

    record Device(UUID id, String address, @Nullable UUID owner) {}

    @Test
    void makesRecordsOfUuidsAndAddresses() throws Exception {
        List<Field> fields = List.of(
                new Field("id", FieldType.UUID, false),
                new Field("address", FieldType.IPV6, false),
                new Field("owner", FieldType.UUID, true));
        String id = "fedcba98-7654-3210-fedc-ba9876543210";
        List<@Nullable Object[]> rows = List.<@Nullable Object[]>of(new @Nullable Object[] {id, "2001:db8::1", null});
        try (FakeServer server = FakeServer.answering((query, answer) -> answer.whole(fields, rows, verdict(1)));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThat(client.query("s").list(Device.class))
                    .containsExactly(new Device(UUID.fromString(id), "2001:db8::1", null));
            try (Cursor cursor = client.query("s").rows()) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.uuidOrNull("owner")).isNull();
                assertThat(cursor.uuidOrNull("id")).isEqualTo(UUID.fromString(id));
                assertThatThrownBy(() -> cursor.getUuid("address"))
                        .hasMessage("field address is of type ipv6, not uuid");
            }
        }
    }

    record Misfit(String t, int n, float speed, @Nullable String who) {}

    record Picky(int n) {
        Picky {
            if (n == 8) {
                throw new IllegalArgumentException("not eight");
            }
        }
    }

    @Test
    void saysOnceAndAllWhatDoesNotFit() throws Exception {
        try (FakeServer server = server();
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            assertThatThrownBy(() -> client.query("s").records(Misfit.class))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("RECORD_MISFIT"))
                    .hasMessage(
                            "rows cannot be made records Misfit:"
                                    + " component t is of type String, and the field is of type timestamp: expected Instant or"
                                    + " Long or long;"
                                    + " component speed is of type float, and the field may be null: expected its class, not"
                                    + " the primitive type;"
                                    + " component who: the answer has no field of that name, its fields are [t, n, speed, name]");
            assertThatThrownBy(() -> client.query("s").list(Picky.class))
                    .hasMessage("record Picky refuses the row [8]: java.lang.IllegalArgumentException: not eight");
        }
    }
}
