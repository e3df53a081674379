package io.waterwheel.key;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys that keep the order of one field's values (see {@link KeyCodec}). */
final class FieldScheme extends KeyScheme {
    /** More values of an IN than this are not made intervals of their own: only their range is taken. */
    private static final int MOST_KEYS = 1000;

    private final Field field;
    private final int index;

    FieldScheme(Schema schema) {
        this.index = schema.keyField();
        this.field = schema.fields().get(index);
    }

    @Override
    public KeyInterval domain() {
        return KeyCodec.domain(field.type());
    }

    @Override
    public KeyMaker maker(RowLayout layout) {
        return switch (layout.columnOf(index)) {
            case RowLayout.KEY -> InPlace.OF_KEY;
            case RowLayout.TIME -> InPlace.OF_TIME;
            default -> new OfColumn(field, layout.columnOf(index));
        };
    }

    @Override
    public long parse(String text) {
        return KeyCodec.ofText(field, text);
    }

    @Override
    public String format(long key) {
        return KeyCodec.toText(field, key);
    }

    @Override
    public int inexactField() {
        return KeyCodec.isExact(field.type()) ? -1 : index;
    }

    @Override
    public KeyNarrowing narrowing(RowLayout layout) {
        // Bounds of floats are given as doubles, and booleans have none: neither is a bound of keys.
        PhysicalType type = field.type().physical();
        boolean narrows = type != PhysicalType.FLOAT32 && type != PhysicalType.BOOLEAN;
        return narrows ? new OfBounds(layout.columnOf(index)) : new KeyNarrowing() {};
    }

    /** Bounds of the field's values are bounds of keys. */
    private static final class OfBounds implements KeyNarrowing {
        private final int keyColumn;
        private List<KeyInterval> keys = List.of(KeyInterval.ALL);
        private byte @Nullable [] lowText;
        private byte @Nullable [] highText;

        OfBounds(int keyColumn) {
            this.keyColumn = keyColumn;
        }

        @Override
        public void within(int column, long low, long high) {
            if (column == keyColumn) {
                keys = KeyIntervals.intersection(
                        keys, low > high ? List.<KeyInterval>of() : List.of(new KeyInterval(low, high)));
            }
        }

        @Override
        public void among(int column, long[] values) {
            if (column != keyColumn) {
                return;
            }
            if (values.length == 0) {
                keys = List.of();
            } else if (values.length <= MOST_KEYS) {
                List<KeyInterval> points = new ArrayList<>(values.length);
                for (long value : values) {
                    points.add(new KeyInterval(value, value));
                }
                keys = KeyIntervals.intersection(keys, KeyIntervals.merged(points));
            } else {
                within(column, values[0], values[values.length - 1]);
            }
        }

        @Override
        public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
            if (column == keyColumn) {
                // Keys are the first bytes: values beyond a bound may share its key, and are looked at again.
                within(
                        column,
                        low == null ? Long.MIN_VALUE : KeyCodec.ofBytes(low, 0, low.length),
                        high == null ? Long.MAX_VALUE : KeyCodec.ofBytes(high, 0, high.length));
                if (low != null && (lowText == null || Arrays.compareUnsigned(lowText, low) < 0)) {
                    lowText = low;
                }
                if (high != null && (highText == null || Arrays.compareUnsigned(highText, high) > 0)) {
                    highText = high;
                }
            }
        }

        @Override
        public void any(List<KeyNarrowing> alternatives) {
            List<KeyInterval> all = new ArrayList<>();
            alternatives.forEach(alternative -> all.addAll(alternative.keys()));
            keys = KeyIntervals.intersection(keys, KeyIntervals.merged(all));
        }

        @Override
        public List<KeyInterval> keys() {
            return keys;
        }

        @Override
        public byte @Nullable [] onlyText() {
            return Arrays.equals(lowText, highText) ? lowText : null;
        }
    }

    /** The decoder has filled the keys, or the times that are the keys. */
    private static final class InPlace extends KeyMaker {
        static final InPlace OF_KEY = new InPlace(false);
        static final InPlace OF_TIME = new InPlace(true);

        private final boolean keyIsTime;

        private InPlace(boolean keyIsTime) {
            this.keyIsTime = keyIsTime;
        }

        @Override
        public int fill(TupleBlock block, int fromRow, RowRejects rejects) {
            if (keyIsTime) {
                System.arraycopy(block.times(), fromRow, block.keys(), fromRow, block.size() - fromRow);
            }
            return 0;
        }
    }

    /** The key is made of a field that keeps a column. */
    private static final class OfColumn extends KeyMaker {
        private final Field field;
        private final int column;

        OfColumn(Field field, int column) {
            this.field = field;
            this.column = column;
        }

        @Override
        public int fill(TupleBlock block, int fromRow, RowRejects rejects) {
            byte[] values = block.column(column);
            long[] keys = block.keys();
            int size = block.size();
            switch (field.type().physical()) {
                case FLOAT32, FLOAT64 -> {
                    return fillNumbers(block, fromRow, rejects);
                }
                case VARIABLE -> {
                    for (int row = fromRow; row < size; row++) {
                        long reference = LittleEndian.getLong(values, row * 8);
                        keys[row] = KeyCodec.ofBytes(
                                block.arena(),
                                TupleBlock.referenceOffset(reference),
                                TupleBlock.referenceLength(reference));
                    }
                }
                case BOOLEAN -> {
                    for (int row = fromRow; row < size; row++) {
                        keys[row] = values[row];
                    }
                }
                case INT64 -> {
                    for (int row = fromRow; row < size; row++) {
                        keys[row] = LittleEndian.getLong(values, row * 8);
                    }
                }
                case INT32, UINT32 -> throw new IllegalStateException("a " + field.type() + " key has no column");
            }
            return 0;
        }

        private int fillNumbers(TupleBlock block, int fromRow, RowRejects rejects) {
            byte[] values = block.column(column);
            boolean wide = field.type().physical() == PhysicalType.FLOAT64;
            int size = block.size();
            int kept = fromRow;
            for (int row = fromRow; row < size; row++) {
                double value = wide ? LittleEndian.getDouble(values, row * 8) : LittleEndian.getFloat(values, row * 4);
                if (Double.isNaN(value)) {
                    rejects.reject(
                            row - fromRow,
                            "field '" + field.name() + "': expected a number, for it is the key, got NaN");
                    continue;
                }
                if (kept != row) {
                    moveRow(block, row, kept);
                }
                block.keys()[kept++] = wide ? KeyCodec.ofDouble(value) : KeyCodec.ofFloat((float) value);
            }
            block.setSize(kept);
            return size - kept;
        }
    }
}
