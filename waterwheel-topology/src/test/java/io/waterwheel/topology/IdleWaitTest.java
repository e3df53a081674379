package io.waterwheel.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.storm.Config;
import org.junit.jupiter.api.Test;

/** How long threads of Storm sleep when nothing comes. */
final class IdleWaitTest {
    @Test
    void sleepsAreAFiveHundredthOfTheTimeWithoutTuples() {
        assertThat(sleep(0)).isEqualTo(1);
        assertThat(sleep(999)).isEqualTo(1);
        assertThat(sleep(1_000)).isEqualTo(2);
        assertThat(sleep(5_050)).isEqualTo(10);
        assertThat(sleep(49_000)).isEqualTo(98);
        assertThat(sleep(3_600_000)).isEqualTo(IdleWait.MOST_MILLIS);
    }

    @Test
    void tuplesThatComeOftenMakeSleepsShortAndLoneOnesDoNot() {
        long busy = TimeUnit.MICROSECONDS.toNanos(20);
        // After the first ten seconds, in which sleeps grew to 20 ms.
        assertThat(remembered(TimeUnit.SECONDS.toNanos(10), busy)).isEqualTo(9);
        long idle = TimeUnit.HOURS.toNanos(1);
        for (int tuple = 0; tuple < 7; tuple++) {
            idle = IdleWait.rememberedNanos(idle, busy);
        }
        assertThat(IdleWait.sleepMillis(idle)).isEqualTo(1);
        // As heartbeats come.
        for (int tuple = 0; tuple < 100; tuple++) {
            idle = IdleWait.rememberedNanos(idle + TimeUnit.MILLISECONDS.toNanos(200), busy);
        }
        assertThat(IdleWait.sleepMillis(idle)).isEqualTo(1);
    }

    @Test
    void whoWasBusyLooksAgainSoon() {
        assertThat(remembered(0, TimeUnit.HOURS.toNanos(1))).isEqualTo(1);
        assertThat(remembered(TimeUnit.HOURS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(50)))
                .isEqualTo(1);
        assertThat(remembered(TimeUnit.HOURS.toNanos(1), 0)).isEqualTo(IdleWait.MOST_MILLIS / 2);
    }

    private static long remembered(long idleNanos, long busyNanos) {
        return IdleWait.sleepMillis(IdleWait.rememberedNanos(idleNanos, busyNanos));
    }

    @Test
    void looksAreCountedUpToTheFirstSleep() throws InterruptedException {
        IdleWait wait = new IdleWait();
        int looks = 0;
        for (int i = 0; i < 10; i++) {
            looks = wait.idle(looks);
        }
        assertThat(looks).as("a number that cannot overflow").isEqualTo(3);
        assertThat(wait.idle(0)).isEqualTo(1);
    }

    @Test
    void aTopologyWaitsSoUnlessItIsToldOtherwise() {
        assertThat(conf(""))
                .containsEntry(Config.TOPOLOGY_BOLT_WAIT_STRATEGY, IdleWait.class.getName())
                .containsEntry(Config.TOPOLOGY_SPOUT_WAIT_STRATEGY, IdleWait.class.getName());
        assertThat(conf("storm: {topology.bolt.wait.progressive.level3.sleep.millis: 5}"))
                .doesNotContainKey(Config.TOPOLOGY_BOLT_WAIT_STRATEGY)
                .containsEntry(Config.TOPOLOGY_SPOUT_WAIT_STRATEGY, IdleWait.class.getName());
    }

    private static Config conf(String yaml) {
        return WaterwheelTopology.stormConf(WaterwheelConfig.parse("a test", yaml, List.of()));
    }

    private static long sleep(long idleMillis) {
        return IdleWait.sleepMillis(TimeUnit.MILLISECONDS.toNanos(idleMillis));
    }
}
