package io.waterwheel.cli.proposal;

import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.TimePattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values of a column that may be days or times in digits alone, or times of day. One thread. */
final class DigitTimes {
    /** A day in digits alone. */
    static final String DAY = "yyyyMMdd";

    /** A day as ISO 8601 writes it. */
    static final String ISO_DAY = "yyyy-MM-dd";

    /** What whole numbers may be, too. */
    private static final List<String> COMPACT = List.of(DAY, "yyyyMMddHHmm", "yyyyMMddHHmmss");

    /** Times of day, the likeliest first. */
    private static final List<String> CLOCKS =
            List.of("HH:mm:ss", "HH:mm", "H:mm:ss", "H:mm", "HH:mm:ss.SSS", "HH:mm:ss,SSS", "h:mm a", "h:mm:ss a");

    private static final Pattern ISO_CLOCK = Pattern.compile("\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?");
    private static final int FIRST_YEAR = 1900;
    private static final int LAST_YEAR = 2100;

    /** By form: values that are written so. */
    private final long[] byCompact = new long[COMPACT.size()];

    private final long[] byClock = new long[CLOCKS.size()];
    private long isoClocks;
    /** Of the first number; null: it is no time since 1970. */
    private @Nullable TimestampUnit counts;

    private String countsAs = "";
    private long counted;

    /** @param before how many values came before it */
    void addDigits(String number, long before) {
        if (number.length() < DAY.length()) {
            return;
        }
        for (int p = 0; p < byCompact.length; p++) {
            if (number.length() == COMPACT.get(p).length() && byCompact[p] == before) {
                TimePattern.Reader reader = TimePattern.of(COMPACT.get(p)).reader();
                boolean read = TimeForms.isTime(reader, number.getBytes(StandardCharsets.UTF_8));
                byCompact[p] += read && reader.year() >= FIRST_YEAR && reader.year() <= LAST_YEAR ? 1 : 0;
            }
        }
    }

    /** The form that all values have; null where they have none. */
    @Nullable
    String compactPattern(long values) {
        for (int p = 0; p < byCompact.length; p++) {
            if (byCompact[p] > 0 && byCompact[p] == values) {
                return COMPACT.get(p);
            }
        }
        return null;
    }

    /** @param before how many times of day came before it */
    void addClock(String value, long before) {
        isoClocks += ISO_CLOCK.matcher(value).matches() ? 1 : 0;
        byte[] bytes = ("2000-01-01 " + value).getBytes(StandardCharsets.UTF_8);
        for (int p = 0; p < byClock.length; p++) {
            if (byClock[p] == before) {
                TimePattern.Reader reader =
                        TimePattern.of(ISO_DAY + " " + CLOCKS.get(p)).reader();
                byClock[p] += TimeForms.isTime(reader, bytes) ? 1 : 0;
            }
        }
    }

    /** Looks whether a number may be a time since 1970, in the unit of those before. */
    void count(double number) {
        TimestampUnit unit = unitOf(number, number);
        if (counted == 0 && unit != null) {
            counts = unit;
            countsAs = unit.name().toLowerCase(Locale.ROOT) + " since 1970";
        }
        counted += unit != null && unit == counts ? 1 : 0;
    }

    /** What numbers count, where all values may be times since 1970; empty: they are not. */
    String counted(long values) {
        return counted == values ? countsAs : "";
    }

    /** What numbers between these may count since 1970, if they are of 1980 to 2100; null: nothing. */
    static @Nullable TimestampUnit unitOf(double least, double most) {
        for (TimestampUnit unit : TimestampUnit.values()) {
            double perSecond = 1e9 / unit.nanos();
            if (least >= 315_532_800.0 * perSecond && most <= 4_102_444_800.0 * perSecond) {
                return unit;
            }
        }
        return null;
    }

    /** Whether all times of day are as ISO 8601 writes them. */
    boolean areIso(long clocks) {
        return isoClocks == clocks;
    }

    /** Patterns of days with that of these times of day behind each; none where they have no one form. */
    List<String> behind(List<String> days, long clocks) {
        List<String> patterns = new ArrayList<>();
        for (String day : days) {
            for (int p = 0; p < CLOCKS.size(); p++) {
                if (byClock[p] == clocks) {
                    patterns.add(day + " " + CLOCKS.get(p));
                    break;
                }
            }
        }
        return patterns;
    }
}
