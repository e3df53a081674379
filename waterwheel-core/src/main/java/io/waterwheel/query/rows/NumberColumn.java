package io.waterwheel.query.rows;

import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/**
 * The numbers of a field of result blocks.
 *
 * @param field of a numeric type
 */
public record NumberColumn(RowLayout layout, int field) {
    /** Whether the numbers are doubles, and no integers. */
    public boolean ofDoubles() {
        PhysicalType type = type();
        return type == PhysicalType.FLOAT64 || type == PhysicalType.FLOAT32;
    }

    private PhysicalType type() {
        return layout.fields().get(field).type().physical();
    }

    /** Whether there is none. */
    public boolean isNull(TupleBlock rows, int row) {
        return layout.nullBit(field) >= 0 && rows.isNull(field, row);
    }

    /** An integer. */
    public long whole(TupleBlock rows, int row) {
        byte[] column = rows.column(layout.columnOf(field));
        return type() == PhysicalType.INT32
                ? LittleEndian.getInt(column, row * 4)
                : LittleEndian.getLong(column, row * 8);
    }

    /** Any number, an integer as the nearest double. */
    public double number(TupleBlock rows, int row) {
        byte[] column = rows.column(layout.columnOf(field));
        return switch (type()) {
            case FLOAT32 -> LittleEndian.getFloat(column, row * 4);
            case FLOAT64 -> LittleEndian.getDouble(column, row * 8);
            default -> whole(rows, row);
        };
    }

    /** Whether there is a number, and it is neither NaN nor infinite. */
    public boolean isFinite(TupleBlock rows, int row) {
        return !isNull(rows, row) && (!ofDoubles() || Double.isFinite(number(rows, row)));
    }

    /** A number that is greater for a greater one; the zeros are equal. */
    public long ordered(TupleBlock rows, int row) {
        return ofDoubles() ? OrderedBits.of(number(rows, row)) : whole(rows, row);
    }

    /**
     * The nearest double of the change from one row to another: as doubles two integers that differ may be the same.
     */
    public double change(TupleBlock before, int previous, TupleBlock rows, int row) {
        if (ofDoubles()) {
            return number(rows, row) - number(before, previous);
        }
        long from = whole(before, previous);
        long to = whole(rows, row);
        return to >= from ? apart(from, to) : -apart(to, from);
    }

    /**
     * The distance of two times, however far apart.
     *
     * @param later not before the other
     * @return the nearest double of their difference, in their units
     */
    public static double apart(long earlier, long later) {
        long units = later - earlier;
        // 64 bits without a sign.
        return units >= 0 ? units : 2.0 * ((units >>> 1) | (units & 1));
    }
}
