package io.waterwheel.client.cli;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A length of time as a whole number and a unit: {@code 500ms}, {@code 5s}, {@code 10m}, {@code 1h}, {@code 1d}. */
final class BucketText implements ITypeConverter<Duration> {
    private static final int MOST_DIGITS = 12;

    @Override
    public Duration convert(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        if (digits > 0 && digits <= MOST_DIGITS) {
            long number = Long.parseLong(text.substring(0, digits));
            if (number == 0) {
                throw new TypeConversionException("expected a length of time above 0, got '" + text + "'");
            }
            switch (text.substring(digits)) {
                case "ms" -> {
                    return Duration.ofMillis(number);
                }
                case "s" -> {
                    return Duration.ofSeconds(number);
                }
                case "m" -> {
                    return Duration.ofMinutes(number);
                }
                case "h" -> {
                    return Duration.ofHours(number);
                }
                case "d" -> {
                    return Duration.ofDays(number);
                }
                default -> {
                    // Said below.
                }
            }
        }
        throw new TypeConversionException(
                "expected a whole number and ms, s, m, h or d, such as 500ms or 10m, got '" + text + "'");
    }
}
