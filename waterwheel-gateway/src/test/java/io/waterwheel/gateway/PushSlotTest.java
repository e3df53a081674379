package io.waterwheel.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a batch waits for the requests that are likely to come. */
final class PushSlotTest {
    private static boolean waits(int lastRequests, int requests, int rows, long waited, long pause) {
        return PushSlot.waits(
                lastRequests,
                TimeUnit.MICROSECONDS.toNanos(600),
                requests,
                rows,
                TimeUnit.MICROSECONDS.toNanos(waited),
                TimeUnit.MICROSECONDS.toNanos(pause));
    }

    @Test
    void aBatchWaitsAsLongAsTheOneBeforeTookOrWhileRequestsCome() {
        assertThat(waits(32, 5, 5, 0, 0)).isTrue();
        assertThat(waits(32, 5, 5, 599, 599)).isTrue();
        assertThat(waits(32, 5, 5, 600, 300)).isFalse();
        assertThat(waits(32, 5, 5, 600, 299)).isTrue();
        assertThat(waits(32, 5, 5, 1_999, 0)).isTrue();
        assertThat(waits(32, 5, 5, 2_000, 0)).isFalse();
        assertThat(waits(32, 32, 32, 0, 0)).isFalse();
        assertThat(waits(32, 5, 512, 0, 0)).isFalse();
    }

    @Test
    void aClientThatIsAloneWaitsForNone() {
        assertThat(waits(0, 1, 1, 0, 0)).isFalse();
        assertThat(waits(1, 1, 1, 0, 0)).isFalse();
        assertThat(waits(2, 1, 1, 0, 0)).isTrue();
    }
}
