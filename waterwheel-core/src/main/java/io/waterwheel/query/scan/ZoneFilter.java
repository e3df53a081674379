package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ExpressionCompiler;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which leaves of a chunk a condition rules out, by the zones and Bloom filters of single fields: the terms of its
 * outermost AND that compare a field with constants. One thread.
 */
final class ZoneFilter implements ExpressionCompiler.ConjunctSink {
    /** Of longer lists only the range is looked at. */
    private static final int MOST_VALUES = 64;

    private static final long NOT_A_NUMBER = OrderedBits.of(Double.NaN);

    private interface Test {
        boolean mayMatch(ChunkDirectory directory, int leaf);
    }

    private final RowLayout layout;
    private final List<Test> tests = new ArrayList<>();

    /** @param where a compiled condition, or null for none */
    ZoneFilter(@Nullable ColumnNode where, RowLayout layout) {
        this.layout = layout;
        if (where != null) {
            ExpressionCompiler.conjuncts(where, this);
        }
    }

    /** Whether a row of the leaf may match; false is certain. */
    boolean mayMatch(ChunkDirectory directory, int leaf) {
        for (Test test : tests) {
            if (!test.mayMatch(directory, leaf)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void within(int column, long low, long high) {
        int field = field(column);
        if (field < 0) {
            return;
        }
        boolean withNaN = isFloating(field) && high >= NOT_A_NUMBER;
        tests.add((directory, leaf) -> low <= high
                && ((withNaN && (!directory.isZoned(field) || directory.nans(leaf, field) > 0))
                        || (low == high
                                ? directory.mayHold(leaf, field, low)
                                : directory.mayHold(leaf, field, low, high))));
    }

    @Override
    public void among(int column, long[] values) {
        int field = field(column);
        if (field < 0 || values.length == 0) {
            return;
        }
        if (values.length > MOST_VALUES) {
            within(column, values[0], values[values.length - 1]);
            return;
        }
        tests.add((directory, leaf) -> {
            for (long value : values) {
                if (directory.mayHold(leaf, field, value)) {
                    return true;
                }
            }
            return false;
        });
    }

    @Override
    public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
        int field = field(column);
        if (field < 0) {
            return;
        }
        if (low != null && Arrays.equals(low, high)) {
            tests.add((directory, leaf) -> directory.mayHold(leaf, field, low, 0, low.length));
            return;
        }
        long lowCode = low == null ? Long.MIN_VALUE : KeyCodec.ofBytes(low, 0, low.length);
        long highCode = high == null ? Long.MAX_VALUE : KeyCodec.ofBytes(high, 0, high.length);
        tests.add((directory, leaf) -> directory.mayHold(leaf, field, lowCode, highCode));
    }

    /** The field of a payload column; -1 for the key and the time, whose ranges are looked at already. */
    private int field(int column) {
        List<Field> fields = layout.fields();
        for (int field = 0; column >= 0 && field < fields.size(); field++) {
            if (layout.columnOf(field) == column) {
                return field;
            }
        }
        return -1;
    }

    private boolean isFloating(int field) {
        FieldType type = layout.fields().get(field).type();
        return type == FieldType.DOUBLE || type == FieldType.FLOAT;
    }
}
