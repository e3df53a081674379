package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Demands in the text of a statement. */
final class StatementHintsTest {
    private static Statement applied(String sql) {
        return StatementHints.applied(Statement.of(sql));
    }

    @Test
    void aHintIsADemandAndLeavesBlanks() {
        Statement asked =
                StatementHints.applied(Statement.of("SELECT /*+ at_least('a:0:5, b:1:7'),\nAT_LEAST('a:0:9') */ 1")
                        .withAtLeast(Map.of("a", Map.of(0, 7L, 1, 2L))));
        assertThat(asked.atLeast()).isEqualTo(Map.of("a", Map.of(0, 9L, 1, 2L), "b", Map.of(1, 7L)));
        assertThat(asked.sql()).isEqualTo("SELECT " + " ".repeat(29) + "\n" + " ".repeat(20) + " 1");
    }

    @Test
    void theShorterTimeoutHolds() {
        assertThat(applied("SELECT 1").timeout()).isNull();
        assertThat(applied("SELECT /*+ timeout(2.5) */ 1").timeout()).isEqualTo(Duration.ofMillis(2500));
        Statement asked = Statement.of("SELECT /*+ TIMEOUT('3'), at_least('a:0:5'), timeout(2) */ 1");
        assertThat(StatementHints.applied(asked).timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(StatementHints.applied(asked).atLeast()).isEqualTo(Map.of("a", Map.of(0, 5L)));
        assertThat(StatementHints.applied(asked.withTimeout(Duration.ofSeconds(1)))
                        .timeout())
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(StatementHints.applied(asked.withTimeout(Duration.ofMinutes(1)))
                        .timeout())
                .isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void quotesAndOtherCommentsAreNone() {
        for (String sql : new String[] {
            "SELECT '/*+ x */'",
            "SELECT \"/*+ x */\"",
            "SELECT 1 -- /*+ x */",
            "SELECT /* /*+ x */ 1",
            "SELECT 'it''s /*+ x'",
            "SELECT 1 /*+ x",
            "SELECT '/*+"
        }) {
            assertThat(applied(sql).sql()).as(sql).isEqualTo(sql);
        }
    }

    @Test
    void whatIsNoHintIsRefused() {
        // Long ones take no longer than their letters.
        refused("SELECT /*+ " + "a".repeat(250_000) + " */ 1", "expected a hint such as");
        refused("SELECT /*+ " + " ".repeat(250_000) + " */ 1", "expected a hint such as");
        refused("SELECT /*+ timeout(1), timeout */ 1", "expected a hint such as");
        refused("SELECT /*+ */ 1", "expected a hint such as");
        refused("SELECT /*+ index(a) */ 1", "expected a hint such as");
        refused("SELECT /*+ at_most('a:0:1') */ 1", "there is no hint 'at_most'");
        refused("SELECT /*+ at_least('a:0') */ 1", "hint at_least: expected STREAM:PARTITION:OFFSET, got 'a:0'");
        refused("SELECT /*+ at_least('a:0:1') x */ 1", "expected a hint such as");
        refused("SELECT /*+ at_least(7) */ 1", "hint at_least: expected STREAM:PARTITION:OFFSET, got '7'");
        refused("SELECT /*+ timeout('soon') */ 1", "hint timeout: expected seconds, such as 2.5, got 'soon'");
        refused("SELECT /*+ timeout(0) */ 1", "hint timeout: expected seconds above 0, at most 3600, got 0");
        refused("SELECT /*+ timeout(3601) */ 1", "hint timeout: expected seconds above 0, at most 3600, got 3601");
    }

    private static void refused(String sql, String message) {
        assertThatThrownBy(() -> applied(sql))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining(message);
    }
}
