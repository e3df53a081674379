package io.waterwheel.benchmark.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A few rows of the generated sets; the command takes all, and the real ones. */
final class ParquetSizesTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"taxi", "network"})
    void parquetHoldsTheRowsOfTheChunksInTheirOrder(String set) throws Exception {
        assertThat(ParquetSizes.compare(set, folder, 5_000, 64 << 10, 1, folder))
                .startsWith(set)
                .contains(" 5000 ");
    }
}
