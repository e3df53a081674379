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
        return new Verdict(
                Verdict.Completeness.WHOLE,
                seen(streamId, position),
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
