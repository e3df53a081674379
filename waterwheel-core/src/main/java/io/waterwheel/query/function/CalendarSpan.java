package io.waterwheel.query.function;

import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.schema.TimestampUnit;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;

/**
 * The hour, day or month that was looked up last, by the clock of a zone. Rows that follow each other mostly lie in one
 * of them, and share what was found.
 */
final class CalendarSpan {
    private final TimestampUnit resolution;
    private final ZoneId zone;

    /* Times from (included) to (not); none at first. */
    private long from;
    private long to;

    /** @param resolution of the times */
    CalendarSpan(TimestampUnit resolution, ZoneId zone) {
        this.resolution = resolution;
        this.zone = zone;
    }

    /** Whether a time lies in it. */
    boolean has(long value) {
        return value >= from && value < to;
    }

    /** Makes it that of a time. */
    CalendarUnit.Span look(CalendarUnit unit, long value) {
        CalendarUnit.Span span = unit.around(resolution.instant(value), zone);
        from = units(span.from(), Long.MIN_VALUE);
        to = units(span.to(), Long.MAX_VALUE);
        return span;
    }

    /** Makes it one time alone. */
    void only(long value) {
        from = value;
        to = value == Long.MAX_VALUE ? value : value + 1;
    }

    /** Where a span begins or ends: all do at a whole second. */
    private long units(Instant instant, long beyond) {
        try {
            return resolution.units(instant);
        } catch (DateTimeException e) {
            return beyond;
        }
    }
}
