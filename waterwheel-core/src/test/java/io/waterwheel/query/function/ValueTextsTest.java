package io.waterwheel.query.function;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.schema.TimestampUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ValueTextsTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "-0.0, -0",
        "0.1, 0.1",
        "0.0001, 0.0001",
        "0.00001, 1e-05",
        "-123456789012345, -123456789012345",
        "1e15, 1e+15",
        "2e23, 2e+23",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "4.9e-324, 4.9e-324",
        "NaN, NaN",
        "-Infinity, -Infinity",
    })
    void doublesAsPostgresHasThem(double value, String text) {
        assertThat(ValueTexts.of(value)).isEqualTo(text);
    }

    @Test
    void doublesAreReadAsWhatTheyWere() {
        Random random = new Random(Long.getLong("seed", 0));
        for (int round = Rounds.of(2000, 1_000_000); round > 0; round--) {
            double value = Double.longBitsToDouble(random.nextLong());
            String text = ValueTexts.of(value);
            assertThat(Double.parseDouble(text)).as(text).isEqualTo(value);
            assertThat(text.length()).as(text).isLessThanOrEqualTo(24);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, MILLISECONDS, 1970-01-01 00:00:00",
        "-1, MILLISECONDS, 1969-12-31 23:59:59.999",
        "1500, MILLISECONDS, 1970-01-01 00:00:01.5",
        "1000001, MICROSECONDS, 1970-01-01 00:00:01.000001",
        "-1, NANOSECONDS, 1969-12-31 23:59:59.999999999",
        "253402300800000, MILLISECONDS, 10000-01-01 00:00:00",
        "-62198755200000, MILLISECONDS, -0001-01-01 00:00:00",
    })
    void times(long time, TimestampUnit unit, String text) {
        assertThat(ValueTexts.of(time, unit)).isEqualTo(text);
    }
}
