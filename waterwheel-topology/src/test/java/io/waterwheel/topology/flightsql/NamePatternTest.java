package io.waterwheel.topology.flightsql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns of names. */
final class NamePatternTest {
    @ParameterizedTest
    @CsvSource({
        "%, flights, true",
        "flights, flights, true",
        "FLIGHTS, flights, true",
        "fl_ghts, flights, true",
        "f%s, flights, true",
        "f%%%%s, flights, true",
        "f%x, flights, false",
        "a\\_b, a_b, true",
        "a\\_b, axb, false",
        "a\\%, a%, true",
        "a.c, abc, false",
        "[a], a, false",
        "'', '', true",
        "'', a, false",
    })
    void matches(String pattern, String name, boolean matches) {
        assertThat(NamePattern.matches(pattern, name)).isEqualTo(matches);
    }
}
