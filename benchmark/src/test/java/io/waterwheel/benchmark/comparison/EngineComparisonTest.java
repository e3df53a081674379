package io.waterwheel.benchmark.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.benchmark.data.RealSets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A part of each set; {@link EngineComparison}'s own command takes them whole. */
final class EngineComparisonTest {
    private static final int ROWS = 60_000;
    private static final int QUESTIONS = 60;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"taxi", "network", "paris", "savan", "ghcn", "zeek", "nasa"})
    void everyAnswerIsThatOfAScan(String set) throws Exception {
        Path data = Path.of(System.getProperty("waterwheel.shared", "../shared"), "data");
        if (!set.equals("taxi") && !set.equals("network")) {
            Path file = RealSets.valueOf(set.toUpperCase(Locale.ROOT)).path(data);
            if (!Files.exists(file)) {
                System.err.println("SKIPPED: EngineComparisonTest needs " + file.toAbsolutePath()
                        + "; set -Dwaterwheel.shared to the folder that holds data/");
            }
            assumeTrue(Files.exists(file), "no data set " + set);
        }
        assertThat(EngineComparison.compare(set, data, ROWS, QUESTIONS, 1, folder))
                .contains("equal the scan's");
    }
}
