package io.waterwheel.topology.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long threads sleep when nothing comes. */
final class IdlePauseTest {
    @Test
    void sleepsAreAFiveHundredthOfTheTimeWithoutTuples() {
        assertThat(sleep(0)).isEqualTo(1);
        assertThat(sleep(999)).isEqualTo(1);
        assertThat(sleep(1_000)).isEqualTo(2);
        assertThat(sleep(5_050)).isEqualTo(10);
        assertThat(sleep(49_000)).isEqualTo(98);
        assertThat(sleep(3_600_000)).isEqualTo(IdlePause.MOST_MILLIS);
    }

    @Test
    void tuplesThatComeOftenMakeSleepsShortAndLoneOnesDoNot() {
        long busy = TimeUnit.MICROSECONDS.toNanos(20);
        // After the first ten seconds, in which sleeps grew to 20 ms.
        assertThat(remembered(TimeUnit.SECONDS.toNanos(10), busy)).isEqualTo(9);
        long idle = TimeUnit.HOURS.toNanos(1);
        for (int tuple = 0; tuple < 7; tuple++) {
            idle = IdlePause.rememberedNanos(idle, busy);
        }
        assertThat(IdlePause.sleepMillis(idle)).isEqualTo(1);
        // As heartbeats come.
        for (int tuple = 0; tuple < 100; tuple++) {
            idle = IdlePause.rememberedNanos(idle + TimeUnit.MILLISECONDS.toNanos(200), busy);
        }
        assertThat(IdlePause.sleepMillis(idle)).isEqualTo(1);
    }

    @Test
    void whoWasBusyLooksAgainSoon() {
        assertThat(remembered(0, TimeUnit.HOURS.toNanos(1))).isEqualTo(1);
        assertThat(remembered(TimeUnit.HOURS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(50)))
                .isEqualTo(1);
        assertThat(remembered(TimeUnit.HOURS.toNanos(1), 0)).isEqualTo(IdlePause.MOST_MILLIS / 2);
    }

    private static long remembered(long idleNanos, long busyNanos) {
        return IdlePause.sleepMillis(IdlePause.rememberedNanos(idleNanos, busyNanos));
    }

    @Test
    void looksAreCountedUpToTheFirstSleep() throws InterruptedException {
        IdlePause pause = new IdlePause();
        int looks = 0;
        for (int i = 0; i < 10; i++) {
            looks = pause.pause(looks);
        }
        assertThat(looks).as("a number that cannot overflow").isEqualTo(3);
        assertThat(pause.pause(0)).isEqualTo(1);
    }

    private static long sleep(long idleMillis) {
        return IdlePause.sleepMillis(TimeUnit.MILLISECONDS.toNanos(idleMillis));
    }
}
