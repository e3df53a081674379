package io.waterwheel.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import io.waterwheel.geo.Polygon;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which query a statement becomes. */
final class SqlPlannerTest {
    private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");
    private static final Schema ORDERS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("amount", FieldType.INT, true),
                    new Field("price", FieldType.DOUBLE, true),
                    new Field("note", FieldType.STRING, true),
                    new Field("source", FieldType.IPV4, true),
                    new Field("paid", FieldType.BOOLEAN, true)),
            new KeySpec.Ordered("id"),
            "at");
    private static final Schema FLIGHTS = new Schema(
            List.of(
                    new Field("at", FieldType.TIMESTAMP_US, false),
                    new Field("longitude", FieldType.DOUBLE, false),
                    new Field("latitude", FieldType.DOUBLE, false),
                    new Field("callsign", FieldType.STRING, true)),
            new KeySpec.Position("longitude", "latitude", Box.WORLD),
            "at");

    /** With a column that is a word of SQL. */
    private static final Schema LOGINS = new Schema(
            List.of(
                    new Field("user", FieldType.STRING, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("cost", FieldType.decimal(12, 2), true)),
            new KeySpec.Ordered("user"),
            "at");

    private static final SqlPlanner PLANNER = new SqlPlanner(new StreamSchemas() {
        private final Map<String, Schema> all =
                new TreeMap<>(Map.of("orders", ORDERS, "flights", FLIGHTS, "logins", LOGINS));

        @Override
        public List<String> names() {
            return List.copyOf(all.keySet());
        }

        @Override
        public @Nullable Schema schema(String name) {
            // Names of system tables are not asked for: the catalog may be away.
            assertThat(name).isNotIn("tables", "streams");
            return all.get(name);
        }

        @Override
        public List<SystemTable> systemTables() {
            List<Field> fields =
                    List.of(new Field("table_name", FieldType.STRING, false), new Field("n", FieldType.LONG, true));
            return List.of(
                    new SystemTable("information_schema", "tables", fields),
                    new SystemTable("waterwheel", "streams", fields));
        }
    });

    private static SqlPlan plan(String statement) {
        return (SqlPlan) PLANNER.plan(statement, NOW);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "id = 7 | id = 7",
                "id BETWEEN 3 AND 9 AND amount > -5 | id >= 3 AND id <= 9 AND amount > -5",
                "id IN (1, 2, 3) | id IN (1, 2, 3)",
                "id = 1 OR id = 5 | id IN (1, 5)",
                "note LIKE 'a%' | note LIKE 'a%'",
                "note NOT LIKE 'a%' OR note IS NULL | note NOT LIKE 'a%' OR note IS NULL",
                "at >= TIMESTAMP '2026-11-24 01:00:00Z' | at >= TIMESTAMP '2026-11-24T01:00:00Z'",
                "at >= TIMESTAMP '2026-11-24 01:00:00.5' | at >= TIMESTAMP '2026-11-24T01:00:00.500Z'",
                "at >= NOW() - INTERVAL '5' MINUTE | at >= TIMESTAMP '2026-11-24T02:55:00Z'",
                "at < DATE '2026-12-31' - INTERVAL '1' MONTH | at < TIMESTAMP '2026-11-30T00:00:00Z'",
                "at < INTERVAL '1' YEAR + DATE '2024-02-29' | at < TIMESTAMP '2025-02-28T00:00:00Z'",
                "at < TIMESTAMP '2026-01-01 00:00:00' + INTERVAL '-36' HOUR | at < TIMESTAMP '2025-12-30T12:00:00Z'",
                "at < CURRENT_TIMESTAMP | at < TIMESTAMP '2026-11-24T03:00:00Z'",
                "at >= '2026-11-24T01:00:00+01:00' | at >= TIMESTAMP '2026-11-24T00:00:00Z'",
                "source = '10.0.0.1' | source = IPV4 '10.0.0.1'",
                "source BETWEEN '10.0.0.9' AND '10.0.0.100' |"
                        + " source >= IPV4 '10.0.0.9' AND source <= IPV4 '10.0.0.100'",
                "source IN ('10.0.0.9', '10.0.0.10') | source IN (IPV4 '10.0.0.9', IPV4 '10.0.0.10')",
                "amount * 1.5 > price | amount * 1.5 > price",
                "amount + 2000000000 > 5 | amount + 2000000000 > 5",
                "CASE WHEN amount > 1 THEN 'low' ELSE 'high' END = 'low' |"
                        + " CASE WHEN amount > 1 THEN 'low' ELSE 'high' END = 'low'",
                "COALESCE(amount, 0) > 1 | CASE WHEN amount IS NOT NULL THEN amount ELSE 0 END > 1",
                "EXTRACT(HOUR FROM at) = 3 | DATE_PART('hour', at) = 3",
                "UPPER(note) = 'A' AND CHAR_LENGTH(note) = 1 | UPPER(note) = 'A' AND LENGTH(note) = 1",
                "format_time(at, 'HH:mm', 'Europe/Paris') = '03:00' | FORMAT_TIME(at, 'HH:mm', 'Europe/Paris') = '03:00'",
                "POSITION('b' IN note) > 1 | STRPOS(note, 'b') > 1",
                "JSON_TEXT(note, '$.a[0].b') = 'x' | JSON_TEXT(note, '$.a[0].b') = 'x'",
                "json_number(note, '$.rpm') > 3000 | JSON_NUMBER(note, '$.rpm') > 3000.0",
                "CONCAT(TRIM(note), 'x') = 'ax' | CONCAT(TRIM(note), 'x') = 'ax'",
                "amount / 10 = 3 | amount / 10 = 3",
                "paid AND NOT (id = 3) | paid AND NOT id = 3",
                "paid IS NOT TRUE | NOT (paid AND paid IS NOT NULL)",
                "CAST(amount AS DOUBLE) > price | CAST(amount AS DOUBLE) > price",
                "amount > price | amount > price",
                "id = 9007199254740992e0 | id = 9.007199254740992E15",
                "id BETWEEN 0.5 AND price AND id IN (1.5, amount) |"
                        + " id >= 0.5 AND id <= price AND (id = 1.5 OR id = amount)",
            })
    void pushesConditions(String sql, String condition) {
        SqlPlan plan = plan("SELECT * FROM orders WHERE " + sql);
        assertThat(String.valueOf(plan.query().where())).isEqualTo(condition);
        assertThat(plan.columns())
                .extracting(SqlColumn::label)
                .containsExactlyElementsOf(
                        ORDERS.fields().stream().map(Field::name).toList());
    }

    private static void assertResult(String sql, @Nullable String where, ResultSpec result, String columns) {
        SqlPlan plan = plan(sql);
        assertThat(plan.query().where() == null ? null : plan.query().where().toString())
                .as(sql)
                .isEqualTo(where);
        assertThat(plan.query().result()).as(sql).isEqualTo(result);
        assertThat(String.join(
                        ",",
                        plan.columns().stream()
                                .map(column -> column.label() + ":" + column.field())
                                .toList()))
                .as(sql)
                .isEqualTo(columns);
    }

    private static ResultSpec.Rows rows(String... fields) {
        return new ResultSpec.Rows(
                List.of(fields).stream().map(NamedExpression::parse).toList(), List.of(), Query.NO_LIMIT);
    }

    private static ResultSpec.Aggregates groups(List<String> by, @Nullable Duration bucket, String... values) {
        return new ResultSpec.Aggregates(
                List.of(values).stream().map(Aggregate::parse).toList(),
                by.stream().map(NamedExpression::parse).toList(),
                bucket);
    }

    /** A question mark means what the literal in its place means. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "id = ? | id = 7 | INTEGER",
                "id BETWEEN ? AND 9 AND amount > -5 | id BETWEEN 7 AND 9 AND amount > -5 | INTEGER",
                "price < ? | price < 7 | DOUBLE",
                "note LIKE ? | note LIKE '7' | STRING",
                "at > ? | at > TIMESTAMP '2026-11-24 01:00:00Z' | TIMESTAMP",
                "note = ? | note = '7' | STRING",
                "paid = ? | paid = TRUE | BOOLEAN",
                "amount / CAST(? AS BIGINT) = 3 | amount / 7 = 3 | INTEGER",
            })
    void parametersAreLiterals(String marked, String written, ValueType.Kind kind) {
        Expression.Literal value =
                switch (kind) {
                    case STRING -> new Expression.Text("7");
                    case TIMESTAMP -> new Expression.Moment(Instant.parse("2026-11-24T01:00:00Z"));
                    case BOOLEAN -> new Expression.Truth(true);
                    default -> new Expression.Whole(7);
                };
        String select = "SELECT id FROM orders WHERE ";
        SqlPlan plan = (SqlPlan) PLANNER.plan(select + marked, List.of(value), NOW);
        assertThat(plan.query().toString())
                .isEqualTo(plan(select + written).query().toString());
        SqlSignature signature = PLANNER.signature(select + marked, NOW);
        assertThat(signature.parameters()).extracting(ValueType::kind).containsExactly(kind);
        assertThat(signature.plan().fields()).isEqualTo(plan.fields());
        assertThatThrownBy(() -> plan(select + marked)).hasMessageContaining("1 question marks, got 0");
    }

    /** Of these the mark stands in several places, of which some take any type. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GREATEST(amount, ?) | INTEGER",
                "LEAST(?, price, 2) | DOUBLE",
                "IFNULL(?, amount) | INTEGER",
                "COALESCE(note, ?, 'none') | STRING",
                "NVL(at, ?) | TIMESTAMP",
                "IF(paid, ?, note) | STRING",
                "SIGN(?) | INTEGER",
            })
    void typesAreThoseOfTheOtherValues(String function, ValueType.Kind kind) {
        SqlSignature signature = PLANNER.signature("SELECT " + function + " AS x FROM orders", NOW);
        assertThat(signature.parameters()).extracting(ValueType::kind).containsExactly(kind);
    }

    @Test
    void aLimitBelowZeroIsAWrongValue() {
        for (String statement : List.of("SELECT id FROM orders LIMIT ?", "SELECT id FROM orders LIMIT 5 OFFSET ?")) {
            assertThatThrownBy(() -> PLANNER.plan(statement, List.of(new Expression.Whole(-1)), NOW))
                    .hasMessageContaining(" is at least 0, got -1")
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SQL_VALUE"));
        }
    }

    @Test
    void aNumberBesideANullShapeIsOne() {
        assertThat(PLANNER.signature(
                                "SELECT callsign FROM flights WHERE ST_DWithin(ST_Point(?, latitude), NULL, 5)", NOW)
                        .parameters())
                .containsExactly(ValueType.DOUBLE);
    }

    /** Nothing is within a point, which is tried where a polygon fails. */
    @Test
    void whatIsWrongWithAStatementIsToldNotItsSamples() {
        String statement = "SELECT CAST(callsign AS BOOLEAN) FROM flights"
                + " WHERE ST_Within(ST_Point(longitude, latitude), ST_GeomFromText(?))";
        assertThatThrownBy(() -> PLANNER.signature(statement, NOW)).hasMessageContaining("CAST");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ST_Within(ST_Point(longitude, latitude), ST_GeomFromText(?))",
                "ST_Contains(ST_GeomFromText(?), ST_Point(latitude, longitude))",
                "ST_DWithin(ST_Point(longitude, latitude), ST_GeomFromText(?), 5)",
                "ST_Distance(ST_GeomFromText(?), ST_Point(longitude, latitude)) > 7",
            })
    void aShapeIsAText(String condition) {
        assertThat(PLANNER.signature("SELECT callsign FROM flights WHERE " + condition, NOW)
                        .parameters())
                .containsExactly(ValueType.STRING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "; | expected a statement, got none",
                "SELECT id FROM orders FETCH FIRST ONLY | FETCH FIRST 5 ROWS ONLY",
                "SELECT id FROM orders FOR UPDATE | none is locked",
                "select id from orders for update | none is locked",
                "VALUES (1) RETURNING id | returns the number of rows",
            })
    void saysWhatIsWrittenInstead(String statement, String said) {
        assertThatThrownBy(() -> plan(statement)).hasMessageContaining(said);
    }

    @Test
    void anIntervalTimesANumberIsOneInterval() {
        for (String interval : List.of("5 * INTERVAL '1' DAY", "INTERVAL '1' DAY * 5", "INTERVAL '5' DAY")) {
            assertThat(plan("SELECT id FROM orders WHERE at > NOW() - " + interval)
                            .query())
                    .isEqualTo(plan("SELECT id FROM orders WHERE at > NOW() - INTERVAL '120' HOUR")
                            .query());
        }
    }

    @Test
    void argumentsOfShapesAreNumbers() {
        SqlSignature signature = PLANNER.signature(
                "SELECT id FROM orders WHERE ST_DWithin(ST_Point(price, amount), ST_Point(?, ?), ?)"
                        + " OR ST_Within(ST_Point(price, amount), ST_MakeEnvelope(?, ?, ?, ?))"
                        + " OR ST_Within(ST_Point(price, amount), ST_Buffer(ST_Point(?, 1), ?))",
                NOW);
        assertThat(signature.parameters())
                .hasSize(9)
                .extracting(ValueType::kind)
                .containsOnly(ValueType.Kind.DOUBLE);
    }

    /** A value that is computed makes a query of VALUES. */
    @Test
    void aMarkAmongTheValuesOfAnInsertHasTheTypeOfItsColumn() {
        List<ValueType> columns = List.of(ValueType.INTEGER, ValueType.STRING, ValueType.TIMESTAMP);
        assertThat(PLANNER.signature("VALUES (?, ?, CAST(? AS TIMESTAMP)), (? + 1, 'a', ?)", columns, NOW)
                        .parameters())
                .extracting(ValueType::kind)
                .containsExactly(
                        ValueType.Kind.INTEGER,
                        ValueType.Kind.STRING,
                        ValueType.Kind.TIMESTAMP,
                        ValueType.Kind.INTEGER,
                        ValueType.Kind.TIMESTAMP);
    }

    /** Doubles without digits are written as casts, also in the query of a leaf, which goes by its text. */
    @Test
    void parametersMayBeInfinite() {
        for (double value : new double[] {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN}) {
            SqlPlan plan = (SqlPlan)
                    PLANNER.plan("SELECT id FROM orders WHERE price < ?", List.of(new Expression.Decimal(value)), NOW);
            assertThat(String.valueOf(plan.query().where())).isEqualTo("price < CAST('" + value + "' AS DOUBLE)");
            assertThat(Expression.parse(String.valueOf(plan.query().where())))
                    .isEqualTo(plan.query().where());
        }
    }

    @Test
    void saysWhichParameterHasNoType() {
        assertThatThrownBy(() -> PLANNER.signature("SELECT id, ? FROM orders", NOW))
                .hasMessageContaining("line 1, column 12");
        assertThatThrownBy(() -> PLANNER.signature("SELECT GREATEST(?, ?) FROM orders", NOW))
                .hasMessageContaining("line 1, column 17: the type of ? cannot be told here");
    }

    @Test
    void pushesColumnsOrdersAndLimits() {
        assertResult(
                "SELECT id, amount * 2 AS twice FROM orders ORDER BY twice DESC LIMIT 3",
                null,
                new ResultSpec.Rows(rows("id", "amount * 2 AS twice").select(), List.of(new Order("twice", true)), 3),
                "id:0,twice:1");
        assertResult(
                "SELECT id, id, note \"my note\" FROM Orders o WHERE o.id > 3 ORDER BY amount LIMIT 3;",
                "id > 3",
                new ResultSpec.Rows(rows("id", "note").select(), List.of(new Order("amount", false)), 3),
                "id:0,id:0,my note:1");
        assertResult(
                "SELECT id FROM orders ORDER BY amount + id",
                null,
                new ResultSpec.Rows(
                        rows("id", "amount + id AS c1").select(), List.of(new Order("c1", false)), Query.NO_LIMIT),
                "id:0");
        assertResult(
                "SELECT source, TIMESTAMP '2026-01-01 00:00:00' AS at FROM orders",
                null,
                rows("CAST(source AS VARCHAR) AS c0", "TIMESTAMP '2026-01-01T00:00:00Z' AS c1"),
                "source:0,at:1");
    }

    @Test
    void pushesGroups() {
        assertResult(
                "SELECT note, COUNT(*), SUM(amount) AS s, AVG(price) FROM orders GROUP BY note HAVING COUNT(*) > 3"
                        + " ORDER BY s DESC LIMIT 2",
                null,
                groups(List.of("note AS g0"), null, "count(*) AS a0", "sum(amount) AS a1", "avg(price) AS a2")
                        .withHaving(Expression.parse("a0 > 3"))
                        .withOrder(List.of(new Order("a1", true)), 2),
                "note:0,count:1,s:2,avg:3");
        assertResult(
                "SELECT SUM(amount) AS s, note FROM orders GROUP BY note",
                null,
                groups(List.of("note AS g0"), null, "sum(amount) AS a0"),
                "s:1,note:0");
        assertResult(
                "SELECT COUNT(DISTINCT note), MAX(at), COUNT(*) FILTER (WHERE amount > 3) FROM orders WHERE id > 3",
                "id > 3",
                groups(
                        List.of(),
                        null,
                        "count(DISTINCT note) AS a0",
                        "max(at) AS a1",
                        "count(*) FILTER (WHERE amount > 3) AS a2"),
                "count:0,max:1,count:2");
        assertResult(
                "SELECT DISTINCT note, amount FROM orders",
                null,
                groups(List.of("note AS g0", "amount AS g1"), null),
                "note:0,amount:1");
        assertResult(
                "SELECT quantile(amount, 0.9), first(price), arg_max(note, amount), APPROX_COUNT_DISTINCT(id),"
                        + " STDDEV_SAMP(price), median(amount) FROM orders",
                null,
                groups(
                        List.of(),
                        null,
                        "quantile(amount, 0.9) AS a0",
                        "first(price) AS a1",
                        "arg_max(note, amount) AS a2",
                        "approx_count_distinct(id) AS a3",
                        "stddev_samp(price) AS a4",
                        "median(amount) AS a5"),
                "quantile:0,first:1,arg_max:2,approx_count_distinct:3,stddev_samp:4,median:5");
        assertResult(
                "WITH t AS (SELECT id, amount + 1 AS a FROM orders) SELECT a, COUNT(*) FROM t WHERE a > 4 GROUP BY a",
                "amount + 1 > 4",
                groups(List.of("amount + 1 AS g0"), null, "count(*) AS a0"),
                "a:0,count:1");
    }

    /** Today is a value, and not a name. */
    @Test
    void todayIsAValue() {
        assertResult(
                "SELECT note AS current_date, COUNT(*) AS now FROM orders WHERE at < CURRENT_DATE GROUP BY note",
                "at < TIMESTAMP '2026-11-24T00:00:00Z'",
                groups(List.of("note AS g0"), null, "count(*) AS a0"),
                "current_date:0,now:1");
        SqlConstants constants = SqlPlanner.constants("SELECT CURRENT_DATE AS today, LOCALTIMESTAMP, NOW()", NOW);
        assertThat(constants).isNotNull();
        Instant day = Instant.parse("2026-11-24T00:00:00Z");
        assertThat(constants.values())
                .containsExactly(new Expression.Moment(day), new Expression.Moment(NOW), new Expression.Moment(NOW));
    }

    @Test
    void pushesSteps() {
        for (String minute : List.of("FLOOR(at TO MINUTE)", "DATE_TRUNC('minute', at)")) {
            assertResult(
                    "SELECT " + minute + " AS m, COUNT(*) FROM orders GROUP BY " + minute + " ORDER BY m",
                    null,
                    groups(List.of("DATE_TRUNC('minute', at) AS g0"), null, "count(*) AS a0")
                            .withOrder(List.of(new Order("g0", false)), Query.NO_LIMIT),
                    "m:0,count:1");
        }
        for (String step : List.of("INTERVAL '5' MINUTE", "'5 minutes'", "'5min'", "'300s'", "'300000ms'")) {
            assertResult(
                    "SELECT time_bucket(" + step + ", at) AS m, note, COUNT(*) FROM orders GROUP BY 1, 2",
                    null,
                    groups(List.of("note AS g0"), Duration.ofMinutes(5), "count(*) AS a0"),
                    "m:1,note:0,count:2");
        }
    }

    @Test
    void pushesTheNewestOfEachKey() {
        assertResult(
                "SELECT id, at, note FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) AS n"
                        + " FROM orders WHERE amount > 3) WHERE n <= 2",
                "amount > 3",
                new ResultSpec.Latest(2, List.of("id", "at", "note")),
                "id:0,at:1,note:2");
        assertResult(
                "SELECT id, note FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) = 1",
                null,
                new ResultSpec.Latest(1, List.of("id", "note")),
                "id:0,note:1");
        assertResult(
                "SELECT id, at, note FROM (SELECT DISTINCT ON (id) * FROM orders ORDER BY id, at DESC) AS newest",
                null,
                new ResultSpec.Latest(1, List.of("id", "at", "note")),
                "id:0,at:1,note:2");
        assertResult(
                "SELECT id, at, note FROM orders WHERE amount > 3 LATEST ON at PARTITION BY id",
                "amount > 3",
                new ResultSpec.Latest(1, List.of("id", "at", "note")),
                "id:0,at:1,note:2");
    }

    @Test
    void pushesFewerTuplesForAPlot() {
        assertResult(
                "SELECT note, at, price FROM orders WHERE amount > 3"
                        + " QUALIFY LTTB(price, 500) OVER (PARTITION BY note ORDER BY at) ORDER BY note, at LIMIT 20",
                "amount > 3",
                new ResultSpec.Series(
                        List.of("note"),
                        List.of(
                                NamedExpression.field("note"),
                                NamedExpression.field("at"),
                                NamedExpression.field("price")),
                        List.of(),
                        new Downsampling(Downsampling.Method.LTTB, "price", 500),
                        20),
                "note:0,at:1,price:2");
        // Of one series the order is that of time.
        String one = "SELECT at FROM orders WHERE id = 7 QUALIFY LTTB(price, 9) OVER (PARTITION BY id ORDER BY at)";
        for (String order : List.of(" ORDER BY at", " ORDER BY at LIMIT 5")) {
            assertThat(PLANNER.plan(one + order, NOW)).isInstanceOf(SqlPlan.class);
        }
        assertThat(PLANNER.plan(one.replace("id = 7", "id >= 7") + " ORDER BY at", NOW))
                .isInstanceOf(ResidualPlan.class);
        // The text of an address stands for it; texts come in another order than addresses.
        String source = "SELECT source, at FROM orders QUALIFY LTTB(price, 9) OVER (PARTITION BY source ORDER BY at)";
        ResultSpec.Series bySource = new ResultSpec.Series(
                List.of("source"),
                List.of(NamedExpression.parse("CAST(source AS VARCHAR) AS c0"), NamedExpression.field("at")),
                List.of(),
                new Downsampling(Downsampling.Method.LTTB, "price", 9),
                Query.NO_LIMIT);
        assertThat(plan(source).query().result().toString()).isEqualTo(bySource.toString());
        ResidualPlan sorted = (ResidualPlan) PLANNER.plan(source + " ORDER BY source", NOW);
        assertThat(sorted.leaves().get(0).query().result().toString()).isEqualTo(bySource.toString());
        assertThat(PLANNER.signature(source.replace("9", "CAST(? AS INTEGER)"), NOW)
                        .parameters())
                .containsExactly(ValueType.INTEGER);
        assertResult(
                "SELECT amount * 2 AS price, at FROM (SELECT *, MINMAX(amount * 2, 8) OVER (PARTITION BY id, paid"
                        + " ORDER BY at) AS keeps FROM orders) WHERE keeps",
                null,
                new ResultSpec.Series(
                        List.of("id", "paid"),
                        List.of(NamedExpression.parse("amount * 2 AS c0"), NamedExpression.field("at")),
                        List.of(),
                        new Downsampling(Downsampling.Method.MINMAX, "c0", 8),
                        Query.NO_LIMIT),
                "price:0,at:1");
    }

    /** Conditions on the newest, and what is computed of them, leave the newest to the engine. */
    @Test
    void pushesTheNewestBelowWhatIsAskedOfThem() {
        String newest = "FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) AS n FROM orders)";
        for (String statement : List.of(
                "SELECT id, note " + newest + " WHERE n <= 2 AND amount > 3",
                "SELECT id FROM (SELECT * " + newest + " WHERE n <= 2) WHERE amount > 3",
                "SELECT id, amount * 2 AS twice " + newest + " WHERE n <= 2")) {
            ResidualPlan plan = (ResidualPlan) PLANNER.plan(statement, NOW);
            assertThat(plan.leaves()).as(statement).hasSize(1);
            assertThat(plan.leaves().get(0).query().where()).as(statement).isNull();
            assertThat(plan.leaves().get(0).query().result())
                    .as(statement)
                    .isInstanceOfSatisfying(ResultSpec.Latest.class, latest -> assertThat(latest.perKey())
                            .isEqualTo(2));
        }
    }

    /** An address is looked up as one, not as the text that SQL sees. */
    @Test
    void narrowsAddressesByAddresses() {
        ResidualPlan plan = (ResidualPlan) PLANNER.plan(
                "SELECT o.id FROM orders o JOIN flights f ON o.source = f.callsign AND f.longitude > 3", NOW);
        assertThat(plan.narrowings())
                .anyMatch(
                        one -> one.value().equals(new Expression.FieldValue("source")) && one.type() == ValueType.IPV4)
                .anyMatch(one ->
                        one.value().equals(new Expression.FieldValue("callsign")) && one.type() == ValueType.STRING);
    }

    /** Sums of what is computed may be infinite where no column is. */
    @Test
    void looksForInfiniteSumsOfColumnsOnlyWhereThereMayBeSome() {
        for (String sums : List.of(
                "SUM(o.price)",
                "SUM(CASE WHEN f.longitude > 3 THEN o.price END)",
                "SUM(o.price) FILTER (WHERE f.longitude > 3)")) {
            ResidualPlan plan = joined(sums);
            assertThat(plan.text()).as(sums).contains("isnan(fsum(");
            assertThat(plan.finiteText()).as(sums).contains("fsum(").doesNotContain("isnan");
        }
        for (String sums :
                List.of("SUM(o.price * f.longitude)", "SUM(CASE WHEN f.longitude > 3 THEN o.price ELSE 1e308 END)")) {
            ResidualPlan plan = joined(sums);
            assertThat(plan.finiteText()).as(sums).contains("isnan(fsum(").isEqualTo(plan.text());
        }
    }

    private static ResidualPlan joined(String sums) {
        return (ResidualPlan) PLANNER.plan(
                "SELECT o.note, f.latitude, " + sums + " FROM orders o JOIN flights f ON o.note = f.callsign"
                        + " GROUP BY o.note, f.latitude",
                NOW);
    }

    /** What shows columns as they are needs no executor. */
    @Test
    void readsSystemTables() {
        for (String table : List.of(
                "information_schema.tables",
                "waterwheel.information_schema.tables",
                "INFORMATION_SCHEMA.Tables AS t",
                "waterwheel.streams",
                "waterwheel.waterwheel.streams")) {
            SystemPlan plan = (SystemPlan) PLANNER.plan("SELECT n, table_name AS t FROM " + table, NOW);
            assertThat(table.toLowerCase(java.util.Locale.ROOT)).contains(plan.table());
            assertThat(plan.columns()).containsExactly(new SqlColumn("n", 1), new SqlColumn("t", 0));
        }
        ResidualPlan joined = (ResidualPlan) PLANNER.plan(
                "SELECT o.id FROM orders o JOIN waterwheel.streams s ON o.note = s.table_name WHERE o.amount > 1", NOW);
        assertThat(joined.streams()).containsExactly("orders");
        assertThat(joined.systems()).extracting(ResidualPlan.SystemLeaf::name).containsExactly("waterwheel.streams");
        assertThat(joined.sides()).hasSize(1).allMatch(side -> side.contains("system0"));
        // The answer's columns, and the join with what is selected of it.
        assertThat(joined.text().split("SELECT ", -1)).hasSize(3);
        assertThat(joined.text()).contains("side0");
        assertThat(joined.narrowings())
                .containsExactly(
                        new ResidualPlan.Narrowing("side0", 0, 0, new Expression.FieldValue("note"), ValueType.STRING));
        assertThat(String.valueOf(joined.leaves().get(0).query().where())).isEqualTo("amount > 1");
        ResidualPlan twice = (ResidualPlan)
                PLANNER.plan("SELECT COUNT(*) FROM waterwheel.streams a, waterwheel.streams b WHERE a.n > 1", NOW);
        assertThat(twice.systems()).hasSize(1);
        assertThatThrownBy(() -> plan("SELECT 1 FROM information_schema.views"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("NO_SUCH_STREAM"));
    }

    @Test
    void pushesShapes() {
        String point = "ST_Point(longitude, latitude)";
        assertThat(shape("ST_Within(" + point + ", ST_MakeEnvelope(2, 48, 3.5, 49))"))
                .isEqualTo(new Box(2, 48, 3.5, 49));
        assertThat(shape("ST_Intersects(ST_MakeEnvelope(-2, 48, 3, 49, 4326), " + point + ")"))
                .isEqualTo(new Box(-2, 48, 3, 49));
        assertThat(shape("ST_DWithin(" + point + ", ST_Point(2.5, 49), 10000)")).isEqualTo(new Circle(2.5, 49, 10000));
        assertThat(shape("ST_Contains(ST_GeomFromText('POLYGON((2 48, 3 48, 3 49, 2 48))'), " + point + ")"))
                .isEqualTo(new Polygon("POLYGON((2 48, 3 48, 3 49, 2 48))"));
        assertThat(shape("ST_Within(" + point + ", ST_Buffer(ST_GeomFromText('POINT(2.5 49)'), 10))"))
                .isEqualTo(new Circle(2.5, 49, 10));
        SqlPlan less =
                plan("SELECT callsign FROM flights WHERE ST_Distance(ST_Point(2.5, 49), " + point + ") < 1000.5");
        assertThat(less.query().shape()).isEqualTo(new Circle(2.5, 49, 1000.5));
        assertThat(String.valueOf(less.query().where())).isEqualTo("DISTANCE(2.5, 49, longitude, latitude) < 1000.5");
        // Not by the plan of another statement, which differs in the number.
        for (String radius : List.of("1000", "2000.5", "3000")) {
            SqlPlan limited = plan("SELECT callsign FROM flights WHERE ST_Distance(ST_Point(2.5, 49), " + point + ") < "
                    + radius + " LIMIT 3");
            assertThat(limited.query().shape()).isEqualTo(new Circle(2.5, 49, Double.parseDouble(radius)));
        }
        SqlPlan others =
                plan("SELECT id FROM orders WHERE ST_Within(ST_Point(price, 1.0), ST_MakeEnvelope(2, 48, 3, 49))"
                        + " AND ST_DWithin(ST_Point(price, price), ST_Point(2.5, 49), 10)");
        assertThat(String.valueOf(others.query().where()))
                .isEqualTo("price BETWEEN 2.0 AND 3.0 AND 1.0 BETWEEN 48.0 AND 49.0"
                        + " AND DISTANCE(price, price, 2.5, 49) <= 10.0");
    }

    private static @Nullable Shape shape(String condition) {
        return plan("SELECT callsign FROM flights WHERE " + condition).query().shape();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT x FROM orders | NO_SUCH_FIELD |" + " statement, line 1, column 8: there is no column 'x'",
                "SELECT nota FROM orders | NO_SUCH_FIELD |"
                        + " statement, line 1, column 8: there is no column 'nota'; did you mean 'note'?",
                "SELECT id FROM orders WHERE note = \"Zoë\" | NO_SUCH_FIELD | statement, line 1, column 36:"
                        + " there is no column 'Zoë'; a text stands in single quotes: 'Zoë'",
                "SELECT note, COUNT(*) FROM orders GRUOP BY note | BAD_SQL | statement, line 1, column 41: Encountered \"BY\";"
                        + " is GRUOP meant as GROUP?",
                "SELECT * FROM orders ) | BAD_SQL | statement, line 1, column 22: Encountered \")\"",
                "SELECT * FROM orders WHER id = 1 | BAD_SQL | statement, line 1, column 27: Encountered \"id\";"
                        + " is WHER meant as WHERE?",
                "SELECT TRY_CAST(note AS DATE) FROM orders | BAD_SQL | statement, line 1, column 8: TRY_CAST is of a text to"
                        + " BIGINT, DOUBLE or TIMESTAMP, not to DATE",
                "SELECT TRY_CAST(note AS TIMESTAMP(6)) FROM orders | BAD_SQL | statement, line 1, column 8: TRY_CAST is of a text"
                        + " to BIGINT, DOUBLE or TIMESTAMP, not to TIMESTAMP(6)",
                "SELECT TIME_BUCKET_GAPFILL() FROM orders | BAD_SQL | statement, line 1, column 8: Invalid number of arguments to"
                        + " function 'TIME_BUCKET_GAPFILL'. Was expecting 2 arguments",
                "SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY id DESC) FROM orders | BAD_SQL | statement, line 1, column 8:"
                        + " PERCENTILE_DISC is of one value that ascends: PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY x)",
                "SELECT LPAD(note, 5000) FROM orders | SQL_UNSUPPORTED | statement, line 1, column 8: not supported: LPAD with"
                        + " other than a written whole number from 0 to 1000; docs/sql.md has what is",
                "SELECT REVERSE(id) FROM orders | SQL_UNSUPPORTED | statement, line 1, column 8: not supported: REVERSE of"
                        + " BIGINT; it is of texts: CAST(x AS VARCHAR); docs/sql.md has what is",
                "SELECT o.id FROM orders o JOIN waterwheel.chunkss AS c ON o.id = c.x | NO_SUCH_STREAM | statement, line 1,"
                        + " column 32: there is no table waterwheel.chunkss; those of the server are listed in"
                        + " information_schema.tables",
                "SELECT * FROM pg_catalog.pg_tables | NO_SUCH_STREAM | statement, line 1, column 15: there is no table"
                        + " pg_catalog.pg_tables; those of the server are listed in information_schema.tables",
                "SELECT order_s.id FROM order_s | NO_SUCH_STREAM | statement, line 1, column 24: there is no stream 'order_s'; did"
                        + " you mean 'orders'?",
                "SELECT * FROM order_s | NO_SUCH_STREAM |"
                        + " statement, line 1, column 15: there is no stream 'order_s'; did you mean 'orders'?",
                "SELECT * FROM orders WHERE ( | BAD_SQL | statement, line 1, column 28: the bracket that begins here is not"
                        + " closed",
                "SELECT ABS((id) FROM orders | BAD_SQL | statement, line 1, column 17: Encountered \"FROM\"",
                "SELECT id FROM orders WHERE note = 'x'' | BAD_SQL | statement, line 1, column 36: the text that begins here has"
                        + " no closing quote; a quote in it is doubled",
                "SELECT \"id FROM orders | BAD_SQL | statement, line 1, column 8: the name that begins here has no closing"
                        + " quote; a quote in it is doubled",
                "SELECT id /* all FROM orders | BAD_SQL | statement, line 1, column 11: the comment that begins here has no"
                        + " end, */",
                "SELECT id FROM orders LIMIT 1.5 | BAD_SQL | statement, line 1, column 29: LIMIT takes a whole number, 0 or more,"
                        + " and not 1.5",
                "SELECT id FROM orders LIMIT 1 OFFSET 2.5 | BAD_SQL | statement, line 1, column 38: OFFSET takes a whole number,"
                        + " 0 or more, and not 2.5",
                "SELECT id FROM orders LIMIT -1 | BAD_SQL | statement, line 1, column 23: LIMIT and OFFSET take a whole number,"
                        + " 0 or more",
                "SELECT id FROM orders LIMIT 5 OFFSET -2 | BAD_SQL | statement, line 1, column 31: LIMIT and OFFSET take a whole"
                        + " number, 0 or more",
                "SELECT id FROM orders WHER id = 'LIMIT -1' | BAD_SQL | statement, line 1, column 28: Encountered \"id\"; is WHER"
                        + " meant as WHERE?",
                "WITH x AS (SELECT 1 AS a), X AS (SELECT 2 AS a) SELECT * FROM x | BAD_SQL | statement, line 1, column 28: X is"
                        + " named twice in this WITH",
                "SELECT AVG(id) FILTER (WHERE paid) OVER (ORDER BY at) FROM orders | BAD_SQL | statement, line 1, column 8: OVER"
                        + " stands behind a function of windows or an aggregate, which has no FILTER; in its place write"
                        + " SUM(CASE WHEN x > 0 THEN y END) OVER (...)",
                "SELECT o.id FROM orders o ASOF JOIN flights f ON o.note = f.callsign AND o.at >= f.at | BAD_SQL | statement,"
                        + " line 1, column 84: the times of an ASOF JOIN stand in its MATCH_CONDITION: a ASOF JOIN b"
                        + " MATCH_CONDITION b.at <= a.at ON a.k = b.k",
                "SELECT id FROM orders ORDER BY 4 | BAD_SQL | statement, line 1, column 32: a number in ORDER BY is the place of"
                        + " a column in the SELECT, from 1, and there are fewer",
                "SELECT id FROM orders WHERE AVG(price) > 3 | BAD_SQL | statement, line 1, column 29: WHERE is of single rows,"
                        + " and has no aggregates; HAVING is of groups, GROUP BY x HAVING AVG(y) > 3",
                "SELECT SUM(paid) FROM orders | BAD_SQL | statement, line 1, column 8: a sum or an average of what is true or"
                        + " false; COUNT_IF(x) counts the rows where it is true, and AVG(CASE"
                        + " WHEN x THEN 1.0 ELSE 0.0 END) is their share",
                "SELECT at + 3600 FROM orders | BAD_SQL | statement, line 1, column 8: a time and a number are not added; write"
                        + " an INTERVAL, at + INTERVAL '5' MINUTE",
                "SELECT id FROM orders WHERE id == 1 | BAD_SQL | statement, line 1, column 32: Encountered \"= =\"; what is equal"
                        + " is written with one =",
                "SELECT TOP 3 id FROM orders | BAD_SQL | statement, line 1, column 12: Encountered \"3\"; the first rows are those"
                        + " of LIMIT, SELECT ... FROM t ORDER BY x LIMIT 3",
                "SELECT id FROM orders WHERE id IN () | BAD_SQL | statement, line 1, column 36: Encountered \")\"; a list of IN"
                        + " has one value or more",
                "SELECT AVGG(price) FROM orders | SQL_UNSUPPORTED | statement, line 1, column 8: there is no function AVGG, or"
                        + " not of these arguments; the nearest is AVG",
                "SELECT frobnicate(id) FROM orders | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 8: there is no function frobnicate, or not of these arguments",
                "DELETE FROM orders | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 1: not supported: DELETE, for rows are not changed; docs/sql.md has what is",
                "/* all */ SELEC id FROM orders | BAD_SQL |"
                        + " statement, line 1, column 11: a statement begins with SELECT, WITH, VALUES, INSERT, CREATE, ALTER,"
                        + " DROP, SHOW, DESCRIBE or EXPLAIN, not with SELEC; did you mean 'SELECT'?",
                "SHOW DATABASES | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 1: SHOW shows STREAMS, VIEWS, TABLES, COLUMNS FROM a stream or the VERDICT,"
                        + " such as SHOW TABLES",
                "EXPLAIN DESCRIBE orders | BAD_SQL |"
                        + " statement, line 1, column 1: EXPLAIN or EXPLAIN ANALYZE stands before a query, such as EXPLAIN SELECT"
                        + " ...",
                "SELECT id FROM orders WHERE id | BAD_SQL |"
                        + " statement, line 1, column 29: WHERE takes what is true or false, such as a comparison, and this is neither",
                "SELECT id FROM orders WHERE at = 5 | BAD_SQL |"
                        + " statement, line 1, column 29: a TIMESTAMP(3) is not compared with a BIGINT; a time is written"
                        + " TIMESTAMP '2026-11-25 10:00:00'",
                "SELECT lenght(note) FROM orders | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 8: there is no function lenght, or not of these arguments; the nearest is LENGTH",
                "SELECT EXTRACT(CENTURY FROM at) + EXTRACT(DAY FROM at) FROM orders | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 8: not supported: the unit CENTURY of EXTRACT; units are SECOND, MINUTE, HOUR, DAY,"
                        + " WEEK, MONTH, QUARTER, YEAR, ISODOW, DOY; docs/sql.md has what is",
                "SELECT COUNT(user) FROM logins | BAD_SQL | statement, line 1, column 14: USER is a word of SQL; the column is"
                        + " written in double quotes: \"user\"",
                "SELECT at FROM logins WHERE user IS NOT NULL | BAD_SQL | statement, line 1, column 29: USER is a word of SQL;"
                        + " the column is written in double quotes: \"user\"",
                "SELECT LAG(note, 'x') OVER (ORDER BY id) FROM orders | BAD_SQL | statement, line 1, column 18: 'x' is no"
                        + " number; write one such as 1.5",
                "SELECT user FROM logins | BAD_SQL | statement, line 1, column 8: USER is a word of SQL; the column is written in"
                        + " double quotes: \"user\"",
                "SELECT at FROM logins WHERE user > 5 | BAD_SQL | statement, line 1, column 29: USER is a word of SQL; the"
                        + " column is written in double quotes: \"user\"",
                "SELECT user FROM orders | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 8: not supported: the function USER; docs/sql.md has what is",
                "SELECT id FROM orders WHERE at > TIMESTAMP 'x' | BAD_SQL | statement, line 1, column 34:"
                        + " expected a time such as TIMESTAMP '2021-10-07 12:00:01.5Z', got 'x'",
                "SELECT CONCAT(a.price, b.callsign) FROM orders a JOIN flights b ON a.note = b.callsign | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 8: not supported: CONCAT of DOUBLE; of texts it is; docs/sql.md has what is",
                "SELECT a.id, FIRST(a.price) FROM orders a JOIN flights b ON a.note = b.callsign GROUP BY a.id | SQL_UNSUPPORTED |"
                        + " statement, line 1, column 14: not supported: FIRST of what is joined or computed, which has no time"
                        + " of its own; write ARG_MIN(x, time); docs/sql.md has what is",
                // Which of two is meant cannot be told.
                "SELECT CONCAT(a.price, 'x'), CONCAT(a.note, 'x') FROM orders a JOIN flights b ON a.note = b.callsign"
                        + " | SQL_UNSUPPORTED | statement, line 1, column 8: not supported: CONCAT of DOUBLE; of texts it is, here"
                        + " or in another of the 2 calls of CONCAT; docs/sql.md has what is",
                "SELECT 1 AS x FROM orders; SELECT 2 FROM orders | BAD_SQL | statement, line 1, column 26: another statement behind"
                        + " the semicolon: send them one after another",
                "SELECT id, ; FROM orders | BAD_SQL | statement, line 1, column 10: Encountered \", ;\"",
                "`SELECT (id;\n FROM orders` | BAD_SQL | statement, line 1, column 11: Encountered \";\"",
                "`SELECT id -- all\nFROM orders; ; x` | BAD_SQL | statement, line 2, column 12: another statement behind"
                        + " the semicolon: send them one after another",
                "`SELECT id\rFROM orders; x` | BAD_SQL | statement, line 2, column 12: another statement behind"
                        + " the semicolon: send them one after another",
                "`SELECT id,\nLAST(ABS(price)) OVER (PARTITION BY id ORDER BY at) FROM orders` | SQL_UNSUPPORTED |"
                        + " statement, line 2, column 18: not supported: FIRST and LAST over a window; they are aggregates of"
                        + " groups, by the time of a stream. Write FIRST_VALUE(x) or LAST_VALUE(x); docs/sql.md has what is",
                "SELECT COUNT(*) FROM orders QUALIFY ROW_NUMBER() OVER (ORDER BY at) = 1 | BAD_SQL |"
                        + " statement, line 1, column 65: Expression 'at' is not being grouped",
                "SELECT COUNT(*) FROM orders o LEFT SEMI JOIN orders p ON o.id = p.id | SQL_UNSUPPORTED | statement, line 1,"
                        + " column 41: not supported: LEFT SEMI JOIN; write WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k);"
                        + " docs/sql.md has what is",
                "SELECT CAST('NaN' AS DOUBLE), CAST('much' AS DOUBLE) FROM orders | BAD_SQL | statement, line 1, column 36:"
                        + " 'much' is no number; write one such as 1.5, without quotes",
            })
    void saysWhatIsWrong(String sql, String code, String message) {
        assertThatThrownBy(() -> plan(sql))
                .isInstanceOfSatisfying(
                        WaterwheelException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
                .hasMessage(message);
    }

    /** Of a written value beside a column of another type: which, what the column is, and one that is right. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "at > 'yesterday' | 34: at is a TIMESTAMP(3), and 'yesterday' is no time; write one such as"
                        + " '2026-11-25 10:00:00.123'",
                "at BETWEEN '2026-11-20' AND '2026-11-20 25:00' | 57: at is a TIMESTAMP(3), and '2026-11-20 25:00' is no"
                        + " time; write one such as '2026-11-25 10:00:00.123'",
                "id IN ('5', 'x') | 41: id is a BIGINT, and 'x' is no whole number of 64 bits; write one such as 42, without"
                        + " quotes",
                "price > 'abc' | 37: price is a DOUBLE, and 'abc' is no number; write one such as 1.5, without quotes",
                "paid = 'x' | 36: paid is a BOOLEAN, and 'x' is no BOOLEAN; write TRUE or FALSE",
                "5 < note | 33: note is a text (VARCHAR), and 5 a number; compare it with a text, such as '5'",
                "note IN (0.5, 2) | 29: note is a text (VARCHAR), and 0.5 a number; compare it with a text, such as '0.5'",
                "note = TRUE | 29: note is a text (VARCHAR), and true a truth value (BOOLEAN); compare it with a text in"
                        + " quotes",
                "note + 1 > 5 | 29: +: expected a number, and note is a text (VARCHAR)",
                "id IN (SELECT callsign FROM flights) | 43: expected a number, and callsign is a text (VARCHAR)",
                "note = id | 29: note is a text (VARCHAR), and id a number; compare values of one type, such as CAST(id AS"
                        + " VARCHAR)",
                "CAST(note AS BIGINT) = 5 | 29: not supported: CAST of VARCHAR to BIGINT; docs/sql.md has what is",
            })
    void saysWhichValueIsOfAnotherType(String condition, String message) {
        assertThatThrownBy(() -> plan("SELECT id FROM orders WHERE " + condition))
                .hasMessage("statement, line 1, column " + message);
    }

    @Test
    void saysWhichParameterIsOfAnotherType() {
        String statement = "SELECT at FROM logins WHERE cost > ?";
        assertThatThrownBy(() -> PLANNER.plan(statement, List.of(new Expression.Text("x")), NOW))
                .hasMessage(
                        "statement, line 1, column 36: cost is a DECIMAL(12, 2), and 'x' is no number; write one such"
                                + " as 1.5");
        assertThatThrownBy(() -> PLANNER.plan(statement, List.of(new Expression.Text("1.5")), NOW))
                .hasMessageContaining("'1.5' is a text; write the number without quotes");
        assertThatThrownBy(() -> plan("SELECT SUM(note) FROM orders"))
                .hasMessage("statement, line 1, column 12: SUM: expected a number, and note is a text (VARCHAR)");
    }

    /** Answered as if it said something else, each of these was. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT CAST(note AS VARCHAR(3)) FROM orders | CAST to VARCHAR(3) is not supported",
                "SELECT CAST(price AS DECIMAL) FROM orders | expected 1 to 38 digits",
                "SELECT CAST(price AS DECIMAL(39, 2)) FROM orders | expected 1 to 38 digits",
                "SELECT CAST(id AS TINYINT) FROM orders | CAST to TINYINT is not supported",
                "SELECT CAST(at AS TIMESTAMP(0)), COUNT(*) FROM orders GROUP BY 1 | CAST to TIMESTAMP(0) is not",
                "SELECT id FROM orders WHERE at = '2021-10-07 12:00:00.123456' | finer than a millisecond is written",
                "SELECT at FROM flights WHERE at > NOW() - INTERVAL '0.000500' SECOND(2, 6) | three digits behind its",
                "SELECT id FROM orders WHERE id < 9223372036854775808 | expected a whole number of 64 bits",
                "SELECT FIRST(amount, 2) FROM orders | ",
                "SELECT id, COUNT(*) FROM orders GROUP BY id QUALIFY ROW_NUMBER() OVER (ORDER BY at) = 1 | Expression 'at' is"
                        + " not being grouped",
                "SELECT at FROM flights WHERE ST_Within(ST_Point(longitude, latitude),"
                        + " ST_MakeEnvelope(2, 48, 3, 49, 3857)) | whose SRID is 4326, got 3857"
            })
    void refusesWhatItWouldAnswerOtherwise(String sql, @Nullable String why) {
        assertThatThrownBy(() -> plan(sql))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(why == null ? "statement" : why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ";",
                " ; ;\n;",
                "; -- done",
                "; /* a ; b */ ;",
                "-- first; second",
                "/* ; */;",
                "; -- a line\n; /* not closed",
            })
    void semicolonsAndCommentsAtTheEndAreNoStatement(String end) {
        assertThat(String.valueOf(plan("SELECT id FROM orders WHERE note = 'a;b'" + end)
                        .query()
                        .where()))
                .isEqualTo("note = 'a;b'");
    }

    @Test
    void textsOfAllLanguages() {
        assertThat(String.valueOf(
                        plan("SELECT id FROM orders WHERE note = '東京'").query().where()))
                .isEqualTo("note = '東京'");
        assertThat(String.valueOf(plan("SELECT id FROM orders WHERE note IN ('東京', 'Zürich') OR note LIKE 'Ł%'")
                        .query()
                        .where()))
                .contains("東京", "Zürich", "Ł%");
    }

    /** Work that doubles with each level of a short text, and texts that are nested too deeply. */
    @Test
    @Timeout(300)
    void smallStatementsTakeLittle() {
        String doubled = "SELECT id AS x FROM orders";
        String grouped = "SELECT id FROM orders";
        String rounded = "SELECT id AS x FROM orders";
        for (int level = 0; level < 14; level++) {
            rounded = "SELECT ROUND(x, 1) AS x FROM (" + rounded + ")";
        }
        String rounds = "SELECT x FROM (" + rounded + ") WHERE x > 0";
        assertThatThrownBy(() -> plan(rounds)).hasMessageContaining("named too often");
        for (int level = 0; level < 30; level++) {
            doubled = "SELECT x + x AS x FROM (" + doubled + ")";
            grouped = "SELECT id FROM (" + grouped + ") GROUP BY id";
        }
        String doubles = "SELECT x FROM (" + doubled + ") WHERE x > 0";
        assertThatThrownBy(() -> plan(doubles)).isInstanceOf(WaterwheelException.class);
        String groups = grouped;
        assertThatThrownBy(() -> plan(groups)).hasMessageContaining("it has over 16 SELECTs within each other");
        String few = "SELECT x FROM (SELECT x + x AS x FROM (SELECT x + x AS x FROM (SELECT id AS x FROM orders)))";
        assertThat(plan(few + " WHERE x > 0").columns()).hasSize(1);
        String items = "x" + " + x".repeat(200);
        String wide = "SELECT x FROM (SELECT " + items + " AS x FROM (SELECT " + items + " AS x FROM (SELECT id AS x"
                + " FROM orders))) WHERE x > 0";
        assertThatThrownBy(() -> plan(wide)).hasMessageContaining("named too often");
        StringBuilder named = new StringBuilder("WITH t0 AS (SELECT id FROM orders)");
        for (int level = 1; level < 12; level++) {
            String before = "t" + (level - 1);
            named.append(
                    ", t" + level + " AS (SELECT a.id FROM " + before + " a JOIN " + before + " b ON a.id = b.id)");
        }
        assertThatThrownBy(() -> plan(named + " SELECT * FROM t11"))
                .hasMessageContaining("over 128 SELECTs and tables");
        String tables = "orders o0" + ", orders".repeat(140);
        assertThatThrownBy(() -> plan("SELECT 1 FROM " + tables)).hasMessageContaining("over 128 SELECTs and tables");
        for (String deep : List.of("NOT ".repeat(20_000) + "paid", "1" + "+1".repeat(20_000) + " > 0")) {
            assertThatThrownBy(() -> plan("SELECT id FROM orders WHERE " + deep))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SQL_UNSUPPORTED"));
        }
    }

    @Test
    void demandsOfOtherStreamsAreRefused() {
        Statement statement =
                new Statement("SELECT COUNT(*) FROM orders", null, false, Map.of("Orders", Map.of(0, 1000L)));
        assertThatThrownBy(() -> statement.demanding(plan(statement.sql()).query()))
                .hasMessage("at least: the statement is of stream 'orders', not of 'Orders'");
    }
}
