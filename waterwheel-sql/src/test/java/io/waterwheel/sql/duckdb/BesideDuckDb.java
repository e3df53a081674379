package io.waterwheel.sql.duckdb;

import static io.waterwheel.sql.duckdb.StatementsBesideDuckDbTest.sorted;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.sql.suite.DuckDbTwin;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Two streams of the same rows in each class that extends it, and DuckDB over these rows. */
abstract class BesideDuckDb {
    static DuckDbExecutor executor;
    static TwoStreams streams;
    static DuckDbTwin duckdb;

    @TempDir
    static Path folder;

    @BeforeAll
    static void open() throws Exception {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2), 24);
        streams = new TwoStreams(folder.resolve("examples"), new Random(7), executor);
        duckdb = StatementsBesideDuckDbTest.twin(streams);
    }

    @AfterAll
    static void close() throws Exception {
        duckdb.close();
        streams.close();
        executor.close();
    }

    static void assertAlike(String statement) {
        assertAlike(statement, statement);
    }

    static void assertAlike(String ours, String theirs) {
        assertAlike(streams, duckdb, ours, theirs);
    }

    static void assertAlike(TwoStreams streams, DuckDbTwin duckdb, String ours, String theirs) {
        try {
            assertThat(sorted(streams.answer(ours))).as(ours).isEqualTo(sorted(duckdb.rows(theirs)));
        } catch (Exception e) {
            throw new AssertionError(ours, e);
        }
    }
}
