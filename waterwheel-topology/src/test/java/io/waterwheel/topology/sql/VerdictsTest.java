package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.wire.WireQueries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the verdicts of several queries say together. */
final class VerdictsTest {
    private static Verdict verdict(int stream, Map<Integer, Long> seen, long edit, String... missing) {
        return verdict(new SessionPositions(stream, seen), edit, missing);
    }

    private static Verdict verdict(SessionPositions seen, long edit, String... missing) {
        return new Verdict(
                new Verdict.Completeness(missing.length == 0, List.of(missing), List.of()),
                seen,
                new Verdict.Gone(List.of(), Retention.NO_HORIZON),
                edit,
                7,
                new Verdict.Effort(2, 3, Statistics.NONE));
    }

    @Test
    void ofOneStreamIsWhatAllHaveSeen() {
        Verdicts verdicts = new Verdicts();
        verdicts.add("a", verdict(5, Map.of(0, 10L, 1, 20L), 4));
        verdicts.add("a", verdict(5, Map.of(0, 12L, 1, 15L, 2, 9L), 6));
        Verdict merged = verdicts.merged(42);
        assertThat(merged.complete()).isTrue();
        assertThat(merged.positions()).isEqualTo(Map.of(0, 10L, 1, 15L));
        assertThat(merged.shown()).isEqualTo(Map.of(0, 12L, 1, 20L, 2, 9L));
        assertThat(merged.streamId()).isEqualTo(5);
        assertThat(merged.edit()).isEqualTo(4);
        assertThat(merged.tuples()).isEqualTo(42);
        assertThat(merged.indexersAsked()).isEqualTo(4);
        assertThat(merged.streams()).isEmpty();
    }

    /** What one indexer alone was ahead of is demanded of that one alone; of three reads as of two. */
    @Test
    void ofOneStreamTellsWhichIndexersWereAhead() {
        int every = SessionPositions.EVERY_INDEXER;
        Verdicts verdicts = new Verdicts();
        verdicts.add("a", verdict(new SessionPositions(5, Map.of(0, 10L), 4, Map.of(3, Map.of(0, 40L))), 4));
        verdicts.add(
                "a",
                verdict(
                        new SessionPositions(
                                5, Map.of(0, 12L), 6, Map.of(3, Map.of(0, 30L), 1, Map.of(0, 11L), 2, Map.of(0, 13L))),
                        6));
        assertThat(verdicts.merged(1).seen())
                .isEqualTo(new SessionPositions(
                        5, Map.of(0, 10L), 6, Map.of(3, Map.of(0, 40L), 2, Map.of(0, 13L), every, Map.of(0, 12L))));
        verdicts.add("a", verdict(new SessionPositions(5, Map.of(0, 11L), 5, Map.of(1, Map.of(0, 50L))), 5));
        SessionPositions three = verdicts.merged(1).seen();
        assertThat(three)
                .isEqualTo(new SessionPositions(
                        5,
                        Map.of(0, 10L),
                        6,
                        Map.of(1, Map.of(0, 50L), 2, Map.of(0, 13L), 3, Map.of(0, 40L), every, Map.of(0, 12L))));
        assertThat(three.shown()).isEqualTo(Map.of(0, 50L));
        assertThat(three.aheadOf(0)).isEqualTo(Map.of(0, 12L));
    }

    @Test
    void ofSeveralStreamsHasThePositionsOfEachAlsoOnTheWire() throws IOException {
        Verdicts verdicts = new Verdicts();
        verdicts.add("a", verdict(5, Map.of(0, 10L), 4));
        verdicts.add("b", verdict(6, Map.of(0, 3L), 2, "indexer 1 does not answer"));
        Verdict merged = WireQueries.parseVerdict(ByteBuffer.wrap(WireQueries.verdict(verdicts.merged(1))));
        assertThat(merged.complete()).isFalse();
        assertThat(merged.missing()).containsExactly("b: indexer 1 does not answer");
        assertThat(merged.positions()).isEmpty();
        assertThat(merged.streams())
                .isEqualTo(Map.of(
                        "a", new SessionPositions(5, Map.of(0, 10L)), "b", new SessionPositions(6, Map.of(0, 3L))));
    }

    /** Two queries of one stream lack the same; a horizon of several streams is one that all of them have passed. */
    @Test
    void tellsOnceWhatIsGoneAndOfWhichStream() {
        LostRange range = new LostRange(0, 3, 9, "retention");
        Verdicts verdicts = new Verdicts();
        verdicts.add("a", gone(range, 700));
        verdicts.add("a", gone(range, 800));
        assertThat(verdicts.merged(1).lost()).containsExactly(range);
        assertThat(verdicts.merged(1).horizon()).isEqualTo(800);
        verdicts.add("b", gone(range, 500));
        assertThat(verdicts.merged(1).lost())
                .containsExactly(new LostRange(0, 3, 9, "a: retention"), new LostRange(0, 3, 9, "b: retention"));
        assertThat(verdicts.merged(1).horizon()).isEqualTo(500);
    }

    private static Verdict gone(LostRange range, long horizon) {
        return new Verdict(
                new Verdict.Completeness(true, List.of(), List.of()),
                SessionPositions.NOTHING,
                new Verdict.Gone(List.of(range), horizon),
                1,
                7,
                new Verdict.Effort(2, 3, Statistics.NONE));
    }

    @Test
    void ofNoStreamIsWhole() {
        assertThat(new Verdicts().merged(1).complete()).isTrue();
    }
}
