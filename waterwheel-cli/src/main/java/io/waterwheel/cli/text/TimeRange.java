package io.waterwheel.cli.text;

import io.waterwheel.query.InstantRange;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code FROM/TO}, both included, either may be left out: ISO 8601 with a zone, to the nanosecond, or milliseconds
 * since 1970 UTC. A day such as {@code 2021-10-07} is one of UTC: as FROM its first instant is meant, as TO its last.
 */
public final class TimeRange implements ITypeConverter<InstantRange> {
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");

    @Override
    public InstantRange convert(String text) {
        int slash = text.indexOf('/');
        if (slash < 0 || text.indexOf('/', slash + 1) >= 0) {
            throw new TypeConversionException("expected FROM/TO, got '" + text + "'");
        }
        String from = text.substring(0, slash);
        String to = text.substring(slash + 1);
        Instant first = from.isEmpty() ? Instant.MIN : first(from);
        Instant last = to.isEmpty() ? Instant.MAX : bound(to, 1);
        if (first.isAfter(last)) {
            throw new TypeConversionException("FROM is after TO in '" + text + "'; exchange them");
        }
        return new InstantRange(first, last);
    }

    /** A time, or the first instant of a day. */
    static Instant first(String text) {
        return bound(text, 0);
    }

    /** @param days after it the day ends that is meant; 0: its beginning is meant */
    private static Instant bound(String text, int days) {
        if (!DAY.matcher(text).matches()) {
            return instant(text);
        }
        LocalDate day;
        try {
            day = LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            throw new TypeConversionException("there is no day " + text);
        }
        return day.plusDays(days).atStartOfDay(ZoneOffset.UTC).toInstant().minusNanos(days);
    }

    private static Instant instant(String text) {
        try {
            return Instant.ofEpochMilli(Long.parseLong(text));
        } catch (NumberFormatException notMillis) {
            try {
                return OffsetDateTime.parse(text.replace(' ', 'T'), DateTimeFormatter.ISO_OFFSET_DATE_TIME)
                        .toInstant();
            } catch (DateTimeParseException e) {
                throw new TypeConversionException("expected a time with a zone such as 2021-10-07T12:00:01Z, or"
                        + " milliseconds since 1970, got '" + text + "'");
            }
        }
    }
}
