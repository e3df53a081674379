package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.suite.DuckDbTwin;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random statements are answered, by the engine and the executor together, as DuckDB answers the same text over the
 * same rows.
 */
final class StatementsBesideDuckDbTest {
    private static final int SEEDS = Rounds.of(1, 100);
    private static final int STATEMENTS = 60;
    /** One in so many numbers is an extreme one, where there are any. */
    private static final int EXTREMES = 12;

    private static DuckDbExecutor executor;

    @TempDir
    Path folder;

    @BeforeAll
    static void open() {
        // Of leaves that have more tuples than this, groups are asked for where these are fewer.
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 2, 2), 24);
    }

    @AfterAll
    static void close() {
        executor.close();
    }

    @Test
    void answersAreThoseOfDuckDb() throws Exception {
        long first = Long.getLong("seed", 0);
        int refused = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams streams = new TwoStreams(folder.resolve("s" + seed), random, executor);
                    DuckDbTwin duckdb = twin(streams)) {
                RandomStatements statements = new RandomStatements(random, false);
                for (int s = 0; s < STATEMENTS; s++) {
                    refused += check(streams, duckdb, statements.next(), "seed " + seed + " statement " + s);
                }
            }
        }
        // A test that refuses much compares little.
        assertThat(refused).isLessThan(SEEDS * STATEMENTS / 10);
    }

    /** Numbers at the ends of their types, infinite ones, NaN and -0.0 are among the rows. */
    @Test
    void extremesAreThoseOfDuckDbToo() throws Exception {
        long first = Long.getLong("seed", 0);
        int refused = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams streams = new TwoStreams(folder.resolve("x" + seed), random, executor, EXTREMES);
                    DuckDbTwin duckdb = twin(streams)) {
                RandomStatements statements = new RandomStatements(random, false);
                for (int s = 0; s < STATEMENTS; s++) {
                    String where = "extremes, seed " + seed + " statement " + s;
                    refused += check(streams, duckdb, statements.next(), where, true);
                }
            }
        }
        System.err.println("statements over extremes: " + refused + " of " + SEEDS * STATEMENTS + " refused");
        // Sums that exceed 64 bits, and what DuckDB takes to be out of range, are frequent.
        assertThat(refused).isLessThan(SEEDS * STATEMENTS / 3);
    }

    /** Sub-queries that are asked for each row, most of which are as-of joins. */
    @Test
    void nearestRowsAreThoseOfDuckDb() throws Exception {
        long first = Long.getLong("seed", 0);
        int asofs = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams streams = new TwoStreams(folder.resolve("n" + seed), random, executor);
                    DuckDbTwin duckdb = twin(streams)) {
                RandomStatements statements = new RandomStatements(random, false);
                for (int s = 0; s < STATEMENTS / 4; s++) {
                    String statement = statements.nearest();
                    String where = "seed " + seed + ": " + statement;
                    try {
                        assertThat(sorted(streams.answer(statement)))
                                .as(where)
                                .isEqualTo(sorted(duckdb.rows(statement)));
                    } catch (WaterwheelException e) {
                        throw new AssertionError(where, e);
                    }
                    asofs += streams.plan(statement).toString().contains("ASOF") ? 1 : 0;
                }
            }
        }
        assertThat(asofs).as("as-of joins").isGreaterThan(SEEDS * STATEMENTS / 8);
    }

    /** A whole number that is compared with a double, and one of two that are searched. */
    @Test
    void aSubQueryThatNoAsofJoinCanAnswerIsAnswered() throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("mixed"), new Random(7), executor);
                DuckDbTwin duckdb = twin(streams)) {
            for (String statement : List.of(
                    "SELECT o.id, n.w FROM orders o, LATERAL (SELECT v.weight AS w FROM visits v WHERE v.weight <= o.amount"
                            + " ORDER BY v.weight DESC LIMIT 1) n",
                    "SELECT o.id, n.w FROM orders o, LATERAL (SELECT v.level AS w FROM visits v WHERE v.id = o.id"
                            + " AND v.level <= o.amount AND v.level > o.amount - 2 ORDER BY v.level DESC LIMIT 1) n")) {
                assertThat(streams.plan(statement).toString()).doesNotContain("ASOF");
                assertThat(sorted(streams.answer(statement))).isEqualTo(sorted(duckdb.rows(statement)));
            }
        }
    }

    /** What queries of the engine answer, and what the executor answers of whole streams. */
    @Test
    void pushedIsUnpushed() throws Exception {
        long first = Long.getLong("seed", 0);
        int refused = 0;
        int partial = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams streams = new TwoStreams(folder.resolve("p" + seed), random, executor)) {
                RandomStatements statements = new RandomStatements(random, true);
                String last = statements.next();
                for (int s = 0; s < 2 * STATEMENTS; s++) {
                    // Now and then one is asked again with other numbers, as its plan is kept.
                    String statement = random.nextInt(4) == 0 ? renumbered(last, random) : statements.next();
                    last = statement;
                    boolean compared =
                            compare(streams, statement, "seed " + seed + " statement " + s + ": " + statement) == 0;
                    refused += compared ? 0 : 1;
                    partial += compared && isPartial(streams, statement) ? 1 : 0;
                }
            }
        }
        assertThat(partial).as("partial aggregates").isGreaterThan(SEEDS * 2 * STATEMENTS / 60);
        assertThat(refused).isLessThan(SEEDS * 2 * STATEMENTS / 4);
    }

    /** Of seed 41: a cast to NOT NULL that stood behind IS NOT NULL was computed below the outer join, of all rows. */
    @Test
    void whatIsNotNullBehindAConditionIsComputedThere() throws Exception {
        String statement =
                "SELECT COALESCE(v.id, CASE WHEN ST_Within(ST_Point(v.weight, v.level), ST_MakeEnvelope(-1, -1, 0, 2))"
                        + " THEN 1 ELSE o.amount END), o.note FROM orders o LEFT JOIN visits v ON o.id = v.id AND v.level > 0 WHERE"
                        + " o.id BETWEEN -1 AND 5 AND o.amount IN (SELECT level FROM visits WHERE weight > 0) AND o.amount <> 0"
                        + " INTERSECT SELECT o.amount, o.note FROM orders o WHERE NOT (CONCAT(o.note, 'x', o.note) LIKE '_') AND"
                        + " ABS(o.id) + ABS(o.id) = 1 AND o.amount BETWEEN -1 AND 1";
        try (TwoStreams streams = new TwoStreams(folder.resolve("p41"), new Random(41), executor)) {
            assertThat(compare(streams, statement, statement)).isZero();
        }
    }

    /** The same statement that compares with other numbers. */
    private static String renumbered(String statement, Random random) {
        return Pattern.compile("(?<=[=<>] )\\d(?![\\d.])").matcher(statement).replaceAll(one -> "" + random.nextInt(4));
    }

    /** Whether groups were asked for that were merged again; of leaves that have only few rows, or keys, these are. */
    private static boolean isPartial(TwoStreams streams, String statement) {
        return streams.asked().stream().anyMatch(query -> query.result() instanceof ResultSpec.Aggregates)
                && streams.plan(statement) instanceof ResidualPlan plan
                && plan.leaves().stream().anyMatch(leaf -> leaf.singles() != null);
    }

    /** Returns 1 where nothing is compared: the executor refuses some functions, and both fail of some values. */
    private static int compare(TwoStreams streams, String statement, String where) throws InterruptedException {
        List<List<@Nullable Object>> unpushed;
        try {
            unpushed = streams.answerUnpushed(statement);
        } catch (WaterwheelException e) {
            requireRefused(e, where);
            assertFailsOrAnswers(streams, statement, where);
            return 1;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where, e);
        }
        try {
            assertThat(sorted(streams.answer(statement)))
                    .as("%s %s", where, streams.asked())
                    .isEqualTo(sorted(unpushed));
        } catch (WaterwheelException e) {
            throw new AssertionError(where, e);
        }
        return 0;
    }

    /** Not a statement for which the planner contradicts itself: that is a bug, though a server says it in this way. */
    private static void requireRefused(WaterwheelException refusal, String where) {
        assertThat(refusal.code())
                .as("%s: %s", where, refusal.getMessage())
                .isIn("SQL_VALUE", "INTEGER_OVERFLOW", "SQL_UNSUPPORTED");
        if (refusal.getCause() instanceof AssertionError) {
            throw new AssertionError(where, refusal);
        }
    }

    /** What is random has no use for, or has another spelling in DuckDB; ours first. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT o.id, o.moment, v.moment FROM orders o ASOF JOIN visits v MATCH_CONDITION v.moment <= o.moment ON o.id = v.id"
                        + " ; SELECT o.id, o.moment, v.moment FROM orders o ASOF JOIN visits v ON o.id = v.id AND o.moment >= v.moment",
                "SELECT o.id, o.moment, v.moment FROM orders o LEFT ASOF JOIN visits v MATCH_CONDITION v.moment < o.moment"
                        + " ON o.id = v.id WHERE o.amount > 0 ; SELECT o.id, o.moment, v.moment FROM orders o ASOF LEFT JOIN visits v"
                        + " ON o.id = v.id AND o.moment > v.moment WHERE o.amount > 0",
                // As-of joins beside sub-queries that are asked for each row.
                "SELECT o.id, a.moment FROM orders o ASOF JOIN visits a MATCH_CONDITION a.moment <= o.moment ON o.id = a.id"
                        + " WHERE EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount) ;"
                        + " SELECT o.id, a.moment FROM orders o ASOF JOIN visits a ON o.id = a.id AND o.moment >= a.moment"
                        + " WHERE EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount)",
                "SELECT o.id, a.moment, (SELECT COUNT(*) FROM visits y WHERE y.moment < a.moment AND y.level = o.amount) AS n"
                        + " FROM orders o LEFT ASOF JOIN visits a MATCH_CONDITION a.moment <= o.moment ON o.id = a.id ;"
                        + " SELECT o.id, a.moment, (SELECT COUNT(*) FROM visits y WHERE y.moment < a.moment AND y.level = o.amount) AS n"
                        + " FROM orders o ASOF LEFT JOIN visits a ON o.id = a.id AND o.moment >= a.moment",
                "SELECT o.id, a.moment FROM (SELECT * FROM orders q WHERE EXISTS (SELECT 1 FROM visits x WHERE"
                        + " x.level = q.amount)) o ASOF JOIN visits a MATCH_CONDITION a.moment <= o.moment ON o.id = a.id"
                        + " WHERE NOT EXISTS (SELECT 1 FROM orders z WHERE z.id = a.id AND z.moment < a.moment) ;"
                        + " SELECT o.id, a.moment FROM (SELECT * FROM orders q WHERE EXISTS (SELECT 1 FROM visits x WHERE"
                        + " x.level = q.amount)) o ASOF JOIN visits a ON o.id = a.id AND o.moment >= a.moment"
                        + " WHERE NOT EXISTS (SELECT 1 FROM orders z WHERE z.id = a.id AND z.moment < a.moment)",
                "SELECT o.id, n.m FROM orders o, LATERAL (SELECT COUNT(*) AS m FROM orders a ASOF JOIN visits b MATCH_CONDITION"
                        + " b.moment <= a.moment ON a.id = b.id WHERE a.id = o.id AND b.moment > o.moment) n ; SELECT o.id, n.m FROM"
                        + " orders o, LATERAL (SELECT COUNT(*) AS m FROM orders a ASOF JOIN visits b ON a.moment >= b.moment AND"
                        + " a.id = b.id WHERE a.id = o.id AND b.moment > o.moment) n",
                "SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.id = o.id AND EXISTS (SELECT 1 FROM orders a LEFT ASOF JOIN"
                        + " visits b MATCH_CONDITION b.moment <= a.moment ON a.id = b.id WHERE a.id = y.id AND b.id = o.amount)) AS m"
                        + " FROM orders o ; SELECT o.id, (SELECT COUNT(*) FROM visits y WHERE y.id = o.id AND EXISTS (SELECT 1 FROM"
                        + " orders a ASOF LEFT JOIN visits b ON a.moment >= b.moment AND a.id = b.id WHERE a.id = y.id AND b.id ="
                        + " o.amount)) AS m FROM orders o",
                "SELECT o.id, COUNT(*) FROM orders o GROUP BY o.id HAVING (SELECT MIN(b.moment) FROM orders a LEFT ASOF JOIN visits b"
                        + " MATCH_CONDITION b.moment <= a.moment ON a.id = b.id WHERE a.id = o.id) > MIN(o.moment) ; SELECT o.id,"
                        + " COUNT(*) FROM orders o GROUP BY o.id HAVING (SELECT MIN(b.moment) FROM orders a ASOF LEFT JOIN visits b"
                        + " ON a.moment >= b.moment AND a.id = b.id WHERE a.id = o.id) > MIN(o.moment)",
                "SELECT w.id FROM visits w WHERE EXISTS (SELECT 1 FROM orders o ASOF JOIN visits a MATCH_CONDITION"
                        + " a.moment <= o.moment ON o.id = a.id WHERE o.amount = w.level) ;"
                        + " SELECT w.id FROM visits w WHERE EXISTS (SELECT 1 FROM orders o ASOF JOIN visits a"
                        + " ON o.id = a.id AND o.moment >= a.moment WHERE o.amount = w.level)",
                // The nearest row of another table: those of DuckDB are asked for one by one.
                "SELECT o.id, o.moment, n.at FROM orders o, LATERAL (SELECT v.moment AS at FROM visits v WHERE v.id = o.id"
                        + " AND v.moment <= o.moment ORDER BY v.moment DESC LIMIT 1) n ;",
                "SELECT o.id, o.moment, n.at, n.later FROM orders o LEFT JOIN LATERAL (SELECT v.moment AS at,"
                        + " v.moment > o.moment AS later FROM visits v WHERE o.id = v.id AND o.moment < v.moment"
                        + " AND v.level > 1 ORDER BY v.moment LIMIT 1) n ON TRUE ;",
                "SELECT o.id, o.moment, n.note FROM orders o LEFT JOIN LATERAL (SELECT 'seen' AS note FROM visits v"
                        + " WHERE v.id = o.id AND v.moment < o.moment ORDER BY v.moment DESC LIMIT 1) n ON TRUE ;",
                "SELECT o.moment, n.at FROM orders o CROSS JOIN LATERAL (SELECT v.moment AS at FROM visits v"
                        + " WHERE v.moment >= o.moment AND v.note IS NOT NULL ORDER BY v.moment LIMIT 1) n WHERE n.at > o.moment ;",
                "SELECT o.id, o.moment, (SELECT v.moment FROM visits v WHERE v.id = o.id AND v.moment <= o.moment"
                        + " ORDER BY v.moment DESC LIMIT 1) AS at FROM orders o WHERE o.amount > 0 ;",
                "SELECT o.id, n.at, m.at AS b FROM orders o, LATERAL (SELECT v.moment AS at FROM visits v WHERE v.id = o.id"
                        + " AND v.moment <= o.moment ORDER BY v.moment DESC LIMIT 1) n, LATERAL (SELECT w.moment AS at FROM"
                        + " visits w WHERE w.id = o.id AND w.moment < n.at ORDER BY w.moment DESC LIMIT 1) m"
                        + " WHERE EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount) ;",
                "SELECT a.id, n.at FROM (SELECT id, MAX(moment) AS last FROM orders GROUP BY id) a, LATERAL (SELECT w.at FROM"
                        + " (SELECT id, moment AS at FROM visits WHERE level >= 0) w WHERE w.id = a.id AND w.at < a.last"
                        + " ORDER BY w.at DESC LIMIT 1) n ;",
                "SELECT n.at FROM orders o, LATERAL (SELECT v.moment AS at FROM visits v WHERE v.id = o.id AND v.moment <= o.moment"
                        + " ORDER BY v.moment LIMIT 1) n ;",
                "SELECT n.at FROM orders o, LATERAL (SELECT v.moment AS at FROM visits v WHERE v.id = o.id AND v.moment <= o.moment"
                        + " ORDER BY v.moment DESC LIMIT 2) n ;",
                "SELECT n.at FROM orders o, LATERAL (SELECT v.moment AS at FROM visits v WHERE v.id < o.id AND v.moment <= o.moment"
                        + " ORDER BY v.moment DESC LIMIT 1) n ;",
                "SELECT id, note, GROUPING(id), COUNT(*), SUM(price) FROM orders GROUP BY ROLLUP(id, note) ;",
                "SELECT o.id, v.note, COUNT(*) FROM orders o JOIN visits v ON o.id = v.id"
                        + " GROUP BY GROUPING SETS ((o.id), (v.note), ()) ;",
                "SELECT o.id, v.note, COUNT(*) FROM orders o JOIN visits v ON o.id = v.id GROUP BY CUBE(o.id, v.note) ;",
                "SELECT TIME_BUCKET(INTERVAL '5' MINUTE, o.moment) AS b, COUNT(*) FROM orders o JOIN visits v"
                        + " ON o.id = v.id GROUP BY 1 ; SELECT CAST(time_bucket(INTERVAL 5 MINUTE, o.moment) AS TIMESTAMP_MS), COUNT(*)"
                        + " FROM orders o JOIN visits v ON o.id = v.id GROUP BY 1",
                "SELECT DATE_TRUNC('hour', v.moment) AS b, COUNT(*) FROM orders o JOIN visits v ON o.id = v.id GROUP BY 1 ;",
                "SELECT id, SUM(amount) OVER (PARTITION BY id ORDER BY moment RANGE BETWEEN INTERVAL '3' MINUTE PRECEDING"
                        + " AND CURRENT ROW) FROM orders ;",
                "SELECT id, AVG(price) OVER (PARTITION BY id), MIN(note) OVER (), COUNT(amount) OVER (PARTITION BY note)"
                        + " FROM orders ;",
                "SELECT id, FIRST_VALUE(moment) OVER (PARTITION BY id ORDER BY moment),"
                        + " LAG(moment, 1) OVER (PARTITION BY id ORDER BY moment) FROM orders ;",
                "SELECT id, STDDEV_POP(amount) OVER (PARTITION BY id) > 2.1 AS n FROM orders ;",
                "SELECT id, VAR_SAMP(amount) OVER (PARTITION BY id) > 4.5 AS n FROM orders ;",
                "SELECT o.id FROM orders o, visits v WHERE o.id = v.id AND v.level > (SELECT AVG(level) FROM visits w"
                        + " WHERE w.id = o.id) ;",
                "SELECT (SELECT MAX(level) FROM visits v WHERE v.id = o.id), o.id FROM orders o ;",
                "SELECT o.id FROM orders o WHERE o.amount > ALL (SELECT level FROM visits v WHERE v.id = o.id) ;",
                "SELECT o.id FROM orders o WHERE o.amount = ANY (SELECT level FROM visits v) ;",
                // Columns that have the names of Calcite's own.
                "SELECT x, d FROM (VALUES (1, 1), (2, 1), (3, 1)) AS a(x, d) WHERE x <> ANY (SELECT y FROM (VALUES (1), (2), (3)) AS b(y)) ;",
                "SELECT c, d, m, c <> ANY (SELECT level FROM visits), c = ALL (SELECT level AS d FROM visits WHERE id = 3)"
                        + " FROM (SELECT amount AS c, id AS d, price AS m FROM orders) ;",
                "SELECT c, d FROM (SELECT amount AS c, id AS d FROM orders) o WHERE c <> ANY (SELECT v.level FROM visits v"
                        + " WHERE v.id = o.d AND v.level <> ALL (SELECT m FROM (SELECT amount AS m FROM orders) w WHERE m > 0)) ;",
                "SELECT a.d, b.m FROM (SELECT id AS d, amount AS c FROM orders) a JOIN (SELECT id AS m FROM visits) b"
                        + " ON a.d = b.m AND NOT a.c = ALL (SELECT level FROM visits WHERE id < 4) ;",
                "SELECT x FROM (VALUES (4), (1)) AS a(x) WHERE x <> ANY (SELECT y FROM (VALUES (1), (1)) AS b(y))"
                        + " AND x <> ANY (SELECT z FROM (VALUES (3), (4)) AS e(z)) ;",
                "SELECT id, amount <> ANY (SELECT 2), amount <> ANY (SELECT level FROM visits), amount > ANY (SELECT level FROM visits),"
                        + " amount <> ALL (SELECT 1), amount = ALL (SELECT level FROM visits WHERE id = 3) FROM orders ;",
                "SELECT id FROM orders WHERE amount > ANY (SELECT level FROM visits WHERE id < 5) AND amount NOT IN (SELECT level FROM visits"
                        + " WHERE level > 0) AND note <> ANY (SELECT note FROM visits WHERE id = 2) ;",
                "SELECT note, COUNT(*) FROM orders GROUP BY ROLLUP(note, note) ;",
                "SELECT id, note, COUNT(*), GROUPING(id), GROUPING(note) FROM orders GROUP BY CUBE(id, note) ;",
                "SELECT id, note, COUNT(*) FROM orders GROUP BY CUBE(id, note, id) ;",
                "SELECT id, note, COUNT(*) FROM orders GROUP BY note, ROLLUP((id, note), id) ;",
                "SELECT id, amount FROM orders WHERE (id, amount) IN (SELECT id, level FROM visits) AND price IS NOT NULL ;",
                // Columns of USING by their name alone.
                "SELECT id, o.note, level FROM orders o JOIN visits v USING (id) WHERE id > 5 ;",
                "SELECT id, COUNT(*) AS n FROM orders o LEFT JOIN visits v USING (id) WHERE id + 1 < 9 GROUP BY id HAVING MAX(id) > 2 ;",
                "SELECT id AS x, COUNT(*) FROM orders o RIGHT JOIN visits v USING (id) WHERE id IN (SELECT id FROM orders) GROUP BY id ;",
                "SELECT id, note, COUNT(*) FROM orders o FULL JOIN visits v USING (id, note) WHERE id > 1 GROUP BY id, note ;",
                "SELECT id, COUNT(*) FROM orders JOIN visits USING (id) JOIN (SELECT DISTINCT id FROM visits) w USING (id) GROUP BY id ;",
                "SELECT o.note, MAX(level) AS id FROM orders o JOIN visits v USING (id) WHERE id > 1 GROUP BY o.note HAVING MAX(level) > 0 ;",
                "SELECT id + 1 AS n, ROW_NUMBER() OVER (PARTITION BY id ORDER BY o.moment, o.amount, o.price, level, v.moment) FROM orders o JOIN visits v USING (id) ;",
                "SELECT * FROM (SELECT id, amount FROM orders) o JOIN (SELECT id, level FROM visits) v USING (id) WHERE id = 3 ;",
                // Groups of nothing but written values.
                "SELECT DISTINCT 1, 'a' FROM orders o JOIN visits v ON o.id = v.id AND v.note = 'none has it' ;",
                "SELECT DISTINCT 1 FROM orders WHERE id = 99 ;",
                "SELECT DISTINCT 1 FROM orders o WHERE o.id IN (SELECT level FROM visits WHERE level > 99) ;",
                "SELECT COUNT(*) FROM orders o JOIN visits v ON o.id = v.id AND v.note = 'none has it' GROUP BY 'x' || 'y' ;",
                "SELECT DISTINCT 'found' AS c FROM (VALUES (1), (2)) AS t(k) WHERE EXISTS (SELECT 1 FROM (VALUES (1), (2)) AS q(k) WHERE q.k = t.k + 10) ;",
                "SELECT 'orphan' AS c, COUNT(*) AS n FROM orders o WHERE NOT EXISTS (SELECT 1 FROM orders q WHERE q.id = o.id) GROUP BY 1 ;",
                "SELECT 'x' AS a, COUNT(*) AS n, 'y' AS b FROM orders o WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.level = o.id) GROUP BY 1, 3 ;",
                "SELECT COUNT(*) FROM (SELECT DISTINCT 1 AS c FROM orders o WHERE NOT EXISTS (SELECT 1 FROM orders q WHERE q.id = o.id)) z ;",
                "SELECT DISTINCT o.note, 'x' AS t, 2 AS n FROM orders o WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.note NOT LIKE '%' AND v.id = o.id) ;",
                "SELECT id FROM orders WHERE EXISTS (SELECT DISTINCT 1 FROM visits a WHERE NOT EXISTS (SELECT 1 FROM visits q WHERE q.id = a.id)) ;",
                "SELECT -1 AS c, MAX(level) FROM visits v WHERE level < level AND level > (SELECT MIN(q.id) FROM visits q WHERE q.level = v.level) GROUP BY 1 ;",
                "SELECT DISTINCT x FROM (SELECT 5 AS x, o.id FROM orders o JOIN visits v ON o.id = v.id WHERE v.level = 99) ;",
                "SELECT o.id FROM orders o WHERE o.amount <= SOME (SELECT level FROM visits v WHERE level > 1) ;",
                "SELECT id FROM orders UNION ALL SELECT level FROM visits UNION SELECT amount FROM orders ;",
                "SELECT id FROM orders EXCEPT ALL SELECT id FROM visits ;",
                "SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS t(n, x) JOIN orders o ON o.id = t.n ;",
                "SELECT tag, COUNT(*) FROM visits v JOIN orders o ON v.id = o.id GROUP BY tag ;",
                "SELECT v.moment - INTERVAL '90' SECOND AS before FROM orders o JOIN visits v ON o.id = v.id ;",
                "SELECT o.price / v.weight AS r FROM orders o JOIN visits v ON o.id = v.id WHERE v.weight <> 0 ;",
                "SELECT o.amount / v.level AS r, MOD(o.amount, v.level) FROM orders o JOIN visits v ON o.id = v.id"
                        + " WHERE v.level <> 0 ; SELECT o.amount // v.level, o.amount % v.level FROM orders o"
                        + " JOIN visits v ON o.id = v.id WHERE v.level <> 0",
                "SELECT LENGTH(o.note || v.note) AS n FROM orders o JOIN visits v"
                        + " ON o.id = v.id WHERE o.note LIKE 'a%' ;",
                "SELECT SUBSTRING(o.note || v.note FROM 2 FOR 3) AS s, EXTRACT(MINUTE FROM COALESCE(v.moment, o.moment)) AS m"
                        + " FROM orders o LEFT JOIN visits v ON o.id = v.level ;",
                "SELECT DATE_TRUNC('day', COALESCE(v.moment, o.moment)) AS d, COUNT(*) FROM orders o LEFT JOIN visits v"
                        + " ON o.id = v.level GROUP BY 1 ;",
                "SELECT o.paid, EVERY(v.level > 0) AS e FROM orders o JOIN visits v ON o.id = v.id GROUP BY o.paid"
                        + " ; SELECT o.paid, bool_and(v.level > 0) FROM orders o JOIN visits v ON o.id = v.id GROUP BY 1",
                "SELECT id FROM orders WHERE price <= 0.7 + 0.1 - 0.05 ;",
                "SELECT id, price * (0.1 + 0.2) AS x FROM orders ; SELECT id, price * 0.3e0 FROM orders",
                "SELECT id, ROUND(price / 3, 1) AS r, ROUND(amount, 0) AS w FROM orders ; SELECT id, round(price / 3, 1),"
                        + " round(CAST(amount AS DOUBLE)) FROM orders",
                "SELECT o.id, ROUND(o.price * v.weight / 3, 2) AS r, ROUND(o.price + v.weight) AS w FROM orders o"
                        + " JOIN visits v ON o.id = v.id ;",
                "SELECT CAST(o.price * v.weight * -1.5 AS BIGINT) AS n FROM orders o JOIN visits v ON o.id = v.id"
                        + " ; SELECT CAST(trunc(o.price * v.weight * -1.5) AS BIGINT) FROM orders o JOIN visits v ON o.id = v.id",
                "SELECT o.price / v.level::DOUBLE AS r, (o.id + v.level)::DOUBLE / 2 AS s, 1 + o.id * (v.level)::DOUBLE AS t"
                        + " FROM orders o JOIN visits v ON o.id = v.id WHERE v.level <> 0 ;",
                "SELECT id, 1 + amount - id * 3::DOUBLE / 4 * 2 + 1 AS r, (1 + id::DOUBLE) * 2 AS s, 7 - (id + 2::DOUBLE) * 3 AS t,"
                        + " amount > 0 OR id = 2::BIGINT AND amount < 0 AS u FROM orders ;",
                "SELECT id FROM orders WHERE id > 2 AND amount / 4::DOUBLE BETWEEN -1 AND 3 AND amount + 1::DOUBLE IS NOT NULL ;",
                "SELECT id, amount + id * 3::DOUBLE / 4 AS r, (id) + (amount)::DOUBLE AS s FROM orders ;",
                "SELECT id FROM orders WHERE LOWER(note) LIKE 'a%' OR amount / 4::DOUBLE BETWEEN -1 AND 0 ;",
                "SELECT id, orders.amount::BIGINT::DOUBLE / 2 AS r FROM orders WHERE note = 'a' OR note = 'b' AND"
                        + " (amount + 1)::DOUBLE / ABS(-4)::DOUBLE BETWEEN CASE WHEN id > 3 THEN 0 ELSE -1 END::DOUBLE AND"
                        + " 1::DOUBLE PRECISION ;",
                "SELECT CONCAT(o.note, '/', v.note) AS c FROM orders o JOIN visits v ON o.id = v.id"
                        + " ; SELECT o.note || '/' || v.note FROM orders o JOIN visits v ON o.id = v.id",
                "SELECT COUNT(*) FROM orders WHERE CAST(moment AS DATE) = CAST('2026-11-24' AS DATE) ;",
                "SELECT COUNT(*) FROM orders WHERE moment::DATE = DATE '2026-11-24' ;",
                "SELECT o.moment::DATE AS d, COUNT(*) FROM orders o JOIN visits v ON o.moment::DATE = CAST(v.moment AS DATE)"
                        + " AND o.id = v.id GROUP BY 1 ; SELECT CAST(date_trunc('day', o.moment) AS TIMESTAMP_MS), COUNT(*)"
                        + " FROM orders o JOIN visits v ON o.moment::DATE = v.moment::DATE AND o.id = v.id GROUP BY 1",
                "SELECT COUNT(*) FROM orders WHERE moment < CAST(DATE '2026-11-24' AS DATE) + INTERVAL '10' MINUTE ;",
                "SELECT ROUND(id + 9007199254740960, 2) AS r, ROUND(price * 1e300, 10) AS s FROM orders"
                        + " ; SELECT CAST(id + 9007199254740960 AS DOUBLE), price * 1e300 FROM orders",
                "SELECT COUNT(*) FROM orders WHERE moment < CAST('2026-11-23' AS DATE) + INTERVAL '1' DAY"
                        + " + INTERVAL '10' MINUTE ;",
                "SELECT COUNT(*) FROM orders o JOIN visits v ON o.id = v.id"
                        + " AND o.moment > CAST(v.moment AS DATE) + INTERVAL '5' MINUTE ;",
                // As others write it.
                "SELECT id, GREATEST(amount, id), LEAST(amount, id, 2), GREATEST(price, amount), LEAST(note, 'b') FROM orders ;",
                "SELECT GREATEST(o.amount, v.level), LEAST(o.price, v.weight, o.amount), GREATEST(o.note, v.note)"
                        + " FROM orders o JOIN visits v ON o.id = v.id ;",
                "SELECT IFNULL(amount, 0), IF(amount > 0, 1, 0), SIGN(amount), SIGN(price), LEFT(note, 1), COUNT_IF(paid)"
                        + " FROM orders GROUP BY 1, 2, 3, 4, 5 ; SELECT IFNULL(amount, 0), IF(amount > 0, 1, 0), SIGN(amount),"
                        + " SIGN(price), LEFT(note, 1), COUNT(*) FILTER (WHERE paid) FROM orders GROUP BY 1, 2, 3, 4, 5",
                "SELECT COUNT_IF(DISTINCT amount > 0) FROM orders ;"
                        + " SELECT COUNT(DISTINCT amount > 0) FILTER (WHERE amount > 0) FROM orders",
                "SELECT NVL(v.level, o.amount), IF(v.level > o.amount, v.note, o.note), SIGN(v.level - o.amount)"
                        + " FROM orders o LEFT JOIN visits v ON o.id = v.level ; SELECT ifnull(v.level, o.amount),"
                        + " IF(v.level > o.amount, v.note, o.note), SIGN(v.level - o.amount)"
                        + " FROM orders o LEFT JOIN visits v ON o.id = v.level",
                "SELECT amount::text || note::text, id::float8 / 4, CAST(paid AS BOOL), amount::int4 FROM orders ;",
                "SELECT id FROM orders WHERE moment < TIMESTAMP '2026-11-25 00:11:00' - INTERVAL '1 day'AND CURRENT_DATE >"
                        + " DATE '2026-11-23' AND moment + INTERVAL '90 seconds' > TIMESTAMP '2026-11-24 00:03:00' ;",
                "SELECT id, SUM(amount) OVER (PARTITION BY id ORDER BY moment RANGE BETWEEN INTERVAL '3 minutes' PRECEDING"
                        + " AND CURRENT ROW) FROM orders WHERE note <> 'INTERVAL ''1 day''' ;",
                "SELECT id, SUM(amount) OVER w AS s, COUNT(*) OVER w AS n FROM orders WINDOW w AS (PARTITION BY id) ;",
                "SELECT o.id, t.u FROM orders o CROSS JOIN LATERAL (VALUES (o.amount), (o.id)) AS t(u) ;",
                "SELECT o.id, o.amount NOT IN (SELECT level FROM visits v WHERE v.id = o.id) AS e FROM orders o ;",
                "SELECT o.id, (SELECT COUNT(*) FROM visits v WHERE v.id = o.id AND v.level > o.amount) AS n FROM orders o ;",
                "SELECT id, RANK() OVER (PARTITION BY id ORDER BY SUM(price)) FROM orders GROUP BY id, note ;",
                "SELECT id FROM orders INTERSECT ALL SELECT id FROM visits ;",
                "(SELECT id FROM orders ORDER BY id LIMIT 2) UNION ALL (SELECT id FROM visits ORDER BY id FETCH FIRST 2 ROWS ONLY) ;",
                "SELECT * FROM (SELECT id, note FROM orders) a NATURAL JOIN (SELECT id, level FROM visits) b ;",
                "WITH best AS (SELECT id, MAX(price) AS p FROM orders GROUP BY id) SELECT a.id, a.p, b.p FROM best a"
                        + " JOIN best b ON a.p = b.p AND a.id < b.id ;",
                "SELECT id, moment FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY moment DESC) AS n"
                        + " FROM orders) WHERE n > 1 AND id < 0 ;",
            })
    void examples(String ours, @Nullable String theirs) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("examples"), new Random(7), executor);
                DuckDbTwin duckdb = twin(streams)) {
            assertThat(sorted(streams.answer(ours))).isEqualTo(sorted(duckdb.rows(theirs == null ? ours : theirs)));
        }
    }

    /** Where DuckDB computes something else for the same text, or nothing at all. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                // A sum that is infinite.
                "SELECT SUM(1e308 * (o.id + v.id)) FROM J WHERE o.id = 1 AND v.id = 1 ; [[Infinity]]",
                "SELECT SUM(1e308 * (o.id + v.id)) FILTER (WHERE o.id = 1) FROM J WHERE v.id = 1 ; [[Infinity]]",
                "SELECT DISTINCT SUM(1e308 * (o.id + v.id)) OVER () FROM J WHERE o.id = 1 ; [[Infinity]]",
                // A whole number beside a double that it would be rounded to.
                "SELECT COUNT(*) FROM J WHERE 9007199254740993 + (o.id - v.id) = 9007199254740992e0 ; [[0]]",
                "SELECT COUNT(*) > 0 FROM J WHERE 9007199254740993 + (o.id - v.id) > 9007199254740992e0 ; [[true]]",
                "SELECT COUNT(*) FROM J WHERE 9007199254740993 + (o.id - v.id) <= 9007199254740992e0 ; [[0]]",
                "SELECT COUNT(*) > 0 FROM J WHERE 9007199254740992 + (o.id - v.id) = 9007199254740992e0 ; [[true]]",
                "SELECT COUNT(*) FROM J WHERE 9223372036854775807 - ABS(o.id - v.id) >= 9223372036854775808e0 ; [[0]]",
                "SELECT COUNT(*) > 0 FROM J WHERE 9223372036854775808e0 > 9223372036854775807 - ABS(o.id - v.id) ; [[true]]",
                "SELECT COUNT(*) FROM orders o JOIN visits v ON o.id + 9007199254740992 = v.weight * 0 + 9007199254740992e0"
                        + " AND v.weight = 0 AND o.id = 1 ; [[0]]",
                "SELECT COUNT(*) FROM orders WHERE id + 9007199254740992 = 9007199254740992e0 AND id = 1 ; [[0]]",
                "SELECT COUNT(*) > 0 FROM orders WHERE CAST(id + 9007199254740992 AS DOUBLE) = 9007199254740992e0"
                        + " AND id = 1 ; [[true]]",
                "SELECT COUNT(*) > 0 FROM J WHERE CAST(o.id + v.id - 2 + 9007199254740993 AS DOUBLE) = 9007199254740992e0"
                        + " AND o.id = 1 ; [[true]]",
                // The remainder of the least whole number.
                "SELECT DISTINCT MOD(-9223372036854775807 + (v.id - 2), -1) FROM J WHERE o.id = 1 ; [[0]]",
                "SELECT DISTINCT MOD(-9223372036854775807 + (v.id - 2), 0 - o.id) FROM J WHERE o.id = 1 ; [[0]]",
                // Times of a year that nanoseconds do not reach.
                "SELECT COUNT(*) FROM J WHERE v.moment > TIMESTAMP '3000-01-01 00:00:00.000000001' ; [[0]]",
                "SELECT COUNT(*) > 0 FROM J WHERE CASE WHEN o.id > 50 THEN v.moment ELSE TIMESTAMP '3000-01-01 00:00:00' END"
                        + " > CASE WHEN v.id > 50 THEN CAST(o.moment AS TIMESTAMP(9))"
                        + " ELSE TIMESTAMP '2021-01-01 00:00:00.000000001' END ; [[true]]",
                // A character that ends texts elsewhere.
                "SELECT DISTINCT LENGTH(o.note || v.note || 'x\0y') FROM J WHERE o.note = 'a' AND v.note = 'a' ; [[5]]",
            })
    void meansWhatTheEngineMeans(String statement, String answer) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("means"), new Random(7), executor)) {
            String written = statement.replace("FROM J", "FROM orders o JOIN visits v ON o.id = v.id");
            assertThat(streams.answer(written.replace("\\0", "\0"))).hasToString(answer);
        }
    }

    @Test
    void keepsOrdersAndLimits() throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("orders"), new Random(3), executor);
                DuckDbTwin duckdb = twin(streams)) {
            for (String statement : List.of(
                    "SELECT o.note FROM orders o JOIN visits v ON o.id = v.id"
                            + " ORDER BY o.price DESC, v.moment, o.moment, o.note, v.level LIMIT 20 OFFSET 5",
                    "SELECT o.price * 2 AS twice FROM orders o JOIN visits v ON o.id = v.id ORDER BY twice NULLS LAST",
                    "SELECT o.price FROM orders o JOIN visits v USING (id)"
                            + " ORDER BY id DESC, o.price, v.moment, o.moment, o.note, v.level LIMIT 20",
                    "SELECT id AS n FROM orders UNION SELECT level FROM visits ORDER BY n DESC NULLS LAST LIMIT 3",
                    "SELECT id, RANK() OVER (ORDER BY price DESC) AS r FROM orders ORDER BY r, id LIMIT 10")) {
                assertThat(streams.answer(statement)).as(statement).isEqualTo(duckdb.rows(statement));
            }
        }
    }

    /** More rows than one of DuckDB's threads computes at a time: each hands out its own as it has them. */
    @Test
    void keepsTheOrderOfManyRows() throws Exception {
        String ten = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
        String all = "SELECT ((((a.x * 10 + b.x) * 10 + c.x) * 10 + d.x) * 10 + e.x) * 4 + f.x AS n FROM " + ten
                + " AS a(x), " + ten + " AS b(x), " + ten + " AS c(x), " + ten + " AS d(x), " + ten
                + " AS e(x), (VALUES (0), (1), (2), (3)) AS f(x)";
        try (TwoStreams streams = new TwoStreams(folder.resolve("many"), new Random(3), executor)) {
            for (String order : List.of(" ORDER BY n", " ORDER BY n DESC", " ORDER BY n OFFSET 1")) {
                List<List<@Nullable Object>> rows = streams.answer(all + order);
                long first = order.endsWith("1") ? 1 : 0;
                assertThat(rows).hasSize(400_000 - (int) first);
                for (int row = 0; row < rows.size(); row++) {
                    long expected = order.endsWith("DESC") ? 399_999 - row : first + row;
                    if (!rows.get(row).get(0).equals(expected)) {
                        throw new AssertionError(order + ": place " + row + " has " + rows.get(row));
                    }
                }
            }
        }
    }

    /** A side with few values narrows what is read of the other. */
    @Test
    void narrowsByWhatJoinsKnow() throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("narrow"), new Random(3), executor)) {
            streams.answer("SELECT COUNT(*) FROM orders o JOIN visits v ON o.id = v.level WHERE v.note = 'ab'");
            assertThat(String.valueOf(streams.asked().get(1).where())).startsWith("id IN (");
            streams.answer("SELECT COUNT(*) FROM orders o LEFT JOIN visits v ON o.id = v.id WHERE o.note = 'ab'");
            assertThat(String.valueOf(streams.asked().get(1).where())).startsWith("id IN (");
            // Rows of orders without a visit are in the answer.
            streams.answer("SELECT COUNT(*) FROM orders o LEFT JOIN visits v ON o.id = v.id AND v.note = 'ab'");
            assertThat(streams.asked()).allMatch(query -> !query.stream().equals("orders") || query.where() == null);
            // No value at all: no row is wanted.
            streams.answer("SELECT COUNT(*) FROM orders o JOIN visits v ON o.id = v.id WHERE v.note = 'no such'");
            assertThat(streams.asked().get(1).where()).hasToString("FALSE");
        }
    }

    /** Where the values of what makes groups are known, these can only be few: no tuples are looked at before. */
    @ParameterizedTest
    @CsvSource({"1000, 1", "3, 2"})
    void readsFewGroupsAtOnce(int sampled, int queries) throws Exception {
        String statement = "SELECT v.note, COUNT(*), SUM(o.amount) FROM orders o JOIN visits v ON o.id = v.level"
                + " WHERE v.note IS NOT NULL GROUP BY v.note ORDER BY v.note";
        try (DuckDbExecutor own = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 1), sampled);
                TwoStreams streams = new TwoStreams(folder.resolve("few" + sampled), new Random(3), own)) {
            List<List<@Nullable Object>> rows = streams.answer(statement);
            assertThat(streams.asked())
                    .filteredOn(query -> query.stream().equals("orders"))
                    .hasSize(queries)
                    .first()
                    .satisfies(query -> assertThat(query.result() instanceof ResultSpec.Aggregates)
                            .isEqualTo(queries == 1));
            assertThat(rows).isNotEmpty().isEqualTo(streams.answerUnpushed(statement));
        }
    }

    /**
     * A leaf that two places of a statement have is read once, and narrowed by what both are joined with; not where one
     * of them wants all rows.
     */
    @ParameterizedTest
    @CsvSource({"note, note, 2, true", "note, tag, 3, false"})
    void narrowsWhatTwoPlacesHave(String one, String other, int leaves, boolean narrowed) throws Exception {
        String part = "(SELECT o.note, MEDIAN(o.price) AS price FROM orders o JOIN visits v ON o.id = v.level"
                + " WHERE v.%s IS NOT NULL GROUP BY o.note)";
        String statement = "SELECT x.note, x.price, y.price FROM " + String.format(part, one) + " x JOIN "
                + String.format(part, other) + " y ON x.note = y.note ORDER BY x.note";
        try (TwoStreams streams = new TwoStreams(folder.resolve("two" + other), new Random(4), executor)) {
            List<List<@Nullable Object>> rows = streams.answer(statement);
            assertThat(streams.asked()).hasSize(leaves);
            assertThat(streams.asked())
                    .filteredOn(query -> query.stream().equals("orders"))
                    .singleElement()
                    .satisfies(query -> assertThat(query.where() != null).isEqualTo(narrowed));
            assertThat(rows).isEqualTo(streams.answerUnpushed(statement));
        }
    }

    /** So do written rows, whatever is done with them before the join. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT o.id, o.moment, z.n FROM orders o JOIN (VALUES (1, 'x'), (3, 'y'), (NULL, 'z')) AS z(k, n) ON o.id = z.k ; orders ; id IN (1, 3)",
                "SELECT v.id, v.moment FROM visits v WHERE v.note IN (SELECT n FROM (VALUES ('a', 1), ('b', 2)) AS z(n, x) WHERE x > 1) ; visits ; note IN ('b')",
                "SELECT o.id, v.moment, z.n FROM (VALUES (2, 'x'), (2, 'y')) AS z(k, n) JOIN orders o ON o.id = z.k JOIN visits v ON v.id = o.id ; orders ; id IN (2)",
                "SELECT o.id, z.n FROM orders o RIGHT JOIN (SELECT k + 1 AS k, MAX(n) AS n FROM (VALUES (1, 'x'), (1, 'y')) AS z(k, n) GROUP BY k) z ON o.id = z.k ; orders ; id IN (2)",
                // Each of its rows is in the answer.
                "SELECT o.id, o.moment, z.n FROM orders o LEFT JOIN (VALUES (1, 'x')) AS z(k, n) ON o.id = z.k ; orders ; null",
                "SELECT z.n, COUNT(*) FROM (VALUES (1, 'x')) AS z(k, n) JOIN orders o ON o.id > z.k GROUP BY z.n ; orders ; null",
            })
    void narrowsByWrittenRows(String statement, String stream, String where) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("written"), new Random(3), executor);
                DuckDbTwin duckdb = twin(streams)) {
            assertThat(sorted(streams.answer(statement))).isEqualTo(sorted(duckdb.rows(statement)));
            assertThat(streams.asked())
                    .filteredOn(query -> query.stream().equals(stream))
                    .isNotEmpty()
                    .allSatisfy(query -> assertThat(String.valueOf(query.where()))
                            .matches("(.* AND )?" + Pattern.quote(where))
                            .containsOnlyOnce(where));
        }
    }

    /** Groups by what the join and the statement look at, in place of tuples. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT v.note, COUNT(*), SUM(o.amount), MAX(o.price) FROM orders o JOIN visits v ON o.id = v.id GROUP BY v.note ; orders ; [id]",
                "SELECT v.note, COUNT(o.amount), MIN(v.level) FROM orders o RIGHT JOIN visits v ON o.id = v.level GROUP BY v.note ; orders ; [id]",
                "SELECT COUNT(*), COUNT(v.level), SUM(o.amount) FROM orders o LEFT JOIN visits v ON o.id = v.level AND v.note <> 'a' ; orders ; [id]",
                "SELECT COUNT(*), SUM(v.level) FROM orders o FULL JOIN visits v ON o.id = v.level ; visits ; [level]",
                "SELECT o.paid, COUNT(*) FROM orders o JOIN visits v ON o.id = v.id AND o.amount < v.level GROUP BY o.paid ; visits ; [id, level]",
                "SELECT COUNT(*) FILTER (WHERE o.note = 'a') FROM orders o WHERE o.id IN (SELECT level FROM visits) ; orders ; [id, note = 'a' AND (note = 'a') IS NOT NULL]",
                "SELECT v.note, COUNT(*) FROM orders o JOIN visits v ON o.id = v.id JOIN visits w ON w.level = o.amount WHERE o.id + v.level > 1 GROUP BY v.note ; visits ; [level]",
                "SELECT DISTINCT v.note FROM orders o JOIN visits v ON o.id = v.id ; orders ; [id]",
                // The sum of a group's doubles is exact; a mean is a sum by a count.
                "SELECT v.note, SUM(o.price), AVG(o.price), AVG(o.amount), AVG(o.price) FILTER (WHERE v.level > 1) FROM orders o JOIN visits v ON o.id = v.id GROUP BY v.note ; orders ; [id]",
                "SELECT v.id, AVG(o.price), SUM(o.price), COUNT(o.price) FROM orders o RIGHT JOIN visits v ON o.id = v.level GROUP BY v.id ; orders ; [id]",
                "SELECT AVG(o.amount), AVG(o.price) FROM orders o JOIN visits v ON o.id = v.id AND v.note = 'none has it' ; orders ; [id]",
                // A column where a condition of the other side holds, or one of its own keys.
                "SELECT o.id, SUM(CASE WHEN v.note = 'a' THEN o.price ELSE NULL END), SUM(CASE WHEN v.note = 'b' THEN o.amount ELSE 0 END), COUNT(CASE WHEN v.level > 0 THEN o.amount END) FROM orders o JOIN visits v ON o.id = v.id GROUP BY o.id ; orders ; [id]",
                "SELECT v.note, AVG(CASE WHEN v.level > 1 THEN o.price END), MIN(CASE WHEN o.note = 'a' THEN o.amount END), MAX(CASE WHEN v.level IS NULL THEN NULL WHEN v.level > 2 THEN o.price END) FROM orders o LEFT JOIN visits v ON o.id = v.id GROUP BY v.note ; orders ; [id]",
                "SELECT SUM(CASE WHEN v.note = 'a' THEN o.price WHEN o.note = 'b' THEN 0 ELSE o.price END) FROM orders o FULL JOIN visits v ON o.id = v.level ; orders ; [id, note = 'b']",
                // All places of a leaf are in aggregates that are alike: one leaf of groups for both.
                "WITH g AS (SELECT v.note, o.id, SUM(o.price) AS s FROM orders o JOIN visits v ON o.id = v.level GROUP BY v.note, o.id) SELECT a.s, b.s FROM g a JOIN g b ON a.id = b.id WHERE a.note = 'a' OR b.note = 'b' ; orders ; [id]",
                // Below another join.
                "SELECT w.note, SUM(CASE WHEN v.note = 'a' THEN o.price END), COUNT(CASE WHEN v.level > 1 THEN o.amount END) FROM orders o JOIN visits v ON o.id = v.level JOIN (SELECT DISTINCT id, note FROM visits) w ON w.id = o.id GROUP BY w.note ; orders ; [id]",
                "SELECT w.note, SUM(x) FROM (SELECT id, n FROM (VALUES (1, 'a'), (2, 'b')) AS y(id, n)) AS w(id, note) LEFT JOIN (SELECT o.id, CASE WHEN v.level > 1 THEN o.price ELSE 0 END AS x FROM orders o JOIN visits v ON o.id = v.level) q ON q.id = w.id GROUP BY w.note ; orders ; [id]",
                // In more than two columns tuples hardly repeat: what costs more of them than the aggregate does is not
                // tried.
                "SELECT o.note, SUM(o.amount) FROM orders o JOIN visits v ON o.id = v.id AND o.amount = v.level GROUP BY o.note ; orders ; [id, amount, note]",
                "SELECT o.note, SUM(o.price) FROM orders o JOIN visits v ON o.id = v.id AND o.amount = v.level GROUP BY o.note ; orders ;",
                "SELECT o.note, AVG(o.amount) FROM orders o JOIN visits v ON o.id = v.id AND o.amount = v.level GROUP BY o.note ; orders ;",
                "SELECT o.note, SUM(CASE WHEN v.level > 1 THEN o.amount END) FROM orders o JOIN visits v ON o.id = v.id AND o.amount = v.level GROUP BY o.note ; orders ;",
                // What is in the statement twice is read once: both places see the same rows.
                "SELECT COUNT(*), COUNT(b.id) FROM orders a LEFT JOIN orders b ON a.id = b.id ; orders ;",
                "SELECT COUNT(*) FROM orders o JOIN visits v ON o.id = v.id UNION ALL SELECT SUM(o.id) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                // What has no parts, or may fail of a row without a partner.
                "SELECT SUM(CASE WHEN v.note = 'a' THEN o.amount ELSE 1 END) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                "SELECT SUM(CASE WHEN v.note = 'a' THEN o.amount ELSE v.level END) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                "SELECT AVG(CASE WHEN v.note = 'a' THEN o.amount ELSE 0 END) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                "SELECT AVG(v.level) FROM orders o JOIN visits v ON o.id = v.id WHERE o.amount = v.level + 1 GROUP BY o.note HAVING SUM(o.price) > 1 ; orders ;",
                "SELECT COUNT(DISTINCT o.amount) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                "SELECT SUM(o.amount * 2) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                "SELECT SUM(o.amount), SUM(v.level) FROM orders o JOIN visits v ON o.id = v.id ; orders ;",
                "SELECT COUNT(*) FROM orders o JOIN visits v ON o.price = v.weight ; orders ;",
            })
    void groupsBelowJoins(String statement, String stream, @Nullable String keys) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("groups"), new Random(3), executor);
                DuckDbTwin duckdb = twin(streams)) {
            List<List<@Nullable Object>> answer = sorted(streams.answer(statement));
            assertThat(answer).isEqualTo(sorted(duckdb.rows(statement))).isNotEmpty();
            List<ResidualPlan.Leaf> partial = ((ResidualPlan) streams.plan(statement))
                    .leaves().stream().filter(leaf -> leaf.singles() != null).toList();
            if (keys == null) {
                assertThat(partial).isEmpty();
                return;
            }
            assertThat(partial).singleElement().satisfies(leaf -> {
                ResultSpec.Aggregates groups =
                        (ResultSpec.Aggregates) leaf.query().result();
                assertThat(leaf.query().stream()).isEqualTo(stream);
                assertThat(groups.groupBy().stream()
                                .map(NamedExpression::expression)
                                .toList())
                        .hasToString(keys);
            });
        }
    }

    /** Aggregates that the engine has in a way of its own are the same where DuckDB computes them. */
    @Test
    void aggregatesOfTheEngineAreThoseOfTheEngine() throws Exception {
        for (long seed = 0; seed < 4; seed++) {
            try (TwoStreams streams = new TwoStreams(folder.resolve("own" + seed), new Random(seed), executor)) {
                for (String by : List.of("", "id", "note", "paid")) {
                    String values = "MEDIAN(price), MEDIAN(amount), QUANTILE(price, 0.95), QUANTILE(amount, 0.1),"
                            + " QUANTILE(price, 0), QUANTILE(id, 1), QUANTILE(price, 0.3) FILTER (WHERE paid),"
                            + " ARG_MIN(note, price), ARG_MAX(note, amount), ARG_MAX(price, moment), ARG_MIN(paid, id),"
                            + " ARG_MAX(moment, note) FILTER (WHERE amount > 0), ARG_MIN(id, paid)";
                    String statement = "SELECT " + (by.isEmpty() ? values : by + ", " + values) + " FROM orders"
                            + (by.isEmpty() ? "" : " GROUP BY " + by);
                    assertThat(sorted(streams.answerUnpushed(statement)))
                            .as("seed %d: %s", seed, statement)
                            .isEqualTo(sorted(streams.answer(statement)));
                }
                assertThat(streams.answer("SELECT MEDIAN(DISTINCT amount), QUANTILE(DISTINCT id, 0.9) FROM orders"))
                        .as("seed %d, distinct", seed)
                        .isEqualTo(streams.answer(
                                "SELECT MEDIAN(amount), MAX(n) FROM (SELECT DISTINCT amount FROM orders),"
                                        + " (SELECT QUANTILE(id, 0.9) AS n FROM (SELECT DISTINCT id FROM orders))"));
                // Of a join by a key that is there once it is that of one side, and so is a frame of all rows.
                String one = "SELECT QUANTILE(price, 0.35), ARG_MAX(note, amount) FROM orders";
                List<List<@Nullable Object>> expected = streams.answer(one);
                assertThat(streams.answer("SELECT QUANTILE(o.price, 0.35), ARG_MAX(o.note, o.amount) FROM orders o"
                                + " JOIN (SELECT DISTINCT id FROM orders) x ON x.id = o.id"))
                        .as("seed %d", seed)
                        .isEqualTo(expected);
                assertThat(streams.answer("SELECT DISTINCT QUANTILE(price, 0.35) OVER () FROM orders"))
                        .as("seed %d", seed)
                        .isEqualTo(List.of(expected.get(0).subList(0, 1)));
            }
        }
    }

    @Test
    void whatHasNoMeaningThereSaysWhatHas() throws Exception {
        Map<String, String> refused = Map.of(
                "FIRST(o.price) FROM orders o, visits v",
                "FIRST of what is joined or computed, which has no time of its own; write ARG_MIN(x, time)",
                "LAST(o.price) FROM orders o, visits v",
                "write ARG_MAX(x, time)",
                "RATE(o.price) FROM orders o, visits v",
                "divide ARG_MAX(x, time) - ARG_MIN(x, time) by the seconds between",
                "QUANTILE(o.price, v.weight) FROM orders o, visits v",
                "a QUANTILE whose share is no written number from 0 to 1",
                "id FROM orders o RIGHT JOIN visits v USING (id) JOIN orders w USING (id)",
                "USING or NATURAL behind a RIGHT or FULL join by such; write ON COALESCE(a.id, b.id) = c.id",
                "id FROM orders WHERE (id, amount) NOT IN (SELECT id, level FROM visits)",
                "IN of several columns that may be null",
                "id FROM orders WHERE (id, amount) <> ANY (SELECT id, level FROM visits)",
                "ANY, SOME or ALL of several columns",
                "QUANTILE(o.price, 1.5) FROM orders o, visits v",
                "a QUANTILE whose share is no written number from 0 to 1",
                "ARG_MAX(note, price) OVER () FROM orders",
                "ARG_MAX in a window; write FIRST_VALUE(x) OVER (ORDER BY y DESC NULLS LAST)");
        try (TwoStreams streams = new TwoStreams(folder.resolve("refused"), new Random(1), executor)) {
            refused.forEach((statement, message) -> assertThatThrownBy(() -> streams.plan("SELECT " + statement))
                    .as(statement)
                    .isInstanceOfSatisfying(
                            WaterwheelException.class,
                            e -> assertThat(e.code()).as(e.getMessage()).isEqualTo("SQL_UNSUPPORTED"))
                    .hasMessageContaining(message));
        }
    }

    /** What fails of rows that are joined with nothing is not computed of them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT o.id, 10 / v.level AS x FROM orders o JOIN visits v ON o.id = v.id"
                        + " AND v.level * v.level > o.amount * o.amount ; level",
                "SELECT v.level * 9223372036854775807 AS x FROM orders o JOIN visits v ON o.id = v.id"
                        + " AND ABS(v.level) + ABS(o.amount) = 1 ; level",
                "SELECT SUM(v.level * 9223372036854775807) AS x FROM orders o JOIN visits v ON o.id = v.id"
                        + " AND ABS(v.level) + ABS(o.amount) = 1 AND o.price = -5 ; level",
                "SELECT o.id FROM orders o JOIN visits v ON o.id = 10 / v.level AND v.level <> 0 ; level <> 0",
                "SELECT x FROM (SELECT 10 / level AS x, level FROM visits) WHERE level <> 0 ; level <> 0",
                "SELECT o.id FROM orders o JOIN visits v ON o.id = v.id WHERE o.id * 9223372036854775807 > 5"
                        + " AND o.id BETWEEN 0 AND 1 ; id >= 0 AND id <= 1",
            })
    void computesOnlyWhatIsAsked(String statement, String asked) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("asked"), new Random(7), executor);
                DuckDbTwin duckdb = twin(streams)) {
            assertThat(sorted(streams.answer(statement)))
                    .isEqualTo(sorted(duckdb.rows(statement.replace(" / ", " // "))));
            assertThat(streams.asked())
                    .as("queries of the leaves")
                    .anyMatch(query ->
                            query.stream().equals("visits") && query.toString().contains(asked));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT o.amount / (v.level - v.level) FROM orders o JOIN visits v ON o.id = v.id | SQL_VALUE",
                "SELECT o.price / (v.weight - v.weight) FROM orders o JOIN visits v ON o.id = v.id | SQL_VALUE",
                "SELECT (o.id + 9223372036854775807) * (v.id + 2) FROM orders o JOIN visits v ON o.id = v.id"
                        + " | INTEGER_OVERFLOW",
                "SELECT CAST((o.price + 9) * (v.weight + 9) * 1e30 AS BIGINT) FROM orders o JOIN visits v ON o.id = v.id"
                        + " | INTEGER_OVERFLOW",
                "SELECT (o.price * v.weight)::DECIMAL(10, 2) FROM orders o JOIN visits v ON o.id = v.id |"
                        + " SQL_UNSUPPORTED",
                "SELECT CAST(CONCAT(o.note, v.note) AS DATE) FROM orders o JOIN visits v ON o.id = v.id | SQL_UNSUPPORTED",
                "SELECT (SELECT level FROM visits) FROM orders | SQL_VALUE",
                "SELECT w.id FROM visits w WHERE EXISTS (SELECT 1 FROM (SELECT * FROM orders WHERE amount = w.level) o"
                        + " ASOF JOIN visits a MATCH_CONDITION a.moment <= o.moment ON o.id = a.id) | SQL_UNSUPPORTED",
                "SELECT (SELECT MAX(b.level) FROM orders a ASOF JOIN visits b MATCH_CONDITION b.moment <= o.moment ON a.id = b.id)"
                        + " FROM orders o | SQL_UNSUPPORTED",
                "SELECT (SELECT MAX(b.level) FROM orders a ASOF JOIN visits b MATCH_CONDITION b.moment <= a.moment ON a.id = b.id"
                        + " AND b.level = o.amount) FROM orders o | SQL_UNSUPPORTED",
                "SELECT COUNT(*) FROM orders TABLESAMPLE BERNOULLI(50) | SQL_UNSUPPORTED",
                "SELECT GREATEST(1, GREATEST(2, GREATEST(id, 4, 5, 6, 7), GREATEST(id, 4, 5, 6, 7), 3, 4, 5)) FROM orders | BAD_SQL",
                "SELECT ARG_MIN(DISTINCT o.price, v.level) FROM orders o JOIN visits v ON o.id = v.id | SQL_UNSUPPORTED",
                "SELECT CONCAT(o.price * v.weight, v.note) FROM orders o JOIN visits v ON o.id = v.id | SQL_UNSUPPORTED",
                "SELECT SQRT(CONCAT(o.note, v.note)) FROM orders o JOIN visits v ON o.id = v.id | SQL_UNSUPPORTED",
                "SELECT 1 FROM orders o JOIN visits v ON o.id = v.id WHERE COALESCE(o.note, v.note) LIKE 'a!' ESCAPE '!' |"
                        + " SQL_UNSUPPORTED",
                "SELECT 1 FROM orders o JOIN visits v ON o.id = v.id WHERE COALESCE(o.note, v.note) LIKE 'a!%' ESCAPE 'xy' |"
                        + " SQL_UNSUPPORTED",
                "SELECT 1 FROM orders o JOIN visits v ON o.id = v.id WHERE o.note LIKE CASE WHEN o.id > 5 THEN v.note ELSE '%!' END ESCAPE '!' | SQL_VALUE",
                "SELECT SIGN(DISTINCT price) FROM orders | BAD_SQL",
                "SELECT LEFT(note, 1.5) FROM orders | BAD_SQL",
            })
    void fails(String statement, String code) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("fails"), new Random(7), executor)) {
            assertThatThrownBy(() -> streams.answer(statement))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
    }

    /** What is written several times, within itself: each level would multiply it. */
    @Test
    void whatGrowsWithEachLevelIsRefused() throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("grows"), new Random(7), executor);
                DuckDbTwin duckdb = twin(streams)) {
            String two = "SELECT id, ROUND(ROUND(price / 3, 2), 1) AS r FROM orders";
            assertThat(sorted(streams.answer(two))).isEqualTo(sorted(duckdb.rows(two)));
            for (String function : List.of("ROUND(%s, 1)", "GREATEST(%s, 1)", "SIGN(%s)", "COALESCE(%s, 1)")) {
                String nested = "price";
                for (int level = 0; level < 30; level++) {
                    nested = String.format(function, nested);
                }
                String statement = "SELECT " + nested + " FROM orders";
                assertThatThrownBy(() -> streams.answer(statement))
                        .hasMessageContaining("stand within each other too often")
                        .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                                .isEqualTo("SQL_UNSUPPORTED"));
            }
            // The same by sub-queries, whose expressions are planned in place of their names.
            String wide = "SELECT GREATEST(r, r + 1, r + 2, r + 3, r + 4, r + 5, r + 6, r + 7) AS r FROM (%s) x";
            String query = "SELECT price AS r FROM orders";
            for (int level = 0; level < 4; level++) {
                query = String.format(wide, query);
            }
            String deep = query;
            assertThatThrownBy(() -> streams.answer(deep)).hasMessageContaining("named too often in others");
            String once = String.format(wide, "SELECT price AS r FROM orders WHERE price < 100");
            assertThat(sorted(streams.answer(once))).isEqualTo(sorted(duckdb.rows(once)));
        }
    }

    private static int check(TwoStreams streams, DuckDbTwin duckdb, String statement, String where)
            throws InterruptedException, SQLException {
        return check(streams, duckdb, statement, where, false);
    }

    /** @param overflows whether whole numbers may exceed 64 bits where DuckDB has more */
    private static int check(TwoStreams streams, DuckDbTwin duckdb, String statement, String where, boolean overflows)
            throws InterruptedException, SQLException {
        List<List<@Nullable Object>> expected;
        try {
            // Of whole numbers it is a whole number.
            expected = duckdb.rows(statement.replace(" / ", " // "));
        } catch (SQLException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.contains("Division by zero") && !message.contains("Out of Range Error")) {
                throw new IllegalStateException(where + ": " + statement, e);
            }
            assertFailsOrAnswers(streams, statement, where);
            return 1;
        }
        List<List<@Nullable Object>> got;
        try {
            got = streams.answer(statement);
        } catch (WaterwheelException e) {
            if (e.code().equals("SQL_UNSUPPORTED") || (overflows && e.code().equals("INTEGER_OVERFLOW"))) {
                requireRefused(e, where + ": " + statement);
                return 1;
            }
            throw new AssertionError(where + ": " + statement + " " + streams.asked(), e);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + statement, e);
        }
        assertThat(sorted(got))
                .as("%s: %s %s", where, statement, streams.asked())
                .isEqualTo(sorted(expected));
        return 0;
    }

    /** DuckDB computes some parts of a statement earlier than is needed, too: where it fails nothing is compared. */
    private static void assertFailsOrAnswers(TwoStreams streams, String statement, String where)
            throws InterruptedException {
        try {
            streams.answer(statement);
        } catch (WaterwheelException e) {
            requireRefused(e, where + ": " + statement);
        }
    }

    /** As a list whose order does not count; 0.0 for -0.0, which are equal: of equal values a group may have any. */
    static List<List<@Nullable Object>> sorted(List<List<@Nullable Object>> rows) {
        List<List<@Nullable Object>> sorted = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            List<@Nullable Object> values = new ArrayList<>(row);
            values.replaceAll(value -> value instanceof Double number && number == 0 ? (Object) 0.0 : value);
            sorted.add(values);
        }
        sorted.sort(Comparator.comparing(Object::toString));
        return sorted;
    }

    /** DuckDB with the rows of both streams. */
    static DuckDbTwin twin(TwoStreams streams) throws SQLException {
        DuckDbTwin duckdb = new DuckDbTwin();
        duckdb.create("orders", TwoStreams.ORDERS);
        duckdb.insert("orders", TwoStreams.ORDERS, streams.orders);
        duckdb.create("visits", TwoStreams.VISITS);
        duckdb.insert("visits", TwoStreams.VISITS, streams.visits);
        return duckdb;
    }
}
