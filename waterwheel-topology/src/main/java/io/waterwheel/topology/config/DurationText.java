package io.waterwheel.topology.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: a whole number and a unit of ms, s, min, h or d. */
final class DurationText {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,15})\\s*(ms|s|min|h|d)");

    private DurationText() {}

    static Duration parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "expected a whole number and a unit of ms, s, min, h or d, such as '100 ms', got '" + text + "'");
        }
        long number = Long.parseLong(matcher.group(1));
        Duration duration =
                switch (matcher.group(2)) {
                    case "ms" -> Duration.ofMillis(number);
                    case "s" -> Duration.ofSeconds(number);
                    case "min" -> Duration.ofMinutes(number);
                    case "h" -> Duration.ofHours(number);
                    default -> Duration.ofDays(number);
                };
        if (duration.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new IllegalArgumentException("expected at most 36500 d, got '" + text + "'");
        }
        return duration;
    }

    /** In the largest unit that divides it; whole milliseconds. */
    static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0 || millis % 1000 != 0) {
            return millis + " ms";
        }
        long seconds = millis / 1000;
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + " d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }
}
