package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.suite.DuckDbTwin;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sub-queries that are asked for each row of a list whose columns stand otherwise than in what it reads. */
final class SubQueriesOfListsTest extends BesideDuckDb {
    private static final int SEEDS = Rounds.of(1, 100);
    private static final int STATEMENTS = 30;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a.n, (SELECT COUNT(*) FROM visits y WHERE y.id = a.id) AS m"
                        + " FROM (SELECT COUNT(*) AS n, id FROM orders GROUP BY id) a",
                "SELECT v.y1, (SELECT COUNT(*) FROM visits y WHERE y.id = v.x) AS c FROM (SELECT y1, x FROM"
                        + " (VALUES (1, 7), (2, 8), (99, 9)) AS q(x, y1)) AS v",
                "SELECT d.x, (SELECT COUNT(*) FROM visits y WHERE y.level > d.x) AS c FROM (SELECT id + 1 AS x FROM orders) d",
                "SELECT a.n FROM (SELECT COUNT(*) AS n, id FROM orders GROUP BY id) a"
                        + " ORDER BY (SELECT COUNT(*) FROM visits y WHERE y.id = a.id), n LIMIT 5",
                "SELECT a.moment, a.run, (SELECT MAX(y.level) FROM visits y WHERE y.id = a.id) AS c FROM (SELECT id, amount,"
                        + " moment, price, note, LAG(amount) OVER (PARTITION BY id ORDER BY moment, amount NULLS FIRST) AS run FROM orders) a",
                "SELECT a.id, SUBSTRING(COALESCE(a.note, 'q'), 2, 2) AS s, EXISTS (SELECT 1 FROM visits y WHERE y.id = a.id"
                        + " AND y.note = a.note) AS e FROM (SELECT price, moment, note, amount, id FROM orders) a",
                "SELECT a.amount, (SELECT MAX(y.level) FROM visits y WHERE y.id = a.id) AS e FROM"
                        + " (SELECT amount, id FROM orders) a",
                // A sub-query that is true of whatever rows goes before the other.
                "SELECT a.amount, EXISTS (SELECT COUNT(*) FROM visits) AS t, (SELECT COUNT(*) FROM visits y WHERE y.id = a.id)"
                        + " AS c FROM (SELECT amount, id FROM orders) a",
                "SELECT b.c + 1 AS c, b.amount, (SELECT COUNT(*) FROM orders z WHERE z.amount = b.amount) AS d FROM"
                        + " (SELECT (SELECT COUNT(*) FROM visits y WHERE y.id = a.id) AS c, a.amount FROM"
                        + " (SELECT amount, id FROM orders) a) b",
                "SELECT SUM((SELECT COUNT(*) FROM visits y WHERE y.id = a.id)) AS s, a.amount FROM"
                        + " (SELECT amount, id FROM orders) a GROUP BY a.amount",
                "SELECT a.amount, n.m FROM (SELECT amount, id FROM orders) a, LATERAL (SELECT b.level, (SELECT COUNT(*) FROM"
                        + " orders o WHERE o.id = b.id AND o.amount = b.level) AS m FROM (SELECT level, id FROM visits) b"
                        + " WHERE b.id = a.id) n",
                "SELECT a.amount FROM (SELECT amount, id FROM orders) a WHERE (SELECT COUNT(*) FROM visits y WHERE"
                        + " y.id = a.id) > 2",
                "SELECT a.amount, b.level, (SELECT COUNT(*) FROM orders y WHERE y.id = a.id AND y.amount = b.level) AS c FROM"
                        + " (SELECT amount, id FROM orders) a JOIN (SELECT note, level, id FROM visits) b ON a.id = b.id",
                // Rows in which the column that is asked by is null, beside what joins without them.
                "SELECT o.id, EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount) AS e, o.amount IN (SELECT y.level FROM"
                        + " visits y WHERE y.level = o.amount) AS i FROM orders o",
                "SELECT o.id, o.amount IN (SELECT y.level FROM visits y WHERE y.level = o.amount) AS i FROM orders o"
                        + " LEFT JOIN visits v ON o.amount = v.level",
                "SELECT o.id, EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount) AS e, (SELECT COUNT(*) FROM visits y"
                        + " WHERE y.level IS NOT DISTINCT FROM o.amount) AS n FROM orders o",
                "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount) IS TRUE OR"
                        + " o.amount NOT IN (SELECT y.level FROM visits y WHERE y.level = o.amount)",
                "SELECT o.id, EXISTS (SELECT 1 FROM visits y LEFT JOIN visits z ON z.level = o.amount WHERE y.id = o.id)"
                        + " AS e FROM orders o",
                // A written null in a list that is empty for some rows.
                "SELECT o.id FROM orders o WHERE NULL NOT IN (SELECT v.level FROM visits v WHERE v.level = o.amount"
                        + " AND v.id = o.id)",
                "SELECT o.id, CAST(NULL AS BIGINT) IN (SELECT v.level FROM visits v WHERE o.paid) AS x, NULL = ANY"
                        + " (SELECT v.level FROM visits v WHERE v.level = o.amount) AS y FROM orders o",
                // An OR below another.
                "SELECT COUNT(*) FROM visits p LEFT JOIN orders o ON o.amount = p.level AND (o.id <> ANY (SELECT"
                        + " v.level FROM visits v) OR o.id = 3)",
                "SELECT COUNT(*) FROM (SELECT id, amount > 3 OR paid AS x FROM orders) s WHERE x OR id = 3",
                // Joins that keep rows of their right side, whose condition names the outer row or stands around it.
                "SELECT o.id, o.amount, (SELECT COUNT(z.level) FROM visits z RIGHT JOIN visits y ON z.level ="
                        + " o.amount AND z.id = y.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, o.amount, (SELECT COUNT(*) FROM visits z RIGHT JOIN visits y ON z.level ="
                        + " o.amount AND z.id = y.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, o.amount, EXISTS (SELECT 1 FROM visits z RIGHT JOIN visits y ON z.level ="
                        + " o.amount WHERE y.id = o.id AND z.id IS NULL) AS c FROM orders o",
                "SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM visits z RIGHT JOIN visits y ON z.level"
                        + " = o.amount AND z.id = 3 WHERE y.id = o.id AND z.id IS NULL)",
                "SELECT o.id, EXISTS (SELECT 1 FROM visits z RIGHT JOIN visits y ON z.level = o.amount WHERE"
                        + " y.id = o.id) AS e FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z RIGHT JOIN visits y ON z.level = o.amount WHERE"
                        + " y.id = o.id) AS e, o.amount IN (SELECT y.level FROM visits y WHERE y.level = o.amount) FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z RIGHT JOIN visits y ON z.level IS NOT DISTINCT"
                        + " FROM o.amount WHERE y.id = o.id) AS e FROM orders o LEFT JOIN visits v ON v.level = o.amount",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z RIGHT JOIN visits y ON z.level = y.level AND"
                        + " y.level = o.amount WHERE y.id = o.id) AS e FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z RIGHT JOIN visits y ON o.amount > 0) AS e FROM"
                        + " orders o",
                "SELECT o.id, o.amount, o.amount IN (SELECT y.level FROM visits y WHERE y.level = o.amount) AS"
                        + " i FROM orders o FULL JOIN visits v ON o.amount = v.level",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.level IS NOT DISTINCT FROM o.amount) AS i"
                        + " FROM orders o FULL JOIN visits v ON o.amount = v.level",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.level IS NOT DISTINCT FROM v.level) AS i"
                        + " FROM orders o FULL JOIN visits v ON o.amount = v.level",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.level IS NOT DISTINCT FROM v.level) AS i"
                        + " FROM orders o RIGHT JOIN visits v ON o.amount = v.level",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.level IS NOT DISTINCT FROM o.amount) AS i"
                        + " FROM orders o RIGHT JOIN visits v ON o.amount = v.level",
                "SELECT o.id, (SELECT COUNT(z.level) FROM visits z RIGHT JOIN visits y ON z.level = o.amount"
                        + " AND z.id = y.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, (SELECT COUNT(z.level) FROM visits z FULL JOIN visits y ON z.level = y.level AND"
                        + " z.id = o.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z FULL JOIN visits y ON z.level = y.level AND z.id ="
                        + " o.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z FULL JOIN visits y ON z.level = o.amount WHERE"
                        + " y.id = o.id) AS c FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits z FULL JOIN visits y ON z.level = y.level AND z.id ="
                        + " 3 WHERE y.id = o.id AND z.id IS NULL) AS c FROM orders o",
                // A side that may have no equal names the outer row.
                "SELECT o.id, (SELECT COUNT(*) FROM (SELECT * FROM visits z WHERE z.level = o.amount) z RIGHT JOIN"
                        + " visits y ON z.id = y.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y LEFT JOIN (SELECT * FROM visits z WHERE z.level ="
                        + " o.amount) z ON z.id = y.id WHERE y.id = o.id) AS c FROM orders o",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y FULL JOIN (SELECT * FROM visits z WHERE z.level ="
                        + " o.amount) z ON z.id = y.id WHERE y.id = o.id) AS c FROM orders o",
                // Several conditions name columns of the outer row.
                "SELECT a.id, (SELECT COUNT(*) FROM visits y JOIN visits u ON u.level = a.amount WHERE y.id = a.amount) AS c"
                        + " FROM orders a",
                "SELECT a.id, (SELECT COUNT(*) FROM visits y JOIN visits u ON u.level = a.amount WHERE y.id = a.id"
                        + " AND y.moment <= a.moment) AS c FROM orders a",
                "SELECT a.id, (SELECT COUNT(*) FROM visits y, visits u WHERE u.level = a.amount AND y.id = a.amount"
                        + " AND y.moment <= a.moment) AS c FROM orders a",
                "SELECT a.id, (SELECT COUNT(u.level) FROM visits y RIGHT JOIN visits u ON u.level = a.amount AND y.id = a.id"
                        + " WHERE u.moment <= a.moment) AS n FROM orders a",
            })
    void examplesAreThoseOfDuckDb(String statement) {
        assertAlike(statement);
    }

    /** Of joins that several parts of a sub-query would be, Calcite makes wrong ones: DuckDB asks for each row. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT (SELECT COUNT(*) FROM visits y JOIN visits u ON u.level = a.amount WHERE y.id = a.amount AND"
                        + " y.moment <= a.moment) FROM orders a",
                "SELECT (SELECT COUNT(*) FROM visits y LEFT JOIN visits u ON u.level = a.amount WHERE y.id = a.amount"
                        + " AND y.moment <= a.moment) FROM orders a",
                "SELECT (SELECT COUNT(*) FROM visits y JOIN visits u ON u.level = a.amount AND y.id = a.amount WHERE"
                        + " y.moment <= a.moment) FROM orders a",
                "SELECT (SELECT COUNT(*) FROM visits y JOIN visits u ON u.level = y.level AND u.id = a.id WHERE y.id ="
                        + " a.id AND y.moment <= a.moment) FROM orders a",
                "SELECT (SELECT COUNT(*) FROM (SELECT * FROM visits y WHERE y.id = a.id) y, (SELECT * FROM visits u WHERE"
                        + " u.id = a.id AND u.level = a.amount) u) FROM orders a",
                "SELECT a.id FROM orders a WHERE EXISTS (SELECT 1 FROM visits y JOIN visits u ON u.level = a.amount WHERE"
                        + " y.id = a.amount AND y.moment <= a.moment)",
                // Of which Calcite says that it cannot.
                "SELECT v.x, m.y FROM (VALUES (1), (2)) AS v(x), LATERAL (SELECT MAX(w.y) AS y FROM (VALUES (1), (2)) AS w(y)"
                        + " WHERE w.y <= v.x) AS m",
                // A LIMIT beside a row further out.
                "SELECT a.id, (SELECT COUNT(*) FROM visits y WHERE y.id = a.id AND y.level > (SELECT MIN(l) FROM (SELECT u.level"
                        + " AS l FROM visits u WHERE u.id = y.id AND u.level < a.amount ORDER BY u.level DESC LIMIT 2) q)) FROM orders a",
                "SELECT a.id, n.m FROM orders a, LATERAL (SELECT COUNT(*) AS m FROM visits y, LATERAL (SELECT u.level FROM visits u"
                        + " WHERE u.id = y.id AND u.level <> a.amount ORDER BY u.level, u.moment LIMIT 3) q) n",
                "SELECT o.id, n.at FROM orders o, LATERAL (SELECT v.moment AS at, v.id FROM visits v, LATERAL (SELECT w.moment"
                        + " AS at FROM orders w WHERE w.id = o.id AND w.moment <= v.moment ORDER BY w.moment DESC LIMIT 1) m"
                        + " WHERE v.id = o.id AND m.at <= o.moment ORDER BY v.moment DESC LIMIT 1) n",
                "SELECT o.id, o.moment, n.x FROM orders o, LATERAL (SELECT y.level AS x FROM visits y WHERE y.level = o.amount AND"
                        + " EXISTS (SELECT 1 FROM visits z WHERE z.id = o.id AND z.id = y.level) ORDER BY x LIMIT 1) n",
                // Aggregates that have a row of no rows.
                "SELECT o.id, m.y FROM orders o, LATERAL (SELECT MAX(w.level) AS y FROM visits w WHERE w.level <= o.amount) m",
                "SELECT o.id, m.y FROM orders o, LATERAL (SELECT MAX(w.level) AS y FROM visits w WHERE w.level = o.amount) m",
                "SELECT o.id, (SELECT COALESCE(MAX(w.level), 5) FROM visits w WHERE w.level = o.amount) AS y FROM orders o",
                "SELECT o.id, m.y FROM orders o, LATERAL (SELECT COUNT(*) AS y FROM visits w WHERE w.level < o.amount) m WHERE m.y < 2",
                "SELECT o.id, (SELECT COUNT(*) + 1 FROM visits w WHERE w.level > o.amount) AS y FROM orders o",
                // A window is one over the rows of one row.
                "SELECT o.id, o.moment, n.x FROM orders o CROSS JOIN LATERAL (SELECT COUNT(*) OVER (PARTITION BY y.id) AS x FROM"
                        + " visits y JOIN visits u ON u.level = y.level WHERE u.note = o.note AND u.level = o.amount) n",
                "SELECT o.id, o.moment, (SELECT MAX(q.r) FROM (SELECT ROW_NUMBER() OVER (ORDER BY y.moment, y.level) AS r FROM"
                        + " visits y WHERE y.level = o.amount) q) AS x FROM orders o",
                // A row that is named in several places, of which no join is one.
                "SELECT a.id, (SELECT COUNT(*) FROM (SELECT DISTINCT id, level, note FROM visits q WHERE q.id < a.id AND q.level <"
                        + " a.amount) y WHERE y.id < a.id AND y.note = a.note) AS x FROM orders a",
                "SELECT a.id, (SELECT COUNT(*) FROM (SELECT DISTINCT id, level, note FROM visits q WHERE q.level IS NOT DISTINCT"
                        + " FROM a.amount) y WHERE y.level < a.amount AND y.note = a.note) AS x FROM orders a",
                "SELECT a.id, (SELECT MAX(y.id) FROM (SELECT id, MAX(level) AS level FROM visits q WHERE q.id < a.id GROUP BY id) y"
                        + " WHERE y.id = a.id AND y.level IS NOT DISTINCT FROM a.amount) AS x FROM orders a",
                "SELECT a.id FROM orders a WHERE NOT EXISTS (SELECT 1 FROM (SELECT id, MAX(level) AS level FROM visits q WHERE q.id ="
                        + " a.id GROUP BY id) y WHERE y.level = a.amount AND EXISTS (SELECT 1 FROM visits z WHERE z.id = y.id))",
                "SELECT a.id, (SELECT MAX(y.id) FROM (SELECT id, note FROM visits q WHERE q.moment <= a.moment UNION ALL SELECT id,"
                        + " note FROM orders w WHERE w.amount > 0) y WHERE y.note = a.note AND y.id = a.id) AS x FROM orders a",
                "SELECT a.id FROM orders a WHERE NOT EXISTS (SELECT 1 FROM (SELECT * FROM visits q WHERE q.level > 0 AND q.level <"
                        + " a.amount) y WHERE y.level IS NOT DISTINCT FROM a.amount AND y.note = a.note)",
                "SELECT o.id, (SELECT COUNT(*) FROM (SELECT s.level AS x FROM (SELECT u.id, u.level FROM visits u LEFT JOIN visits v"
                        + " ON u.id = v.id AND v.level > 0) s WHERE s.id = o.amount AND s.id = o.id) q) AS x FROM orders o",
                // A list between the sub-query and the row that it names.
                "SELECT a.id, (SELECT SUM((SELECT COUNT(*) FROM visits z WHERE z.id = a.id)) FROM orders y) AS x FROM orders a",
                "SELECT a.id, (SELECT (SELECT COUNT(*) FROM visits z WHERE z.id = a.id) AS c) AS x FROM orders a",
                "SELECT a.id, n.x, n.y FROM orders a, LATERAL (SELECT (SELECT MAX(z.level) FROM visits z WHERE z.level < a.amount) AS"
                        + " x, (SELECT COUNT(*) FROM visits z WHERE z.id = y.id AND z.level > a.amount) AS y FROM visits y) n",
                // Conditions that do not name the row go to the engine.
                "SELECT (SELECT COUNT(*) FROM visits y JOIN visits u ON u.level = a.amount WHERE y.id = a.amount AND"
                        + " y.moment <= a.moment AND y.level > 1 AND u.id < 7) FROM orders a WHERE a.id < 6",
                "SELECT a.id, (SELECT SUM(u.level) FROM visits y JOIN (SELECT id, MAX(level) AS level FROM visits WHERE level"
                        + " > 0 GROUP BY id) u ON u.id = y.id AND u.level = a.amount WHERE y.id = a.amount AND"
                        + " y.moment <= a.moment) AS s FROM orders a WHERE a.price > 0",
                "SELECT a.id, COUNT(*) FROM orders a JOIN visits v ON v.id = a.id WHERE EXISTS (SELECT 1 FROM visits y JOIN visits"
                        + " u ON u.level = a.amount AND u.id = v.id WHERE y.id = a.amount AND y.level = v.level) GROUP BY a.id",
                "SELECT a.id, a.amount NOT IN (SELECT u.level FROM visits y LEFT JOIN visits u ON u.level = a.amount AND u.id ="
                        + " y.id WHERE y.id = a.id AND y.level <= a.amount) AS n FROM orders a",
                "SELECT a.id, (SELECT COUNT(*) FROM (SELECT y.id FROM visits y JOIN visits u ON u.level = a.amount AND y.id ="
                        + " a.amount UNION SELECT y.level FROM visits y WHERE y.moment <= a.moment) q) AS n FROM orders a",
                "SELECT a.id, q.r FROM orders a, LATERAL (SELECT ROW_NUMBER() OVER (PARTITION BY y.id ORDER BY y.level, u.level) AS r"
                        + " FROM visits y JOIN visits u ON u.level = a.amount WHERE y.id = a.amount AND y.moment <= a.moment) q",
                // An aggregate below a join has a row where nothing matches.
                "SELECT o.id, (SELECT MAX(y.level) FROM visits y WHERE y.id = o.id AND (SELECT COALESCE(SUM(z.id), 2) FROM"
                        + " visits z WHERE z.id = o.amount AND z.level > o.amount) > 1) AS t FROM orders o",
                "SELECT o.id, o.moment, (SELECT MAX(y.level) FROM visits y JOIN visits u ON u.note = y.note WHERE y.id = o.id"
                        + " AND u.level = o.amount AND (SELECT COALESCE(SUM(z.id), 2) FROM visits z JOIN visits w ON z.id = o.id"
                        + " WHERE z.id = o.amount AND z.level > o.amount) > 1) > 1 AS t FROM orders o LEFT JOIN visits v ON"
                        + " v.id = o.id AND EXISTS (SELECT 1 FROM visits s WHERE s.level = v.level)",
                "SELECT o.id, q.m FROM orders o, LATERAL (SELECT y.level + COALESCE(n.s, 0) AS m FROM visits y, LATERAL (SELECT"
                        + " SUM(z.id) AS s FROM visits z WHERE z.id = o.amount AND z.level > o.amount) n WHERE y.id = o.id) q",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y CROSS JOIN (SELECT SUM(z.id) AS s, MAX(z.note) AS t FROM visits z"
                        + " WHERE z.id = o.amount AND z.level > o.amount) n WHERE y.id = o.id) AS m FROM orders o",
            })
    void whatCalciteMakesNoJoinsOfIsThatOfDuckDb(String statement) {
        assertThat(streams.plan(statement).toString()).contains(" LATERAL ");
        assertAlike(statement);
    }

    /** Sub-queries that name columns of groups, and WITH in those of ORDER BY. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY id HAVING COUNT(*) > (SELECT COUNT(*) FROM"
                        + " visits v WHERE v.id = o.id) AND COUNT(*) > (SELECT MIN(level) FROM visits v WHERE v.id ="
                        + " o.id)",
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY id HAVING EXISTS (SELECT 1 FROM visits v"
                        + " WHERE v.id = o.id) OR EXISTS (SELECT 1 FROM visits v WHERE v.level = o.id)",
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY id HAVING MAX(amount) IN (SELECT level FROM"
                        + " visits v WHERE v.id = o.id) AND MIN(amount) NOT IN (SELECT level FROM visits v WHERE v.id ="
                        + " o.id)",
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY id HAVING COUNT(*) > (SELECT MAX(level) FROM"
                        + " visits v WHERE v.id = o.id) AND SUM(amount) > (SELECT MIN(level) FROM visits v WHERE v.id ="
                        + " o.id) AND id < (SELECT COUNT(*) FROM visits)",
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY ROLLUP (id) HAVING COUNT(*) > (SELECT"
                        + " COUNT(*) FROM visits v WHERE v.id = o.id) AND COUNT(*) > (SELECT MIN(level) FROM visits v"
                        + " WHERE v.id = o.id)",
                "SELECT id FROM orders o ORDER BY (WITH w AS (SELECT id, level FROM visits) SELECT MAX(level)"
                        + " FROM w WHERE w.id = o.id), id",
                "SELECT id FROM orders o UNION SELECT id FROM visits ORDER BY (WITH w AS (SELECT MAX(level)"
                        + " AS m FROM visits v) SELECT m FROM w), id",
                "SELECT id FROM orders o ORDER BY id + (WITH w AS (SELECT id, level FROM visits) SELECT"
                        + " MAX(level) FROM w WHERE w.id = o.id) LIMIT 3",
                "SELECT id, COUNT(*) AS n, (SELECT MAX(level) FROM visits v WHERE v.id = o.id) AS m FROM"
                        + " orders o GROUP BY id HAVING COUNT(*) > (SELECT COUNT(*) FROM visits v WHERE v.id = o.id) OR"
                        + " COUNT(*) > (SELECT MIN(level) FROM visits v WHERE v.id = o.id)",
                "SELECT o.id, COUNT(*) AS n FROM orders o GROUP BY o.id HAVING EXISTS (SELECT v.id FROM"
                        + " visits v WHERE v.id < o.id GROUP BY v.id HAVING COUNT(*) > (SELECT COUNT(*) FROM orders z"
                        + " WHERE z.id = v.id) AND EXISTS (SELECT 1 FROM orders y WHERE y.id = o.id AND y.amount ="
                        + " v.id)) AND COUNT(*) > (SELECT MIN(level) FROM visits v WHERE v.id = o.id)",
                "SELECT o.id, (SELECT COUNT(*) FROM (SELECT v.id FROM visits v GROUP BY v.id HAVING COUNT(*)"
                        + " > (SELECT COUNT(*) FROM orders z WHERE z.id = v.id AND z.amount < o.amount) AND"
                        + " MIN(v.level) < (SELECT MAX(z.amount) FROM orders z WHERE z.id = v.id)) g) AS n FROM orders"
                        + " o",
                "SELECT id, note, COUNT(*) AS n FROM orders o GROUP BY GROUPING SETS ((id), (note)) HAVING"
                        + " COUNT(*) > (SELECT COUNT(*) FROM visits v WHERE v.note = o.note) AND COUNT(*) > (SELECT"
                        + " MIN(level) FROM visits v WHERE v.note = o.note)",
                "SELECT a.id, b.note, COUNT(*) AS n FROM orders a JOIN visits b ON a.id = b.id GROUP BY a.id,"
                        + " b.note HAVING COUNT(*) > (SELECT COUNT(*) FROM visits v WHERE v.note = b.note) AND COUNT(*)"
                        + " > (SELECT MIN(level) FROM visits v WHERE v.id = a.id AND v.note = b.note)",
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY id HAVING CASE WHEN EXISTS (SELECT 1 FROM"
                        + " visits v WHERE v.id = o.id) THEN EXISTS (SELECT 1 FROM visits v WHERE v.level = o.id) ELSE"
                        + " COUNT(*) IN (SELECT level FROM visits v WHERE v.id = o.id) END",
                "SELECT id, COUNT(*) AS n FROM orders o GROUP BY id HAVING id NOT IN (SELECT level FROM"
                        + " visits v WHERE v.id = o.id AND v.level IS NOT NULL) AND id > ALL (SELECT level FROM visits"
                        + " v WHERE v.id = o.id) AND COUNT(*) > 2",
                "SELECT a.id, b.note, COUNT(*) AS n FROM orders a JOIN visits b ON a.id = b.id GROUP BY a.id,"
                        + " b.note HAVING COUNT(*) > (SELECT MIN(level) FROM visits v WHERE v.id = a.id AND v.note ="
                        + " b.note)",
                "SELECT b.id, b.note, COUNT(*) AS n FROM orders a JOIN visits b ON a.id = b.id GROUP BY b.id,"
                        + " b.note HAVING COUNT(*) > (SELECT COUNT(*) FROM visits v WHERE v.note = b.note) AND COUNT(*)"
                        + " > (SELECT MIN(level) FROM visits v WHERE v.id = b.id AND v.note = b.note)",
                "SELECT b.id, a.id, COUNT(*) AS n FROM orders a JOIN visits b ON a.id < b.id GROUP BY b.id,"
                        + " a.id HAVING EXISTS (SELECT 1 FROM visits v WHERE v.id = b.id AND v.level = a.id) AND EXISTS"
                        + " (SELECT 1 FROM visits v WHERE v.level = a.id AND v.id = b.id)",
                "SELECT note, id, (SELECT MAX(v.level) FROM visits v WHERE v.id = o.id AND v.note = o.note)"
                        + " AS m FROM orders o GROUP BY note, id",
                "SELECT o.id + 1 AS amount, (SELECT COUNT(*) FROM visits v WHERE v.note = o.note AND v.level > o.amount) AS n"
                        + " FROM orders o GROUP BY o.id + 1, o.note, o.amount",
                "SELECT o.id AS amount, o.amount AS b, (SELECT MAX(v.level) FROM visits v WHERE v.id = o.id AND v.level ="
                        + " o.amount) AS m FROM orders o GROUP BY o.id, o.amount",
                "SELECT o.amount AS id, o.id AS amount, COUNT(*) AS n FROM orders o GROUP BY o.amount, o.id HAVING EXISTS"
                        + " (SELECT 1 FROM visits v WHERE v.level = o.amount AND v.id = o.id)",
                "SELECT o.id AS a, o.note AS b, COUNT(*) AS n FROM orders o GROUP BY o.id, o.note HAVING EXISTS (SELECT 1 FROM"
                        + " visits v WHERE v.note = o.note AND v.id = o.id)",
                "SELECT a.id AS x, b.id AS y, COUNT(*) AS n FROM orders a, orders b WHERE a.id = b.amount GROUP BY b.id, a.id"
                        + " HAVING EXISTS (SELECT 1 FROM visits v WHERE v.id = a.id AND v.level = b.id)",
                "SELECT note, id, amount, COUNT(*), (SELECT MAX(v.level) FROM visits v WHERE v.id = o.id AND"
                        + " v.note = o.note) AS m FROM orders o GROUP BY amount, note, id HAVING EXISTS (SELECT 1 FROM"
                        + " visits v WHERE v.id = o.id AND v.level >= o.amount) ORDER BY (SELECT MIN(v.level) FROM"
                        + " visits v WHERE v.level = o.amount AND v.id = o.id), note, id, amount LIMIT 200",
            })
    void columnsOfGroupsAreThoseOfDuckDb(String statement) {
        assertAlike(streams, duckdb, statement, statement);
    }

    /** A list below groups may have become one with that of the groups. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT y, x, (SELECT COUNT(*) FROM visits v WHERE v.id = d.x AND v.note = d.y) AS m FROM"
                        + " (SELECT note AS y, amount, id AS x FROM orders) d GROUP BY d.y, d.x",
                "SELECT d.id, (SELECT COUNT(*) FROM visits v WHERE v.id = d.id AND v.level = d.level) AS m"
                        + " FROM (SELECT id AS level, level AS id FROM visits) d GROUP BY d.id, d.level",
                "SELECT level, d.id, COUNT(*) FROM (SELECT id AS level, level AS id FROM visits) d GROUP BY"
                        + " d.level, d.id HAVING EXISTS (SELECT 1 FROM visits v WHERE v.id = d.id AND v.level ="
                        + " d.level) OR EXISTS (SELECT 1 FROM visits v WHERE v.level = d.id AND v.id = d.level)",
            })
    void whichColumnOfGroupsIsNamedIsRefusedWhereItIsUnknown(String statement) {
        assertThatThrownBy(() -> streams.plan(statement))
                .hasMessageContaining("a sub-query that names several columns of groups");
    }

    @Test
    void whoseColumnsAGroupNamesIsRefusedWhereItIsUnknown() {
        assertThatThrownBy(() -> streams.plan("SELECT o.id FROM orders o GROUP BY o.id HAVING EXISTS (SELECT v.id FROM"
                        + " visits v GROUP BY v.id HAVING EXISTS (SELECT 1 FROM orders z WHERE z.amount = v.id) AND EXISTS"
                        + " (SELECT 1 FROM orders y WHERE y.id = o.id AND y.amount = v.id)) AND EXISTS (SELECT 1 FROM visits"
                        + " v WHERE v.level = o.id)"))
                .hasMessageContaining("several sub-queries in HAVING, one of which has such a HAVING itself");
    }

    /** Conditions of joins that ask sub-queries. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND EXISTS (SELECT 1 FROM visits z WHERE"
                        + " z.level = o.amount AND z.id > 2) AND EXISTS (SELECT 1 FROM visits z WHERE z.level = o.amount"
                        + " AND z.id < 2)",
                "SELECT COUNT(*) FROM orders o JOIN visits v ON o.id = v.id AND EXISTS (SELECT 1 FROM visits z WHERE"
                        + " z.level = o.amount AND z.id > 2) AND EXISTS (SELECT 1 FROM visits z WHERE z.level = o.amount"
                        + " AND z.id < 2)",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND o.amount = ALL (SELECT z.level FROM visits"
                        + " z WHERE z.id = o.id AND z.level > 0)",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND (o.amount IN (SELECT z.level FROM visits z"
                        + " WHERE z.id = o.id) OR v.level IN (SELECT z.amount FROM orders z WHERE z.id = v.id))",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON EXISTS (SELECT 1 FROM visits z WHERE z.id = o.id AND"
                        + " z.level = v.level)",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND (SELECT MAX(z.level) FROM visits z WHERE"
                        + " z.id = o.id AND z.moment < v.moment) > o.amount",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND o.amount + v.level IN (SELECT level FROM"
                        + " visits)",
                "SELECT o.id, v.level FROM orders o JOIN visits v ON o.id = v.id AND v.level NOT IN (SELECT z.amount FROM orders"
                        + " z WHERE z.id = v.id)",
                "SELECT o.id, v.level FROM orders o LEFT JOIN visits v ON o.id = v.id AND EXISTS (SELECT 1 FROM visits z WHERE"
                        + " z.level = o.amount AND z.id > 2) AND EXISTS (SELECT 1 FROM visits z WHERE z.level = o.amount"
                        + " AND z.id < 2)",
                "SELECT o.id, v.level FROM orders o LEFT JOIN visits v ON o.id = v.id AND o.amount NOT IN (SELECT z.level FROM"
                        + " visits z WHERE z.id = o.id)",
                "SELECT o.id, v.level FROM orders o LEFT JOIN visits v ON o.id = v.id AND v.level NOT IN (SELECT z.amount FROM"
                        + " orders z WHERE z.id = v.id)",
                "SELECT o.id, v.level FROM orders o RIGHT JOIN visits v ON o.id = v.id AND (o.amount IN (SELECT z.level FROM"
                        + " visits z WHERE z.id = o.id) OR v.level IN (SELECT z.amount FROM orders z WHERE z.id = v.id))",
                "SELECT o.id, v.level FROM orders o FULL JOIN visits v ON o.id = v.id AND o.amount = (SELECT MAX(level) FROM visits)"
                        + " AND v.level > ANY (SELECT amount FROM orders WHERE amount > 0)",
                "SELECT o.id, v.level FROM orders o LEFT JOIN visits v ON o.id = v.id AND EXISTS (SELECT 1 FROM visits WHERE level"
                        + " > 100)",
                "SELECT o.id, v.level, w.amount FROM orders o LEFT JOIN visits v ON o.id = v.id AND EXISTS (SELECT 1 FROM visits z"
                        + " WHERE z.level = v.level AND EXISTS (SELECT 1 FROM orders y WHERE y.id = z.id AND y.amount ="
                        + " z.level)) JOIN orders w ON w.id = v.id AND w.amount > (SELECT MIN(z.level) FROM visits z WHERE"
                        + " z.id = w.id AND z.level = v.level)",
                "SELECT o.id, (SELECT COUNT(*) FROM visits v JOIN visits w ON v.id = w.id AND EXISTS (SELECT 1 FROM orders z WHERE"
                        + " z.amount = w.level) WHERE v.level = o.amount) AS n FROM orders o",
            })
    void conditionsOfJoinsAreThoseOfDuckDb(String statement) {
        assertAlike(statement);
    }

    /** LIST has nulls, of the row or of all; what is asked for has none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT o.id, o.amount, (o.id IN LIST) IS NOT TRUE AS a, (o.id IN LIST) IS TRUE AS b, (o.id NOT "
                        + "IN LIST) IS FALSE AS c, (o.id IN LIST) IS NOT FALSE AS d, (3 IN LIST) IS NOT TRUE AS e FROM "
                        + "orders o",
                "SELECT COUNT(*) FILTER (WHERE (o.id IN LIST) IS NOT TRUE) AS n FROM orders o",
                "SELECT (o.id IN LIST) IS NOT TRUE AS v, COUNT(*) AS n FROM orders o GROUP BY 1",
                "SELECT COUNT(*) FROM orders o JOIN visits w ON o.id = w.id AND (o.id IN LIST) IS NOT TRUE",
                "SELECT COUNT(*) FROM orders o JOIN visits w ON o.id = w.id AND CASE WHEN o.id NOT IN LIST THEN "
                        + "o.paid ELSE o.amount < 3 END",
                "SELECT COUNT(*) FROM orders o WHERE (o.id NOT IN LIST) IS NOT FALSE",
                "SELECT COUNT(*) FROM (SELECT CASE WHEN o.id IN LIST THEN FALSE ELSE TRUE END AS v FROM orders o)"
                        + " g WHERE g.v",
                "SELECT o.id, o.amount, CASE WHEN o.id NOT IN LIST THEN o.id > 3 ELSE o.amount < 3 END AS x FROM "
                        + "orders o",
                "SELECT o.id, o.amount, CASE WHEN o.id = ANY LIST THEN 1 ELSE 2 END AS x, CASE WHEN o.id > ALL "
                        + "LIST THEN 'a' ELSE 'b' END AS y FROM orders o",
                "SELECT o.id, (o.id = ANY LIST) IS FALSE AS x, (o.amount <> ALL LIST) IS TRUE AS y FROM orders o "
                        + "ORDER BY (o.id IN LIST) IS NOT TRUE, o.id",
                "SELECT o.id, (o.id IN LIST) IS DISTINCT FROM TRUE AS a, (o.id IN LIST) IS NOT DISTINCT FROM FALSE AS b, "
                        + "(o.id NOT IN LIST) IS DISTINCT FROM o.paid AS c FROM orders o",
                "SELECT o.id, (o.id = ANY LIST) IS DISTINCT FROM TRUE AS a, (o.id <> ALL LIST) IS NOT DISTINCT FROM "
                        + "TRUE AS b, (o.id = SOME LIST) IS DISTINCT FROM (3 IN LIST) AS c FROM orders o",
                "SELECT o.id, ((o.id IN LIST) IS DISTINCT FROM (o.id = 3)) IS NOT FALSE AS a, COALESCE(o.id IN LIST, "
                        + "o.paid) AS b FROM orders o",
                "SELECT id, (id IN LIST) IS DISTINCT FROM TRUE AS a, CASE WHEN (3 IN LIST) THEN FALSE ELSE amount < 0 "
                        + "END AS b FROM orders o",
                "SELECT COUNT(*) FROM orders o JOIN visits w ON o.id = w.id AND ((o.id IN LIST) IS DISTINCT FROM TRUE) "
                        + "IS DISTINCT FROM o.paid",
                "SELECT COUNT(*) AS n FROM orders o GROUP BY o.id, o.note HAVING (o.id IN LIST) IS DISTINCT FROM TRUE",
                "SELECT o.id FROM orders o WHERE NOT ((o.id IN LIST) = o.paid)",
                "SELECT o.id FROM orders o WHERE CASE WHEN 3 <> ANY LIST THEN TRUE ELSE o.amount < 0 END <> o.paid"
            })
    void whatIsUnknownIsNeitherTrueNorFalse(String statement) {
        for (String list : List.of(
                "(SELECT v.level FROM visits v WHERE v.note = o.note)",
                "(SELECT v.level FROM visits v)",
                "(SELECT v.level FROM visits v WHERE v.level IS NOT NULL)",
                "(SELECT level FROM visits UNION SELECT amount FROM orders)",
                "(SELECT level FROM visits ORDER BY level NULLS FIRST LIMIT 1)",
                "(VALUES (1), (CAST(NULL AS INTEGER)))")) {
            String asked = statement.replace("LIST", list);
            assertAlike(asked);
        }
    }

    /**
     * What stands within FLOOR and CEIL is simplified if it is constant: else a sub-query would be known for its row.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT CEIL(CASE WHEN (o.id IN (SELECT v.level FROM visits v)) IS NOT TRUE THEN 1.5 ELSE 2.5 END) AS y"
                        + " FROM orders o WHERE o.id = 11",
                "SELECT FLOOR(CASE WHEN (o.id IN (SELECT v.level FROM visits v)) IS NOT TRUE THEN 1.5 ELSE 2.5 END) AS y"
                        + " FROM orders o WHERE o.id = 11",
                "SELECT COUNT(*) FROM orders o WHERE FLOOR(CASE WHEN (o.id IN (SELECT v.level FROM visits v)) IS NOT TRUE"
                        + " THEN 1.5 ELSE 2.5 END) = 1",
            })
    void roundedConditionsAreThoseOfDuckDb(String statement) {
        assertAlike(streams, duckdb, statement, statement);
    }

    @Test
    void randomConditionsOfListsAreThoseOfDuckDb() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams own = new TwoStreams(folder.resolve("t" + seed), random, executor);
                    DuckDbTwin twin = StatementsBesideDuckDbTest.twin(own)) {
                RandomTruths statements = new RandomTruths(random);
                for (int s = 0; s < STATEMENTS; s++) {
                    String statement = statements.next();
                    try {
                        assertAlike(own, twin, statement, statement);
                    } catch (AssertionError e) {
                        throw new AssertionError("seed " + seed + " statement " + s, e);
                    }
                }
            }
        }
    }

    @Test
    void aConditionOfAnOuterJoinThatAsksByBothSidesIsRefused() {
        assertThatThrownBy(
                        () -> streams.plan("SELECT COUNT(*) FROM orders o LEFT JOIN visits v ON EXISTS (SELECT 1 FROM"
                                + " visits z WHERE z.id = o.id AND z.level = v.level)"))
                .hasMessageContaining(
                        "a sub-query in ON of a LEFT, RIGHT or FULL JOIN that names columns of both sides");
    }

    /** Planning would take twice as long with each. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CASE WHEN ASKS THEN o.paid ELSE TRUE END",
                "COALESCE(ASKS, o.paid)",
                "(ASKS) IS DISTINCT FROM TRUE"
            })
    void manyConditionsWithinEachOtherAreRefused(String condition) {
        String asks = "o.id IN (SELECT v.level FROM visits v)";
        for (int depth = 0; depth < 9; depth++) {
            asks = condition.replace("ASKS", asks);
        }
        String statement = "SELECT COUNT(*) FROM orders o WHERE " + asks;
        assertThatThrownBy(() -> streams.plan(statement)).hasMessageContaining("a sub-query in over 8 conditions");
    }

    @Test
    void timesAreMovedByAFunctionAsByAnInterval() throws Exception {
        for (String unit : List.of("MONTH, 3", "YEAR, -1", "DAY, 5", "MINUTE, -7")) {
            String[] parts = unit.split(", ");
            assertAlike(
                    "SELECT id, TIMESTAMPADD(" + unit + ", moment) AS x FROM visits",
                    "SELECT id, moment + INTERVAL '" + parts[1] + " " + parts[0] + "' AS x FROM visits");
        }
        assertAlike(
                "SELECT id, TIMESTAMPADD(QUARTER, 2, moment) AS x, TIMESTAMPADD(WEEK, 2, moment) AS y FROM visits",
                "SELECT id, moment + INTERVAL '6 MONTH' AS x, moment + INTERVAL '14 DAY' AS y FROM visits");
        assertThatThrownBy(() -> streams.plan("SELECT TIMESTAMPADD(MONTH, id, moment) FROM visits"))
                .hasMessageContaining("column 8: not supported: TIMESTAMPADD takes a unit and a written whole number");
        assertThatThrownBy(() -> streams.plan("SELECT moment + INTERVAL '999999999' YEAR(9) FROM visits"))
                .hasMessageContaining("an interval of 11999999988 months");
    }

    /** Rows for which a sub-query has none stay where it is an aggregate. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*) FROM orders o CROSS JOIN LATERAL (SELECT SUM(v.level) AS s FROM visits v WHERE v.id = o.amount) n",
                "SELECT COUNT(*) FROM orders o, LATERAL (SELECT SUM(v.level) AS s FROM visits v WHERE v.id = o.amount) n",
                "SELECT o.id, n.s FROM orders o JOIN LATERAL (SELECT SUM(v.level) AS s FROM visits v WHERE v.id = o.amount) n"
                        + " ON TRUE",
                "SELECT o.id, n.s FROM orders o JOIN LATERAL (SELECT COUNT(*) AS s FROM visits v WHERE v.id = o.amount) n"
                        + " ON n.s < 3",
            })
    void rowsWithoutAMatchStay(String statement) {
        assertAlike(statement, statement.replace("CROSS JOIN LATERAL", ", LATERAL"));
    }

    @Test
    void randomOnesAreThoseOfDuckDb() throws Exception {
        long first = Long.getLong("seed", 0);
        int refused = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams own = new TwoStreams(folder.resolve("s" + seed), random, executor);
                    DuckDbTwin twin = StatementsBesideDuckDbTest.twin(own)) {
                RandomStatements statements = new RandomStatements(random, false);
                for (int s = 0; s < STATEMENTS; s++) {
                    String joined = statements.joinedForEach();
                    List<String> statement = s % 3 == 0 ? List.of(joined, joined) : statements.overTurned();
                    try {
                        assertAlike(own, twin, statement.get(0), statement.get(1));
                    } catch (AssertionError e) {
                        boolean refusal = e.getCause() instanceof WaterwheelException cause
                                && cause.code().equals("SQL_UNSUPPORTED")
                                && String.valueOf(cause.getMessage()).contains("not supported: ");
                        if (!refusal) {
                            throw new AssertionError("seed " + seed, e);
                        }
                        refused++;
                    }
                }
            }
        }
        assertThat(refused).isLessThanOrEqualTo(SEEDS * STATEMENTS / 20);
    }

    /** Those that Calcite makes joins of, and those that it does not; with and without what leaves take. */
    @Test
    void randomOnesOfManyNamesAreThoseOfDuckDb() throws Exception {
        long first = Long.getLong("seed", 0);
        int lateral = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams own = new TwoStreams(folder.resolve("m" + seed), random, executor);
                    DuckDbTwin twin = StatementsBesideDuckDbTest.twin(own)) {
                RandomSubQueries statements = new RandomSubQueries(random);
                for (int s = 0; s < STATEMENTS; s++) {
                    String statement = statements.next();
                    try {
                        assertAlike(own, twin, statement, statement);
                        assertThat(StatementsBesideDuckDbTest.sorted(own.answerUnpushed(statement)))
                                .as(statement)
                                .isEqualTo(StatementsBesideDuckDbTest.sorted(twin.rows(statement)));
                    } catch (AssertionError | WaterwheelException e) {
                        throw new AssertionError("seed " + seed + " statement " + s, e);
                    }
                    lateral += own.plan(statement).toString().contains(" LATERAL ") ? 1 : 0;
                }
            }
        }
        assertThat(lateral).isGreaterThan(SEEDS * STATEMENTS / 10);
    }
}
