package io.waterwheel.benchmark.comparison;

import org.junit.jupiter.api.Test;

final class DuckDbScansTest {
    /** Without DuckDB, and few rows: a chunk's answers are those of a tree. */
    @Test
    void runs() throws Exception {
        DuckDbScans.main(new String[] {"rows=5000", "rounds=1", "warm=0", "duckdb=none"});
    }
}
