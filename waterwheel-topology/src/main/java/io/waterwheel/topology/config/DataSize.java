package io.waterwheel.topology.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of memory or storage, so that no unit is ever guessed. Its text is a whole number and a unit: {@code 512
 * KiB}, {@code 16 MiB}, {@code 1 GiB}, {@code 100 B}.
 *
 * @param bytes at least 0
 */
public record DataSize(long bytes) implements Comparable<DataSize> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})\\s*(B|KiB|MiB|GiB|TiB)");
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size of " + bytes + " bytes: expected at least 0");
        }
    }

    /** Reads the text; an IllegalArgumentException says what was expected. */
    public static DataSize parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "expected a whole number and a unit of B, KiB, MiB, GiB or TiB, such as '16 MiB', got '" + text
                            + "'");
        }
        long unit =
                switch (matcher.group(2)) {
                    case "B" -> 1L;
                    case "KiB" -> 1L << 10;
                    case "MiB" -> 1L << 20;
                    case "GiB" -> 1L << 30;
                    default -> 1L << 40;
                };
        try {
            return new DataSize(Math.multiplyExact(Long.parseLong(matcher.group(1)), unit));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("expected less than 8 EiB, got '" + text + "'", e);
        }
    }

    @Override
    public int compareTo(DataSize other) {
        return Long.compare(bytes, other.bytes);
    }

    /** The text in the largest unit that divides it. */
    @Override
    public String toString() {
        long number = bytes;
        int unit = 0;
        while (unit < UNITS.length - 1 && number != 0 && number % 1024 == 0) {
            number /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%d %s", number, UNITS[unit]);
    }
}
