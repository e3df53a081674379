package io.waterwheel.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.query.InstantRange;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

/** What {@code --time} means. */
final class TimeRangeTest {
    private static InstantRange range(String text) {
        return new TimeRange().convert(text);
    }

    private static InstantRange of(String first, String last) {
        return new InstantRange(Instant.parse(first), Instant.parse(last));
    }

    @Test
    void aDayIsFromItsFirstInstantToItsLast() {
        assertThat(range("2021-10-07/2021-10-07"))
                .isEqualTo(of("2021-10-07T00:00:00Z", "2021-10-07T23:59:59.999999999Z"));
        assertThat(range("2020-02-28/2020-02-29"))
                .isEqualTo(of("2020-02-28T00:00:00Z", "2020-02-29T23:59:59.999999999Z"));
        assertThat(range("2021-10-07/"))
                .isEqualTo(new InstantRange(Instant.parse("2021-10-07T00:00:00Z"), Instant.MAX));
        assertThat(range("/2021-12-31"))
                .isEqualTo(new InstantRange(Instant.MIN, Instant.parse("2021-12-31T23:59:59.999999999Z")));
        assertThat(range("2021-10-07/2021-10-07T12:00:00+02:00"))
                .isEqualTo(of("2021-10-07T00:00:00Z", "2021-10-07T10:00:00Z"));
    }

    @Test
    void whatIsNoTimeIsRefused() {
        assertThatThrownBy(() -> range("2021-02-30/"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("there is no day 2021-02-30");
        assertThatThrownBy(() -> range("2021-10-08/2021-10-07")).hasMessageContaining("FROM is after TO");
        assertThatThrownBy(() -> range("2021-10-07T12:00/")).hasMessageContaining("expected a time with a zone");
        assertThatThrownBy(() -> range("2021-10-07")).hasMessageContaining("expected FROM/TO");
    }
}
