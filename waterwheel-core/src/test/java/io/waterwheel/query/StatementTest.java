package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a statement says of itself. */
final class StatementTest {
    @Test
    void itsFirstWordTellsWhetherItChangesSomething() {
        for (String text : new String[] {
            "INSERT INTO s VALUES (1)",
            "  \n\tdrop stream s",
            "-- SELECT\n/* and\nmore */ Create stream s",
            "ALTER",
            "insert(",
        }) {
            assertThat(Statement.of(text).changes()).as(text).isTrue();
        }
        for (String text : new String[] {
            "SELECT 'INSERT'", "inserted", "WITH i AS (SELECT 1) SELECT 1", "-- INSERT", "/* DROP", "(INSERT", "DROPS"
        }) {
            assertThat(Statement.of(text).changes()).as(text).isFalse();
        }
        assertThat(Statement.of(" ".repeat(200_000) + "DROP STREAM s").changes())
                .isTrue();
    }
}
