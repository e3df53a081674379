package io.waterwheel.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where parentheses go. */
final class EnclosedCastsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a / 4::DOUBLE BETWEEN 0 AND 1 | a / (4::DOUBLE) BETWEEN 0 AND 1",
                "s.\"two words\"::INT | (s.\"two words\"::INT)",
                "x::INT::DOUBLE PRECISION | ((x::INT)::DOUBLE PRECISION)",
                "NOT (a + f(b, (c)))::DECIMAL(10, 2) > 1 | NOT ((a + f(b, (c)))::DECIMAL(10, 2)) > 1",
                "1 + ABS(a)::DOUBLE | 1 + (ABS(a)::DOUBLE)",
                "CASE WHEN CASE 1 WHEN 1 THEN 2 END > 1 THEN 3 END::INT | (CASE WHEN CASE 1 WHEN 1 THEN 2 END > 1 THEN 3 END::INT)",
                "DATE '2026-11-24'::TIMESTAMP | (DATE '2026-11-24'::TIMESTAMP)",
                "'a::b' -- c::d | 'a::b' -- c::d",
                "? /* x::y */ ::INT | (? /* x::y */ ::INT)",
                "'it''s'::TEXT + \"a\"\"b\".c::TEXT | ('it''s'::TEXT) + (\"a\"\"b\".c::TEXT)",
                "+::INT | +::INT",
                "a:: | a::",
            })
    void castsAreEnclosed(String text, String enclosed) {
        assertThat(EnclosedCasts.of(text)).isEqualTo(enclosed);
    }

    @Test
    void longTextsAreTokensToo() {
        String many = "''x".repeat(100_000);
        for (String text : List.of("'" + many + "'", "'" + many, "\"" + "x".repeat(300_000), "/*".repeat(100_000))) {
            assertThat(EnclosedCasts.of(text)).isEqualTo(text);
        }
        assertThat(EnclosedCasts.of("'" + many + "'::TEXT")).isEqualTo("('" + many + "'::TEXT)");
    }
}
