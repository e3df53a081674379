package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SessionTest {
    private final Session session = new Session();

    private static Verdict verdict(int streamId, long position) {
        return verdict(seen(streamId, position));
    }

    private static Verdict verdict(SessionPositions seen) {
        return new Verdict(
                Verdict.Completeness.WHOLE,
                seen,
                Verdict.Gone.NOTHING,
                1,
                0,
                new Verdict.Effort(1, 0, Statistics.NONE));
    }

    private static SessionPositions seen(int streamId, long position) {
        return new SessionPositions(streamId, Map.of(0, position));
    }

    private SessionPositions demanded() {
        return session.demanding(Query.of("s")).seen();
    }

    @Test
    void positionsOnlyGrow() {
        assertThat(demanded()).isEqualTo(SessionPositions.NOTHING);
        session.saw("s", SessionPositions.NOTHING, verdict(3, 10));
        session.saw("s", SessionPositions.NOTHING, verdict(3, 7));
        assertThat(demanded()).isEqualTo(seen(3, 10));
        assertThat(session.demanding(Query.of("other")).seen()).isEqualTo(SessionPositions.NOTHING);
    }

    @Test
    void aLateAnswerOfTheStreamBeforeIsForgotten() {
        session.saw("s", SessionPositions.NOTHING, verdict(3, 10));
        session.saw("s", seen(3, 10), verdict(4, 1));
        session.saw("s", seen(3, 10), verdict(3, 12));
        assertThat(demanded()).isEqualTo(seen(4, 1));
    }

    @Test
    void aRestoredCatalogIsTakenAsItIs() {
        session.saw("s", SessionPositions.NOTHING, verdict(9, 10));
        session.saw("s", seen(9, 10), verdict(5, 2));
        assertThat(demanded()).isEqualTo(seen(5, 2));
    }

    /** Of edit and of who was ahead, where all is of stream 3. */
    private static SessionPositions planned(long position, long edit, Map<Integer, Map<Integer, Long>> ahead) {
        return new SessionPositions(3, Map.of(0, position), edit, ahead);
    }

    @Test
    void editsAndWhatIndexersWereAheadOnlyGrow() {
        session.saw("s", SessionPositions.NOTHING, verdict(planned(10, 7, Map.of(1, Map.of(0, 15L)))));
        session.saw(
                "s", SessionPositions.NOTHING, verdict(planned(9, 6, Map.of(1, Map.of(0, 12L), 2, Map.of(0, 11L)))));
        assertThat(demanded()).isEqualTo(planned(10, 7, Map.of(1, Map.of(0, 15L), 2, Map.of(0, 11L))));
        session.saw("s", demanded(), verdict(planned(15, 8, Map.of())));
        assertThat(demanded()).isEqualTo(planned(15, 8, Map.of()));
    }

    /** Else each query to come would make its coordinator read the catalog, until that has as many edits again. */
    @Test
    void theEditOfARestoredCatalogIsTakenAsItIs() {
        session.saw("s", SessionPositions.NOTHING, verdict(planned(10, 7, Map.of(1, Map.of(0, 15L)))));
        SessionPositions early = demanded();
        session.saw("s", early, verdict(planned(10, 9, Map.of())));
        session.saw("s", early, verdict(planned(10, 5, Map.of())));
        assertThat(demanded().edit())
                .as("a late answer, which did not demand 9")
                .isEqualTo(9);
        session.saw("s", demanded(), verdict(planned(10, 0, Map.of())));
        assertThat(demanded().edit()).as("of a server that tells no edit").isEqualTo(9);
        session.saw("s", seen(2, 1), verdict(planned(10, 5, Map.of())));
        assertThat(demanded().edit()).as("who demanded of another stream").isEqualTo(9);
        session.saw("s", demanded(), verdict(planned(8, 5, Map.of())));
        assertThat(demanded()).isEqualTo(planned(10, 5, Map.of(1, Map.of(0, 15L))));
        session.saw("s", demanded(), verdict(planned(10, 6, Map.of())));
        assertThat(demanded().edit()).as("it grows again").isEqualTo(6);
    }

    @Test
    void whoCreatesAStreamIsNotAnsweredByTheOneBefore() {
        session.saw("s", SessionPositions.NOTHING, verdict(3, 10));
        session.dropped("s");
        assertThat(demanded()).isEqualTo(SessionPositions.NOTHING);
        session.created("s", 4);
        session.saw("s", SessionPositions.NOTHING, verdict(3, 12));
        assertThat(demanded()).isEqualTo(new SessionPositions(4, Map.of()));
    }

    @Test
    void whatAQueryDemandsItselfIsNeverLeftOut() {
        session.saw("s", SessionPositions.NOTHING, verdict(3, 10));
        SessionPositions ofAny = seen(SessionPositions.ANY, 50);
        assertThat(session.demanding(Query.of("s").withSeen(ofAny)).seen()).isEqualTo(ofAny);
        assertThat(session.demanding(Query.of("s").withSeen(seen(3, 50))).seen())
                .isEqualTo(seen(3, 50));
        assertThat(session.demanding(Query.of("s").withSeen(seen(5, 1))).seen()).isEqualTo(seen(5, 1));
    }
}
