package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.model.Retention;
import io.waterwheel.query.Query;
import io.waterwheel.query.Seen;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SessionTest {
    private final Session session = new Session();

    private static Verdict verdict(int streamId, long position) {
        return new Verdict(
                true,
                List.of(),
                streamId,
                Map.of(0, position),
                1,
                0,
                1,
                0,
                List.of(),
                List.of(),
                Retention.NO_HORIZON,
                Statistics.NONE);
    }

    private static Seen seen(int streamId, long position) {
        return new Seen(streamId, Map.of(0, position));
    }

    private Seen demanded() {
        return session.demanding(Query.of("s")).seen();
    }

    @Test
    void positionsOnlyGrow() {
        assertThat(demanded()).isEqualTo(Seen.NOTHING);
        session.saw("s", Seen.NOTHING, verdict(3, 10));
        session.saw("s", Seen.NOTHING, verdict(3, 7));
        assertThat(demanded()).isEqualTo(seen(3, 10));
        assertThat(session.demanding(Query.of("other")).seen()).isEqualTo(Seen.NOTHING);
    }

    @Test
    void aLateAnswerOfTheStreamBeforeIsForgotten() {
        session.saw("s", Seen.NOTHING, verdict(3, 10));
        session.saw("s", seen(3, 10), verdict(4, 1));
        session.saw("s", seen(3, 10), verdict(3, 12));
        assertThat(demanded()).isEqualTo(seen(4, 1));
    }

    @Test
    void aRestoredCatalogIsTakenAsItIs() {
        session.saw("s", Seen.NOTHING, verdict(9, 10));
        session.saw("s", seen(9, 10), verdict(5, 2));
        assertThat(demanded()).isEqualTo(seen(5, 2));
    }

    @Test
    void whoCreatesAStreamIsNotAnsweredByTheOneBefore() {
        session.saw("s", Seen.NOTHING, verdict(3, 10));
        session.dropped("s");
        assertThat(demanded()).isEqualTo(Seen.NOTHING);
        session.created("s", 4);
        session.saw("s", Seen.NOTHING, verdict(3, 12));
        assertThat(demanded()).isEqualTo(new Seen(4, Map.of()));
    }

    @Test
    void whatAQueryDemandsItselfIsNeverLeftOut() {
        session.saw("s", Seen.NOTHING, verdict(3, 10));
        Seen ofAny = seen(Seen.ANY, 50);
        assertThat(session.demanding(Query.of("s").withSeen(ofAny)).seen()).isEqualTo(ofAny);
        assertThat(session.demanding(Query.of("s").withSeen(seen(3, 50))).seen())
                .isEqualTo(seen(3, 50));
        assertThat(session.demanding(Query.of("s").withSeen(seen(5, 1))).seen()).isEqualTo(seen(5, 1));
    }
}
