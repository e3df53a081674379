package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is remembered of connections. */
final class LastVerdictsTest {
    private final LastVerdicts verdicts = new LastVerdicts();

    private List<@Nullable Object> of(String connection) {
        var block = verdicts.of(connection).block();
        List<@Nullable Object> values = new ArrayList<>();
        for (int f = 0; f < LastVerdicts.FIELDS.size(); f++) {
            values.add(block.value(f, 0));
        }
        return values;
    }

    private static LastVerdicts.Told positions(int count) {
        Map<Integer, Long> offsets = new TreeMap<>();
        for (int p = 0; p < count; p++) {
            offsets.put(p, 5L);
        }
        return new LastVerdicts.Told(true, List.of(), 1, Map.of("s", offsets));
    }

    @Test
    void theLastOfEachConnection() {
        verdicts.note("a", positions(1));
        verdicts.note(
                "a",
                LastVerdicts.Told.of(
                        new Verdict(false, List.of("one", "two"), Map.of(1, 7L, 0, 5L), 3, 12, 0, 0),
                        List.of("orders")));
        verdicts.note("b", positions(1));
        verdicts.note("", positions(1));
        assertThat(of("a")).containsExactly(false, "one; two", 12L, "orders:0:5,orders:1:7", "orders:0:5,orders:1:7");
        assertThat(of("b")).containsExactly(true, null, 1L, "s:0:5", "s:0:5");
        for (String unknown : new String[] {"", "c"}) {
            assertThatThrownBy(() -> verdicts.of(unknown))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("no verdict is known of this connection");
        }
    }

    /** An indexer of stream b was ahead. */
    @Test
    void upToWhereAnAnswerOfTwoStreamsShows() {
        Map<String, SessionPositions> seen = Map.of(
                "a", new SessionPositions(1, Map.of(0, 3L)),
                "b", new SessionPositions(2, Map.of(0, 5L), 9, Map.of(4, Map.of(0, 8L))));
        Verdict verdict = new Verdict(
                Verdict.Completeness.WHOLE,
                SessionPositions.NOTHING,
                Verdict.Gone.NOTHING,
                9,
                2,
                new Verdict.Effort(1, 0, Statistics.NONE),
                null,
                null,
                seen);
        verdicts.note("a", LastVerdicts.Told.of(verdict, List.of("a", "b")));
        assertThat(of("a")).containsExactly(true, null, 2L, "a:0:3,b:0:5", "a:0:3,b:0:8");
    }

    @Test
    void anotherConnectionFromTheSamePortHasNone() {
        verdicts.note("a", positions(LastVerdicts.MOST_POSITIONS - 10));
        verdicts.forget("a");
        verdicts.forget("b");
        assertThatThrownBy(() -> verdicts.of("a")).isInstanceOf(WaterwheelException.class);
        verdicts.note("c", positions(1));
        verdicts.note("d", positions(LastVerdicts.MOST_POSITIONS - 10));
        assertThat(of("c")).as("what was forgotten holds nothing").hasSize(LastVerdicts.FIELDS.size());
    }

    @Test
    void theyAreBounded() {
        for (int i = 0; i < LastVerdicts.CONNECTIONS + 5; i++) {
            verdicts.note("c" + i, positions(1));
            assertThat(of("c0")).as("the first is used all the time").hasSize(LastVerdicts.FIELDS.size());
        }
        assertThatThrownBy(() -> verdicts.of("c1")).isInstanceOf(WaterwheelException.class);
        assertThatThrownBy(() -> verdicts.of("c5")).isInstanceOf(WaterwheelException.class);
        assertThat(of("c6")).hasSize(LastVerdicts.FIELDS.size());
        verdicts.note("many", positions(LastVerdicts.MOST_POSITIONS - 10));
        assertThatThrownBy(() -> verdicts.of("c7")).isInstanceOf(WaterwheelException.class);
        assertThat(of("many")).hasSize(LastVerdicts.FIELDS.size());
        verdicts.note("too many", positions(LastVerdicts.MOST_POSITIONS));
        assertThatThrownBy(() -> verdicts.of("too many")).isInstanceOf(WaterwheelException.class);
        verdicts.note("c0", positions(1));
        assertThat(of("c0")).hasSize(LastVerdicts.FIELDS.size());
    }
}
