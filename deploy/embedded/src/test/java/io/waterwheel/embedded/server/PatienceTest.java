package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void aSlowStartIsWaitedForAndOneThatStandsIsNot() {
        Patience patience = new Patience(90 * SECOND, 10 * SECOND, 0);
        long told = 0;
        // Ten minutes at a load at which every step takes 89 seconds.
        for (long second = 1; second <= 600; second++) {
            assertThat(patience.goesOn(List.of(second / 89, "no coordinator"), second * SECOND))
                    .as("second %s", second)
                    .isTrue();
            told += patience.tells(second * SECOND) ? 1 : 0;
        }
        assertThat(told).isEqualTo(60);
        assertThat(patience.seconds(600 * SECOND)).isEqualTo(600);
        List<Object> stands = List.of(600L / 89, "no coordinator");
        // The last change was in second 534.
        assertThat(patience.goesOn(stands, 623 * SECOND)).isTrue();
        assertThat(patience.goesOn(stands, 624 * SECOND)).isFalse();
    }
}
