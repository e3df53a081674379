package io.waterwheel.query.plan;

import io.waterwheel.query.InstantRange;
import io.waterwheel.query.Query;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TimeInterval;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The times of a query. The index counts in milliseconds. If the stream's time field is finer, and a bound lies within
 * a millisecond, a condition tests the field too.
 *
 * @param millis null when no time can match
 * @param condition null when the milliseconds say all
 */
record TimeBounds(@Nullable TimeInterval millis, @Nullable Expression condition) {
    private static final TimeBounds NOTHING = new TimeBounds(null, null);

    /** @throws IllegalArgumentException when a bound within a millisecond lies beyond the years 1 to 9999 */
    static TimeBounds of(Query query, Schema schema) {
        InstantRange asked = query.instants();
        if (asked.isAll()) {
            return new TimeBounds(query.times(), null);
        }
        Field field = schema.fields().get(schema.indexOf(schema.timeField()));
        TimestampUnit unit = field.type().resolution();
        if (beyond(unit, asked.from()) > 0 || beyond(unit, asked.to()) < 0) {
            return NOTHING;
        }
        // In the field's units, all of which a value may have.
        long low = beyond(unit, asked.from()) < 0 ? Long.MIN_VALUE : unit.units(asked.from());
        if (low != Long.MIN_VALUE && !unit.instant(low).equals(asked.from())) {
            if (low == Long.MAX_VALUE) {
                return NOTHING;
            }
            low++;
        }
        long high = beyond(unit, asked.to()) > 0 ? Long.MAX_VALUE : unit.units(asked.to());
        long from = low == Long.MIN_VALUE ? Long.MIN_VALUE : unit.toMillis(low);
        long to = high == Long.MAX_VALUE ? Long.MAX_VALUE : unit.toMillis(high);
        from = Math.max(from, query.times().from());
        to = Math.min(to, query.times().to());
        if (low > high || from > to) {
            return NOTHING;
        }
        return new TimeBounds(new TimeInterval(from, to), condition(field, unit, low, high));
    }

    /** Below 0 or above 0 when the unit's 64 bits do not count so far back or ahead, else 0. */
    private static int beyond(TimestampUnit unit, Instant instant) {
        try {
            unit.units(instant);
            return 0;
        } catch (DateTimeException e) {
            return instant.isBefore(Instant.EPOCH) ? -1 : 1;
        }
    }

    private static @Nullable Expression condition(Field field, TimestampUnit unit, long low, long high) {
        List<Expression> terms = new ArrayList<>(2);
        // A bound that is the first or the last of its millisecond needs none: all of that is asked for.
        if (low != Long.MIN_VALUE && unit.toMillis(low) == unit.toMillis(low - 1)) {
            terms.add(compared(field, Relation.AT_LEAST, unit.instant(low)));
        }
        if (high != Long.MAX_VALUE && unit.toMillis(high) == unit.toMillis(high + 1)) {
            terms.add(compared(field, Relation.AT_MOST, unit.instant(high)));
        }
        return switch (terms.size()) {
            case 0 -> null;
            case 1 -> terms.get(0);
            default -> new Expression.And(terms);
        };
    }

    private static Expression compared(Field field, Relation relation, Instant bound) {
        return new Expression.Comparison(
                relation, new Expression.FieldValue(field.name()), new Expression.Moment(bound));
    }
}
