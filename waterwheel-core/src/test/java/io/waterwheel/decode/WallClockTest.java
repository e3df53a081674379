package io.waterwheel.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WallClockTest {
    private static final List<String> ZONES = List.of(
            "UTC",
            "+05:30",
            "Europe/Berlin",
            "America/New_York",
            "America/Sao_Paulo",
            "Australia/Lord_Howe",
            "Pacific/Apia",
            "Asia/Shanghai",
            "Africa/Casablanca");

    /** As java.time has them, near changes of the clocks and anywhere. */
    @Test
    void instantsAreThoseOfJavaTime() {
        long seed = Long.getLong("seed", 1);
        Random random = new Random(seed);
        for (String name : ZONES) {
            ZoneId zone = ZoneId.of(name);
            WallClock clock = new WallClock(zone);
            long near = 0;
            for (int i = 0; i < 3000; i++) {
                if (i % 10 == 0) {
                    near = change(zone, random);
                }
                long local = near + random.nextInt(20_000) - 10_000;
                LocalDateTime time = LocalDateTime.ofEpochSecond(local, 0, ZoneOffset.UTC);
                String as = name + " " + time + ", seed " + seed;
                long utc = clock.utcSeconds(local);
                boolean exists = !zone.getRules().getValidOffsets(time).isEmpty();
                assertThat(clock.skipped).as(as).isEqualTo(!exists);
                if (exists) {
                    assertThat(utc).as(as).isEqualTo(time.atZone(zone).toEpochSecond());
                }
                LocalDate day = time.toLocalDate();
                long begins = clock.dayBegins(day.toEpochDay() * 86_400);
                ZonedDateTime start = day.atStartOfDay(zone);
                // Samoa went over the date line: its 30 December 2011 never came.
                assertThat(clock.skipped).as(as).isEqualTo(!start.toLocalDate().equals(day));
                if (!clock.skipped) {
                    assertThat(begins).as(as).isEqualTo(start.toEpochSecond());
                }
            }
        }
    }

    @Test
    void aDayThatNeverCameIsNone() {
        WallClock clock = new WallClock(ZoneId.of("Pacific/Apia"));
        clock.dayBegins(LocalDate.of(2011, 12, 30).toEpochDay() * 86_400);
        assertThat(clock.skipped).isTrue();
        assertThat(clock.dayBegins(LocalDate.of(2011, 12, 31).toEpochDay() * 86_400))
                .isEqualTo(LocalDate.of(2011, 12, 31)
                        .atStartOfDay(ZoneId.of("Pacific/Apia"))
                        .toEpochSecond());
        assertThat(clock.skipped).isFalse();
    }

    /** What the clocks show about a change of theirs, or at any time. */
    private static long change(ZoneId zone, Random random) {
        LocalDateTime any = LocalDateTime.ofEpochSecond(random.nextLong(2_000_000_000L), 0, ZoneOffset.UTC);
        ZoneOffsetTransition next = zone.getRules().nextTransition(any.toInstant(ZoneOffset.UTC));
        return next == null || random.nextInt(4) == 0
                ? any.toEpochSecond(ZoneOffset.UTC)
                : next.getDateTimeBefore().toEpochSecond(ZoneOffset.UTC);
    }
}
