package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.sql.suite.DuckDbTwin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DISTINCT ON, LATEST ON, and ORDER BY with a limit keep the rows that DuckDB keeps. */
final class NewestRowsTest {
    private static final int STATEMENTS = Rounds.of(20, 2000);

    private static DuckDbExecutor executor;
    private static TwoStreams streams;
    private static DuckDbTwin duckdb;

    @BeforeAll
    static void open(@TempDir Path folder) throws Exception {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2));
        streams = new TwoStreams(folder, new Random(11), executor);
        duckdb = new DuckDbTwin();
        duckdb.create("orders", TwoStreams.ORDERS);
        duckdb.insert("orders", TwoStreams.ORDERS, streams.orders);
        duckdb.create("visits", TwoStreams.VISITS);
        duckdb.insert("visits", TwoStreams.VISITS, streams.visits);
    }

    @AfterAll
    static void close() throws Exception {
        duckdb.close();
        streams.close();
        executor.close();
    }

    /** Rows that are equal in the order are equal in all that is selected, so that there is one answer. */
    @Test
    void randomStatementsAnswerAsDuckDb() throws Exception {
        long seed = Long.getLong("seed", 0);
        Random random = new Random(seed);
        for (int s = 0; s < STATEMENTS; s++) {
            boolean joined = random.nextInt(4) == 0;
            List<String> columns = new ArrayList<>(List.of("o.id", "o.moment", "o.note", "o.amount", "o.id % 3"));
            if (joined) {
                columns.add("v.level");
            }
            Collections.shuffle(columns, random);
            List<String> order = columns.subList(0, 2 + random.nextInt(columns.size() - 1));
            List<String> directed = new ArrayList<>();
            for (String column : order) {
                directed.add(column
                        + (random.nextBoolean() ? " DESC" : "")
                        + (random.nextBoolean() ? " NULLS FIRST" : " NULLS LAST"));
            }
            String keys = String.join(random.nextBoolean() ? "," : ", ", order.subList(0, 1 + random.nextInt(2)));
            String statement = "SELECT DISTINCT ON (" + keys + ")" + (random.nextBoolean() ? " " : "\n")
                    + String.join(", ", order) + " FROM orders o"
                    + (joined ? " JOIN visits v ON o.id = v.id" : "")
                    + (random.nextBoolean() ? " WHERE o.amount > 2" : "")
                    + " ORDER BY " + String.join(", ", directed)
                    + (random.nextInt(3) == 0 ? " LIMIT 5" : "");
            assertThat(streams.answer(statement))
                    .as("seed %s: %s", seed, statement)
                    .isEqualTo(duckdb.rows(statement));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                // Labels, and numbers of columns.
                "SELECT DISTINCT ON (n) o.note AS n, o.moment AS m FROM orders o ORDER BY n NULLS LAST, m DESC",
                "SELECT DISTINCT ON (id) id, moment FROM orders ORDER BY 1, 2 DESC LIMIT 4",
                // What is ordered by is not selected.
                "SELECT DISTINCT ON (id) moment FROM orders ORDER BY id DESC, moment DESC",
                // A condition that is a window, but numbers nothing.
                "SELECT id, moment FROM orders QUALIFY LAG(paid, 1) OVER (PARTITION BY id ORDER BY moment, note, amount, price,"
                        + " paid) ORDER BY id, moment",
                "SELECT distinct on(id)moment FROM orders ORDER BY id, moment::TIMESTAMP DESC",
                "SELECT DISTINCT /* a ( */ ON /* b */ (((id)), (id + 1)) id, moment FROM orders ORDER BY id, moment",
                "SELECT DISTINCT ON (id) id, 'DISTINCT ON (' AS t, moment FROM orders ORDER BY id, moment",
                // Within others.
                "WITH w AS (SELECT DISTINCT ON (id) id, moment FROM orders ORDER BY id, moment DESC)"
                        + " SELECT DISTINCT ON (id % 2) id, moment FROM w ORDER BY id % 2, moment, id",
                "SELECT MAX(id), COUNT(*) FROM (SELECT DISTINCT ON (note) * FROM orders ORDER BY note, id DESC) AS s",
                "(SELECT DISTINCT ON (id) id FROM orders ORDER BY id, moment) UNION ALL SELECT -1 ORDER BY 1",
                "SELECT COUNT(*) FROM orders WHERE id IN (SELECT DISTINCT ON(note)id FROM orders ORDER BY note, id)",
            })
    void answersAsDuckDb(String statement) throws Exception {
        assertThat(streams.answer(statement)).isNotEmpty().isEqualTo(duckdb.rows(statement));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "SELECT DISTINCT ON (id) id FROM orders; line 1, column 8: DISTINCT ON needs an ORDER BY",
                "SELECT DISTINCT ON (id) id FROM orders LIMIT 3; column 8: DISTINCT ON needs an ORDER BY",
                "SELECT DISTINCT ON ((SELECT MAX(s.id) FROM (SELECT DISTINCT ON(id)id FROM orders ORDER BY id) AS s)) id"
                        + " FROM orders ORDER BY id; PARTITION BY expression should not contain OVER clause",
                "SELECT DISTINCT ON () id FROM orders ORDER BY id; DISTINCT ON needs a value",
                "SELECT DISTINCT ON (id) id, COUNT(*) FROM orders GROUP BY id ORDER BY id; beside GROUP BY",
                "SELECT DISTINCT ON (id) * FROM orders ORDER BY 1; columns go by their names",
                "SELECT DISTINCT ON (id) id FROM orders ORDER BY 2; there is no column 2",
                "SELECT DISTINCT ON (id) idd FROM orders ORDER BY id; line 1, column 25: there is no column 'idd'",
                "SELECT DISTINCT ON (idd) id FROM orders ORDER BY id; line 1, column 21: there is no column 'idd'",
            })
    void isRefused(String statement, String message) {
        assertThatThrownBy(() -> streams.answer(statement)).hasMessageContaining(message);
    }

    /** DuckDB has no LATEST ON. What is selected is the same in rows that are equal in keys and time. */
    @Test
    void randomNewestRowsAreThoseOfRowNumbers() throws Exception {
        long seed = Long.getLong("seed", 0);
        Random random = new Random(seed);
        for (int s = 0; s < STATEMENTS; s++) {
            List<String> all = new ArrayList<>(List.of("o.id", "o.note", "o.paid", "o.id % 3", "ABS(o.amount)"));
            Collections.shuffle(all, random);
            List<String> keys = all.subList(0, 1 + random.nextInt(2));
            String time = random.nextInt(4) == 0 ? "o.amount" : "o.moment";
            String where = random.nextInt(3) == 0
                    ? ""
                    : " WHERE "
                            + List.of("o.amount > 0", "o.amount > 0 OR o.paid", "o.note IN ('a', 'b') AND NOT o.paid")
                                    .get(random.nextInt(3));
            String tail = " ORDER BY 1 NULLS LAST, 2 NULLS LAST, 3 NULLS LAST";
            String select =
                    "SELECT " + keys.get(0) + " AS a, " + keys.get(keys.size() - 1) + " AS b, " + time + " AS c";
            if (random.nextInt(3) == 0) {
                select = "SELECT " + keys.get(0) + " AS a, COUNT(*) AS b, MAX(" + time + ") AS c";
                tail = " GROUP BY " + keys.get(0) + tail;
            }
            String from = " FROM orders" + (random.nextBoolean() ? " AS o" : " o") + where;
            boolean within = random.nextBoolean();
            String before = within ? "SELECT * FROM (" : "";
            String behind = within ? tail + ")AS s ORDER BY 1 NULLS LAST, 2 NULLS LAST, 3 NULLS LAST" : tail;
            String statement = before + select + from + " LATEST ON " + time + " PARTITION BY "
                    + String.join(random.nextBoolean() ? "," : ", ", keys) + behind;
            String asked = before + select + " FROM (SELECT *" + from + " QUALIFY ROW_NUMBER() OVER (PARTITION BY "
                    + String.join(", ", keys) + " ORDER BY " + time + " DESC NULLS LAST) = 1) AS o" + behind;
            assertThat(streams.answer(statement))
                    .as("seed %s: %s", seed, statement)
                    .isEqualTo(duckdb.rows(asked));
        }
    }

    /** Of each of four steps of five minutes the least and the greatest, of equal ones the first. */
    @ParameterizedTest
    @CsvSource({"id, amount", "note, price", "'id, paid', amount * 2"})
    void fewerRowsForAPlotAreTheLeastAndGreatestOfEachStep(String keys, String value) throws Exception {
        String step = "EXTRACT(MINUTE FROM moment) / 5";
        String from = " FROM orders WHERE moment >= TIMESTAMP '2026-11-24 00:00:00' AND moment < TIMESTAMP"
                + " '2026-11-24 00:20:00' AND " + value + " IS NOT NULL";
        String shown = "SELECT " + keys + ", moment, " + value + " AS x";
        String least = "ROW_NUMBER() OVER (PARTITION BY " + keys + ", m ORDER BY x, moment)";
        String greatest = "ROW_NUMBER() OVER (PARTITION BY " + keys + ", m ORDER BY x DESC, moment)";
        String twin = "SELECT " + keys + ", moment, x FROM (SELECT *, " + least + " AS l, " + greatest + " AS g FROM ("
                + shown + ", CAST(FLOOR(" + step + ") AS BIGINT) AS m" + from + ") AS a) AS b WHERE l = 1 OR g = 1"
                + " ORDER BY ALL NULLS FIRST";
        String statement = shown + from + " QUALIFY MINMAX(" + value + ", 8) OVER (PARTITION BY " + keys
                + " ORDER BY moment) ORDER BY " + keys + ", moment";
        List<List<@Nullable Object>> expected = duckdb.rows(twin);
        assertThat(streams.answer(statement + ", x")).isNotEmpty().isEqualTo(expected);
        // In the engine's own order, of equal times by what is selected.
        assertThat(streams.answer(statement + " LIMIT 5")).isEqualTo(expected.subList(0, 5));
        assertThat(streams.answer("SELECT COUNT(*), MAX(x) FROM (" + shown + ", MINMAX(" + value
                        + ", 8) OVER (PARTITION BY " + keys + " ORDER BY moment) AS k" + from
                        + ") AS s WHERE k AND x < 3"))
                .isEqualTo(duckdb.rows("SELECT COUNT(*), MAX(x) FROM (" + twin.replace(" ORDER BY ALL NULLS FIRST", "")
                        + ") AS s WHERE x < 3"));
    }

    @Test
    void fewerRowsForAPlotAreAllOrTheFirstAndTheLast() throws Exception {
        String shown = "SELECT id, moment, price FROM orders";
        String plot = " QUALIFY LTTB(price, %s) OVER (PARTITION BY id ORDER BY moment)";
        String ordered = " ORDER BY id, moment, price";
        assertThat(streams.answer(shown + plot.formatted(100_000) + ordered))
                .isEqualTo(duckdb.rows(shown + " WHERE price IS NOT NULL" + ordered));
        String ends = "SELECT * FROM (" + shown + " WHERE price IS NOT NULL QUALIFY ROW_NUMBER() OVER (PARTITION BY id"
                + " ORDER BY moment, price) = 1 OR ROW_NUMBER() OVER (PARTITION BY id ORDER BY moment DESC, price DESC) = 1"
                + ") AS s";
        String two = shown + plot.formatted(2);
        assertThat(streams.answer(two + ordered)).isNotEmpty().isEqualTo(duckdb.rows(ends + ordered));
        assertThat(streams.answer("SELECT COUNT(*) FROM (" + two + ") AS s"))
                .isEqualTo(duckdb.rows("SELECT COUNT(*) FROM (" + ends + ") AS e"));
        assertThat(streams.answer("SELECT 7 FROM orders" + plot.formatted(2)))
                .hasSameSizeAs(duckdb.rows(ends))
                .containsOnly(List.of(7L));
        assertThat(streams.answer(
                        "SELECT id, moment, price FROM (SELECT *, LTTB(price, 2) OVER (PARTITION BY id ORDER BY"
                                + " moment) AS k FROM orders) AS s WHERE k AND k IS TRUE" + ordered))
                .isEqualTo(duckdb.rows(ends + ordered));
    }

    @Test
    void fewerRowsOfOneSeriesComeByTime() throws Exception {
        for (int id = 0; id < 5; id++) {
            String where = " FROM orders WHERE id = " + id + " AND price IS NOT NULL";
            String plot = where + " QUALIFY LTTB(price, 100000) OVER (PARTITION BY id ORDER BY moment)";
            for (String order : List.of(" ORDER BY moment", " ORDER BY id, moment")) {
                assertThat(streams.answer("SELECT moment, id" + plot + order))
                        .isEqualTo(duckdb.rows("SELECT moment, id" + where + order));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "amount, 1 | PARTITION BY id ORDER BY moment | LTTB of 1 rows, expected 2 to 100,000 of each series",
                "amount, 100001 | PARTITION BY id ORDER BY moment | LTTB of 100001 rows, expected 2 to 100,000",
                "amount, id | PARTITION BY id ORDER BY moment | LTTB of a number of rows that is not written, expected 2",
                "amount, 9 | ORDER BY moment | LTTB without PARTITION BY, which names the fields that make a series",
                "amount, 9 | PARTITION BY id | LTTB in another order than that of time: write ORDER BY moment within OVER",
                "amount, 9 | PARTITION BY id ORDER BY moment DESC | LTTB in another order than that of time",
                "amount, 9 | PARTITION BY id ORDER BY amount | LTTB in another order than that of time",
                "amount, 9 | PARTITION BY id % 2 ORDER BY moment | LTTB whose PARTITION BY has more than fields of the",
                "amount, 9 | PARTITION BY id ORDER BY moment ROWS BETWEEN 1 PRECEDING AND CURRENT ROW | LTTB of other rows",
                "DISTINCT amount, 9 | PARTITION BY id ORDER BY moment | LTTB of other rows than all of a series: leave out",
                "amount, 9 | PARTITION BY id ORDER BY moment RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE"
                        + " CURRENT ROW | LTTB of other rows than all of a series",
            })
    void fewerRowsAreOfAStreamsSeries(String arguments, String window, String why) {
        assertThatThrownBy(() ->
                        streams.answer("SELECT id FROM orders QUALIFY LTTB(" + arguments + ") OVER (" + window + ")"))
                .hasMessageContaining("not supported: " + why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id FROM orders QUALIFY NOT LTTB(amount, 9) OVER (PARTITION BY id ORDER BY moment)",
                "SELECT id, LTTB(amount, 9) OVER (PARTITION BY id ORDER BY moment) AS k FROM orders",
                "SELECT id FROM (SELECT * FROM orders LIMIT 5) QUALIFY LTTB(amount, 9) OVER (PARTITION BY id ORDER BY moment)",
                "SELECT o.id FROM orders o JOIN visits v ON o.id = v.id QUALIFY LTTB(o.amount, 9) OVER (PARTITION BY o.id"
                        + " ORDER BY o.moment)",
            })
    void fewerRowsAreOfAStreamsTuples(String statement) {
        assertThatThrownBy(() -> streams.answer(statement))
                .hasMessageContaining("not supported: LTTB but alone, as QUALIFY LTTB(x, 500) OVER (PARTITION BY field"
                        + " ORDER BY time), of 2 to 100,000 rows of each series, where the engine computes all else");
    }

    /** Of two that are refused for reasons of their own, the place and the reason are of one. */
    @ParameterizedTest
    @CsvSource({"LTTB, MINMAX", "MINMAX, LTTB"})
    void theReasonIsThatOfThePlace(String one, String other) {
        String statement = "SELECT a.id FROM (SELECT id FROM orders QUALIFY " + one
                + "(amount, 1) OVER (PARTITION BY id ORDER BY moment)) a JOIN (SELECT id FROM orders QUALIFY " + other
                + "(amount, 9) OVER (ORDER BY moment)) b ON a.id = b.id";
        assertThatThrownBy(() -> streams.answer(statement))
                .hasMessageContaining("column " + (statement.indexOf(one) + 1) + ": not supported: " + one
                        + " of 1 rows, expected 2 to 100,000");
    }

    @Test
    void fewerRowsAreNotBesideWindows() {
        assertThatThrownBy(
                        () -> streams.answer("SELECT RANK() OVER (ORDER BY id) AS r FROM orders QUALIFY LTTB(amount, 9)"
                                + " OVER (PARTITION BY id ORDER BY moment)"))
                .hasMessageContaining("not supported: LTTB beside what the engine does not compute: RANK");
    }

    /** Ours first. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "SELECT s.\"window\", latest FROM (SELECT id AS \"window\", moment AS latest FROM orders) AS s"
                        + " LATEST ON latest PARTITION BY s.\"window\" ORDER BY 1;"
                        + "SELECT id, MAX(moment) FROM orders GROUP BY id ORDER BY id",
                "SELECT id, moment FROM orders LATEST ON moment PARTITION BY id ORDER BY id;"
                        + "SELECT id, MAX(moment) FROM orders GROUP BY id ORDER BY id",
                "SELECT orders.id, moment FROM public.orders latest /* a */ on\\nmoment partition\\tby id order by id;"
                        + "SELECT id, MAX(moment) FROM orders GROUP BY id ORDER BY id",
                "SELECT COUNT(*) FROM orders LATEST ON moment PARTITION BY id;SELECT COUNT(DISTINCT id) FROM orders",
                "SELECT n.id FROM (SELECT * FROM orders LATEST ON moment PARTITION BY id)AS n JOIN orders LATEST"
                        + " ON n.id = LATEST.id AND n.moment < latest.moment ORDER BY 1;"
                        + "SELECT id FROM orders WHERE FALSE",
                "SELECT DISTINCT v.id FROM orders latest JOIN visits v ON v.id = latest.id ORDER BY 1;"
                        + "SELECT DISTINCT v.id FROM orders o JOIN visits v ON v.id = o.id ORDER BY 1",
                "SELECT id FROM visits WHERE id IN (SELECT id FROM orders WHERE amount::TEXT <> 'x' OR paid::BOOLEAN"
                        + " LATEST ON moment PARTITION BY id) LATEST ON moment PARTITION BY id ORDER BY id;"
                        + "SELECT DISTINCT id FROM visits WHERE id IN (SELECT id FROM orders WHERE amount IS NOT NULL"
                        + " OR paid) ORDER BY id",
                "WITH w AS (SELECT * FROM orders LATEST ON moment PARTITION BY id) SELECT DISTINCT ON (id % 2) id % 2,"
                        + " moment FROM w LATEST ON moment PARTITION BY id % 2 ORDER BY id % 2, moment;"
                        + "SELECT id % 2, MAX(moment) FROM orders GROUP BY 1 ORDER BY 1",
                "SELECT id FROM dear d WHERE 'LATEST ON x PARTITION BY y' > '' LATEST ON d.moment PARTITION BY d.id"
                        + " UNION SELECT -1 ORDER BY 1;SELECT id FROM orders WHERE amount > -2 OR price IS NULL"
                        + " UNION SELECT -1 ORDER BY 1",
            })
    void newestRowsAreThoseOf(String statement, String asked) throws Exception {
        String written = statement.replace("\\n", "\n").replace("\\t", "\t");
        assertThat(streams.answer(written)).isEqualTo(duckdb.rows(asked));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "SELECT id FROM orders LATEST ON moment PARTITION BY id WHERE id > 1;"
                        + " line 1, column 23: WHERE stands before LATEST ON",
                "SELECT o.id FROM orders o JOIN visits v ON o.id = v.id LATEST ON o.moment PARTITION BY o.id;"
                        + " LATEST ON takes the rows of one table",
                "SELECT o.id FROM orders o LATEST ON moment PARTITION BY id JOIN visits v ON o.id = v.id;"
                        + " LATEST ON takes the rows of one table",
                "SELECT id FROM orders LATEST ON momnt PARTITION BY id; line 1, column 33: there is no column 'momnt'",
                "SELECT id FROM orders LATEST ON moment PARTITION BY idd LIMIT 1; line 1, column 53: there is no column 'idd'",
                "SELECT id FROM (SELECT * FROM orders LATEST ON moment PARTITION BY id) AS s WHERE idd > 1;"
                        + " line 1, column 83: there is no column 'idd'",
                "SELECT 1 LATEST ON moment PARTITION BY id; line 1, column 10: LATEST ON needs a table",
                "SELECT note, COUNT(*) FROM orders GROUP BY note LATEST ON moment PARTITION BY id;"
                        + " line 1, column 49: LATEST ON stands behind FROM and WHERE, and before GROUP",
                "SELECT id FROM orders LATEST ON moment, id PARTITION BY id; LATEST ON takes one time",
            })
    void newestRowsAreRefused(String statement, String message) {
        assertThatThrownBy(() -> streams.answer(statement)).hasMessageContaining(message);
    }

    /**
     * The rows up to the last that is wanted are read, in the order that is wanted, and no others: by offset and limit,
     * with nulls first or last. Orders that leave nothing open are compared row by row.
     */
    @Test
    void readsTheFirstRowsOfAnyOrder() throws Exception {
        Random random = new Random(Long.getLong("seed", 11));
        for (int s = 0; s < 40; s++) {
            List<String> by = new ArrayList<>();
            for (String column : List.of("price", "amount", "note", "paid", "moment", "id")) {
                boolean last = random.nextBoolean();
                by.add(column
                        + (random.nextBoolean() ? " DESC" : " ASC")
                        + (random.nextInt(4) == 0 ? (last ? " NULLS LAST" : " NULLS FIRST") : ""));
            }
            int limit = random.nextInt(30);
            int offset = random.nextInt(3) == 0 ? 0 : random.nextInt(60);
            Collections.rotate(by, random.nextInt(6));
            String statement =
                    "SELECT note, price * 2 AS twice, id FROM orders WHERE id > " + random.nextInt(4) + " ORDER BY "
                            + String.join(", ", by) + " LIMIT " + limit + (offset == 0 ? "" : " OFFSET " + offset);
            assertThat(streams.answer(statement)).as(statement).isEqualTo(duckdb.rows(statement));
            if (limit > 0) {
                assertThat(streams.asked().get(0).result())
                        .as(statement)
                        .isInstanceOfSatisfying(ResultSpec.Rows.class, rows -> assertThat(rows.limit())
                                .isEqualTo(limit + offset));
            }
        }
        String groups = "SELECT id, COUNT(*) AS n FROM orders GROUP BY id ORDER BY n DESC, id LIMIT 3 OFFSET 2";
        assertThat(streams.answer(groups)).isEqualTo(duckdb.rows(groups));
        assertThat(streams.asked().get(0).toString()).contains("limit=5]");
        String all = "SELECT id, moment, note FROM orders ORDER BY id, moment, note DESC OFFSET 7";
        assertThat(streams.answer(all)).isEqualTo(duckdb.rows(all));
        assertThat(streams.answer("SELECT id FROM orders ORDER BY note LIMIT 3 OFFSET 2000000"))
                .isEmpty();
        assertThat(streams.answer("SELECT id FROM orders LIMIT 3 OFFSET 4")).hasSize(3);
        String sorted = "WITH s AS (SELECT id, note FROM orders ORDER BY note, id) SELECT id FROM s LIMIT 3 OFFSET 4";
        assertThat(streams.answer(sorted)).hasSize(3);
        String within = "SELECT id FROM (SELECT id, note FROM orders ORDER BY note, id LIMIT 20) AS s LIMIT 3 OFFSET 4";
        assertThat(streams.answer(within)).hasSize(3);
        for (String rests : List.of(
                "SELECT id, note FROM orders ORDER BY note ASC NULLS LAST, id",
                "SELECT id, price FROM orders ORDER BY price, id LIMIT 9000 OFFSET 1001",
                // Of texts the engine might not hold as many.
                "SELECT id, note FROM orders ORDER BY id, note LIMIT 10 OFFSET 2040",
                "SELECT id, note FROM orders ORDER BY note ASC NULLS LAST, id LIMIT 2050",
                "SELECT id, note FROM orders ORDER BY note, id LIMIT 9223372036854775806 OFFSET 5")) {
            assertThat(streams.answer(rests)).as(rests).isEqualTo(duckdb.rows(rests));
            assertThat(streams.asked().get(0).result())
                    .as(rests)
                    .isInstanceOfSatisfying(ResultSpec.Rows.class, rows -> assertThat(rows.orderBy())
                            .isEmpty());
        }
        for (String pages : List.of(
                "SELECT id, price FROM orders ORDER BY price ASC NULLS LAST, id LIMIT 9000 OFFSET 1000",
                "SELECT id, CAST(amount AS VARCHAR) AS n FROM orders ORDER BY n ASC NULLS LAST, id LIMIT 9000",
                "SELECT id, note FROM orders ORDER BY note ASC NULLS LAST, id LIMIT 2040")) {
            assertThat(streams.answer(pages)).as(pages).isEqualTo(duckdb.rows(pages));
            assertThat(streams.asked().get(0).result())
                    .as(pages)
                    .isInstanceOfSatisfying(ResultSpec.Rows.class, rows -> assertThat(rows.orderBy())
                            .isNotEmpty());
        }
        for (String count : List.of("LIMIT 3 OFFSET 18446744073709551617", "LIMIT 18446744073709551617")) {
            assertThatThrownBy(() -> streams.answer("SELECT id FROM orders ORDER BY id " + count))
                    .hasMessageContaining(
                            "expected a whole number of 64 bits, or one with an exponent, got 18446744073709551617");
        }
    }
}
