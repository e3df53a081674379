package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.NarrowFilter;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Selection;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;

/** Whether a numeric field or a time lies within bounds: the commonest condition, straight on the stored bytes. */
final class FieldBounds extends ColumnNode {
    private final FieldNode field;
    private final Bounds bounds;

    FieldBounds(FieldNode field, Bounds bounds) {
        super(ValueType.BOOLEAN);
        this.field = field;
        this.bounds = bounds;
    }

    FieldNode field() {
        return field;
    }

    Bounds bounds() {
        return bounds;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        field.evaluate(view, selected, count);
        Values values = field.values();
        long[] truth = out.ownLongs(view);
        boolean doubles = field.type() == ValueType.DOUBLE;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            truth[row] = bounds.pass(doubles ? OrderedBits.of(values.doubles[row]) : values.longs[row]) ? 1 : 0;
        }
        out.nullsOf(values, selected, count, view);
        field.release(view);
    }

    @Override
    public int keep(RowView view, int[] selected, int count) {
        NarrowLongs narrow = field.column() < 0 ? null : view.narrow[field.column()];
        if (narrow != null) {
            int kept = keepNarrow(narrow, selected, count);
            return field.nullable() ? field.keepPresent(view, selected, kept) : kept;
        }
        PhysicalType type = field.fieldType().physical();
        boolean whole = type == PhysicalType.INT64 || type == PhysicalType.INT32;
        if (field.nullable()
                && view.nulls == null
                && whole
                && bounds.low() <= bounds.high()
                && Selection.isRange(selected, count)) {
            byte[] bytes = view.columns[field.column()];
            int base = view.bases[field.column()];
            FieldRange.Nulls nulls = new FieldRange.Nulls(
                    field.nullMasks(view), field.nullBase(view), field.nullWidth(), field.nullShift());
            return type == PhysicalType.INT64
                    ? FieldRange.longs(bounds, bytes, base, nulls, selected, count)
                    : FieldRange.ints(bounds, bytes, base, nulls, selected, count);
        }
        // What a value is where it is null is not defined, but it is there: nulls are looked for among few.
        int kept = keepWithin(view, selected, count);
        return field.nullable() ? field.keepPresent(view, selected, kept) : kept;
    }

    private int keepNarrow(NarrowLongs numbers, int[] selected, int count) {
        if (bounds.low() > bounds.high()) {
            return bounds.outside() ? count : 0;
        }
        return NarrowFilter.within(numbers, selected, count, bounds.low(), bounds.high(), bounds.outside());
    }

    private int keepWithin(RowView view, int[] selected, int count) {
        boolean range = Selection.isRange(selected, count);
        if (field.column() < 0) {
            long[] values = field.column() == RowLayout.KEY ? view.keys : view.times;
            return range ? FieldRange.longs(bounds, values, selected, count) : keepLongs(values, selected, count);
        }
        byte[] bytes = view.columns[field.column()];
        int base = view.bases[field.column()];
        return switch (field.fieldType().physical()) {
            case INT32 ->
                range ? FieldRange.ints(bounds, bytes, base, selected, count) : keepInts(bytes, base, selected, count);
            case UINT32 -> keepAddresses(bytes, base, selected, count);
            case FLOAT32 -> keepFloats(bytes, base, selected, count);
            case FLOAT64 ->
                range && FieldRange.areNumbers(bounds)
                        ? FieldRange.doubles(bounds, bytes, base, selected, count)
                        : keepDoubles(bytes, base, selected, count);
            case INT64 ->
                range
                        ? FieldRange.longs(bounds, bytes, base, selected, count)
                        : keepLongs(bytes, base, selected, count);
            case BOOLEAN, VARIABLE -> throw new IllegalStateException("no bounds of " + field.fieldType());
        };
    }

    private int keepLongs(long[] values, int[] selected, int count) {
        long low = bounds.low();
        long high = bounds.high();
        boolean outside = bounds.outside();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long value = values[row];
            selected[kept] = row;
            kept += (value >= low && value <= high) != outside ? 1 : 0;
        }
        return kept;
    }

    private int keepLongs(byte[] bytes, int base, int[] selected, int count) {
        long low = bounds.low();
        long high = bounds.high();
        boolean outside = bounds.outside();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long value = LittleEndian.getLong(bytes, base + row * 8);
            selected[kept] = row;
            kept += (value >= low && value <= high) != outside ? 1 : 0;
        }
        return kept;
    }

    private int keepInts(byte[] bytes, int base, int[] selected, int count) {
        long low = bounds.low();
        long high = bounds.high();
        boolean outside = bounds.outside();
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            long value = LittleEndian.getInt(bytes, base + row * 4);
            selected[kept] = row;
            kept += (value >= low && value <= high) != outside ? 1 : 0;
        }
        return kept;
    }

    private int keepAddresses(byte[] bytes, int base, int[] selected, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += bounds.pass(LittleEndian.getInt(bytes, base + row * 4) & 0xFFFFFFFFL) ? 1 : 0;
        }
        return kept;
    }

    private int keepFloats(byte[] bytes, int base, int[] selected, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += bounds.pass(OrderedBits.of(LittleEndian.getFloat(bytes, base + row * 4))) ? 1 : 0;
        }
        return kept;
    }

    private int keepDoubles(byte[] bytes, int base, int[] selected, int count) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            selected[kept] = row;
            kept += bounds.pass(OrderedBits.of(LittleEndian.getDouble(bytes, base + row * 8))) ? 1 : 0;
        }
        return kept;
    }
}
