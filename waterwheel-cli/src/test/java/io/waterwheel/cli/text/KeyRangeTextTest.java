package io.waterwheel.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.query.KeyRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.TypeConversionException;

final class KeyRangeTextTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            nullValues = "none",
            value = {
                "a..b      | a    | b",
                "a..       | a    | none",
                "..b       | none | b",
                "a         | a    | a",
                "1.5..2.5  | 1.5  | 2.5",
                "'a..b'    | a..b | a..b",
                "'a..b'..c | a..b | c",
                "a..'b..c' | a    | b..c",
                "..'b..c'  | none | b..c",
                "'a..b'..  | a..b | none",
                "'it''s'   | it's | it's",
                "'..'      | ..   | ..",
                "o'clock   | o'clock | o'clock",
            })
    void readsValuesAndRanges(String text, String low, String high) {
        assertThat(new KeyRangeText().convert(text)).isEqualTo(new KeyRange(low, high));
    }

    @Test
    void aNameAndAnEqualsSignNameAField() {
        assertThat(new KeyRangeText().convert("latitude=40.7..40.8"))
                .isEqualTo(new KeyRange("latitude", "40.7", "40.8"));
        assertThat(new KeyRangeText().convert("n=..5")).isEqualTo(new KeyRange("n", null, "5"));
        assertThat(new KeyRangeText().convert("name='a..b'")).isEqualTo(new KeyRange("name", "a..b", "a..b"));
        assertThat(new KeyRangeText().convert("name=''")).isEqualTo(new KeyRange("name", "", ""));
        assertThat(new KeyRangeText().convert("name=a=b")).isEqualTo(new KeyRange("name", "a=b", "a=b"));
        assertThat(new KeyRangeText().convert("'a=b'")).isEqualTo(KeyRange.of("a=b"));
        assertThat(new KeyRangeText().convert("1=b")).isEqualTo(KeyRange.of("1=b"));
    }

    @Test
    void anEmptyValueIsOneInQuotes() {
        assertThat(new KeyRangeText().convert("''")).isEqualTo(new KeyRange("", ""));
        assertThat(new KeyRangeText().convert("''..'b'")).isEqualTo(new KeyRange("", "b"));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = '|',
            value = {
                "..      | one bound at least",
                "a=      | which has no value: an empty one is ''",
                "a=..    | one bound at least",
                "a..b..c | has more than one '..': put a value that holds them in single quotes",
                "'a      | expected a quote at the end",
                "'a''    | expected a quote at the end",
                "'a'b    | behind the value in quotes",
                "a..'b   | expected a quote at the end",
                "a..'b'c | behind the value in quotes",
            })
    void saysWhatIsWrong(String text, String what) {
        assertThatThrownBy(() -> new KeyRangeText().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining(what);
    }
}
