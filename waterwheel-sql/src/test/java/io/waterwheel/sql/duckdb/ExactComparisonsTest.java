package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.suite.LoadedTables;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whole numbers and doubles, and times in milliseconds and in nanoseconds, are compared as what they are, wherever a
 * statement compares them. DuckDB rounds the numbers, and fails at a time that nanoseconds have not: the twin is here.
 */
final class ExactComparisonsTest {
    private static final int SEEDS = Rounds.of(2, 200);
    private static final long BORDER = 1L << 53;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");
    /** No time in nanoseconds reaches it. */
    private static final long FAR = Instant.parse("3000-01-01T00:00:00Z").toEpochMilli();

    private static final Schema WHOLES = schema("big", FieldType.LONG);
    private static final Schema DOUBLES = schema("v", FieldType.DOUBLE);
    private static final Schema MILLIS = schema("m", FieldType.TIMESTAMP);
    private static final Schema NANOS = schema("n", FieldType.TIMESTAMP_NS);
    private static final Schema FLAGS = schema("b", FieldType.BOOLEAN);
    private static final Map<String, Schema> ALL =
            Map.of("wholes", WHOLES, "doubles", DOUBLES, "millis", MILLIS, "nanos", NANOS, "flags", FLAGS);

    private static DuckDbExecutor executor;
    private static LoadedTables pinned;

    @TempDir
    static Path folder;

    private static Schema schema(String name, FieldType type) {
        return new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field(name, type, true)),
                new KeySpec.Ordered("k"),
                "t");
    }

    @BeforeAll
    static void open() throws Exception {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2));
        pinned = new LoadedTables(folder.resolve("pinned"), ALL, executor, NOW);
        insert(pinned, "wholes", Arrays.asList(BORDER + 1, BORDER - 1, 7L, null));
        insert(pinned, "doubles", Arrays.asList((double) BORDER, 7.5, 7.0));
        insert(pinned, "millis", Arrays.asList(FAR, 1L, 2L));
        insert(pinned, "nanos", Arrays.asList(NANOS_PER_MILLI, NANOS_PER_MILLI + 1));
        insert(pinned, "flags", Arrays.asList(true, false, null));
    }

    @AfterAll
    static void close() throws Exception {
        pinned.close();
        executor.close();
    }

    /** Their keys are 1, 2, and so on. */
    private static void insert(LoadedTables tables, String stream, List<? extends @Nullable Object> values)
            throws Exception {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Object value : values) {
            rows.add(Arrays.asList(rows.size() + 1L, NOW.toEpochMilli(), value));
        }
        tables.insert(stream, rows);
    }

    private static void assertAnswer(LoadedTables tables, String statement, String expected) {
        try {
            assertThat(sorted(tables.answer(statement))).as(statement).isEqualTo(expected);
            assertThat(sorted(tables.answerUnpushed(statement)))
                    .as("unpushed: %s", statement)
                    .isEqualTo(expected);
        } catch (Exception e) {
            throw new AssertionError(statement, e);
        }
    }

    private static String sorted(List<List<@Nullable Object>> rows) {
        return rows.stream().map(String::valueOf).sorted().toList().toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT k FROM wholes WHERE big IN (SELECT v FROM doubles) ; [[3]]",
                "SELECT k FROM wholes WHERE big NOT IN (SELECT v FROM doubles) ; [[1], [2]]",
                "SELECT k FROM wholes WHERE (big, 1) IN (SELECT v, 1 FROM doubles) ; [[3]]",
                "SELECT k FROM doubles WHERE (1, v) IN (SELECT 1, big FROM wholes) ; [[3]]",
                "SELECT k, v IN (SELECT big FROM wholes) FROM doubles ; [[1, null], [2, null], [3, true]]",
                "SELECT k FROM wholes WHERE EXISTS (SELECT 1 FROM doubles y WHERE y.v = wholes.big AND y.k = wholes.k) ; [[3]]",
                "SELECT k, (SELECT COUNT(*) FROM wholes WHERE big = doubles.v) FROM doubles ; [[1, 0], [2, 0], [3, 1]]",
                "SELECT wholes.k FROM wholes, LATERAL (SELECT v FROM doubles WHERE v = wholes.big LIMIT 1) x ; [[3]]",
                "SELECT wholes.k FROM wholes, doubles WHERE big = v ; [[3]]",
                "SELECT wholes.k, v FROM wholes JOIN doubles ON big = v ; [[3, 7.0]]",
                "SELECT a.k FROM wholes a JOIN (SELECT v AS big FROM doubles) b USING (big) ; [[3]]",
                "SELECT k FROM wholes WHERE big = (SELECT MAX(a) FROM (VALUES (9007199254740992.0), (7.5)) v(a)) ; []",
                "SELECT a.x FROM (VALUES (9007199254740993)) AS a(x) WHERE a.x > (SELECT MAX(b.y) FROM"
                        + " (VALUES (CAST(9007199254740992 AS DOUBLE))) AS b(y)) ; [[9007199254740993]]",
                // Written numbers.
                "SELECT 9007199254740993 = CAST(9007199254740992 AS DOUBLE), 9007199254740993 > CAST(9007199254740992 AS DOUBLE),"
                        + " 9007199254740993 IN (CAST(9007199254740992 AS DOUBLE)) ; [[false, true, false]]",
                "SELECT 9007199254740993 = 9007199254740992.0, -9007199254740993 < -9007199254740992.0, 5 = 5.0 ; [[false, true, true]]",
                "SELECT 9007199254740993 = CAST(9007199254740993 AS DOUBLE) ; [[false]]",
                "SELECT k FROM doubles WHERE v = 9007199254740993 ; []",
                "SELECT k FROM doubles WHERE v = CAST(9007199254740993 AS DOUBLE) ; [[1]]",
                "SELECT k FROM doubles WHERE v < 9007199254740993 AND v > 8 ; [[1]]",
                "SELECT k FROM doubles WHERE v IN (9007199254740993, 5) ; []",
                "SELECT k FROM wholes JOIN doubles USING (k) WHERE v = 9007199254740993 OR big = 5 ; []",
                "SELECT k FROM wholes WHERE big = CAST(9007199254740993 AS DOUBLE) ; []",
                "SELECT CAST(9007199254740993 AS DOUBLE), CAST(-5 AS DOUBLE) ; [[9.007199254740992E15, -5.0]]",
                // Times.
                "SELECT COUNT(*) FROM millis x WHERE EXISTS (SELECT 1 FROM nanos y WHERE y.n < x.m) ; [[2]]",
                "SELECT k FROM millis WHERE m IN (SELECT n FROM nanos) ; [[2]]",
                "SELECT k FROM nanos WHERE n IN (SELECT m FROM millis) ; [[1]]",
                "SELECT x.k, (SELECT COUNT(*) FROM nanos y WHERE y.n = x.m) FROM millis x ; [[1, 0], [2, 1], [3, 0]]",
                "SELECT millis.k FROM millis, LATERAL (SELECT n FROM nanos WHERE n > m LIMIT 1) x ; [[2]]",
                "SELECT CONCAT('a'), CONCAT(CAST(b AS VARCHAR)) FROM flags WHERE k < 3 ; [[a, false], [a, true]]",
                // Constants as columns.
                "SELECT CAST(FALSE AS VARCHAR), TRIM(CAST(TRUE AS VARCHAR)), 'x' || TRUE ; [[false, true, xtrue]]",
                "SELECT k, CAST(b AS VARCHAR), 'x' || b FROM flags ; [[1, true, xtrue], [2, false, xfalse], [3, null, null]]",
                "SELECT flags.k FROM flags JOIN wholes USING (k) WHERE CAST(b AS VARCHAR) = CAST(FALSE AS VARCHAR) ; [[2]]",
            })
    void isCompared(String statement, String expected) {
        assertAnswer(pinned, statement, expected);
    }

    /** What is refused of a column is refused of a written value: Calcite would compute it in a way of its own. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "X'61' ; VARCHAR",
                "TIMESTAMP '2026-01-01 00:00:00' ; BIGINT",
                "5 ; TIMESTAMP",
            })
    void refusesOfConstantsWhatItRefusesOfColumns(String value, String type) {
        assertThatThrownBy(() -> pinned.answer("SELECT CAST(" + value + " AS " + type + ")"))
                .hasMessageContaining("column 8: not supported: CAST of ")
                .hasMessageContaining(" to " + type);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT SUM(big) OVER (ORDER BY big GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM wholes ;"
                        + " line 1, column 36: not supported: a frame of GROUPS in a window; frames are of ROWS or of RANGE",
                "SELECT DATE_PART('millisecond', t) FROM wholes ;"
                        + " line 1, column 8: not supported: the unit MILLISECOND of DATE_PART; units are ",
                "SELECT DATE_TRUNC('epoch', t) FROM wholes ; the unit EPOCH of DATE_TRUNC; units are ",
                "SELECT 1e400 ; line 1, column 8: expected a number within the range of a double, to about 1.8e308, got 1E400",
                "SELECT k FROM doubles WHERE v < 1e400 ; line 1, column 33: expected a number within the range of a double",
                "SELECT n + INTERVAL '400' DAY FROM nanos ; not supported: a time in nanoseconds that is moved by an interval",
            })
    void saysWhatToDo(String statement, String message) {
        assertThatThrownBy(() -> pinned.answer(statement)).hasMessageContaining(message);
    }

    private static int comparison(Object one, Object other) {
        return exact(one).compareTo(exact(other));
    }

    private static BigDecimal exact(Object value) {
        return value instanceof Double number ? new BigDecimal(number) : BigDecimal.valueOf((Long) value);
    }

    private static boolean holds(int comparison, String operator) {
        return switch (operator) {
            case "=" -> comparison == 0;
            case "<>" -> comparison != 0;
            case "<" -> comparison < 0;
            case "<=" -> comparison <= 0;
            case ">" -> comparison > 0;
            default -> comparison >= 0;
        };
    }

    /** A side: the stream, its column, the values as the twin compares them. */
    private record Side(String stream, String column, List<@Nullable Object> values) {
        /** Keys of the values for which it is so. */
        String keys(Predicate<@Nullable Object> condition) {
            return LongStream.rangeClosed(1, values.size())
                    .filter(key -> condition.test(values.get((int) key - 1)))
                    .mapToObj(key -> List.of(key).toString())
                    .sorted()
                    .toList()
                    .toString();
        }
    }

    private static void assertAlike(LoadedTables tables, Side outer, Side inner, String operator, String where) {
        List<Object> others = new ArrayList<>();
        for (Object value : inner.values()) {
            if (value != null) {
                others.add(value);
            }
        }
        Map<String, String> expected = new LinkedHashMap<>();
        String from = "SELECT x.k FROM " + outer.stream() + " x";
        String compared = "x." + outer.column() + " " + operator;
        String exists =
                "EXISTS (SELECT 1 FROM " + inner.stream() + " y WHERE " + compared + " y." + inner.column() + ")";
        String rows =
                "(SELECT " + inner.column() + " FROM " + inner.stream() + " WHERE " + inner.column() + " IS NOT NULL)";
        String any = outer.keys(
                value -> value != null && others.stream().anyMatch(o -> holds(comparison(value, o), operator)));
        String all = outer.keys(
                value -> value != null && others.stream().allMatch(o -> holds(comparison(value, o), operator)));
        expected.put(from + " WHERE " + exists, any);
        expected.put(
                from + " WHERE NOT " + exists,
                outer.keys(value ->
                        value == null || others.stream().noneMatch(o -> holds(comparison(value, o), operator))));
        expected.put(from + " WHERE " + compared + " ANY " + rows, any);
        expected.put(from + " WHERE " + compared + " ALL " + rows, all);
        expected.put(
                "SELECT DISTINCT x.k FROM " + outer.stream() + " x JOIN " + inner.stream() + " y ON " + compared + " y."
                        + inner.column(),
                any);
        if (operator.equals("=")) {
            expected.put(from + " WHERE x." + outer.column() + " IN " + rows, any);
        }
        Object most = others.stream().max(ExactComparisonsTest::comparison).orElseThrow();
        expected.put(
                from + " WHERE " + compared + " (SELECT MAX(" + inner.column() + ") FROM " + inner.stream() + ")",
                outer.keys(value -> value != null && holds(comparison(value, most), operator)));
        expected.forEach((statement, answer) -> {
            try {
                assertAnswer(tables, statement, answer);
            } catch (AssertionError e) {
                throw new AssertionError(where, e);
            }
        });
    }

    /** Random values around those that the other type has not, compared in every way by every operator. */
    @Test
    void everyWayOfComparingIsExact() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            List<@Nullable Object> wholes = new ArrayList<>();
            List<@Nullable Object> doubles = new ArrayList<>();
            List<@Nullable Object> millis = new ArrayList<>();
            List<@Nullable Object> nanos = new ArrayList<>();
            int rows = 1 + random.nextInt(5);
            for (int row = 0; row < rows; row++) {
                long near = random.nextInt(5) - 2L;
                wholes.add(random.nextInt(6) == 0 ? null : BORDER + near);
                doubles.add((double) BORDER + random.nextInt(5) - 2);
                millis.add(random.nextInt(4) == 0 ? (random.nextBoolean() ? FAR : -FAR) : near);
                nanos.add(random.nextInt(3) * NANOS_PER_MILLI + random.nextInt(2));
            }
            try (LoadedTables tables = new LoadedTables(folder.resolve("s" + seed), ALL, executor, NOW)) {
                insert(tables, "wholes", wholes);
                insert(tables, "doubles", doubles);
                insert(tables, "millis", millis);
                insert(tables, "nanos", nanos);
                Side whole = new Side("wholes", "big", wholes);
                Side number = new Side("doubles", "v", doubles);
                Side coarse = new Side(
                        "millis",
                        "m",
                        millis.stream().map(value -> exactNanos((Long) value)).toList());
                Side fine = new Side("nanos", "n", nanos);
                String operator = List.of("=", "<>", "<", "<=", ">", ">=").get(random.nextInt(6));
                String where = "seed " + seed + ": " + wholes + doubles + millis + nanos;
                if (whole.values().stream().anyMatch(value -> value != null)) {
                    assertAlike(tables, number, whole, operator, where);
                }
                assertAlike(tables, whole, number, operator, where);
                assertAlike(tables, coarse, fine, operator, where);
                assertAlike(tables, fine, coarse, operator, where);
            }
        }
    }

    /** Beyond 64 bits where it is far: a double is exact enough for what no nanoseconds have. */
    private static Object exactNanos(long millis) {
        return Math.abs(millis) == Math.abs(FAR) ? (Object) (millis * 1e6) : (Object) (millis * NANOS_PER_MILLI);
    }
}
