package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.ChunkDescriptor;
import org.junit.jupiter.api.Test;

final class NameSetTest {
    @Test
    void holdsWhatWasAddedAndNothingElse() {
        NameSet.Builder builder = new NameSet.Builder();
        for (int flush = 0; flush < 200_000; flush++) {
            builder.add(ChunkDescriptor.fileName("flights", 1, flush % 7, 3, flush, 0));
        }
        NameSet names = builder.build();
        assertThat(names.size()).isEqualTo(200_000);
        for (int flush = 0; flush < 200_000; flush++) {
            assertThat(names.contains(ChunkDescriptor.fileName("flights", 1, flush % 7, 3, flush, 0)))
                    .isTrue();
            assertThat(names.contains(ChunkDescriptor.fileName("flights", 1, flush % 7, 3, flush, 1)))
                    .isFalse();
        }
        assertThat(NameSet.EMPTY.contains("")).isFalse();
    }
}
