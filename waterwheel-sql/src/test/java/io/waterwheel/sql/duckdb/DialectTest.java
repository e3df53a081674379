package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.suite.DuckDbTwin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What PostgreSQL and DuckDB write in ways of their own is answered as DuckDB answers it. */
final class DialectTest {
    private static final int SEEDS = Rounds.of(2, 100);
    private static final int STATEMENTS = 20;

    private static DuckDbExecutor executor;

    @TempDir
    static Path folder;

    @BeforeAll
    static void open() {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2));
    }

    @AfterAll
    static void close() {
        executor.close();
    }

    private static void assertAlike(TwoStreams streams, DuckDbTwin duckdb, String ours, String theirs) {
        try {
            assertThat(sorted(streams.answer(ours))).as(ours).isEqualTo(sorted(duckdb.rows(theirs)));
        } catch (Exception e) {
            throw new AssertionError(ours, e);
        }
    }

    private static List<String> sorted(List<List<@Nullable Object>> rows) {
        return rows.stream().map(String::valueOf).sorted().toList();
    }

    @Test
    void textsOfGroupsAreThoseOfDuckDb() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (TwoStreams streams = new TwoStreams(folder.resolve("t" + seed), random, executor);
                    DuckDbTwin duckdb = StatementsBesideDuckDbTest.twin(streams)) {
                RandomStatements statements = new RandomStatements(random, false);
                for (int s = 0; s < STATEMENTS; s++) {
                    String statement = statements.texts();
                    try {
                        assertAlike(streams, duckdb, statement, statement);
                    } catch (AssertionError e) {
                        throw new AssertionError("seed " + seed, e);
                    }
                }
            }
        }
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
            })
    void examples(String ours, @Nullable String theirs) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("e" + ours.hashCode()), new Random(7), executor);
                DuckDbTwin duckdb = StatementsBesideDuckDbTest.twin(streams)) {
            assertAlike(streams, duckdb, ours, theirs == null ? ours : theirs);
        }
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
            })
    void fails(String statement, String code, String message) throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("f" + statement.hashCode()), new Random(7), executor)) {
            assertThatThrownBy(() -> streams.answer(statement))
                    .hasMessageContaining(message)
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
    }

    /** Without an order it is any: the texts are all there. */
    @Test
    void withoutAnOrderAllTextsAreThere() throws Exception {
        try (TwoStreams streams = new TwoStreams(folder.resolve("any"), new Random(7), executor)) {
            List<List<@Nullable Object>> answer = streams.answer("SELECT STRING_AGG(note, '/') FROM orders");
            List<String> found =
                    new ArrayList<>(List.of(String.valueOf(answer.get(0).get(0)).split("/", -1)));
            List<String> expected = new ArrayList<>();
            streams.orders.forEach(row -> {
                if (row.get(4) != null) {
                    expected.add(String.valueOf(row.get(4)));
                }
            });
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
