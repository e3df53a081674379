package io.waterwheel.decode;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.TimePattern;
import io.waterwheel.schema.text.ZoneNames;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Instants from ASCII bytes: a decimal number of seconds, milliseconds, microseconds or nanoseconds since 1970 UTC, or
 * ISO 8601 with a zone, such as {@code 2021-10-07T12:00:01.500Z} or {@code 2021-10-07 14:00+02:00}, or a day alone,
 * such as {@code 2021-10-07}, for its midnight UTC. A space may stand before the zone, which may be UTC, GMT or a name
 * ({@link ZoneNames}), too. The end of a day may be written as 24:00. Where the stream names a zone, times without one
 * are that zone's, and so are days; where it has a pattern of times, texts of that pattern too. What is finer than the
 * field's type is cut off, towards the past.
 */
final class Timestamps {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int MAX_FRACTION = 40;
    /** In place of an offset: the time is the zone's that the stream names. */
    private static final int LOCAL = Integer.MIN_VALUE;
    /** In place of an offset: the time is that of the region which stands behind it. */
    private static final int REGION = Integer.MIN_VALUE + 1;

    private static final int DAY_SECONDS = 86_400;

    private final Numbers numbers;
    private final TimePattern.@Nullable Reader pattern;
    private final boolean patternIsZoned;
    private final @Nullable WallClock clock;
    private final String named;
    private final ZoneNames zones;
    private final Map<ZoneId, WallClock> clocks = new HashMap<>();
    /** Of the time that is read. */
    private @Nullable ZoneId region;

    private @Nullable ZoneId lastRegion;
    private @Nullable WallClock lastClock;
    /** The zone whose clocks skipped the time that was read last; empty: none did. */
    private String skippedIn = "";
    /** Whether that time has the name of a zone without one meaning. */
    private boolean oddZone;

    /** Whether the last call failed; its result means nothing then. */
    boolean failed;

    private byte[] bytes = {};
    private int at;
    private int to;

    Timestamps(Numbers numbers, RecordText text) {
        this.numbers = numbers;
        ZoneId zone = text.zone();
        clock = zone == null ? null : new WallClock(zone);
        named = zone == null ? "" : zone.getId();
        zones = new ZoneNames(zone);
        if (text.times().isEmpty()) {
            pattern = null;
            patternIsZoned = false;
        } else {
            TimePattern times = TimePattern.of(text.times());
            pattern = times.reader(zone);
            patternIsZoned = times.isZoned();
        }
    }

    /** Whether numbers are counts since 1970; where the stream has a pattern of times they are not. */
    boolean takesCounts() {
        return pattern == null;
    }

    /** Why a time was refused; for {@link #expected}. */
    void forget() {
        skippedIn = "";
        oddZone = false;
    }

    /** What a refused value of the field should have been. */
    String expected(Field field) {
        if (!skippedIn.isEmpty()) {
            return "a time that the clocks of " + skippedIn + " show; they were put forward over it";
        }
        if (oddZone) {
            return "a zone that has one meaning"
                    + (named.isEmpty() ? "" : " in " + named)
                    + ", such as -06:00, America/Chicago or CET; 'zone' says where other names are used, as CST and CDT"
                    + " in America/Chicago";
        }
        return (pattern == null
                        ? field.unit().name().toLowerCase(Locale.ROOT) + " since 1970"
                        : "a time such as " + pattern)
                + " or an ISO 8601 instant "
                + (clock == null ? "with a zone such as 2021-10-07T12:00:01.500Z" : "such as 2021-10-07T12:00:01.500")
                + ", in the range of a " + field.type().schemaName();
    }

    /**
     * Reads an instant.
     *
     * @param unit what a bare number counts
     * @param resolution what the result counts
     */
    long parse(byte[] source, int from, int end, TimestampUnit unit, TimestampUnit resolution) {
        bytes = source;
        at = from;
        to = end;
        failed = false;
        forget();
        if (pattern != null) {
            if (pattern.read(source, from, end)) {
                return byPattern(pattern, resolution);
            }
            oddZone = pattern.hasOddZone();
            if (end - from < 10 || source[from + 4] != '-') {
                // What is no time by the pattern is no count either: a digit may be missing.
                failed = true;
                return 0;
            }
        }
        if (end - from == 10 && source[from + 4] == '-' && source[from + 7] == '-') {
            return day(resolution);
        }
        if (end - from < 16 || source[from + 4] != '-') {
            return number(unit, resolution);
        }
        long value = instant(resolution);
        failed |= at != to;
        return value;
    }

    private long number(TimestampUnit unit, TimestampUnit resolution) {
        int point = at;
        while (point < to && bytes[point] != '.') {
            point++;
        }
        long whole = numbers.parseLong(bytes, at, point);
        failed = numbers.failed;
        long billionths = 0;
        boolean finer = false;
        if (point < to && !failed) {
            boolean negative = bytes[at] == '-';
            at = point + 1;
            failed = at == to || to - at > MAX_FRACTION;
            for (long scale = NANOS_PER_SECOND / 10; at < to && !failed; at++, scale /= 10) {
                int digit = bytes[at] - '0';
                failed = digit < 0 || digit > 9;
                billionths += digit * scale;
                finer |= scale == 0 && digit > 0;
            }
            billionths = negative ? -billionths : billionths;
            finer &= negative;
        }
        return failed ? 0 : convert(whole, billionths, finer, unit, resolution);
    }

    /**
     * Of {@code whole} units and billionths of one, the largest number not above; {@code finer}: a little less still.
     */
    private long convert(long whole, long billionths, boolean finer, TimestampUnit unit, TimestampUnit resolution) {
        long value;
        if (unit.nanos() >= resolution.nanos()) {
            long ratio = unit.nanos() / resolution.nanos();
            long fraction = billionths * ratio;
            long down = Math.floorDiv(fraction, NANOS_PER_SECOND);
            boolean exact = fraction == down * NANOS_PER_SECOND;
            long product = whole * ratio;
            long step = down - (finer && exact ? 1 : 0);
            value = product + step;
            failed = Math.multiplyHigh(whole, ratio) != product >> 63 || ((product ^ value) & (step ^ value)) < 0;
        } else {
            long ratio = resolution.nanos() / unit.nanos();
            boolean less = billionths < 0 || finer;
            value = Math.floorDiv(whole, ratio) - (less && Math.floorMod(whole, ratio) == 0 ? 1 : 0);
        }
        return value;
    }

    /**
     * A time that is a count since 1970 UTC, whatever the stream's pattern.
     *
     * @param nanos of a unit, where that is a second; else 0
     */
    long count(long units, int nanos, TimestampUnit unit, TimestampUnit resolution) {
        forget();
        failed = false;
        return convert(units, nanos, false, unit, resolution);
    }

    /** A time that the clocks of the stream's zone show: seconds since 1970 and nanoseconds behind them. */
    long local(long seconds, int nanos, TimestampUnit resolution) {
        forget();
        failed = clock == null;
        long utc = clock == null ? 0 : clock.utcSeconds(seconds);
        if (clock != null && clock.skipped) {
            skipped(named);
        }
        return failed ? 0 : convert(utc, nanos, false, TimestampUnit.SECONDS, resolution);
    }

    /** The time at which a day begins, in the stream's zone or in UTC. */
    long day(long daysSince1970, TimestampUnit resolution) {
        forget();
        failed = false;
        long midnight = daysSince1970 * DAY_SECONDS;
        long begins = clock == null ? midnight : clock.dayBegins(midnight);
        if (clock != null && clock.skipped) {
            skipped(named);
            return 0;
        }
        return convert(begins, 0, false, TimestampUnit.SECONDS, resolution);
    }

    /** The midnight, UTC, that a day begins with. */
    private long day(TimestampUnit resolution) {
        int year = digits(4);
        expect('-', '-');
        int month = digits(2);
        expect('-', '-');
        int day = digits(2);
        if (failed || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
            failed = true;
            return 0;
        }
        return day(daysSince1970(year, month, day), resolution);
    }

    private long byPattern(TimePattern.Reader read, TimestampUnit resolution) {
        region = read.region();
        int offset = !patternIsZoned ? LOCAL : region != null ? REGION : read.offsetSeconds();
        return utc(
                read.year(),
                read.month(),
                read.day(),
                (read.hour() * 60 + read.minute()) * 60 + read.second(),
                !read.isOfDay(),
                read.nanos(),
                offset,
                resolution);
    }

    /** @param offset seconds east of Greenwich, {@link #LOCAL} or {@link #REGION} */
    private long utc(
            int year,
            int month,
            int day,
            int secondOfDay,
            boolean wrongTime,
            int nanos,
            int offset,
            TimestampUnit resolution) {
        if (failed || wrongTime || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
            failed = true;
            return 0;
        }
        long seconds = daysSince1970(year, month, day) * DAY_SECONDS + secondOfDay;
        if (offset != LOCAL && offset != REGION) {
            seconds -= offset;
        } else {
            WallClock shown = offset == LOCAL ? clock : clockOfRegion();
            if (shown == null) {
                failed = true;
                return 0;
            }
            // The end of a day is when the next begins, which need not be a midnight.
            seconds = secondOfDay == DAY_SECONDS ? shown.dayBegins(seconds) : shown.utcSeconds(seconds);
            if (shown.skipped) {
                skipped(offset == LOCAL ? named : String.valueOf(region));
                return 0;
            }
        }
        return convert(seconds, nanos, false, TimestampUnit.SECONDS, resolution);
    }

    private void skipped(String zone) {
        failed = true;
        skippedIn = zone;
    }

    private @Nullable WallClock clockOfRegion() {
        ZoneId wanted = region;
        if (wanted != null && !wanted.equals(lastRegion)) {
            lastRegion = wanted;
            lastClock = clocks.computeIfAbsent(wanted, WallClock::new);
        }
        return wanted == null ? null : lastClock;
    }

    private long instant(TimestampUnit resolution) {
        int year = digits(4);
        expect('-', '-');
        int month = digits(2);
        expect('-', '-');
        int day = digits(2);
        expect('T', ' ');
        int hour = digits(2);
        expect(':', ':');
        int minute = digits(2);
        int second = 0;
        int nanos = 0;
        if (at < to && bytes[at] == ':') {
            at++;
            second = digits(2);
            if (at < to && bytes[at] == '.') {
                at++;
                nanos = fraction();
            }
        }
        int offset = zone();
        return utc(
                year,
                month,
                day,
                (hour * 60 + minute) * 60 + second,
                !TimePattern.isOfDay(hour, minute, second, nanos),
                nanos,
                offset,
                resolution);
    }

    /** Seconds east of Greenwich, {@link #LOCAL} where no zone is named, {@link #REGION} where a region is. */
    private int zone() {
        if (at >= to) {
            return LOCAL;
        }
        if (bytes[at] == ' ' && at + 1 < to) {
            at++;
        }
        if (bytes[at] == 'Z') {
            at++;
            return 0;
        }
        if (Numbers.is("UTC", bytes, at, to) || Numbers.is("GMT", bytes, at, to)) {
            at = to;
            return 0;
        }
        if (bytes[at] != '+' && bytes[at] != '-') {
            return named();
        }
        boolean west = bytes[at++] == '-';
        int hours = digits(2);
        int minutes = 0;
        if (at < to) {
            if (bytes[at] == ':') {
                at++;
            }
            minutes = digits(2);
        }
        failed |= hours > 18 || minutes > 59;
        int offset = (hours * 60 + minutes) * 60;
        return west ? -offset : offset;
    }

    private int named() {
        zones.forget();
        int end = zones.read(bytes, at, to);
        if (end < 0) {
            failed = true;
            oddZone = zones.odd();
            return 0;
        }
        at = end;
        region = zones.region();
        return region != null ? REGION : zones.offsetSeconds();
    }

    /** Up to nine digits, as nanoseconds. */
    private int fraction() {
        int start = at;
        int nanos = 0;
        int scale = 100_000_000;
        while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
            nanos += (bytes[at++] - '0') * scale;
            scale /= 10;
        }
        failed |= at == start || at - start > 9;
        return nanos;
    }

    private int digits(int count) {
        if (to - at < count) {
            failed = true;
            at = to;
            return 0;
        }
        int value = 0;
        for (int i = 0; i < count; i++) {
            int digit = bytes[at++] - '0';
            failed |= digit < 0 || digit > 9;
            value = value * 10 + digit;
        }
        return value;
    }

    private void expect(char one, char other) {
        failed |= at >= to || (bytes[at] != one && bytes[at] != other);
        at++;
    }

    private static int daysOf(int year, int month) {
        if (month == 2) {
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }

    /** Days from 1970-01-01 in the proleptic Gregorian calendar, the year counted from March. */
    private static long daysSince1970(int year, int month, int day) {
        int y = month <= 2 ? year - 1 : year;
        int era = Math.floorDiv(y, 400);
        int yearOfEra = y - era * 400;
        int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097L + dayOfEra - 719_468;
    }
}
