package io.waterwheel.cli.text;

import java.math.BigDecimal;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A number of seconds, perhaps with a fraction, from a millisecond to an hour. */
public final class Seconds implements ITypeConverter<Duration> {
    private static final BigDecimal MOST = BigDecimal.valueOf(3600);

    @Override
    public Duration convert(String text) {
        try {
            BigDecimal seconds = new BigDecimal(text);
            if (seconds.compareTo(new BigDecimal("0.001")) >= 0 && seconds.compareTo(MOST) <= 0) {
                return Duration.ofMillis(seconds.movePointRight(3).longValue());
            }
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected seconds from 0.001 to 3600, got '" + text + "'");
        }
        throw new TypeConversionException("expected seconds from 0.001 to 3600, got '" + text + "'");
    }
}
