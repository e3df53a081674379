package io.waterwheel.sql.duckdb;

import static io.waterwheel.sql.duckdb.StatementsBesideDuckDbTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions of the engine have the same value, to the last bit, where DuckDB's process evaluates them. */
final class EngineFunctionsInDuckDbTest {
    private static DuckDbExecutor executor;

    @TempDir
    Path folder;

    @BeforeAll
    static void open() {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2));
    }

    @AfterAll
    static void close() {
        executor.close();
    }

    private TwoStreams streams() throws Exception {
        return new TwoStreams(folder.resolve("s"), new Random(7), executor);
    }

    /** Of every stream's rows: by a query of the engine, and by DuckDB of the whole stream. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SQRT(price), SQRT(id), EXP(price), LN(price), LOG10(price), SIN(price), COS(price), TAN(price)",
                "ASIN(price / 5), ACOS(price / 5), ATAN(price), ATAN2(price, amount), RADIANS(price), DEGREES(price)",
                "POWER(price, amount), POWER(amount, 0.5), POWER(2, id), LN(2), LN(id) / LN(2), SQRT(NULL)",
                "SIN(-price), TAN(-price * 0), ATAN2(-price * 0, amount), RADIANS(-price), SQRT(-price * 0)",
                "FLOOR(amount), CEIL(amount), FLOOR(price), CEIL(price), ROUND(amount)",
                "TRIM(' ' || note || '  '), OCTET_LENGTH(note), OCTET_LENGTH('Zürich'), TRIM(note)",
                "REPLACE(note, 'a', note), REPLACE(note, '', 'x'), REPLACE(note, 'ü', '東')",
                "SUBSTRING(note FROM amount), SUBSTRING(note FROM amount FOR id), SUBSTRING(note FROM -1 FOR 3)",
                "JSON_TEXT('{\"a\": [\"' || note || '\"]}', '$.a[0]'), JSON_NUMBER('{\"a\":' || CAST(amount AS VARCHAR) || '}', '$.a')",
                "GEOHASH(price, amount, 7), GEOHASH(amount, price, 1)",
                "IN_POLYGON(price, amount, 'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 1))')",
                "TO_NUMBER(note), TO_NUMBER(' ' || CAST(amount AS VARCHAR) || '.5e1 ')",
            })
    void areThoseOfTheEngine(String values) throws Exception {
        try (TwoStreams streams = streams()) {
            String statement = "SELECT id, moment, " + values + " FROM orders";
            List<List<@Nullable Object>> pushed = streams.answer(statement);
            // By its text a zero has its sign.
            assertThat(streams.answerUnpushed(statement))
                    .extracting(Object::toString)
                    .containsExactlyInAnyOrderElementsOf(
                            pushed.stream().map(Object::toString).toList());
            assertThat(pushed).isNotEmpty();
        }
    }

    /** Texts of some 30 KiB in each of thousands of rows, on two threads. */
    @Test
    void longTextsAreMadeInTurns() throws Exception {
        try (TwoStreams streams = streams()) {
            String many = "a".repeat(460);
            String other = "x".repeat(60);
            long most = 0;
            for (List<@Nullable Object> order : streams.orders) {
                for (List<@Nullable Object> visit : streams.visits) {
                    if (order.get(4) != null && visit.get(4) != null) {
                        String made = (many + order.get(4)).replace("a", other + visit.get(4));
                        most = Math.max(most, made.getBytes(StandardCharsets.UTF_8).length);
                    }
                }
            }
            assertThat(streams.answer("SELECT MAX(OCTET_LENGTH(REPLACE('" + many + "' || o.note, 'a', '" + other
                            + "' || v.note))) FROM orders o, visits v"))
                    .isEqualTo(List.of(List.of(most)));
        }
    }

    @Test
    void areThoseOfTheEngineOfBytes() throws Exception {
        try (TwoStreams streams = streams()) {
            String statement = "SELECT id, moment, OCTET_LENGTH(tag), LENGTH(tag)," + " SQRT(weight) FROM visits";
            assertThat(sorted(streams.answerUnpushed(statement))).isEqualTo(sorted(streams.answer(statement)));
        }
    }

    @Test
    void areThoseOfTheEngineOfTimes() throws Exception {
        try (TwoStreams streams = streams()) {
            for (String stream : List.of("orders", "visits")) {
                String statement =
                        "SELECT id, moment, DATE_TRUNC('day', moment, 'Asia/Kolkata'), DATE_TRUNC('hour', moment,"
                                + " 'Asia/Kolkata'), DATE_PART('hour', moment, 'America/St_Johns'), FORMAT_TIME(moment, 'EEE HH:mm:ss.SSSSSS'),"
                                + " FORMAT_TIME(moment, 'yyyy-MM-dd HH:mm XXX VV', 'Europe/Paris') FROM " + stream;
                assertThat(sorted(streams.answerUnpushed(statement)))
                        .as(statement)
                        .isEqualTo(sorted(streams.answer(statement)));
            }
            // A millisecond in nanoseconds is the same moment.
            assertThat(streams.answer(
                            "SELECT COUNT(*) FROM (SELECT MAX(moment) AS m, CAST(MAX(moment) AS TIMESTAMP(9)) AS n"
                                    + " FROM orders GROUP BY id) WHERE DATE_TRUNC('day', m, 'Asia/Kolkata') = DATE_TRUNC('day', n,"
                                    + " 'Asia/Kolkata')"))
                    .isEqualTo(streams.answer("SELECT COUNT(DISTINCT id) FROM orders"));
            String joined = "FROM orders o JOIN visits v ON o.id = v.id";
            assertThat(sorted(streams.answer(
                            "SELECT DATE_TRUNC('hour', v.moment, 'Asia/Kolkata') AS h, FORMAT_TIME(o.moment,"
                                    + " 'HH:mm', 'Asia/Kolkata') AS t, COUNT(*) " + joined + " GROUP BY 1, 2")))
                    .isEqualTo(
                            sorted(streams.answer("SELECT h, t, COUNT(*) FROM (SELECT id, FORMAT_TIME(moment, 'HH:mm',"
                                    + " 'Asia/Kolkata') AS t FROM orders) o JOIN (SELECT id, DATE_TRUNC('hour', moment, 'Asia/Kolkata')"
                                    + " AS h FROM visits) v ON o.id = v.id GROUP BY h, t")))
                    .isNotEmpty();
        }
    }

    /** What is no text is refused as the engine refuses it, not as a defect of what DuckDB is told. */
    @Test
    void refusesWhatTheEngineRefuses() throws Exception {
        try (TwoStreams streams = streams()) {
            for (String value : List.of(
                    "LENGTH(o.id)",
                    "OCTET_LENGTH(o.price)",
                    "LENGTH(o.moment)",
                    "OCTET_LENGTH(o.paid)",
                    "LOWER(o.amount)",
                    "UPPER(v.tag)",
                    "LOWER(v.moment)",
                    "STARTS_WITH(o.id, '1')",
                    "STARTS_WITH(o.note, v.level)",
                    "STRPOS(v.tag, 'a')",
                    "STRPOS(o.note, o.paid)",
                    "SUBSTRING(v.level FROM 1 FOR 2)",
                    "DATE_TRUNC(o.note, o.moment)",
                    "DATE_PART('hour', o.id)",
                    "DATE_TRUNC('hour', o.id, 'Europe/Paris')",
                    "DATE_TRUNC('hour', o.moment, 'Europe/Atlantis')",
                    "FORMAT_TIME(o.moment, 'HHH')",
                    "FORMAT_TIME(o.note, 'HH')")) {
                assertThatThrownBy(
                                () -> streams.answer("SELECT " + value + " FROM orders o JOIN visits v ON o.id = v.id"))
                        .as(value)
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .as(e.getMessage())
                                .isIn("SQL_UNSUPPORTED", "BAD_SQL", "BAD_EXPRESSION"));
            }
        }
    }

    @Test
    void areComputedOfGroupsWindowsAndJoins() throws Exception {
        try (TwoStreams streams = streams()) {
            for (List<@Nullable Object> row : streams.answer("SELECT id, AVG(price * price), SQRT(AVG(price * price)),"
                    + " COUNT(*), LN(COUNT(*)), MAX(note), TRIM(MAX(note) || ' '), POWER(SUM(amount), 2), SUM(amount)"
                    + " FROM orders GROUP BY id")) {
                Double mean = (Double) row.get(1);
                assertThat(row.get(2)).isEqualTo(mean == null ? null : Math.sqrt(mean));
                assertThat(row.get(4)).isEqualTo(StrictMath.log(((Number) row.get(3)).doubleValue()));
                Number sum = (Number) row.get(8);
                assertThat(row.get(7)).isEqualTo(sum == null ? null : StrictMath.pow(sum.doubleValue(), 2));
            }
            assertThat(sorted(streams.answer(
                            "SELECT o.id, SQRT(o.price * v.weight) FROM orders o JOIN visits v" + " ON o.id = v.id")))
                    .isEqualTo(sorted(streams.answer("SELECT id, SQRT(x) FROM (SELECT o.id, o.price * v.weight AS x"
                            + " FROM orders o JOIN visits v ON o.id = v.id) WHERE TRUE")))
                    .isNotEmpty();
            for (List<@Nullable Object> row : streams.answer("SELECT MAX(amount) OVER (PARTITION BY id),"
                    + " EXP(MAX(amount) OVER (PARTITION BY id)) FROM orders")) {
                Number most = (Number) row.get(0);
                assertThat(row.get(1)).isEqualTo(most == null ? null : StrictMath.exp(most.doubleValue()));
            }
            assertThat(streams.answer("SELECT COUNT(*) FROM orders o JOIN visits v ON REPLACE(o.note, 'a', '') ="
                            + " REPLACE(v.note, 'a', '') AND SQRT(o.id) < POWER(v.id, 2)"))
                    .isEqualTo(streams.answer(
                            "SELECT COUNT(*) FROM (SELECT REPLACE(note, 'a', '') AS x, SQRT(id) AS y FROM"
                                    + " orders) o JOIN (SELECT REPLACE(note, 'a', '') AS x, POWER(id, 2) AS y FROM visits) v"
                                    + " ON o.x = v.x AND o.y < v.y"));
        }
    }

    @Test
    void whatTheEngineRefusesIsRefusedByItsCode() throws Exception {
        try (TwoStreams streams = streams()) {
            String text = "'" + "x".repeat(200) + "'";
            String longer = "REPLACE(" + text + " || o.note || v.note, 'x', " + text + ")";
            assertThatThrownBy(() -> streams.answer("SELECT " + longer + " FROM orders o JOIN visits v ON o.id = v.id"))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("BAD_EXPRESSION"))
                    .hasMessageContaining("has over 32768 bytes");
            // Two of 20,000 bytes.
            String half = "REPLACE('" + "x".repeat(100) + "' || o.note, 'x', " + text + ")";
            String whole = half + " || v.note || " + half;
            assertThatThrownBy(() ->
                            streams.answer("SELECT TRIM(" + whole + ") FROM orders o JOIN visits v ON o.id = v.id"))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SQL_VALUE"))
                    .hasMessageMatching("statement: TRIM has an argument of \\d+ bytes, expected at most 32768; take"
                            + " SUBSTRING of it first");
            assertThatThrownBy(() ->
                            streams.answer("SELECT o.id, " + whole + " FROM orders o JOIN visits v ON o.id = v.id"))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SQL_VALUE"))
                    .hasMessageMatching("statement: column 2 of the answer has a value of \\d+ bytes, expected at most"
                            + " 32768; take SUBSTRING of it");
        }
    }
}
