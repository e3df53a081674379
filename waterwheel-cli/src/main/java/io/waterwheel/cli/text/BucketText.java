package io.waterwheel.cli.text;

import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A length of time as a whole number and a unit: {@code 500ms}, {@code 5s}, {@code 10m}, {@code 1h}, {@code 1d}. */
public final class BucketText implements ITypeConverter<Duration> {
    private static final int MOST_DIGITS = 12;
    /** Over two thousand years. */
    private static final Duration MOST = Duration.ofDays(1_000_000);

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
                    return bounded(Duration.ofMillis(number), text);
                }
                case "s" -> {
                    return bounded(Duration.ofSeconds(number), text);
                }
                case "m" -> {
                    return bounded(Duration.ofMinutes(number), text);
                }
                case "h" -> {
                    return bounded(Duration.ofHours(number), text);
                }
                case "d" -> {
                    return bounded(Duration.ofDays(number), text);
                }
                default -> {
                    // Said below.
                }
            }
        }
        throw new TypeConversionException(
                "expected a whole number and ms, s, m, h or d, such as 500ms or 10m, got '" + text + "'");
    }

    private static Duration bounded(Duration length, String text) {
        if (length.compareTo(MOST) > 0) {
            throw new TypeConversionException(
                    "expected a length of time of at most " + MOST.toDays() + "d, got '" + text + "'");
        }
        return length;
    }
}
