package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;

/** Fills the keys of a block's rows as the schema says. Immutable; any thread. Allocates only for refused rows. */
public abstract sealed class KeyMaker {
    private KeyMaker() {}

    /**
     * The key maker of a stream.
     *
     * @param layout the stored layout of the schema
     */
    public static KeyMaker of(RowLayout layout, Schema schema) {
        if (schema.key() instanceof KeySpec.Position position) {
            return new OfPosition(layout, schema, position);
        }
        KeySpec.Ordered ordered = (KeySpec.Ordered) schema.key();
        int field = schema.indexOf(ordered.field());
        int column = layout.columnOf(field);
        if (column == RowLayout.KEY) {
            return InPlace.OF_KEY;
        }
        return column == RowLayout.TIME
                ? InPlace.OF_TIME
                : new OfColumn(schema.fields().get(field), column);
    }

    /** Every key that a tuple of the schema can have lies in this interval. */
    public static KeyInterval domain(Schema schema) {
        if (schema.key() instanceof KeySpec.Ordered ordered) {
            return KeyCodec.domain(
                    schema.fields().get(schema.indexOf(ordered.field())).type());
        }
        return new KeyInterval(0, ZOrder.MAX_CODE);
    }

    /**
     * Sets the keys of rows [fromRow, size), the rows of one record. A row whose key cannot be made is reported and
     * removed: the rows behind it move up and the size falls. The key of a field of whole numbers is already in place.
     *
     * @return number of rows removed
     */
    public abstract int fill(TupleBlock block, int fromRow, RowRejects rejects);

    /** Moves all but the key. The arena keeps the bytes of removed rows: they are few and the block is short-lived. */
    private static void moveRow(TupleBlock block, int from, int to) {
        block.times()[to] = block.times()[from];
        RowLayout layout = block.layout();
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            System.arraycopy(block.column(c), from * width, block.column(c), to * width, width);
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
            switch (field.type()) {
                case FLOAT, DOUBLE -> {
                    return fillNumbers(block, fromRow, rejects);
                }
                case STRING, BYTES -> {
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
                case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> {
                    for (int row = fromRow; row < size; row++) {
                        keys[row] = LittleEndian.getLong(values, row * 8);
                    }
                }
                case INT, IPV4 -> throw new IllegalStateException("a " + field.type() + " key has no column");
            }
            return 0;
        }

        private int fillNumbers(TupleBlock block, int fromRow, RowRejects rejects) {
            byte[] values = block.column(column);
            boolean wide = field.type() == FieldType.DOUBLE;
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

    private static final class OfPosition extends KeyMaker {
        private final ZOrder zOrder;
        private final String longitudeName;
        private final String latitudeName;
        private final int longitudeColumn;
        private final int latitudeColumn;

        OfPosition(RowLayout layout, Schema schema, KeySpec.Position position) {
            this.zOrder = new ZOrder(position.domain());
            this.longitudeName = position.longitude();
            this.latitudeName = position.latitude();
            this.longitudeColumn = layout.columnOf(schema.indexOf(longitudeName));
            this.latitudeColumn = layout.columnOf(schema.indexOf(latitudeName));
        }

        @Override
        public int fill(TupleBlock block, int fromRow, RowRejects rejects) {
            byte[] longitudes = block.column(longitudeColumn);
            byte[] latitudes = block.column(latitudeColumn);
            long[] keys = block.keys();
            int size = block.size();
            Box domain = zOrder.domain();
            int kept = fromRow;
            for (int row = fromRow; row < size; row++) {
                double longitude = LittleEndian.getDouble(longitudes, row * 8);
                double latitude = LittleEndian.getDouble(latitudes, row * 8);
                if (!domain.contains(longitude, latitude)) {
                    rejects.reject(row - fromRow, reason(longitude, latitude));
                    continue;
                }
                if (kept != row) {
                    moveRow(block, row, kept);
                }
                keys[kept++] = zOrder.code(longitude, latitude);
            }
            block.setSize(kept);
            return size - kept;
        }

        private String reason(double longitude, double latitude) {
            Box domain = zOrder.domain();
            if (!(longitude >= domain.west() && longitude <= domain.east())) {
                return reason(longitudeName, longitude, domain.west(), domain.east());
            }
            return reason(latitudeName, latitude, domain.south(), domain.north());
        }

        private static String reason(String field, double value, double min, double max) {
            return "field '" + field + "': expected a number from " + min + " to " + max + " (the key's domain), got "
                    + value;
        }
    }
}
