package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** WITH RECURSIVE over written rows and over rows of streams, part in chunks and part in memory. */
final class RecursiveStatementsTest extends BesideDuckDb {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT n + 10 FROM t WHERE n < 30) SELECT n FROM t",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL (SELECT n + 1 FROM t WHERE n < 3 UNION ALL SELECT n + 10 FROM t"
                        + " WHERE n < 3)) SELECT n FROM t",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
                "WITH RECURSIVE t(n, m) AS (SELECT 1, 2 UNION ALL SELECT n + 1, NULLIF(n, 3) FROM t WHERE n < 5) "
                        + "SELECT n, m IS NULL AS x FROM t WHERE n > 2",
                "WITH RECURSIVE t(n, m) AS (SELECT 1, 2 UNION ALL SELECT n + 1, CASE WHEN m IS NULL THEN 9 END FROM t"
                        + " WHERE n < 9) SELECT n, m FROM t",
                "WITH RECURSIVE t(id, lev) AS (SELECT id, 1 FROM orders WHERE amount = 3 UNION SELECT v.level, t.lev "
                        + "+ 1 FROM t JOIN visits v ON v.id = t.id WHERE t.lev < 4) SELECT * FROM t",
                "WITH RECURSIVE t(id) AS (SELECT id FROM orders WHERE amount = 3 UNION SELECT v.level FROM t JOIN "
                        + "visits v ON v.id = t.id WHERE v.note <> 'a') SELECT id, COUNT(*) FROM t GROUP BY id",
                "WITH RECURSIVE t(id, note, p) AS (SELECT id, note, price FROM orders WHERE amount = 3 UNION ALL "
                        + "SELECT v.level, t.note || v.note, t.p + v.weight FROM t JOIN visits v ON v.id = t.id WHERE "
                        + "LENGTH(t.note) < 4) SELECT * FROM t",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100000) SELECT COUNT(*), "
                        + "SUM(n), MAX(n) FROM t",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3), u(m) AS (SELECT n FROM "
                        + "t UNION ALL SELECT m + 10 FROM u WHERE m < 40) SELECT a.m, b.n FROM u a JOIN t b ON MOD(a.m, 3) + 1 "
                        + "= b.n",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT o.id FROM orders "
                        + "o WHERE o.id IN (SELECT n FROM t) AND o.amount > 0",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT a.n, b.n FROM t a"
                        + " JOIN t b ON a.n < b.n",
                "SELECT o.id, (WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT "
                        + "SUM(n) FROM t) AS s FROM orders o",
                "SELECT o.id, (WITH RECURSIVE t(n) AS (SELECT o.id UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT "
                        + "SUM(n) FROM t) AS s FROM orders o",
                "WITH RECURSIVE t(id, x) AS (SELECT id, amount FROM orders WHERE id < 3 UNION SELECT t.id + 1, "
                        + "v.level FROM t LEFT JOIN visits v ON v.id = t.id AND v.level = t.x WHERE t.id < 9) SELECT * FROM t "
                        + "WHERE x IS NULL OR id > 5",
                "WITH RECURSIVE t(id) AS (SELECT id FROM orders WHERE id < 2 UNION SELECT t.id + 1 FROM t WHERE t.id "
                        + "< 9 AND EXISTS (SELECT 1 FROM visits v WHERE v.level = t.id OR v.id > t.id)) SELECT * FROM t",
                "WITH RECURSIVE t(id) AS (SELECT id FROM orders WHERE id < 2 UNION SELECT t.id + 1 FROM t WHERE t.id "
                        + "< 9 AND t.id NOT IN (SELECT v.level FROM visits v WHERE v.level IS NOT NULL AND v.id = t.id)) SELECT"
                        + " * FROM t",
                "WITH RECURSIVE t(id, m) AS (SELECT id, moment FROM orders WHERE id < 2 UNION SELECT t.id + 1, t.m + "
                        + "INTERVAL '1' MONTH FROM t WHERE t.id < 9) SELECT id, MAX(m) IS NULL FROM t GROUP BY id",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t LIMIT 5",
                "WITH RECURSIVE t(n) AS (SELECT n FROM (VALUES (1), (7)) AS x(n) UNION ALL SELECT MAX(n) + 1 FROM t "
                        + "HAVING MAX(n) < 20) SELECT n FROM t",
                "WITH RECURSIVE orders(id) AS (SELECT 5 UNION ALL SELECT id + 1 FROM orders WHERE id < 9) SELECT * "
                        + "FROM orders",
                "WITH RECURSIVE t(id, amount) AS (SELECT id, amount FROM orders WHERE amount = 3 UNION ALL SELECT "
                        + "t.id + 1, o.amount FROM t JOIN orders o ON o.id = t.id + 1 WHERE o.amount = t.amount) SELECT id, "
                        + "COUNT(*) FROM t GROUP BY id"
            })
    void stepsAreThoseOfDuckDb(String statement) throws Exception {
        List<?> expected = StatementsBesideDuckDbTest.sorted(duckdb.rows(statement));
        assertThat(StatementsBesideDuckDbTest.sorted(streams.answer(statement))).isEqualTo(expected);
        assertThat(StatementsBesideDuckDbTest.sorted(streams.answerUnpushed(statement)))
                .isEqualTo(expected);
    }

    /** Of types that widen, all rows have the wider: DuckDB has that of the first part. */
    @Test
    void aColumnHasOneType() throws Exception {
        assertThat(streams.answer("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n / 2 + 1.5 FROM t WHERE n < 2.5)"
                        + " SELECT n FROM t ORDER BY n"))
                .isEqualTo(List.of(List.of(1.0), List.of(2.0), List.of(2.5)));
        assertThat(streams.answer("WITH RECURSIVE t(k, x) AS (SELECT 1, DECIMAL '1.5' UNION ALL SELECT k + 1, CAST(x AS"
                        + " DECIMAL(10, 4)) FROM t WHERE k < 2) SELECT k, CAST(x AS VARCHAR) FROM t ORDER BY k"))
                .isEqualTo(List.of(List.of(1L, "1.5000"), List.of(2L, "1.5000")));
    }

    @Test
    void conditionsOfBothPartsAreOfTheirLeaves() {
        assertThat(streams.plan("WITH RECURSIVE t(id) AS (SELECT id FROM orders WHERE amount = 3 UNION SELECT v.level"
                                + " FROM t JOIN visits v ON v.id = t.id AND v.level > 1) SELECT id FROM t")
                        .toString())
                .contains("where=amount = 3", "where=level > 1", "WITH RECURSIVE step0(c0)");
    }

    /** Each refusal says how it is written. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "WITH RECURSIVE t(n) AS (SELECT 1 FROM t UNION ALL SELECT n FROM t) SELECT n FROM t"
                        + " ; line 1, column 39: there is no stream 't'",
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3 UNION ALL SELECT n + 10 FROM t WHERE"
                        + " n < 3) SELECT n FROM t ; several such parts go into parentheses",
                "WITH t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT n FROM t"
                        + " ; a WITH that names itself is a WITH RECURSIVE",
                "WITH RECURSIVE t(k, a, b, c) AS (SELECT 1, 1, 1, 1.5 UNION ALL SELECT k + 1, b, c, c FROM t WHERE k < 4)"
                        + " SELECT * FROM t ; CAST it, also in the first part of a WITH RECURSIVE",
                "WITH RECURSIVE t(k, a) AS (SELECT 1, TRUE UNION ALL SELECT k + 1, k FROM t WHERE k < 4) SELECT * FROM t"
                        + " ; Type mismatch in column 2 of UNION ALL",
            })
    void whatIsWrongIsSaid(String statement, String message) {
        assertThatThrownBy(() -> streams.plan(statement)).hasMessageContaining(message);
    }
}
