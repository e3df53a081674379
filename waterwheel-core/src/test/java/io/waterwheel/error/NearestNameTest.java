package io.waterwheel.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NearestNameTest {
    private static final List<String> NAMES = List.of("at", "id", "iot", "level", "speed_kt", "time_ms", "value");

    @ParameterizedTest
    @CsvSource({
        "lvel, level",
        "leevl, level",
        "LEVEL, level",
        "iott, iot",
        "val, value",
        "time, time_ms",
        "max_level, level",
        "kt, ",
        "c, ",
        "x, ",
        "nosuch, ",
        "level, ",
        "'', ",
    })
    void asksOnlyForWhatIsNear(String name, String near) {
        assertThat(NearestName.near(name, NAMES)).isEqualTo(near);
        assertThat(NearestName.question(name, NAMES)).isEqualTo(near == null ? "" : "; did you mean '" + near + "'?");
        assertThat(NearestName.near(name, List.of())).isNull();
    }
}
