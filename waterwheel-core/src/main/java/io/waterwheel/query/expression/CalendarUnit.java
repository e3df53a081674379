package io.waterwheel.query.expression;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Parts of the calendar and the clock, for DATE_TRUNC and DATE_PART. */
public enum CalendarUnit {
    SECOND,
    MINUTE,
    HOUR,
    DAY,
    /** From Monday on; its number is that of ISO 8601. */
    WEEK,
    MONTH,
    QUARTER,
    YEAR,
    /** The day as its number in the week, Monday is 1, Sunday 7. */
    ISODOW,
    /** The day as its number in the year, from 1. */
    DOY;

    /**
     * One second, day or year of a calendar, as far as the clock is not changed in it.
     *
     * @param begin its first instant
     * @param from the first instant for which this is the answer: at least {@code begin}
     * @param to the first instant for which it may not be
     * @param number as DATE_PART tells
     */
    public record Span(Instant begin, Instant from, Instant to, long number) {}

    /** As it is written, such as {@code hour}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The unit of this name, in any case of letters; null when there is none. */
    public static @Nullable CalendarUnit of(String name) {
        for (CalendarUnit unit : values()) {
            if (unit.name().equalsIgnoreCase(name)) {
                return unit;
            }
        }
        return null;
    }

    /** Whether it has a beginning of its own. */
    public boolean truncates() {
        return this != ISODOW && this != DOY;
    }

    /**
     * The span that an instant lies in, by the clock of a zone.
     *
     * @throws java.time.DateTimeException beyond the years that can be told
     */
    public Span around(Instant instant, ZoneId zone) {
        ZonedDateTime there = instant.atZone(zone);
        LocalDateTime local = there.toLocalDateTime();
        LocalDateTime begin = begin(local);
        // Between two changes of the clock its offset is one.
        Instant from = begin.toInstant(there.getOffset());
        Instant to = end(begin).toInstant(there.getOffset());
        ZoneRules rules = zone.getRules();
        if (!rules.isFixedOffset()) {
            ZoneOffsetTransition last = rules.previousTransition(instant.plusNanos(1));
            ZoneOffsetTransition next = rules.nextTransition(instant);
            from = last != null && last.getInstant().isAfter(from) ? last.getInstant() : from;
            to = next != null && next.getInstant().isBefore(to) ? next.getInstant() : to;
        }
        // An hour that the clock shows twice is two; a day of 25 hours is one.
        boolean ofTheClock = this == SECOND || this == MINUTE || this == HOUR;
        return new Span(ofTheClock ? from : begin.atZone(zone).toInstant(), from, to, number(local));
    }

    /**
     * Where the span after one begins. Where the clock goes back over a midnight, what comes again is passed over.
     *
     * @param begin of a span of this unit, by the clock of the zone
     * @throws java.time.DateTimeException beyond the years that can be told
     */
    public Instant next(Instant begin, ZoneId zone) {
        Span span = around(begin, zone);
        while (!span.begin().isAfter(begin)) {
            span = around(span.to(), zone);
        }
        return span.begin();
    }

    private LocalDateTime begin(LocalDateTime local) {
        LocalDate day = local.toLocalDate();
        return switch (this) {
            case SECOND -> local.truncatedTo(ChronoUnit.SECONDS);
            case MINUTE -> local.truncatedTo(ChronoUnit.MINUTES);
            case HOUR -> local.truncatedTo(ChronoUnit.HOURS);
            case DAY, ISODOW, DOY -> day.atTime(LocalTime.MIDNIGHT);
            case WEEK ->
                day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)).atTime(LocalTime.MIDNIGHT);
            case MONTH -> day.withDayOfMonth(1).atTime(LocalTime.MIDNIGHT);
            case QUARTER ->
                day.withDayOfMonth(1)
                        .withMonth((day.getMonthValue() - 1) / 3 * 3 + 1)
                        .atTime(LocalTime.MIDNIGHT);
            case YEAR -> day.withDayOfYear(1).atTime(LocalTime.MIDNIGHT);
        };
    }

    private LocalDateTime end(LocalDateTime begin) {
        return switch (this) {
            case SECOND -> begin.plusSeconds(1);
            case MINUTE -> begin.plusMinutes(1);
            case HOUR -> begin.plusHours(1);
            case DAY, ISODOW, DOY -> begin.plusDays(1);
            case WEEK -> begin.plusWeeks(1);
            case MONTH -> begin.plusMonths(1);
            case QUARTER -> begin.plusMonths(3);
            case YEAR -> begin.plusYears(1);
        };
    }

    private long number(LocalDateTime local) {
        return switch (this) {
            case SECOND -> local.getSecond();
            case MINUTE -> local.getMinute();
            case HOUR -> local.getHour();
            case DAY -> local.getDayOfMonth();
            case WEEK -> local.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
            case MONTH -> local.getMonthValue();
            case QUARTER -> local.get(IsoFields.QUARTER_OF_YEAR);
            case YEAR -> local.getYear();
            case ISODOW -> local.getDayOfWeek().getValue();
            case DOY -> local.getDayOfYear();
        };
    }
}
