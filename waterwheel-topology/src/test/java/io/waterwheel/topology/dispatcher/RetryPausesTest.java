package io.waterwheel.topology.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Pauses of 100, 200, 400, 500 and 500 ns, from a time that wraps around. */
class RetryPausesTest {
    private static final long START = Long.MAX_VALUE - 150;

    private final RetryPauses<String> pauses = new RetryPauses<>(100, 500);

    @Test
    void theyDoubleUpToTheirBound() {
        long now = START;
        for (long pause : new long[] {100, 200, 400, 500, 500}) {
            assertThat(pauses.mayTry("a", now)).isTrue();
            pauses.failed("a", now);
            assertThat(pauses.mayTry("a", now + pause - 1)).isFalse();
            now += pause;
        }
        assertThat(pauses.mayTry("b", now)).as("each has its own").isTrue();
    }

    @Test
    void whatSucceedsBeginsAnew() {
        long now = START;
        pauses.failed("a", now);
        now += 100;
        pauses.failed("a", now);
        assertThat(pauses.hasFailed("a")).isTrue();
        pauses.succeeded("a");
        assertThat(pauses.hasFailed("a")).isFalse();
        now += 300;
        pauses.failed("a", now);
        now += 100;
        assertThat(pauses.mayTry("a", now)).isTrue();
        pauses.forgetIf("a"::equals);
        assertThat(pauses.hasFailed("a")).isFalse();
    }
}
