package io.waterwheel.query.condition;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.schema.TimestampUnit;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * The values of a numeric field that a comparison with a constant lets pass, as a closed interval in the field's order:
 * integers and times as they are, doubles as {@link OrderedBits}.
 *
 * @param low greater than {@code high} when nothing passes
 * @param outside whether what passes lies outside the interval, not inside
 */
record Bounds(long low, long high, boolean outside) {
    private static final Bounds NOTHING = new Bounds(1, 0, false);
    private static final Bounds ALL = new Bounds(Long.MIN_VALUE, Long.MAX_VALUE, false);

    /** For a field of integers or times, and a constant of the same. */
    static Bounds of(Relation relation, long constant) {
        return cut(relation, constant, true);
    }

    /** For a field of doubles, and a double. */
    static Bounds ofDoubles(Relation relation, double constant) {
        return cut(relation, OrderedBits.of(constant), true);
    }

    /** For a field of doubles, and an integer. */
    static Bounds ofDoubles(Relation relation, long constant) {
        double nearest = constant;
        int compared = OrderedBits.compare(constant, nearest);
        long floor = OrderedBits.of(nearest);
        return cut(relation, compared < 0 ? floor - 1 : floor, compared == 0);
    }

    /** For a field of times, and a moment of any resolution. */
    static Bounds of(Relation relation, TimestampUnit unit, Instant constant) {
        try {
            long floor = unit.units(constant);
            return cut(relation, floor, unit.instant(floor).equals(constant));
        } catch (DateTimeException e) {
            // Beyond what the field can hold.
            boolean above = constant.isAfter(Instant.EPOCH);
            return switch (relation) {
                case EQUAL -> NOTHING;
                case UNEQUAL -> ALL;
                case LESS, AT_MOST -> above ? ALL : NOTHING;
                case GREATER, AT_LEAST -> above ? NOTHING : ALL;
            };
        }
    }

    /** For a field of integers, and a double. */
    static Bounds of(Relation relation, double constant) {
        if (Double.isNaN(constant) || constant >= 0x1p63) {
            // Above every integer.
            return switch (relation) {
                case EQUAL, GREATER, AT_LEAST -> NOTHING;
                case UNEQUAL, LESS, AT_MOST -> ALL;
            };
        } else if (constant < -0x1p63) {
            return switch (relation) {
                case EQUAL, LESS, AT_MOST -> NOTHING;
                case UNEQUAL, GREATER, AT_LEAST -> ALL;
            };
        }
        double floor = Math.floor(constant);
        return cut(relation, (long) floor, floor == constant);
    }

    /**
     * By the greatest value that is not above the constant.
     *
     * @param exact whether it is the constant
     */
    private static Bounds cut(Relation relation, long floor, boolean exact) {
        return switch (relation) {
            case EQUAL -> exact ? new Bounds(floor, floor, false) : NOTHING;
            case UNEQUAL -> exact ? new Bounds(floor, floor, true) : ALL;
            case AT_MOST -> new Bounds(Long.MIN_VALUE, floor, false);
            case LESS -> exact ? below(floor) : new Bounds(Long.MIN_VALUE, floor, false);
            case GREATER -> above(floor);
            case AT_LEAST -> exact ? new Bounds(floor, Long.MAX_VALUE, false) : above(floor);
        };
    }

    private static Bounds below(long value) {
        return value == Long.MIN_VALUE ? NOTHING : new Bounds(Long.MIN_VALUE, value - 1, false);
    }

    private static Bounds above(long value) {
        return value == Long.MAX_VALUE ? NOTHING : new Bounds(value + 1, Long.MAX_VALUE, false);
    }

    /** What passes both; null when that is no such interval. */
    @org.jspecify.annotations.Nullable
    Bounds and(Bounds other) {
        return outside || other.outside
                ? null
                : new Bounds(Math.max(low, other.low), Math.min(high, other.high), false);
    }

    Bounds inverted() {
        return new Bounds(low, high, !outside);
    }

    boolean pass(long value) {
        return (value >= low && value <= high) != outside;
    }
}
