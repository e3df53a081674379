package io.waterwheel.embedded.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.topology.worker.DeactivatedSpout.Source;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DrainProgressTest {
    private static final Source FIRST = new Source(7, 0);
    private static final Source SECOND = new Source(7, 1);
    private static final long BEGIN = -5_000_000_000L;

    private final DrainProgress settling = new DrainProgress(Map.of(FIRST, 1_000L, SECOND, 500L));

    @Test
    void whatWasTakenWholeIsSettledAtOnce() {
        settling.taken(FIRST, 1_000, BEGIN + 1);
        assertThat(settling.waitsFor(7)).as("%s", settling).isTrue();
        settling.taken(SECOND, 600, BEGIN + 1);
        assertThat(settling.waitsFor(7)).as("%s", settling).isFalse();
        assertThat(settling.positions(7)).isEqualTo(Map.of(0, 1_000L, 1, 600L));
    }

    @Test
    void aFullDispatcherSettlesWhereItStandsStill() {
        settling.taken(SECOND, 500, BEGIN + 1);
        settling.taken(FIRST, 300, BEGIN + 1);
        settling.taken(FIRST, 300, BEGIN + DrainProgress.STILL_NANOS);
        assertThat(settling).hasToString("{stream id 7 partition 0=300 of 1000}");
        settling.taken(FIRST, 400, BEGIN + DrainProgress.STILL_NANOS);
        assertThat(settling.waitsFor(7)).as("it took more").isTrue();
        settling.taken(FIRST, 400, BEGIN + 2 * DrainProgress.STILL_NANOS - 1);
        assertThat(settling.waitsFor(7)).isTrue();
        settling.taken(FIRST, 400, BEGIN + 2 * DrainProgress.STILL_NANOS);
        assertThat(settling.waitsFor(7)).isFalse();
        assertThat(settling.positions(7)).isEqualTo(Map.of(0, 400L, 1, 500L));
    }

    @Test
    void silenceIsNoStandstill() {
        settling.taken(FIRST, 1_000, BEGIN + 100 * DrainProgress.STILL_NANOS);
        assertThat(settling.waitsFor(7)).as("partition 1 has not been heard of").isTrue();
        assertThat(settling.waitsFor(8)).isFalse();
        assertThat(settling.positions(8)).isEmpty();
    }

    @Test
    void whatNoSpoutReadDoesNotMatter() {
        settling.taken(new Source(9, 0), 5, BEGIN);
        assertThat(settling.waitsFor(9)).isFalse();
        assertThat(settling.positions(9)).isEmpty();
    }
}
