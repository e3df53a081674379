package io.waterwheel.query.expression;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Spans are those of java.time, around changes of the clock too, and hold what they say for all of their instants. */
final class CalendarUnitTest {
    private static final List<ZoneId> ZONES = List.of(
            ZoneId.of("UTC"),
            ZoneId.of("Europe/Berlin"),
            ZoneId.of("America/New_York"),
            ZoneId.of("America/Sao_Paulo"),
            ZoneId.of("America/St_Johns"),
            ZoneId.of("Asia/Kolkata"),
            ZoneId.of("+05:45"));

    private static Instant begin(CalendarUnit unit, ZonedDateTime time) {
        ZonedDateTime day = time.toLocalDate().atStartOfDay(time.getZone());
        ZonedDateTime begin =
                switch (unit) {
                    case SECOND -> time.truncatedTo(ChronoUnit.SECONDS);
                    case MINUTE -> time.truncatedTo(ChronoUnit.MINUTES);
                    case HOUR -> time.truncatedTo(ChronoUnit.HOURS);
                    case DAY, ISODOW, DOY -> day;
                    case WEEK ->
                        time.toLocalDate()
                                .minusDays(time.getDayOfWeek().getValue() - 1L)
                                .atStartOfDay(time.getZone());
                    case MONTH -> time.toLocalDate().withDayOfMonth(1).atStartOfDay(time.getZone());
                    case QUARTER ->
                        time.toLocalDate()
                                .withDayOfMonth(1)
                                .minusMonths((time.getMonthValue() - 1) % 3)
                                .atStartOfDay(time.getZone());
                    case YEAR -> time.toLocalDate().withDayOfYear(1).atStartOfDay(time.getZone());
                };
        return begin.toInstant();
    }

    @Test
    void spansAreThoseOfTheCalendar() {
        Random random = new Random(Long.getLong("seed", 3));
        List<CalendarUnit> units = List.of(CalendarUnit.values());
        for (int i = 0; i < Rounds.of(4_000, 400_000); i++) {
            ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
            CalendarUnit unit = units.get(random.nextInt(units.size()));
            if (unit.compareTo(CalendarUnit.DAY) < 0 && zone.getId().endsWith("St_Johns")) {
                // Its clock was put forward at a minute past: java.time truncates to an hour that is not there.
                zone = ZoneOffset.UTC;
            }
            Instant instant =
                    Instant.ofEpochSecond(random.nextLong(-2_000_000_000L, 4_000_000_000L), random.nextInt(3));
            ZoneOffsetTransition change = zone.getRules().nextTransition(instant);
            if (change != null && random.nextBoolean()) {
                // Within two hours of a change of the clock.
                instant = change.getInstant().plusMillis(random.nextLong(-7_200_000, 7_200_000));
            }
            String about = unit + " of " + instant + " in " + zone;
            CalendarUnit.Span span = unit.around(instant, zone);
            assertThat(span.begin()).as(about).isEqualTo(begin(unit, instant.atZone(zone)));
            assertThat(instant).as(about).isBetween(span.from(), span.to().minusNanos(1));
            long length = Math.max(1, ChronoUnit.MILLIS.between(span.from(), span.to()));
            Instant other = span.from().plusMillis(random.nextLong(length));
            CalendarUnit.Span same = unit.around(other, zone);
            assertThat(same.begin()).as(about + ", as of " + other).isEqualTo(span.begin());
            assertThat(same.number()).as(about + ", as of " + other).isEqualTo(span.number());
        }
    }

    /** The clock went back from a minute past midnight: the day before has two parts. */
    @Test
    void aDayThatBeginsTwiceIsTheDayOfItsClock() {
        ZoneId zone = ZoneId.of("America/St_Johns");
        assertThat(CalendarUnit.DAY
                        .around(Instant.parse("2010-11-07T03:00:00Z"), zone)
                        .number())
                .isEqualTo(6);
        CalendarUnit.Span later = CalendarUnit.DAY.around(Instant.parse("2010-11-07T12:00:00Z"), zone);
        assertThat(later.number()).isEqualTo(7);
        assertThat(later.from()).isAfter(Instant.parse("2010-11-07T03:00:00Z"));
    }

    @Test
    void aDayWithTwentyFiveHoursIsOneDay() {
        CalendarUnit.Span span =
                CalendarUnit.DAY.around(Instant.parse("2021-10-31T10:00:00Z"), ZoneId.of("Europe/Berlin"));
        assertThat(span.begin()).isEqualTo(Instant.parse("2021-10-30T22:00:00Z"));
        assertThat(span.from()).isEqualTo(Instant.parse("2021-10-31T01:00:00Z"));
        assertThat(span.to()).isEqualTo(Instant.parse("2021-10-31T23:00:00Z"));
        assertThat(span.number()).isEqualTo(31);
    }
}
