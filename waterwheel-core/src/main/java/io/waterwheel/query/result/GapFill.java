package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.CalendarUnit;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives each series a row for every time bucket: the groups that differ in nothing but the bucket are a series. What a
 * row without tuples holds is said by {@link ResultSpec.Fill}. One thread.
 */
final class GapFill {
    /** About what writing one aggregate of a row takes at worst; see {@link Workspace#spend}. */
    private static final long VALUE_NANOS = 200;

    private static final int NONE = -1;

    /** The way between two numbers below this, times twice the longest short way of time, has 64 bits. */
    private static final long SHORT = 1L << 40;

    private static final long SHORT_WAY = 1L << 20;

    private final ResultSpec.Fill fill;
    private final Steps steps;
    private final TimeInterval bounds;
    private final HeldGroups held;
    /** What is grouped by, a row a group. */
    private final TupleBlock values;

    private final List<AggregateState> states;
    private final Workspace workspace;
    private final RowLayout answer;
    /** The last of the fields that are grouped by. */
    private final int bucketField;
    /** Two rows of the answer: what lies before and after a gap. */
    private final TupleBlock neighbours;

    /** @param bounds times that the query asks for; what it does not bound goes as far as there are tuples */
    GapFill(ResultSpec.Aggregates wanted, TimeInterval bounds, RowLayout answer, HeldGroups held, Workspace workspace) {
        this.fill = Objects.requireNonNull(wanted.fill());
        this.bounds = bounds;
        this.answer = answer;
        this.held = held;
        this.values = held.values();
        this.states = held.states();
        this.workspace = workspace;
        this.bucketField = answer.fields().size() - states.size() - 1;
        Expression.Call calendar = wanted.filledCalendar();
        this.steps = calendar == null
                ? new EvenSteps(Objects.requireNonNull(wanted.bucket()))
                : new CalendarSteps(
                        calendar, answer.fields().get(bucketField).type().resolution(), workspace);
        this.neighbours = new TupleBlock(answer, 2);
        neighbours.setSize(2);
    }

    /** The buckets, in the units of the field that has where each begins. */
    private sealed interface Steps {
        /** Where the bucket of a time begins, which is told in milliseconds. */
        long begin(long millis);

        /** Where the bucket after one begins; the same where none can be told. */
        long next(long bucket);

        /** The buckets from one through another; null where they are more than may be and were not all counted. */
        @Nullable
        BigInteger count(long first, long last);

        /** Where a bucket lies on the line of time. */
        long place(long bucket);
    }

    /** Steps of one length. */
    private record EvenSteps(ResultSpec.Bucket step) implements Steps {
        @Override
        public long begin(long millis) {
            return step.begin(millis);
        }

        @Override
        public long next(long bucket) {
            return step.next(bucket);
        }

        @Override
        public BigInteger count(long first, long last) {
            return BigInteger.valueOf(place(last))
                    .subtract(BigInteger.valueOf(place(first)))
                    .add(BigInteger.ONE);
        }

        @Override
        public long place(long bucket) {
            return step.number(bucket);
        }
    }

    /** Steps of the calendar, by the clock of a zone; all begin at a whole second. */
    private static final class CalendarSteps implements Steps {
        private static final long STEP_NANOS = 500;

        private final CalendarUnit unit;
        private final ZoneId zone;
        private final TimestampUnit resolution;
        private final Workspace workspace;

        CalendarSteps(Expression.Call truncated, TimestampUnit resolution, Workspace workspace) {
            this.unit = ExpressionTypes.calendarUnit(truncated);
            this.zone = ExpressionTypes.zone(truncated);
            this.resolution = resolution;
            this.workspace = workspace;
        }

        @Override
        public long begin(long millis) {
            Instant asked = Instant.ofEpochMilli(millis);
            try {
                return resolution.units(unit.around(asked, zone).begin());
            } catch (DateTimeException e) {
                throw new WaterwheelException(
                        ErrorCode.BAD_QUERY,
                        "query: fill: the " + unit.text() + " of " + asked + " cannot be told: ask for other times",
                        e);
            }
        }

        @Override
        public long next(long bucket) {
            workspace.spend(STEP_NANOS);
            try {
                return resolution.units(unit.next(resolution.instant(bucket), zone));
            } catch (DateTimeException e) {
                return bucket;
            }
        }

        @Override
        public @Nullable BigInteger count(long first, long last) {
            long count = 1;
            long next = next(first);
            for (long bucket = first; next > bucket && next <= last && count <= ResultSpec.MAX_KEPT_ROWS; ) {
                count++;
                bucket = next;
                next = next(bucket);
            }
            return count > ResultSpec.MAX_KEPT_ROWS ? null : BigInteger.valueOf(count);
        }

        @Override
        public long place(long bucket) {
            // The same shares as in finer units, in smaller numbers.
            return Math.floorDiv(bucket, resolution.units(Instant.ofEpochSecond(1)));
        }
    }

    /** What writes the rows of the answer. */
    interface Rows {
        /** Writes a group's row; false when no more are wanted. */
        boolean group(int group);

        /** The block whose next row, at its size, is to be written. */
        TupleBlock row();

        /** The row was written; false when no more are wanted. */
        boolean wrote();
    }

    /** Writes the series, one after the other. */
    void write(Rows rows) {
        int[] sorted = held.sorted(values);
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int group : sorted) {
            first = Math.min(first, bucket(group));
            last = Math.max(last, bucket(group));
        }
        // Where the clock goes back over midnight, the last time may lie in the day before that of an earlier one.
        first = bounds.from() == Long.MIN_VALUE ? first : Math.min(first, steps.begin(bounds.from()));
        last = bounds.to() == Long.MAX_VALUE ? last : Math.max(last, steps.begin(bounds.to()));
        boolean none = sorted.length == 0;
        if (first > last || (none && bucketField > 0)) {
            return;
        }
        RowOrder series = series(values.layout());
        int count = 1;
        for (int i = 1; i < sorted.length; i++) {
            count += series.compare(values, sorted[i - 1], sorted[i]) != 0 ? 1 : 0;
        }
        requireRows(count, first, last);
        if (none) {
            gap(NONE, NONE, NONE, first, last, rows);
            return;
        }
        int from = 0;
        for (int to = 1; to <= sorted.length; to++) {
            if (to == sorted.length || series.compare(values, sorted[to - 1], sorted[to]) != 0) {
                if (!series(Arrays.copyOfRange(sorted, from, to), first, last, rows)) {
                    return;
                }
                from = to;
            }
        }
    }

    /** Compares what is grouped by, without the bucket. */
    private RowOrder series(RowLayout layout) {
        int[] fields = new int[bucketField];
        Arrays.setAll(fields, f -> f);
        return new RowOrder(layout, fields, new boolean[bucketField]);
    }

    private long bucket(int group) {
        return LittleEndian.getLong(values.column(values.layout().columnOf(bucketField)), group * 8);
    }

    private void requireRows(long series, long first, long last) {
        BigInteger buckets = steps.count(first, last);
        BigInteger rows = buckets == null ? null : buckets.multiply(BigInteger.valueOf(series));
        if (rows == null || rows.compareTo(BigInteger.valueOf(ResultSpec.MAX_KEPT_ROWS)) > 0) {
            throw new WaterwheelException(
                    ErrorCode.RESULT_TOO_LARGE,
                    "query: fill: a row for each of the buckets makes "
                            + (rows == null ? "more than " + ResultSpec.MAX_KEPT_ROWS : rows)
                            + " rows, expected at most "
                            + ResultSpec.MAX_KEPT_ROWS + "; take longer buckets, or ask for a shorter time");
        }
    }

    private boolean series(int[] groups, long first, long last, Rows rows) {
        long next = first;
        int before = NONE;
        for (int group : groups) {
            long bucket = bucket(group);
            boolean filled = next == bucket || gap(groups[0], before, group, next, bucket - 1, rows);
            if (!filled || !rows.group(group)) {
                return false;
            }
            next = steps.next(bucket);
            if (next <= bucket || next > last) {
                return true;
            }
            before = group;
        }
        return gap(groups[0], before, NONE, next, last, rows);
    }

    /**
     * Writes a row for each bucket from one time through another.
     *
     * @param series a group of the series, or none
     * @param before the group before the gap, or none
     * @param after the group after it, or none
     */
    private boolean gap(int series, int before, int after, long from, long through, Rows rows) {
        boolean between = fill == ResultSpec.Fill.LINEAR && before != NONE && after != NONE;
        if (between) {
            writeNeighbour(before, 0);
            writeNeighbour(after, 1);
        }
        for (long bucket = from; ; ) {
            workspace.spend(VALUE_NANOS * (1 + states.size()));
            TupleBlock block = rows.row();
            int row = block.size();
            if (series != NONE) {
                held.table().write(series, block, row);
            }
            LittleEndian.putLong(block.column(answer.columnOf(bucketField)), row * 8, bucket);
            for (int a = 0; a < states.size(); a++) {
                int field = bucketField + 1 + a;
                boolean written = false;
                if (answer.nullBit(field) < 0) {
                    // A count: there are no tuples.
                    LittleEndian.putLong(block.column(answer.columnOf(field)), row * 8, 0);
                    written = true;
                } else if (fill == ResultSpec.Fill.PREVIOUS && before != NONE) {
                    written = states.get(a).writeAnswer(block, row, field, before);
                } else if (between) {
                    written = interpolate(block, row, field, way(before, bucket), way(before, bucket(after)));
                }
                if (!written) {
                    AggregateState.setNull(block, row, field);
                }
            }
            if (!rows.wrote()) {
                return false;
            }
            long next = steps.next(bucket);
            if (next <= bucket || next > through) {
                return true;
            }
            bucket = next;
        }
    }

    /** How far it is from the bucket of a group to another. */
    private long way(int group, long to) {
        return steps.place(to) - steps.place(bucket(group));
    }

    private void writeNeighbour(int group, int row) {
        if (row == 0) {
            neighbours.clear();
            neighbours.setSize(2);
        }
        if (answer.nullMaskColumn() >= 0) {
            neighbours.setNullMask(row, 0);
        }
        for (int a = 0; a < states.size(); a++) {
            int field = bucketField + 1 + a;
            if (!states.get(a).writeAnswer(neighbours, row, field, group)) {
                AggregateState.setNull(neighbours, row, field);
            }
        }
    }

    /** Writes the number between those of the neighbours; false where there is none. */
    private boolean interpolate(TupleBlock block, int row, int field, long passed, long length) {
        FieldType type = answer.fields().get(field).type();
        if (!ValueType.of(type).numeric() || neighbours.isNull(field, 0) || neighbours.isNull(field, 1)) {
            return false;
        }
        byte[] column = block.column(answer.columnOf(field));
        Number low = (Number) Objects.requireNonNull(neighbours.value(field, 0));
        Number high = (Number) Objects.requireNonNull(neighbours.value(field, 1));
        double between = between(low.doubleValue(), high.doubleValue(), (double) passed / length);
        switch (type.physical()) {
            case INT32 ->
                LittleEndian.putInt(column, row * 4, (int) whole(low.longValue(), high.longValue(), passed, length));
            case INT64 ->
                LittleEndian.putLong(column, row * 8, whole(low.longValue(), high.longValue(), passed, length));
            case FLOAT32 -> LittleEndian.putInt(column, row * 4, Float.floatToRawIntBits((float) between));
            case FLOAT64 -> LittleEndian.putLong(column, row * 8, Double.doubleToRawLongBits(between));
            case UINT32, BOOLEAN, VARIABLE -> throw new IllegalStateException("no number: " + type);
        }
        return true;
    }

    private static double between(double low, double high, double share) {
        if (Double.compare(low, high) == 0) {
            return low; // Infinity less itself would be no number
        }
        double way = high - low;
        return Double.isFinite(way) ? low + way * share : low * (1 - share) + high * share;
    }

    /** The nearest whole number, a half upwards. A double would lose what is beyond 53 bits. */
    private static long whole(long low, long high, long passed, long length) {
        if (length <= SHORT_WAY && -SHORT < low && low < SHORT && -SHORT < high && high < SHORT) {
            return low + Math.floorDiv(2 * passed * (high - low) + length, 2 * length);
        }
        BigInteger from = BigInteger.valueOf(low);
        BigInteger[] parts = BigInteger.valueOf(high)
                .subtract(from)
                .multiply(BigInteger.valueOf(2 * passed))
                .add(BigInteger.valueOf(length))
                .divideAndRemainder(BigInteger.valueOf(2 * length));
        // Rounded down, also below zero.
        BigInteger steps = parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
        return from.add(steps).longValueExact();
    }
}
