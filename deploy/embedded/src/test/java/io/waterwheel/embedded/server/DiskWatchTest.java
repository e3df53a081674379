package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DiskWatchTest {
    /** More than disks take. */
    private static final long BYTES_A_MILLI = 8_000_000;

    @Test
    void aDiskCannotBeFullBeforeTheNextLook() {
        for (long room = 0; room < 40_000_000_000L; room += 77_777_777) {
            long pause = DiskWatch.pauseMillis(room);
            assertThat(pause).as("room %s", room).isBetween(100L, 2_000L);
            // The look itself comes at the next tick, of 200 ms.
            assertThat(pause <= 100 || (pause + 100) * BYTES_A_MILLI <= room)
                    .as("room %s, pause %s", room, pause)
                    .isTrue();
        }
        assertThat(DiskWatch.pauseMillis(Long.MAX_VALUE)).isEqualTo(1_900);
    }
}
