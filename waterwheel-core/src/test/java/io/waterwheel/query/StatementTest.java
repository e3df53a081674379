package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void ofALongTextTheLimitAndTheWayOutAreSaid() {
        assertThatThrownBy(() -> Statement.of("SELECT a FROM s WHERE a IN (1" + ", 1".repeat(4_000_000) + ")"))
                .hasMessage(
                        "statement: expected at most 262144 characters, got 12000030; many values go into a table of a"
                                + " file (CREATE TABLE ... FROM, in the folder of sql.tables) or a stream that is joined, or into"
                                + " several statements");
    }
}
