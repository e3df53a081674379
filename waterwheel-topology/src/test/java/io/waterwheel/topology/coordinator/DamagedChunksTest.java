package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class DamagedChunksTest {
    @Test
    void damageIsToldOfOnceAFileForAnHour() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        DamagedChunks damaged = new DamagedChunks(now::get);
        damaged.failed("s", new WaterwheelException(ErrorCode.INCOMPLETE, "slow"));
        assertThat(damaged.of("s")).isEmpty();

        CorruptChunkException damage = new CorruptChunkException("s-1/0/1-c.wwc", "leaf 3", 17, "checksum 1", "2");
        damaged.failed("s", damage);
        now.set(now.get().plusSeconds(60));
        damaged.failed("s", damage);
        assertThat(damaged.of("s"))
                .singleElement()
                .asString()
                .contains("s-1/0/1-c.wwc", "leaf 3 at offset 17", "2026-01-01T00:01:00Z");
        assertThat(damaged.of("other")).isEmpty();

        now.set(now.get().plus(DamagedChunks.KEPT).plusSeconds(1));
        assertThat(damaged.of("s")).isEmpty();

        for (int file = 0; file < 1000; file++) {
            damaged.failed("s", new CorruptChunkException("c" + file, "leaf 3", 17, "checksum 1", "2"));
        }
        assertThat(damaged.of("s")).hasSize(100).last().asString().contains("c999");
    }
}
