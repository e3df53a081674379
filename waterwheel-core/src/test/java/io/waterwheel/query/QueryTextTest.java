package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.tuple.TimeInterval;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class QueryTextTest {
    private static final Query ALL = Query.of("s");
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
    private static final long NOON_MILLIS = NOON.toEpochMilli();

    @Test
    void aShapeHasTheLengthOfItsTimes() {
        assertThat(QueryText.shape(ALL)).isEqualTo("s: all rows");
        assertThat(QueryText.shape(ALL.withTimes(new TimeInterval(NOON_MILLIS, NOON_MILLIS + 60_000))))
                .isEqualTo("s: time of PT1M, all rows");
        assertThat(QueryText.shape(ALL.withTimes(new TimeInterval(NOON_MILLIS, Long.MAX_VALUE))))
                .isEqualTo("s: time from a moment on, all rows");
        assertThat(QueryText.shape(ALL.withTimes(new TimeInterval(Long.MIN_VALUE, NOON_MILLIS))))
                .isEqualTo("s: time up to a moment, all rows");
    }

    /** A client of another make may name one bound in each of the two ways. */
    @Test
    void aShapeGivesNoBoundAwayWhereTimesAreBoundInBothWays() {
        Query from = ALL.withTimes(new TimeInterval(NOON_MILLIS, Long.MAX_VALUE));
        assertThat(QueryText.shape(both(from, new InstantRange(Instant.MIN, NOON.plusNanos(500)))))
                .isEqualTo("s: time of PT0.0000005S, all rows");
        Query to = ALL.withTimes(new TimeInterval(Long.MIN_VALUE, NOON_MILLIS));
        assertThat(QueryText.shape(both(to, new InstantRange(NOON.minusSeconds(1), Instant.MAX))))
                .isEqualTo("s: time of PT1S, all rows");
        Query hour = ALL.withTimes(new TimeInterval(NOON_MILLIS, NOON_MILLIS + 3_600_000));
        assertThat(QueryText.shape(both(hour, new InstantRange(NOON.plusSeconds(60), NOON.plusSeconds(90)))))
                .isEqualTo("s: time of PT30S, all rows");
    }

    private static Query both(Query query, InstantRange instants) {
        return query.withInstants(instants);
    }
}
