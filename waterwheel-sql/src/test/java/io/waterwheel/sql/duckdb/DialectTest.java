package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.sql.suite.DuckDbTwin;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What PostgreSQL and DuckDB write in ways of their own is answered as DuckDB answers it. */
final class DialectTest extends BesideDuckDb {
    private static final int SEEDS = Rounds.of(1, 100);
    private static final int STATEMENTS = 20;

    /** Random statements, each of another kind. */
    private static void assertAlike(Function<RandomStatements, String> made, String name) throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams own = new TwoStreams(folder.resolve(name + seed), random, executor);
                    DuckDbTwin twin = StatementsBesideDuckDbTest.twin(own)) {
                RandomStatements statements = new RandomStatements(random, false);
                for (int s = 0; s < STATEMENTS; s++) {
                    String statement = made.apply(statements);
                    try {
                        assertAlike(own, twin, statement, statement);
                    } catch (AssertionError e) {
                        throw new AssertionError("seed " + seed, e);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT SUM(NULL) AS s, AVG(NULL) AS a, MAX(NULL) AS m, COUNT(NULL) AS n FROM orders",
                "SELECT id, SUM(NULL) AS s, AVG(q.x) AS a FROM (SELECT id, NULL AS x FROM orders) q GROUP BY id",
                "SELECT id, COUNT(*) AS n FROM orders GROUP BY id QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*), id) <= 2",
            })
    void nullsAndNumbersOfGroupsAreThoseOfDuckDb(String statement) {
        assertAlike(statement);
    }

    /** Calcite knows no windows behind a set operation, and none that DISTINCT has left. */
    @Test
    void anOrderByAWindowThatCannotBeIsRefused() {
        assertThatThrownBy(() ->
                        streams.plan("SELECT id FROM orders UNION SELECT id FROM visits ORDER BY ROW_NUMBER() OVER w"))
                .hasMessageContaining("line 1, column 78: no window 'w' is declared")
                .hasMessageContaining("write the window itself, OVER (ORDER BY x)");
        assertThatThrownBy(() ->
                        streams.plan("SELECT DISTINCT id FROM orders ORDER BY SUM(amount) OVER (PARTITION BY id)"))
                .hasMessageContaining(
                        "column 45: ORDER BY of a SELECT DISTINCT takes columns of its list that are no windows, and not 'amount'");
        String written = "SELECT id FROM orders UNION SELECT id FROM visits ORDER BY ROW_NUMBER() OVER (ORDER BY id)";
        assertAlike(written);
        String around =
                "SELECT * FROM (SELECT DISTINCT id, SUM(amount) OVER (PARTITION BY id) AS s FROM orders) AS q ORDER BY s";
        assertAlike(around);
    }

    @Test
    void ofAListThatIsTooLongTheWayOutIsSaid() {
        String list = "SELECT id FROM orders WHERE id IN (1" + ", 1".repeat(20_000) + ")";
        assertThatThrownBy(() -> streams.plan(list))
                .hasMessageContaining("it has over 20000 parts")
                .hasMessageContaining("many values go into a table of a file");
        assertThatThrownBy(() -> streams.plan(list + " ".repeat(Statement.MAX_CHARACTERS)))
                .hasMessageContaining("expected at most 262144 characters")
                .hasMessageContaining("many values go into a table of a file");
    }

    @Test
    void textsOfGroupsAreThoseOfDuckDb() throws Exception {
        assertAlike(RandomStatements::texts, "t");
    }

    /** Calcite takes a cast to be of all that stands before it. */
    @Test
    void castsBetweenOperatorsAreThoseOfDuckDb() throws Exception {
        assertAlike(RandomStatements::casts, "c");
    }

    /** Ours, and DuckDB's where it is another text. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT id, LISTAGG(note, '/') WITHIN GROUP (ORDER BY amount DESC NULLS FIRST, note) AS x FROM orders GROUP BY id"
                        + " ; SELECT id, STRING_AGG(note, '/' ORDER BY amount DESC NULLS FIRST, note) AS x FROM orders GROUP BY id",
                "SELECT o.id, o.amount, (SELECT LISTAGG(DISTINCT v.note, '|') WITHIN GROUP (ORDER BY v.note DESC)"
                        + " FILTER (WHERE v.level > o.amount) FROM visits v WHERE v.id = o.id) AS x FROM orders o ;"
                        + " SELECT o.id, o.amount, (SELECT STRING_AGG(DISTINCT v.note, '|' ORDER BY v.note DESC)"
                        + " FILTER (WHERE v.level > o.amount) FROM visits v WHERE v.id = o.id) AS x FROM orders o",
                // Two that differ in nothing but what stands between.
                "SELECT id, STRING_AGG(note, '+' ORDER BY note), STRING_AGG(note, '-' ORDER BY note), STRING_AGG(note, '-'"
                        + " ORDER BY note DESC) FROM orders GROUP BY id ;",
                "SELECT id, GROUP_CONCAT(note, '''' ORDER BY note) FROM orders GROUP BY id ;",
                "SELECT note, STRING_AGG(id::text, ',' ORDER BY id) FROM orders GROUP BY ROLLUP(note) ;",
                "SELECT MAX(x) FROM (SELECT STRING_AGG(note, ',' ORDER BY note) AS x FROM orders GROUP BY id) ;",
                "SELECT id FROM orders GROUP BY id HAVING STRING_AGG(note, ',' ORDER BY note) LIKE ',%' ;",
                "SELECT STRING_AGG('x', ',') AS x FROM orders ;",
                "SELECT LENGTH(STRING_AGG(note, ', ')) AS n FROM orders ;",
                "SELECT STRING_AGG(note, ',') AS n FROM orders WHERE id < 0 ;",
                "SELECT id, note AS n, COUNT(*), SUM(price) + 1 FROM orders GROUP BY ALL HAVING COUNT(*) > 1 ;",
                "SELECT o.id * 2 AS x, (SELECT MAX(level) FROM visits) AS m, COUNT_IF(o.paid) FROM orders o GROUP BY ALL ;"
                        + " SELECT o.id * 2 AS x, (SELECT MAX(level) FROM visits) AS m, COUNT(*) FILTER (WHERE o.paid)"
                        + " FROM orders o GROUP BY ALL",
                "SELECT COUNT(*), 'x' AS x FROM orders GROUP BY ALL ;",
                "SELECT id FROM orders ORDER BY id FETCH FIRST ROW ONLY ; SELECT id FROM orders ORDER BY id LIMIT 1",
                "SELECT id FROM orders ORDER BY id OFFSET 3 ROWS FETCH NEXT ROW ONLY ; SELECT id FROM orders ORDER BY id LIMIT 1"
                        + " OFFSET 3",
                // Doubles that have a fraction, and others, are written in one way.
                "SELECT CAST(price AS VARCHAR) AS x, moment::text AS y FROM orders ; SELECT REGEXP_REPLACE(CAST(price AS VARCHAR),"
                        + " '\\.0$', ''), CAST(moment AS VARCHAR) FROM orders",
                "SELECT CAST(o.price AS VARCHAR) || '!' AS x, CAST(v.moment AS VARCHAR) AS y, CAST(v.weight AS VARCHAR) AS z FROM"
                        + " orders o JOIN visits v ON o.id = v.id ; SELECT REGEXP_REPLACE(CAST(o.price AS VARCHAR), '\\.0$', '')"
                        + " || '!', CAST(v.moment AS VARCHAR), REGEXP_REPLACE(CAST(v.weight AS VARCHAR), '\\.0$', '') FROM orders o"
                        + " JOIN visits v ON o.id = v.id",
                "SELECT CAST(1.5 AS VARCHAR) AS x, CAST(1e16 AS VARCHAR) AS y, CAST(TIMESTAMP '2020-01-01 00:00:00' AS VARCHAR) AS z ;"
                        + " SELECT '1.5', '1e+16', '2020-01-01 00:00:00'",
                "SELECT TO_CHAR(moment, 'YYYY-MM-DD HH24:MI:SS.MS') AS a, TO_CHAR(moment, 'FMDay, FMDD Mon YYYY \"at\" HH12 AM') AS b,"
                        + " TO_CHAR(moment, 'yyyymmdd\"T\"hh24miss') AS c FROM orders ; SELECT strftime(moment, '%Y-%m-%d"
                        + " %H:%M:%S.%g'), strftime(moment, '%A, %-d %b %Y at %I %p'), strftime(moment, '%Y%m%dT%H%M%S') FROM orders",
                "SELECT MOD(price, 2.5) AS m, price % 2 AS n, id % 3 AS o, id % 1.5 AS p FROM orders ; SELECT price % 2.5::DOUBLE,"
                        + " price % 2::DOUBLE, id % 3, id::DOUBLE % 1.5::DOUBLE FROM orders",
                "SELECT o.id FROM orders o JOIN visits v ON o.id = v.id WHERE o.price % 2 = 0.5 ; SELECT o.id FROM orders o JOIN visits v"
                        + " ON o.id = v.id WHERE o.price % 2::DOUBLE = 0.5::DOUBLE",
                "SELECT ST_Distance(NULL, ST_Point(price, id)) AS a, ST_Within(NULL, ST_MakeEnvelope(0, 0, 1, 1)) AS b,"
                        + " ST_Within(ST_Point(price, id), NULL) AS c, ST_AsText(NULL) AS d, ST_DWithin(ST_Buffer(NULL, 5), NULL, 5)"
                        + " AS e FROM orders ; SELECT NULL, NULL, NULL, NULL, NULL FROM orders",
                "SELECT id FROM orders WHERE ST_Contains(NULL, ST_Point(price, id)) ; SELECT id FROM orders WHERE FALSE",
                // Windows over what sub-queries have.
                "SELECT o.id, SUM((SELECT COUNT(*) FROM visits y WHERE y.id = o.id)) OVER (PARTITION BY o.id) AS s FROM orders o ;",
                "SELECT o.id, AVG((SELECT MAX(y.level) FROM visits y)) OVER () AS s, EXISTS (SELECT 1 FROM visits y WHERE y.id = o.id)"
                        + " AS e FROM orders o ;",
                "SELECT o.id, RANK() OVER (ORDER BY (SELECT COUNT(*) FROM visits y WHERE y.id = o.id)) AS s FROM orders o ;",
                "SELECT o.id, COUNT(*) OVER (PARTITION BY o.id IN (SELECT y.level FROM visits y)) AS s FROM orders o ;",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.id = o.id) AS s, SUM(amount) OVER (w ROWS 1 PRECEDING) AS a,"
                        + " COUNT(*) OVER (w RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b, SUM(amount) OVER v AS c,"
                        + " MIN(amount) OVER (p ORDER BY moment, price, note, amount ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS d"
                        + " FROM orders o WINDOW w AS (PARTITION BY o.id ORDER BY moment, price, note, amount), v AS (w ROWS BETWEEN"
                        + " 2 PRECEDING AND 1 PRECEDING), p AS (PARTITION BY paid) ;",
                // Windows that are alike, and of one name within and without.
                "SELECT id, SUM(amount) OVER (a ROWS 1 PRECEDING) AS s, SUM(amount) OVER b AS t, COUNT(*) OVER c AS n FROM"
                        + " orders WINDOW w AS (ORDER BY id, moment, amount, price), b AS (w ROWS 1 PRECEDING), a AS (ORDER BY"
                        + " id, moment, amount, price), c AS (w ROWS 1 PRECEDING), d AS (a) ;",
                "SELECT id, (SELECT COUNT(*) FROM visits WINDOW w AS (ORDER BY id)) AS n FROM orders WINDOW w AS (ORDER BY id) ;",
                "SELECT o.id, (SELECT SUM(o.amount) FILTER (WHERE v.level > 0) FROM visits v WHERE v.id = o.id) AS s,"
                        + " (SELECT SUM(v.level + (SELECT MAX(w.level) FROM visits w)) FROM visits v) AS t FROM orders o ;",
                "SELECT id, SUM(amount) OVER w AS s, (SELECT COUNT(*) OVER w FROM visits v WHERE v.id = o.id WINDOW w AS"
                        + " (ORDER BY id) LIMIT 1) AS n FROM orders o WINDOW w AS (ORDER BY id) ;",
                "SELECT id, amount FROM orders WINDOW w AS (PARTITION BY id ORDER BY moment, amount) ORDER BY SUM(amount)"
                        + " OVER (w ROWS 1 PRECEDING), RANK() OVER w, 1, 2 LIMIT 9 ; SELECT id, amount FROM orders ORDER BY"
                        + " SUM(amount) OVER (PARTITION BY id ORDER BY moment, amount ROWS 1 PRECEDING), RANK() OVER (PARTITION"
                        + " BY id ORDER BY moment, amount), 1, 2 LIMIT 9",
                "SELECT SUM(NULL) OVER () AS s, AVG(NULL) OVER (ORDER BY id) AS a, COUNT(NULL) OVER () AS c FROM orders ;",
                "SELECT id, FLOOR(CAST('inf' AS DOUBLE)) AS a, CEIL(-CAST('inf' AS DOUBLE)) AS b, FLOOR(CAST('NaN' AS DOUBLE) + price)"
                        + " AS c FROM orders WHERE CEIL(CAST('inf' AS DOUBLE)) > price ;",
                "SELECT id, CAST('inf' AS DOUBLE) AS s, price < CAST(' -Infinity ' AS DOUBLE) AS l, CAST('nan' AS DOUBLE) AS z"
                        + " FROM orders WHERE price < CAST('+INF' AS DOUBLE) ; SELECT id, CAST('inf' AS DOUBLE), price <"
                        + " CAST('-Infinity' AS DOUBLE), CAST('nan' AS DOUBLE) FROM orders WHERE price < CAST('inf' AS DOUBLE)",
                // Months of the calendar.
                "SELECT id, moment + INTERVAL '1' MONTH AS m, INTERVAL '3 months' + moment AS q, moment - INTERVAL '1' YEAR AS"
                        + " y FROM visits ;",
                "SELECT moment + INTERVAL '3' MONTH AS m, COUNT(*) AS n FROM visits WHERE moment + INTERVAL '1' MONTH >"
                        + " TIMESTAMP '2026-12-24 00:05:00' GROUP BY 1 ;",
                "SELECT CAST(t.d AS TIMESTAMP) + INTERVAL '1' MONTH AS m, CAST(t.d AS TIMESTAMP) - INTERVAL '1' YEAR AS y FROM"
                        + " (VALUES (TIMESTAMP '2026-01-31 10:00:00'), (TIMESTAMP '2024-02-29 23:59:59'), (TIMESTAMP '1969-12-31"
                        + " 23:00:00')) AS t(d) ; SELECT CAST(t.d + INTERVAL '1' MONTH AS TIMESTAMP_MS), CAST(t.d - INTERVAL '1'"
                        + " YEAR AS TIMESTAMP_MS) FROM (VALUES (TIMESTAMP '2026-01-31 10:00:00'), (TIMESTAMP '2024-02-29"
                        + " 23:59:59'), (TIMESTAMP '1969-12-31 23:00:00')) AS t(d)",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND v.moment > o.moment - INTERVAL '1' MONTH"
                        + " AND v.moment + INTERVAL '1' MONTH < o.moment + INTERVAL '1' MONTH ;",
                "SELECT id, SUM(n) OVER (w ROWS 1 PRECEDING) AS s FROM (SELECT id, amount, COUNT(*) OVER (w ROWS UNBOUNDED PRECEDING)"
                        + " AS n FROM orders WINDOW w AS (PARTITION BY id ORDER BY amount)) t WINDOW w AS (ORDER BY id, n) ;",
                "SELECT id FROM orders WHERE STRPOS(note, 'a') > 0 OR price = CAST('NaN' AS DOUBLE) ;",
                "SELECT id, SUM(amount) OVER (x ROWS 1 PRECEDING) AS s, COUNT(*) OVER w AS n FROM orders WINDOW v AS (PARTITION BY id),"
                        + " w AS (v), x AS (v ORDER BY moment, price, note, amount) ;",
                "SELECT DAY(moment) AS d, DAYOFMONTH(moment) AS e, COUNT(*) FROM orders GROUP BY 1, 2 ;",
                "TABLE orders ;",
                "SELECT COUNT(*) FROM (TABLE orders) t JOIN visits v ON t.id = v.id ;",
                // Moments from which whole months, weeks and days are counted.
                "SELECT COUNT(*) FROM orders WHERE moment >= DATE_TRUNC('month', TIMESTAMP '2026-12-31 10:00:00') - INTERVAL '1' MONTH"
                        + " AND moment < DATE_TRUNC('month', DATE '2026-12-31') ;",
                "SELECT COUNT(*) FROM orders WHERE moment < DATE_TRUNC('week', TIMESTAMP '2026-11-24 10:00:00') + INTERVAL '1' DAY"
                        + " OR moment < DATE_TRUNC('month', NOW()) - INTERVAL '100' YEAR ;",
                // Functions of texts that DuckDB has.
                "SELECT id, REGEXP_MATCHES(note, '^a'), REGEXP_MATCHES(note, '^A', 'i'), REGEXP_REPLACE(note, '[ab]', 'x'),"
                        + " REGEXP_REPLACE(note, '([ab])', '<\\1>', 'g'), REGEXP_EXTRACT(note, 'b+'),"
                        + " REGEXP_EXTRACT(note, 'a(b)', 1) FROM orders ;",
                "SELECT id FROM orders WHERE REGEXP_LIKE(note, 'r.c') OR note ~ 'b$' ;"
                        + " SELECT id FROM orders WHERE REGEXP_MATCHES(note, 'r.c') OR REGEXP_MATCHES(note, 'b$')",
                "SELECT SPLIT_PART(note, 'a', 1), SPLIT_PART(note, '''', 2), LPAD(note, 4, '*'), RPAD(note, 3), RIGHT(note, 2),"
                        + " REVERSE(note) FROM orders ; SELECT SPLIT_PART(note, 'a', 1), SPLIT_PART(note, '''', 2),"
                        + " LPAD(note, 4, '*'), RPAD(note, 3, ' '), RIGHT(note, 2), REVERSE(note) FROM orders",
                "SELECT n, TRY_CAST(x AS BIGINT), TRY_CAST(x AS DOUBLE), TRY_CAST(x AS TIMESTAMP) FROM (VALUES (1, ' 12 '),"
                        + " (2, '1.5'), (3, 'x'), (4, '99999999999999999999'), (5, '2026-11-25 10:00:00'), (6, '')) AS v(n, x) ;"
                        + " SELECT * FROM (VALUES (1::BIGINT, 12::BIGINT, 12::DOUBLE, NULL::TIMESTAMP_MS), (2, NULL, 1.5, NULL),"
                        + " (3, NULL, NULL, NULL), (4, NULL, 1e20, NULL), (5, NULL, NULL, TIMESTAMP_MS '2026-11-25 10:00:00'),"
                        + " (6, NULL, NULL, NULL))",
                "SELECT n, TRY_CAST(REPLACE(x, '_', ' ') AS TIMESTAMP) AS t, TRY_CAST(x AS TIMESTAMP(3)) AS u FROM (VALUES"
                        + " (1, '2020-01-01 00:00:00+02'), (2, '2020-01-01T00:00:00.5-03:30'), (3, '2020-01-01 00:00:00Z'),"
                        + " (4, '_2020-01-01_00:00:00.9996_'), (5, '1969-12-31_23:59:59.9996'), (6, '2020-07-01 00:00:00 GMT'),"
                        + " (7, '2020-07-01 00:00:00 Europe/Berlin'), (8, '2020-01-01 00:00:00 -02:00'), (9, 'infinity'),"
                        + " (10, '2020-01-01 (BC)'), (11, '2020-01-01'), (12, 'epoch'), (13, '2020-01-01 00:00:00 Z')) AS v(n, x) ;"
                        + " SELECT n::BIGINT, x::TIMESTAMP_MS, CASE WHEN n NOT IN (4, 5) THEN x::TIMESTAMP_MS END FROM (VALUES (1, '2019-12-31 22:00:00'),"
                        + " (2, '2020-01-01 03:30:00.5'), (3, '2020-01-01 00:00:00'), (4, '2020-01-01 00:00:00.999'),"
                        + " (5, '1969-12-31 23:59:59.999'), (6, '2020-07-01 00:00:00'), (7, '2020-06-30 22:00:00'),"
                        + " (8, '2020-01-01 02:00:00'), (9, NULL), (10, NULL), (11, '2020-01-01 00:00:00'), (12, NULL),"
                        + " (13, '2020-01-01 00:00:00')) AS v(n, x)",
                "SELECT id, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY amount) AS x FROM orders GROUP BY id ;",
                "SELECT DATE_PART('dow', moment), EXTRACT(DOW FROM moment), DATE_PART('isodow', moment),"
                        + " DATE_PART('week', moment), COUNT(*) FROM orders GROUP BY 1, 2, 3, 4 ;",
                "SELECT id, LAG(amount) IGNORE NULLS OVER (ORDER BY moment, id, price, note) AS x FROM orders ;"
                        + " SELECT id, LAG(amount IGNORE NULLS) OVER (ORDER BY moment, id, price, note) AS x FROM orders",
                // A column of an earlier USING, and one that only a later has.
                "SELECT id, level, COUNT(*) FROM orders o JOIN visits v USING (id) JOIN (SELECT DISTINCT level FROM visits) w"
                        + " USING (level) WHERE id > 1 AND level > 0 GROUP BY id, level ORDER BY id, level ;",
                "SELECT id FROM orders WHERE id IN (SELECT id FROM visits UNION SELECT level FROM visits) ;",
                "SELECT id FROM orders WHERE id::BIGINT NOT IN (SELECT id FROM visits WHERE level > 0 EXCEPT SELECT level"
                        + " FROM visits WHERE level IS NOT NULL) ;",
                "SELECT id FROM orders WHERE id > 3 AND (paid -- don't count others\\n OR amount > 1) ;",
                "SELECT 2 * (amount /* the customer's :) */ + 1)::DOUBLE AS n FROM orders WHERE (id -- ( '\\n + 1)::BIGINT > 4 ;",
                // The order is that of another text.
                "SELECT id, STRING_AGG(note, ',' ORDER BY note) AS x FROM orders GROUP BY id"
                        + " ORDER BY STRING_AGG(note, ',' ORDER BY note DESC), id LIMIT 3 ;",
                "SELECT * FROM (SELECT id, MEDIAN(amount)::DOUBLE AS n FROM orders WHERE amount = 1 GROUP BY ALL) t WHERE n > 0 ;",
                "SELECT COUNT(ALL id), SUM(ALL amount) FROM orders ;",
                "SELECT DATEPART(minute, moment) AS m, COUNT(*) FROM orders GROUP BY DATEPART(minute, moment) ;"
                        + " SELECT DATEPART('minute', moment) AS m, COUNT(*) FROM orders GROUP BY ALL",
                "SELECT DATEPART('minute', moment) AS m, DATE_PART('hour', moment) AS h, COUNT(*) FROM orders"
                        + " GROUP BY DATEPART('minute', moment), DATE_PART('hour', moment) ;",
                "SELECT o.id, TIMESTAMPDIFF(SECOND, o.moment, v.moment), TIMESTAMPDIFF(MINUTE, v.moment, o.moment),"
                        + " DATEDIFF(MINUTE, o.moment, v.moment), DATE_DIFF('hour', v.moment, o.moment) FROM orders o JOIN visits v"
                        + " ON o.id = v.id ; SELECT o.id, date_sub('second', o.moment, v.moment), date_sub('minute', v.moment,"
                        + " o.moment), date_diff('minute', o.moment, v.moment), date_diff('hour', v.moment, o.moment) FROM orders o"
                        + " JOIN visits v ON o.id = v.id",
                "SELECT id, DATEDIFF('second', MIN(moment), MAX(moment)) AS s FROM orders GROUP BY id ;",
                "SELECT id, TIMESTAMPDIFF(MONTH, TIMESTAMP '2024-02-29 00:00:00', moment) AS s, DATE_DIFF('week',"
                        + " TIMESTAMP '2024-02-29 00:00:00', moment) AS w FROM orders ; SELECT id, date_sub('month',"
                        + " TIMESTAMP '2024-02-29 00:00:00', moment), date_diff('week', TIMESTAMP '2024-02-29 00:00:00', moment)"
                        + " FROM orders",
                "SELECT o.id, o.moment, v.moment FROM orders o JOIN visits v ON o.id = v.id WHERE v.moment - o.moment <"
                        + " INTERVAL '3' MINUTE AND INTERVAL '0' SECOND <= v.moment - o.moment ;",
                "SELECT COUNT(*) FROM orders WHERE moment - TIMESTAMP '2026-11-24 00:00:00' > INTERVAL '5 minutes' ;",
                "SELECT COUNT(*) FROM orders WHERE TIMESTAMP '2026-11-24 00:20:00' - moment >= INTERVAL '5 minutes' ;",
                "SELECT COUNT(*) FROM orders WHERE moment > TIMESTAMP '2026-11-24 00:20:00' - '5 minutes'::interval ;",
                "SELECT COUNT(*) FROM orders WHERE moment > TIMESTAMP '2026-11-24 00:20:00' - INTERVAL 5 MINUTE ;",
                // Conditions without a table.
                "SELECT 1 WHERE 1 = 2 ;",
                "SELECT 1 + 1 AS x, 'a' AS y WHERE EXISTS (SELECT id FROM orders) ;",
                "SELECT 1 WHERE 3 IN (SELECT id FROM orders) UNION ALL SELECT 2 WHERE 1 IS DISTINCT FROM 2 ;",
                "SELECT COUNT(*) WHERE 1 = 2 ;",
                "SELECT o.id, (SELECT o.amount WHERE o.paid) AS p FROM orders o ;",
                // Steps of time from a moment, and of the calendar.
                "SELECT DATE_BIN(INTERVAL '7' MINUTE, moment, TIMESTAMP '2026-11-24 00:03:00.5') AS b, COUNT(*) FROM orders"
                        + " GROUP BY 1 ; SELECT CAST(time_bucket(INTERVAL 7 MINUTE, moment, TIMESTAMP '2026-11-24 00:03:00.5')"
                        + " AS TIMESTAMP_MS), COUNT(*) FROM orders GROUP BY 1",
                "SELECT DATE_BIN(INTERVAL '1' DAY, o.moment, TIMESTAMP '2020-01-01 00:10:00') AS b, COUNT(*) FROM orders o JOIN"
                        + " visits v ON o.id = v.id GROUP BY 1 ; SELECT CAST(time_bucket(INTERVAL 1 DAY, o.moment, TIMESTAMP"
                        + " '2020-01-01 00:10:00') AS TIMESTAMP_MS), COUNT(*) FROM orders o JOIN visits v ON o.id = v.id GROUP BY 1",
                "SELECT TIME_BUCKET(INTERVAL '3' MONTH, moment) AS b, TIME_BUCKET('1 year', moment) AS y, COUNT(*) FROM orders"
                        + " GROUP BY 1, 2 ; SELECT CAST(date_trunc('quarter', moment) AS TIMESTAMP_MS), CAST(date_trunc('year',"
                        + " moment) AS TIMESTAMP_MS), COUNT(*) FROM orders GROUP BY 1, 2",
                "SELECT DATE_BIN(INTERVAL '1' MONTH, moment, TIMESTAMP '2020-03-01 00:00:00') AS b, COUNT(*) FROM orders GROUP BY 1"
                        + " ; SELECT CAST(date_trunc('month', moment) AS TIMESTAMP_MS), COUNT(*) FROM orders GROUP BY 1",
                "SELECT CAST('true' AS BOOLEAN) AS t, COUNT(*) FROM orders WHERE paid = CAST('false' AS BOOLEAN) ;",
                "SELECT DATE_TRUNC('day', moment, 'Europe/Paris') AS d, COUNT(*) FROM orders GROUP BY 1 ; SELECT"
                        + " CAST(date_trunc('day', moment + INTERVAL 1 HOUR) - INTERVAL 1 HOUR AS TIMESTAMP_MS), COUNT(*)"
                        + " FROM orders GROUP BY 1",
                "SELECT o.id, APPROX_QUANTILE(o.amount, 0.5) AS m FROM orders o JOIN visits v ON o.id = v.id GROUP BY ALL"
                        + " ; SELECT o.id, quantile_disc(o.amount, 0.5) FROM orders o JOIN visits v ON o.id = v.id GROUP BY ALL",
                // Values at a share of a group, between its neighbours or of it, and the most frequent ones.
                "SELECT id, PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY price) AS c, QUANTILE_CONT(amount, 0.75) AS q,"
                        + " QUANTILE_DISC(price, 0.3) AS d FROM orders GROUP BY id ; SELECT id, quantile_cont(price, 0.3),"
                        + " quantile_cont(amount::DOUBLE, 0.75), quantile_disc(price, 0.3) FROM orders GROUP BY id",
                "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount) FILTER (WHERE paid) AS m FROM orders ;",
                "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amount) AS m FROM orders WHERE id < 0 ;",
                "SELECT o.id, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY v.level) AS p, MODE(v.note) AS n FROM orders o JOIN"
                        + " visits v ON o.id = v.id GROUP BY ALL ; SELECT o.id, quantile_cont(v.level, 0.9), mode(v.note ORDER BY"
                        + " v.note) FROM orders o JOIN visits v ON o.id = v.id GROUP BY ALL",
                "SELECT id, MODE(note) AS m, MODE() WITHIN GROUP (ORDER BY amount) AS a FROM orders GROUP BY id ; SELECT DISTINCT"
                        + " o.id, (SELECT i.note FROM orders i WHERE i.id = o.id AND i.note IS NOT NULL GROUP BY i.note ORDER BY"
                        + " COUNT(*) DESC, i.note LIMIT 1), (SELECT i.amount FROM orders i WHERE i.id = o.id AND i.amount IS NOT"
                        + " NULL GROUP BY i.amount ORDER BY COUNT(*) DESC, i.amount LIMIT 1) FROM orders o",
                "SELECT ROUND(CORR(price, amount), 9) AS c, ROUND(COVAR_POP(price, amount), 9) AS p, ROUND(COVAR_SAMP(amount,"
                        + " price), 9) AS s, ROUND(REGR_SLOPE(price, amount), 9) AS l, ROUND(REGR_INTERCEPT(price, amount), 9) AS i,"
                        + " ROUND(REGR_R2(price, amount), 9) AS r FROM orders ;",
                // Steps of the calendar without rows.
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '1' MONTH, moment) AS b, COUNT(*) AS n FROM orders WHERE moment >="
                        + " TIMESTAMP '2026-09-10 00:00:00' AND moment < TIMESTAMP '2027-01-20 00:00:00' GROUP BY 1 ; SELECT CAST(b"
                        + " AS TIMESTAMP_MS), COUNT(o.id) FROM generate_series(TIMESTAMP '2026-09-01', TIMESTAMP '2027-01-01',"
                        + " INTERVAL 1 MONTH) AS s(b) LEFT JOIN orders o ON date_trunc('month', o.moment) = b GROUP BY 1",
                "SELECT TIME_BUCKET_GAPFILL('1 day', moment, 'Europe/Paris') AS b, id, COUNT(*) AS n, MAX(level) AS m FROM visits"
                        + " WHERE moment BETWEEN TIMESTAMP '2026-11-23 10:00:00' AND TIMESTAMP '2026-11-26 00:00:00' GROUP BY 1, id"
                        + " ; SELECT b, i.id, COUNT(v.id), MAX(v.level) FROM generate_series(TIMESTAMP '2026-11-22 23:00:00',"
                        + " TIMESTAMP '2026-11-25 23:00:00', INTERVAL 1 DAY) AS s(b) CROSS JOIN (SELECT DISTINCT id FROM visits) i"
                        + " LEFT JOIN visits v ON v.id = i.id AND v.moment >= b AND v.moment < b + INTERVAL 1 DAY GROUP BY 1, 2",
                "SELECT TIME_BUCKET('1 day', moment, 'Europe/Paris') AS d, TIME_BUCKET(INTERVAL '7' MINUTE, moment, TIMESTAMP"
                        + " '2026-11-24 00:03:00') AS m, COUNT(*) FROM orders GROUP BY 1, 2 ; SELECT CAST(date_trunc('day', moment +"
                        + " INTERVAL 1 HOUR) - INTERVAL 1 HOUR AS TIMESTAMP_MS), CAST(time_bucket(INTERVAL 7 MINUTE, moment,"
                        + " TIMESTAMP '2026-11-24 00:03:00') AS TIMESTAMP_MS), COUNT(*) FROM orders GROUP BY 1, 2",
                "SELECT EXTRACT(EPOCH FROM moment) AS e, DATE_PART('epoch', moment) AS d FROM visits ;",
                "SELECT EXTRACT(EPOCH FROM (MAX(moment) - MIN(moment))) AS e, EXTRACT(EPOCH FROM MIN(moment) - INTERVAL '5' MINUTE)"
                        + " AS f FROM orders ;",
                "SELECT EPOCH(moment) AS s, EPOCH_MS(moment) AS m, id FROM visits ;",
                "SELECT EPOCH_MS(TIMESTAMP '1969-12-31 23:59:59.9995') AS a, EPOCH_MS(TIMESTAMP '1960-02-03 04:05:06.789') AS b,"
                        + " EPOCH_MS(TIMESTAMP '1969-12-31 23:59:59') AS c ;",
                "SELECT EPOCH_MS(MAX(moment) - MIN(moment)) AS e, EPOCH_MS(MIN(moment) - MAX(moment)) AS f FROM orders ;",
                "SELECT EPOCH(DATE '2021-10-07') AS e, EPOCH_MS(DATE '1960-02-03') AS f ;",
                "SELECT COUNT(*) FROM orders WHERE id = ANY(ARRAY[]) ; SELECT 0::BIGINT",
                "SELECT COUNT(*) FROM orders WHERE id <> ALL(ARRAY[]) ; SELECT COUNT(*) FROM orders",
                "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price NULLS LAST) AS m FROM orders ; SELECT"
                        + " quantile_cont(price, 0.5) FROM orders",
                "SELECT * FROM UNNEST(ARRAY[7, 9]) WITH ORDINALITY ; SELECT * FROM (VALUES (7::BIGINT, 1::BIGINT),"
                        + " (9, 2))",
                "SELECT u, ordinality FROM UNNEST(ARRAY[7, 9]) WITH ORDINALITY AS u ; SELECT * FROM (VALUES (7::BIGINT, 1::BIGINT),"
                        + " (9, 2))",
                "SELECT a.i, b.i FROM GENERATE_SERIES(1, 500) AS a(i) JOIN GENERATE_SERIES(-499, 0) AS b(i) ON a.i = b.i + 500 ;",
                "SELECT id FROM orders WHERE note ILIKE 'A%' OR note ILIKE '%zÜr%' ;",
                "SELECT id FROM orders WHERE note NOT ILIKE '%B' ;",
                "SELECT id, note ~* '^A' AS a, note !~ '^a' AS b, note !~* '^A' AS c FROM orders ; SELECT id,"
                        + " regexp_matches(note, '^A', 'i'), NOT regexp_matches(note, '^a'), NOT regexp_matches(note, '^A', 'i')"
                        + " FROM orders",
                "SELECT COUNT(*) FROM orders WHERE note = ANY(ARRAY['a', 'ab']) AND id <> ALL (ARRAY[1, 2]) ; SELECT COUNT(*) FROM"
                        + " orders WHERE note IN ('a', 'ab') AND id NOT IN (1, 2)",
                "SELECT LTRIM(note, 'ab'), RTRIM(note, 'b'), TRIM(LEADING 'a' FROM note), TRIM(TRAILING 'h' FROM note), TRIM(BOTH"
                        + " 'a' FROM note), LTRIM('  x '), RTRIM(' x  '), BTRIM('xax', 'x') FROM orders ; SELECT LTRIM(note, 'ab'),"
                        + " RTRIM(note, 'b'), LTRIM(note, 'a'), RTRIM(note, 'h'), TRIM(note, 'a'), 'x ', ' x', 'a' FROM orders",
                "SELECT CONCAT_WS('-', note, id::text, note), TRANSLATE(note, 'ab', 'x') FROM orders ;",
                // Rows of written numbers, times and arrays.
                "SELECT i FROM GENERATE_SERIES(1, 10, 3) AS t(i) ;",
                "SELECT i * 2 AS x FROM generate_series(5, -5, -2) AS i ; SELECT i * 2 FROM generate_series(5, -5, -2) AS t(i)",
                "SELECT generate_series + 1 AS x FROM generate_series(1, 3) ;",
                "SELECT t FROM GENERATE_SERIES(TIMESTAMP '2026-01-31 00:00:00', TIMESTAMP '2026-05-31 00:00:00', INTERVAL '1' MONTH)"
                        + " AS s(t) ; SELECT CAST(t AS TIMESTAMP_MS) FROM GENERATE_SERIES(TIMESTAMP '2026-01-31 00:00:00', TIMESTAMP"
                        + " '2026-05-31 00:00:00', INTERVAL '1' MONTH) AS s(t)",
                "SELECT s.t, COUNT(o.id) AS n FROM generate_series('2026-11-24 00:00:00'::timestamp, TIMESTAMP '2026-11-24 00:20:00',"
                        + " INTERVAL '5 minutes') AS s(t) LEFT JOIN orders o ON o.moment >= s.t AND o.moment < s.t + INTERVAL '5'"
                        + " MINUTE GROUP BY s.t ; SELECT CAST(s.t AS TIMESTAMP_MS), COUNT(o.id) FROM generate_series(TIMESTAMP"
                        + " '2026-11-24 00:00:00', TIMESTAMP '2026-11-24 00:20:00', INTERVAL 5 MINUTE) AS s(t) LEFT JOIN orders o ON"
                        + " o.moment >= s.t AND o.moment < s.t + INTERVAL 5 MINUTE GROUP BY s.t",
                "SELECT u.x, COUNT(*) FROM UNNEST(ARRAY['a', 'b']) AS u(x) JOIN orders o ON o.note = u.x GROUP BY u.x ; SELECT u.x,"
                        + " COUNT(*) FROM (SELECT UNNEST(['a', 'b']) AS x) u JOIN orders o ON o.note = u.x GROUP BY u.x",
                "SELECT x, n FROM UNNEST(ARRAY[7, 9]) WITH ORDINALITY AS u(x, n) ; SELECT * FROM (VALUES (7::BIGINT, 1::BIGINT), (9, 2))",
            })
    void examples(String ours, @Nullable String theirs) {
        String written = ours.replace("\\n", "\n");
        assertAlike(written, theirs == null ? written : theirs);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT STRING_AGG(note) FROM orders | BAD_SQL | STRING_AGG(x, ', ' ORDER BY y)",
                "SELECT LISTAGG(note, note) FROM orders | BAD_SQL | LISTAGG(x, ', ') WITHIN GROUP (ORDER BY y)",
                "SELECT ARRAY_AGG(note) FROM orders | BAD_SQL | ARRAY_AGG makes an array, which no answer has",
                "SELECT STRING_AGG(amount, ',') FROM orders | SQL_UNSUPPORTED | STRING_AGG of BIGINT; write CAST(x AS VARCHAR)",
                "SELECT STRING_AGG(DISTINCT note, ',' ORDER BY id) FROM orders | SQL_UNSUPPORTED | in an order of another value",
                "SELECT STRING_AGG(note, ',') OVER (PARTITION BY id) FROM orders | SQL_UNSUPPORTED | STRING_AGG in a window",
                "SELECT STRING_AGG(CONCAT(o.note, v.note), 'some words between') FROM orders o, visits v | SQL_VALUE"
                        + " | bytes, expected at most 32768",
                "SELECT 'x' FROM orders GROUP BY ALL | BAD_SQL | GROUP BY ALL needs a column that is no literal",
                "SELECT * FROM orders ORDER BY ALL | BAD_SQL | ORDER BY ALL beside *: name the columns",
                "SELECT id, SUM(amount) OVER () FROM orders GROUP BY ALL | BAD_SQL | beside a window function",
                "SELECT id FROM orders WHERE moment - moment < INTERVAL '1' MONTH | SQL_UNSUPPORTED | a - b < INTERVAL '5' MINUTE",
                "SELECT MAX_BY(note, id) FROM orders | SQL_UNSUPPORTED | there is no function MAX_BY, or not of these arguments;"
                        + " ARG_MAX(x, y) is there",
                "SELECT LEN(note) FROM orders | SQL_UNSUPPORTED | LENGTH is there",
                "SELECT INSTR(note, 'a') FROM orders | SQL_UNSUPPORTED | STRPOS(text, part) is there",
                "SELECT id FROM orders WHERE CONTAINS(note, 'a') | SQL_UNSUPPORTED | STRPOS(text, part) > 0",
                "SELECT id FROM orders WHERE ISNAN(price) | SQL_UNSUPPORTED | CAST('NaN' AS DOUBLE)",
                "SELECT LIST(note) FROM orders | SQL_UNSUPPORTED | STRING_AGG(x, ',')",
                "SELECT NVL2(note, 1, 2) FROM orders | SQL_UNSUPPORTED | CASE WHEN x IS NOT NULL",
                "SELECT ISNULL(note, 'a') FROM orders | SQL_UNSUPPORTED | COALESCE(x, y)",
                "SELECT 7//2 AS h, 1 AS one | BAD_SQL | line 1, column 9: there is no operator //",
                "SELECT '//', \"//\" /* // */ FROM orders | NO_SUCH_FIELD | there is no column '//'",
                "SELECT id FROM orders WHERE id IN (SELECT COUNT(*) OVER (w ROWS 1 PRECEDING) FROM visits) WINDOW w AS (ORDER BY id)"
                        + " | BAD_SQL | no window 'w' is declared before this one",
                "SELECT o.id, (SELECT MAX(o.amount)) FROM orders o | SQL_UNSUPPORTED | line 1, column 22: not supported: an"
                        + " aggregate of columns of the query around it alone",
                "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM visits v GROUP BY v.id HAVING COUNT(amount) > 3)"
                        + " | SQL_UNSUPPORTED | line 1, column 83: not supported: an aggregate of columns of the query",
                "SELECT o.id, (SELECT COUNT(*) FILTER (WHERE o.amount > 0) FROM visits v WHERE v.id = o.id) FROM orders o |"
                        + " SQL_UNSUPPORTED | an aggregate of columns of the query",
                "SELECT o.id, (SELECT SUM(o.amount + (SELECT MAX(w.level) FROM visits w)) FROM visits v) FROM orders o |"
                        + " SQL_UNSUPPORTED | an aggregate of columns of the query",
                "SELECT id, (SELECT SUM(level) OVER w FROM visits LIMIT 1) FROM orders WINDOW w AS (PARTITION BY id) | BAD_SQL"
                        + " | line 1, column 36: no window 'w' is declared in",
                "SELECT SUM(id) OVER w FROM orders WINDOW w AS (ORDER BY id ROWS 1 PRECEDING), v AS (w ROWS 2 PRECEDING)"
                        + " | BAD_SQL | Referenced window cannot have framing declarations",
                "SELECT id, SUM(amount) OVER w FROM orders WINDOW w AS (ORDER BY id), w AS (ORDER BY amount) | BAD_SQL |"
                        + " Duplicate window names",
                "SELECT id, SUM(amount) OVER none FROM orders WINDOW w AS (ORDER BY id) | BAD_SQL | no window 'none' is declared in",
                "SELECT id FROM orders WINDOW w AS (ORDER BY none) | NO_SUCH_FIELD | there is no column 'none'",
                "SELECT SUM(id) OVER w FROM orders WINDOW w AS (v ROWS 1 PRECEDING), v AS (ORDER BY id) | BAD_SQL"
                        + " | no window 'v' is declared before this one",
                "SELECT SUM(id) OVER (w ROWS 1 PRECEDING) FROM orders WINDOW w AS (ROWS 2 PRECEDING) | BAD_SQL"
                        + " | Referenced window cannot have framing declarations",
                "SELECT STRING_AGG(note, ',') WITHIN DISTINCT (id) FROM orders | SQL_UNSUPPORTED | WITHIN DISTINCT",
                "SELECT MAX(moment) - MIN(moment) FROM orders | SQL_UNSUPPORTED | TIMESTAMPDIFF(SECOND, earlier, later)",
                "SELECT TIMESTAMPDIFF(SECOND, id, moment) FROM orders | SQL_UNSUPPORTED | it takes times of at most six digits",
                "SELECT * WHERE 1 = 1 | BAD_SQL | statement, line 1, column 10: ",
                "SELECT 1 WHERE id = 2 | NO_SUCH_FIELD | statement, line 1, column 16: there is no column 'id'",
                "SELECT TIME_BUCKET(INTERVAL '5' MONTH, moment) FROM orders | SQL_UNSUPPORTED | statement, line 1, column 20: not"
                        + " supported: steps of 5 months; steps of the calendar are INTERVAL '1' MONTH, INTERVAL '3' MONTH",
                "SELECT DATE_BIN(INTERVAL '3' MONTH, moment, TIMESTAMP '2020-02-01 00:00:00') FROM orders | BAD_SQL"
                        + " | a written origin at which a quarter begins",
                "SELECT DATE_BIN(INTERVAL '5' MINUTE, moment, moment) FROM orders | BAD_SQL | a written origin",
                "SELECT TIME_BUCKET(INTERVAL '0' MINUTE, moment) AS b, COUNT(*) FROM orders GROUP BY 1 | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 8: not supported: this step of TIME_BUCKET; expected one above 0, such as",
                "SELECT COUNT(*) FROM orders WHERE moment > NOW() - INTERVAL '5 min' | BAD_SQL"
                        + " | statement, line 1, column 61: an INTERVAL has one number and one unit",
                "SELECT COUNT(*) FROM orders WHERE moment > NOW() - INTERVAL '1 day 2 hours' | BAD_SQL"
                        + " | several are added to a time one after another",
                "SELECT id FROM orders TABLESAMPLE BERNOULLI(10) | SQL_UNSUPPORTED | TABLESAMPLE; where id is a whole number, WHERE MOD(id",
                "SELECT CAST(o.paid AS DOUBLE), CAST(v.level AS DOUBLE) FROM orders o JOIN visits v ON o.id = v.id"
                        + " | SQL_UNSUPPORTED | arithmetic of BOOLEAN, here or in another of the 2 calls",
                "SELECT TO_CHAR(moment, 'Month') FROM orders | BAD_SQL | statement, line 1, column 24: TO_CHAR does not know"
                        + " 'Month'; it has YYYY, YY, Q, MM, Mon, FMMonth",
                "SELECT TO_CHAR(moment, 'YYYY-MM-DDTHH24') FROM orders | BAD_SQL | TO_CHAR does not know 'THH24'",
                "SELECT TO_CHAR(moment, 'YYYYYY') FROM orders | BAD_SQL | the same part of a time once",
                "SELECT TO_CHAR(price, '999.99') FROM orders | BAD_SQL | TO_CHAR writes times; it has",
                "SELECT TO_CHAR(moment, note) FROM orders | BAD_SQL | TO_CHAR takes a time and a written pattern",
                "SELECT TO_CHAR(moment, 'FMYY') FROM orders | BAD_SQL | TO_CHAR has no FM before YY",
                "SELECT TO_CHAR(moment, 'YYYY\\-MM') FROM orders | BAD_SQL | TO_CHAR takes no backslash",
                "SELECT TO_CHAR(note, 'YYYY') FROM orders | BAD_SQL | TO_CHAR writes times, and this is a VARCHAR",
                "SELECT MOD(moment, 2) FROM orders | BAD_SQL | Cannot apply 'MOD' to arguments of type 'MOD(<TIMESTAMP",
                "SELECT NULLIF(CAST(price AS VARCHAR), 2) FROM orders | BAD_SQL | is a text (VARCHAR), and 2 a number",
                "SELECT id FROM orders WHERE CAST(price AS VARCHAR) = 2 | BAD_SQL | is a text (VARCHAR), and 2 a number",
                "SELECT id FROM (SELECT id, CAST(price AS VARCHAR) AS t FROM orders) WHERE t = 2 | BAD_SQL"
                        + " | t is a text (VARCHAR), and 2 a number",
                "SELECT CAST(CAST(price AS VARCHAR) AS BIGINT) FROM orders | SQL_UNSUPPORTED | CAST of VARCHAR to BIGINT",
                "SELECT CAST(CAST(price::DECIMAL(9, 2) AS VARCHAR) AS BIGINT) FROM orders | SQL_UNSUPPORTED"
                        + " | CAST of VARCHAR to BIGINT",
                "SELECT CAST(DATE '2020-01-01' AS VARCHAR) FROM orders | SQL_UNSUPPORTED"
                        + " | the text of a day is TO_CHAR(x, 'YYYY-MM-DD')",
                "SELECT COUNT(*) OVER (PARTITION BY (SELECT MAX(level) FROM visits)) FROM orders | SQL_UNSUPPORTED"
                        + " | not supported: a sub-query here; make a column of it below",
                "SELECT COUNT(*) FILTER (WHERE id IN (SELECT level FROM visits)) OVER () FROM orders | BAD_SQL"
                        + " | which has no FILTER",
                "SELECT ST_Distance(nosuch, NULL) FROM orders | NO_SUCH_FIELD | there is no column 'nosuch'",
                "SELECT ST_Within(NULL) FROM orders | BAD_SQL | Invalid number of arguments to function 'ST_WITHIN'",
                "SELECT price % 0 FROM orders | SQL_VALUE | division by zero",
                "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price DESC) FROM orders | BAD_SQL"
                        + " | PERCENTILE_CONT is of one value that ascends: PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
                "SELECT QUANTILE_CONT(price, amount) FROM orders | SQL_UNSUPPORTED | whose share is no written number",
                "SELECT MODE(note) OVER (PARTITION BY id) FROM orders | SQL_UNSUPPORTED | MODE in a window",
                "SELECT TIME_BUCKET_GAPFILL(INTERVAL '2' MONTH, moment) AS b, COUNT(*) FROM orders GROUP BY 1 | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 28: not supported: steps of 2 months; steps of the calendar are",
                "SELECT DATE_BIN(INTERVAL '2' MONTH, moment, TIMESTAMP '2020-01-01 00:00:00') FROM orders | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 17: not supported: steps of 2 months",
                "SELECT TIME_BUCKET('2 days', moment, 'Europe/Paris') AS b, COUNT(*) FROM orders GROUP BY 1 | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 20: not supported: such steps by the clock of a time zone; one second",
                "SELECT note, id, COUNT(*) FROM orders GROUP BY id, 1.75 | BAD_SQL"
                        + " | statement, line 1, column 52: GROUP BY takes a column, the number of one, or",
                "SELECT COUNT(*) FROM orders GROUP BY ROLLUP(id, 1.75) | BAD_SQL"
                        + " | statement, line 1, column 49: GROUP BY takes a column",
                "SELECT COUNT(*) FROM orders GROUP BY GROUPING SETS((id, 2e0), ()) | BAD_SQL"
                        + " | statement, line 1, column 57: GROUP BY takes a column",
                "SELECT id FROM orders o JOIN visits v USING (id) JOIN visits w ON w.level = v.level | BAD_SQL"
                        + " | statement, line 1, column 8: more than one table has a column 'id'; write its table before it, such as t.id",
                "SELECT CAST(note AS BOOLEAN) FROM orders | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 8: not supported: CAST of VARCHAR to BOOLEAN; compare the text, such as LOWER(x) = 'true'",
                "SELECT CAST('yes' AS BOOLEAN) | BAD_SQL"
                        + " | statement, line 1, column 13: 'yes' is no BOOLEAN; write TRUE or FALSE",
                "SELECT moment AT TIME ZONE 'Europe/Paris' FROM orders | SQL_UNSUPPORTED | DATE_TRUNC('day', time, 'Europe/Paris')",
                "SELECT DATE_TRUNC('day', moment AT TIME ZONE 'Europe/Paris') FROM orders | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 33: not supported: AT TIME ZONE; times are of UTC",
                "SELECT note FROM orders WHERE note = 'AT TIME ZONE' ORDER BY 1 TIME | BAD_SQL | Encountered",
                "SELECT i FROM TABLE(GENERATE_SERIES(1, id)) AS t(i) | SQL_UNSUPPORTED | statement, line 1, column 21: not"
                        + " supported: this GENERATE_SERIES; it is of written whole numbers, GENERATE_SERIES(1, 5), or of written",
                "SELECT i FROM GENERATE_SERIES(1, 1001) AS t(i) | SQL_UNSUPPORTED | has at least one row and at most 1000",
                "SELECT i FROM GENERATE_SERIES(1, 999) AS t(i) UNION ALL SELECT i FROM UNNEST(ARRAY[1, 2]) AS t(i)"
                        + " | SQL_UNSUPPORTED | statement, line 1, column 71: not supported: series and arrays that together have"
                        + " more than 1000 rows",
                "SELECT x FROM UNNEST(ARRAY[]) AS t(x) | BAD_SQL | UNNEST needs an array of at least one value",
                "SELECT TIME_BUCKET_GAPFILL('1 day', moment, 'Europe/Nowhere') AS b, COUNT(*) FROM orders GROUP BY 1 | BAD_SQL"
                        + " | statement, line 1, column 45: there is no time zone 'Europe/Nowhere'; one is 'Europe/Berlin'",
                "SELECT DATE_TRUNC_GAPFILL('day', moment) AS b, COUNT(*) FROM orders GROUP BY 1 | SQL_UNSUPPORTED"
                        + " | there is no function DATE_TRUNC_GAPFILL",
                "SELECT AGE(NOW(), moment) FROM orders | SQL_UNSUPPORTED | TIMESTAMPDIFF(SECOND, earlier, later) counts",
                "SELECT INITCAP(note) FROM orders | SQL_UNSUPPORTED"
                        + " | statement, line 1, column 8: not supported: the function INITCAP; UPPER and LOWER are there",
                "SELECT REGEXP_MATCHES(note, '(') FROM orders | SQL_VALUE | missing )",
                "SELECT REGEXP_EXTRACT(note, 'a', 10) FROM orders | SQL_UNSUPPORTED | a written whole number from 0 to 9",
                "SELECT DATE_DIFF('fortnight', moment, moment) FROM orders | SQL_UNSUPPORTED | a written unit, from microsecond",
            })
    void fails(String statement, String code, String message) {
        assertThatThrownBy(() -> streams.answer(statement))
                .hasMessageContaining(message)
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    /** Without an order it is any: the texts are all there. */
    @Test
    void withoutAnOrderAllTextsAreThere() throws Exception {
        List<List<@Nullable Object>> answer = streams.answer("SELECT STRING_AGG(note, '/') FROM orders");
        List<String> found = List.of(String.valueOf(answer.get(0).get(0)).split("/", -1));
        List<String> expected = new ArrayList<>();
        streams.orders.forEach(row -> {
            if (row.get(4) != null) {
                expected.add(String.valueOf(row.get(4)));
            }
        });
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void ordersByAllColumns() throws Exception {
        for (String statement : List.of(
                "SELECT id, amount FROM orders ORDER BY ALL",
                "SELECT id, amount FROM orders ORDER BY ALL DESC NULLS LAST LIMIT 7",
                "SELECT id FROM orders UNION SELECT level FROM visits ORDER BY ALL DESC",
                "WITH x AS (SELECT id, MAX(moment) AS m FROM orders GROUP BY ALL) SELECT m, id FROM x ORDER BY ALL LIMIT 3")) {
            assertThat(streams.answer(statement)).as(statement).isEqualTo(duckdb.rows(statement));
        }
    }
}
