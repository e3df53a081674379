package io.waterwheel.query.aggregate.state;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A quantile of each group. The values of a group are held up to {@value #MOST_EXACT}; of more, how many lie in each of
 * many ranges, 256 to a power of two, as in an HDR histogram [Tene 2012]. Which of the two depends on their number
 * alone, so the answer does not depend on their order or on how they were divided into parts.
 */
public final class QuantileValues extends AggregateState {
    static final int MOST_EXACT = 65_536;

    private static final List<Column> COLUMNS = List.of(new Column(FieldType.BYTES, false));
    /** What remains of an ordered double without these bits is its range: sign, exponent, eight bits. */
    private static final int RANGE_SHIFT = 44;

    /** Bits of an int that no range needs. */
    private static final int RANGE_BITS_FREE = RANGE_SHIFT - 32;

    private static final int SLICE_VALUES = 8192;
    private static final byte EXACT = 0;
    private static final byte RANGES = 1;
    private static final int RANGE_BYTES = 12;

    private final ValueType type;
    private final long least;
    private final long greatest;
    private final BigDecimal fraction;
    private @Nullable Group[] groups = {};
    private long held;

    /** @param fieldType of the answer: one of 32 bits holds no greater values */
    public QuantileValues(ValueType type, FieldType fieldType, BigDecimal fraction) {
        this.type = type;
        boolean narrow = fieldType.physical() == PhysicalType.INT32;
        this.least = narrow ? Integer.MIN_VALUE : Long.MIN_VALUE;
        this.greatest = narrow ? Integer.MAX_VALUE : Long.MAX_VALUE;
        this.fraction = fraction;
    }

    /** The values of a group: as they are, or by range. */
    private static final class Group {
        static final int BYTES = 64;

        long[] values = new long[4];
        int count;
        /** Sorted; null while the values are held. */
        int @Nullable [] ranges;

        long[] inRange = {};

        long bytes() {
            return BYTES + 8L * values.length + (ranges == null ? 0 : RANGE_BYTES * (long) ranges.length);
        }
    }

    @Override
    public void groups(int count) {
        if (groups.length < count) {
            groups = Arrays.copyOf(groups, Math.max(count, groups.length * 2));
        }
    }

    private Group group(int number) {
        Group group = groups[number];
        if (group == null) {
            group = new Group();
            groups[number] = group;
            held += group.bytes();
        }
        return group;
    }

    @Override
    public void add(Values values, int[] selected, int count, int[] groupOf) {
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!values.anyNull || !values.nulls[row]) {
                add(group(groupOf[row]), Words.of(type, values, row));
            }
        }
    }

    private void add(Group group, long word) {
        if (group.ranges != null) {
            add(group, range(word), 1);
            return;
        }
        if (group.count == MOST_EXACT) {
            toRanges(group);
            add(group, range(word), 1);
            return;
        }
        if (group.count == group.values.length) {
            held += 8L * group.values.length;
            group.values = Arrays.copyOf(group.values, group.values.length * 2);
        }
        group.values[group.count++] = word;
    }

    private void toRanges(Group group) {
        held -= group.bytes();
        long[] values = group.values;
        group.values = new long[0];
        group.ranges = new int[64];
        group.inRange = new long[64];
        held += group.bytes();
        int count = group.count;
        group.count = 0;
        for (int i = 0; i < count; i++) {
            add(group, range(values[i]), 1);
        }
    }

    private int range(long word) {
        return (int) ((type == ValueType.DOUBLE ? word : OrderedBits.of((double) word)) >> RANGE_SHIFT);
    }

    /** Adds values to a range; {@code count} is the number of ranges. */
    private void add(Group group, int range, long values) {
        int[] ranges = java.util.Objects.requireNonNull(group.ranges);
        int at = Arrays.binarySearch(ranges, 0, group.count, range);
        if (at >= 0) {
            group.inRange[at] += values;
            return;
        }
        at = -1 - at;
        if (group.count == ranges.length) {
            held += RANGE_BYTES * (long) ranges.length;
            ranges = Arrays.copyOf(ranges, ranges.length * 2);
            group.ranges = ranges;
            group.inRange = Arrays.copyOf(group.inRange, ranges.length);
        }
        System.arraycopy(ranges, at, ranges, at + 1, group.count - at);
        System.arraycopy(group.inRange, at, group.inRange, at + 1, group.count - at);
        ranges[at] = range;
        group.inRange[at] = values;
        group.count++;
    }

    @Override
    public void merge(TupleBlock part, int field, int[] groupOf) {
        byte[] from = part.arena();
        for (int r = 0; r < part.size(); r++) {
            long reference = getLong(part, field, r);
            int length = TupleBlock.referenceLength(reference);
            if (length == 0) {
                continue;
            }
            int at = TupleBlock.referenceOffset(reference);
            byte kind = from[at];
            int width = kind == EXACT ? 8 : RANGE_BYTES;
            if ((kind != EXACT && kind != RANGES) || (length - 1) % width != 0) {
                throw new IllegalArgumentException("a partial quantile of kind " + kind + ", " + length + " bytes");
            }
            Group group = group(groupOf[r]);
            if (kind == RANGES && group.ranges == null) {
                toRanges(group);
            }
            for (int i = at + 1; i < at + length; i += width) {
                if (kind == EXACT) {
                    add(group, LittleEndian.getLong(from, i));
                    continue;
                }
                int range = LittleEndian.getInt(from, i);
                long values = LittleEndian.getLong(from, i + 4);
                if (values <= 0 || range != range << RANGE_BITS_FREE >> RANGE_BITS_FREE) {
                    throw new IllegalArgumentException("a partial quantile with " + values + " values in " + range);
                }
                add(group, range, values);
            }
        }
    }

    @Override
    public List<Column> columns() {
        return COLUMNS;
    }

    @Override
    public int rows(int number) {
        Group group = groups[number];
        return group == null ? 1 : Math.max(1, (group.count + SLICE_VALUES - 1) / SLICE_VALUES);
    }

    @Override
    public void writePart(TupleBlock part, int row, int field, int group) {
        writeSlice(part, row, field, group, 0);
    }

    @Override
    public void writeSlice(TupleBlock part, int row, int field, int number, int slice) {
        Group group = groups[number];
        int from = slice * SLICE_VALUES;
        int to = group == null ? 0 : Math.min(group.count, from + SLICE_VALUES);
        if (group == null || from >= to) {
            putLong(part, field, row, 0);
            return;
        }
        int[] ranges = group.ranges;
        byte[] bytes = new byte[1 + (to - from) * (ranges == null ? 8 : RANGE_BYTES)];
        bytes[0] = ranges == null ? EXACT : RANGES;
        int at = 1;
        for (int i = from; i < to; i++) {
            if (ranges == null) {
                LittleEndian.putLong(bytes, at, group.values[i]);
                at += 8;
            } else {
                LittleEndian.putInt(bytes, at, ranges[i]);
                LittleEndian.putLong(bytes, at + 4, group.inRange[i]);
                at += RANGE_BYTES;
            }
        }
        putLong(part, field, row, part.addToArena(bytes, 0, bytes.length));
    }

    @Override
    public boolean writeAnswer(TupleBlock answer, int row, int field, int number) {
        Group group = groups[number];
        if (group == null || group.count == 0) {
            return false;
        }
        Words.put(answer, row, field, quantile(group));
        return true;
    }

    private long quantile(Group group) {
        int[] ranges = group.ranges;
        if (ranges == null) {
            Arrays.sort(group.values, 0, group.count);
            return group.values[(int) rank(group.count) - 1];
        }
        long all = Arrays.stream(group.inRange, 0, group.count).sum();
        long rank = rank(all);
        int at = 0;
        for (long below = group.inRange[0]; below < rank; below += group.inRange[at]) {
            at++;
        }
        return type == ValueType.DOUBLE ? OrderedBits.of(middle(ranges[at])) : wholeMiddle(ranges[at]);
    }

    /** Which value it is, from 1: the fraction of all, rounded up. */
    private long rank(long all) {
        long rank = fraction.multiply(BigDecimal.valueOf(all))
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
        return Math.max(1, rank);
    }

    /** An integer of a range, at most half its width from any other. */
    private long wholeMiddle(int range) {
        long bits = (long) range << RANGE_SHIFT;
        long low = Math.max(least, (long) Math.ceil(OrderedBits.toDouble(bits)));
        long high = Math.min(greatest, (long) Math.floor(OrderedBits.toDouble(bits + (1L << RANGE_SHIFT) - 1)));
        return low + (high - low) / 2;
    }

    /** A value of a range, at most half its width from any other: zero, infinities and NaN are themselves. */
    private static double middle(int range) {
        long low = (long) range << RANGE_SHIFT;
        double least = OrderedBits.toDouble(low);
        double greatest = OrderedBits.toDouble(low + (1L << RANGE_SHIFT) - 1);
        if (Double.isInfinite(greatest)) {
            return greatest;
        } else if (range == 0 || !Double.isFinite(least)) {
            return least;
        }
        return OrderedBits.toDouble(low + (1L << (RANGE_SHIFT - 1)));
    }

    @Override
    public long answerNanos(int number) {
        Group group = groups[number];
        return 200 + (group == null ? 0 : 30L * group.count);
    }

    @Override
    public long bytes() {
        return held + 8L * groups.length;
    }
}
