package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.suite.LoadedTables;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Steps of time: buckets, those without tuples, and windows that overlap. Times are minutes of an hour. */
final class TimeWindowsTest {
    private static final Instant HOUR = Instant.parse("2026-11-24T00:00:00Z");
    private static final Schema READINGS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("level", FieldType.DOUBLE, true),
                    new Field("pieces", FieldType.LONG, true)),
            new KeySpec.Ordered("id"),
            "at");

    private static DuckDbExecutor executor;
    private static LoadedTables tables;

    @TempDir
    static Path folder;

    @BeforeAll
    static void open() throws IOException {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2));
        tables = new LoadedTables(folder, Map.of("readings", READINGS), executor, HOUR);
        tables.insert(
                "readings",
                List.of(
                        Arrays.asList(1L, minute(1), 10.0, 1L),
                        Arrays.asList(1L, minute(12), 20.0, 4L),
                        Arrays.asList(1L, minute(31), 40.0, 10L),
                        Arrays.asList(2L, minute(11), 5.0, null)));
    }

    @AfterAll
    static void close() throws IOException {
        tables.close();
        executor.close();
    }

    private static long minute(int minute) {
        return HOUR.toEpochMilli() + minute * 60_000L;
    }

    /** Times of the hour as minutes. */
    private static String shown(String statement) throws InterruptedException {
        String text = tables.answer(statement.replace(
                        "HOUR", "at >= TIMESTAMP '2026-11-24 00:00:00' AND at < TIMESTAMP '2026-11-24 00:40:00'"))
                .toString();
        for (int minute = 0; minute < 60; minute++) {
            text = text.replace(String.valueOf(minute(minute)), "m" + minute);
        }
        return text;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '10' MINUTE, at) AS b, COUNT(*) AS n, AVG(level) AS l FROM readings"
                        + " WHERE HOUR AND id = 1 GROUP BY b ORDER BY b"
                        + " | [[m0, 1, 10.0], [m10, 1, 20.0], [m20, 0, null], [m30, 1, 40.0]]",
                "SELECT TIME_BUCKET_GAPFILL('10 minutes', at) AS b, LOCF(AVG(level)) AS l, COUNT(*) AS n FROM readings"
                        + " WHERE HOUR AND id = 1 GROUP BY 1 ORDER BY 1"
                        + " | [[m0, 10.0, 1], [m10, 20.0, 1], [m20, 20.0, 0], [m30, 40.0, 1]]",
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '10' MINUTE, at) AS b, INTERPOLATE(AVG(level)) AS l,"
                        + " INTERPOLATE(MAX(pieces)) AS p FROM readings WHERE HOUR AND id = 1 GROUP BY 1 ORDER BY 1"
                        + " | [[m0, 10.0, 1], [m10, 20.0, 4], [m20, 30.0, 7], [m30, 40.0, 10]]",
                "SELECT id, TIME_BUCKET_GAPFILL(INTERVAL '20' MINUTE, at) AS b, LOCF(MAX(level)) AS l FROM readings"
                        + " WHERE HOUR GROUP BY id, b ORDER BY id, b"
                        + " | [[1, m0, 20.0], [1, m20, 40.0], [2, m0, 5.0], [2, m20, 5.0]]",
                "SELECT b, l FROM (SELECT TIME_BUCKET_GAPFILL(INTERVAL '10' MINUTE, at) AS b, SUM(level) AS l FROM readings"
                        + " WHERE HOUR AND id = 2 GROUP BY 1) AS s WHERE l IS NULL ORDER BY b DESC LIMIT 2"
                        + " | [[m30, null], [m20, null]]",
                "SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(at), INTERVAL '10' MINUTE))"
                        + " GROUP BY window_start ORDER BY 1 | [[m0, 1], [m10, 2], [m30, 1]]",
                "SELECT w.id, w.window_start, w.window_end FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(at),"
                        + " INTERVAL '10' MINUTE)) AS w WHERE w.id = 2 | [[2, m10, m20]]",
                "SELECT window_start, window_end, SUM(level) AS l FROM TABLE(HOP(TABLE readings, DESCRIPTOR(at),"
                        + " INTERVAL '10' MINUTE, INTERVAL '20' MINUTE)) WHERE id = 1 AND at > TIMESTAMP '2026-11-24 00:05:00'"
                        + " GROUP BY window_start, window_end ORDER BY 1"
                        + " | [[m0, m20, 20.0], [m10, m30, 20.0], [m20, m40, 40.0], [m30, m50, 40.0]]",
                "SELECT DATE_BIN(INTERVAL '10' MINUTE, at, TIMESTAMP '2001-01-01 00:00:00') AS b, COUNT(*) AS n"
                        + " FROM readings GROUP BY 1 ORDER BY 1 | [[m0, 1], [m10, 2], [m30, 1]]",
                "SELECT DATE_BIN(INTERVAL '10' MINUTE, at, TIMESTAMP '2031-01-01 00:03:00') AS b, COUNT(*) AS n"
                        + " FROM readings WHERE level > 10 OR id = 2 GROUP BY 1 ORDER BY 1 | [[m3, 2], [m23, 1]]",
                "SELECT TIME_BUCKET_GAPFILL('10 minutes', at, TIMESTAMP '1969-12-31 23:53:00') AS b, COUNT(*) AS n,"
                        + " INTERPOLATE(MAX(level)) AS l FROM readings WHERE at >= TIMESTAMP '2026-11-24 00:03:00'"
                        + " AND at < TIMESTAMP '2026-11-24 00:43:00' GROUP BY 1 ORDER BY 1"
                        + " | [[m3, 2, 20.0], [m13, 0, 30.0], [m23, 1, 40.0], [m33, 0, null]]",
            })
    void examples(String statement, String answer) throws Exception {
        assertThat(shown(statement)).isEqualTo(answer);
    }

    /** Groups by the buckets are one query of the engine. */
    @Test
    void tumblesInTheEngine() throws Exception {
        String unused = shown("SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(at),"
                + " INTERVAL '10' MINUTE)) WHERE id = 1 GROUP BY window_start");
        assertThat(tables.asked()).hasSize(1);
        assertThat(tables.asked().get(0).toString()).contains("bucket");
    }

    @Test
    void countsFromAnOriginInTheEngine() throws Exception {
        String unused =
                shown("SELECT DATE_BIN(INTERVAL '7' DAY, at, TIMESTAMP '2021-01-04 00:00:00') AS week, COUNT(*) AS n"
                        + " FROM readings GROUP BY 1");
        assertThat(tables.asked()).hasSize(1);
        assertThat(tables.asked().get(0).result())
                .isInstanceOfSatisfying(ResultSpec.Aggregates.class, groups -> assertThat(groups.bucket())
                        .isEqualTo(ResultSpec.Bucket.of(Duration.ofDays(7), Instant.parse("2021-01-04T00:00:00Z"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '1' MINUTE, at) AS b, LOCF(AVG(level)), MAX(level) FROM readings"
                        + " WHERE HOUR GROUP BY 1 | LOCF here: it is of groups",
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '1' MINUTE, at) AS b, LOCF(COUNT(*)) FROM readings WHERE HOUR GROUP BY 1"
                        + " | LOCF here: it is of groups",
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '1' MINUTE, at) AS b, LOCF(AVG(level)), INTERPOLATE(MAX(level))"
                        + " FROM readings WHERE HOUR GROUP BY 1 | here: it is of groups",
                "SELECT LOCF(level) FROM readings | LOCF here",
                "SELECT * FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(at))) | expected TUMBLE(TABLE stream",
                "SELECT * FROM TABLE(HOP(TABLE readings, DESCRIPTOR(at), INTERVAL '7' MINUTE, INTERVAL '20' MINUTE))"
                        + " | is a multiple of its step",
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '7' MINUTE, at, at) AS b, COUNT(*) FROM readings GROUP BY 1"
                        + " | TIME_BUCKET_GAPFILL(INTERVAL, time, origin): expected a written step, and a written origin",
                "SELECT DATE_BIN(INTERVAL '7' MINUTE, at, at) FROM readings"
                        + " | DATE_BIN(INTERVAL, time, origin): expected a written step, and a written origin",
                "SELECT TIME_BUCKET('7 days', at, '2021-01-04') FROM readings | an origin is written TIMESTAMP",
            })
    void fails(String statement, String why) {
        assertThatThrownBy(() -> shown(statement))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(why);
    }
}
