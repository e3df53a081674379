package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.store.DiskSpace;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskWatchTest {
    @TempDir
    Path folder;

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

    /** A thread that wakes up five times a second to do nothing is a good part of what an idle server does. */
    @Test
    void onlyADiskThatCouldBeFullSoonIsLookedAtSeveralTimesASecond() throws Exception {
        AtomicLong free = new AtomicLong(1 << 30);
        DiskSpace space = new DiskSpace(folder, 256 << 20, new DiskSpace.Gauge() {
            @Override
            public long freeBytes() {
                return free.get();
            }

            @Override
            public long totalBytes() {
                return 1L << 50;
            }

            @Override
            public boolean isWritable() {
                return true;
            }
        });
        DiskWatch watch = DiskWatch.start(space);
        try {
            assertThat(watch.looksClosely()).as("from the start on").isTrue();
            free.set(1L << 40);
            Waiting.until("it has rest", () -> !watch.looksClosely());
            free.set(1 << 30);
            Waiting.until("it is seen to fill", watch::looksClosely);
            free.set(255 << 20);
            Waiting.until("it is full", () -> !watch.trouble().isEmpty());
        } finally {
            watch.close();
        }
        assertThat(watch.looksClosely()).as("once it is closed").isFalse();
    }
}
