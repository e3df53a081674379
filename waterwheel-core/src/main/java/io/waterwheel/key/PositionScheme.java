package io.waterwheel.key;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.LongConsumer;

/** Keys that are the z-order codes of positions (see {@link ZOrder}). */
final class PositionScheme extends KeyScheme {
    /** How chunk files name it. */
    static final int KIND = 1;

    private static final int PARAMETER_BYTES = 2 * 2 + 4 * 8;

    private final KeySpec.Position position;
    private final InZOrder index;

    PositionScheme(Schema schema, KeySpec.Position position) {
        this.position = position;
        this.index = new InZOrder(
                schema.indexOf(position.longitude()), schema.indexOf(position.latitude()), position.domain());
    }

    @Override
    public KeyInterval domain() {
        return new KeyInterval(0, ZOrder.MAX_CODE);
    }

    @Override
    public KeyMaker maker(RowLayout layout) {
        return new Maker(position, layout.columnOf(index.longitudeField()), layout.columnOf(index.latitudeField()));
    }

    @Override
    public long parse(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "expected a z-order code, for the key is a position, got '" + text + "'", e);
        }
    }

    @Override
    public String format(long key) {
        return Long.toString(key);
    }

    /** Conditions on coordinates narrow no keys: shapes do. */
    @Override
    public KeyNarrowing narrowing(RowLayout layout) {
        return new KeyNarrowing() {};
    }

    @Override
    public PositionIndex positions() {
        return index;
    }

    @Override
    public DerivedKeys derived(RowLayout layout) {
        return new Derived(
                layout.columnOf(index.longitudeField()), layout.columnOf(index.latitudeField()), position.domain());
    }

    /** @throws IllegalArgumentException when they do not fit */
    static DerivedKeys derived(RowLayout layout, ByteBuffer parameters) {
        if (parameters.remaining() != PARAMETER_BYTES) {
            throw new IllegalArgumentException(
                    "expected " + PARAMETER_BYTES + " bytes of parameters, got " + parameters.remaining());
        }
        ByteBuffer in = parameters.order(ByteOrder.LITTLE_ENDIAN);
        int longitude = coordinate(layout, in.getShort() & 0xFFFF);
        int latitude = coordinate(layout, in.getShort() & 0xFFFF);
        return new Derived(
                longitude, latitude, new Box(in.getDouble(), in.getDouble(), in.getDouble(), in.getDouble()));
    }

    private static int coordinate(RowLayout layout, int column) {
        if (column >= layout.columns() || layout.width(column) != 8 || layout.variable(column)) {
            throw new IllegalArgumentException("expected a column of doubles, got column " + column);
        }
        return column;
    }

    /** Covers areas with intervals of codes. */
    private record InZOrder(int longitudeField, int latitudeField, Box domain) implements PositionIndex {
        @Override
        public List<KeyInterval> intervals(Area area, int limit, LongConsumer spend) {
            return area.intervals(new ZOrder(domain), limit, spend);
        }
    }

    /** Makes the codes of a leaf from its two columns of coordinates. */
    private static final class Derived implements DerivedKeys {
        private final int longitudeColumn;
        private final int latitudeColumn;
        private final ZOrder zOrder;

        Derived(int longitudeColumn, int latitudeColumn, Box domain) {
            this.longitudeColumn = longitudeColumn;
            this.latitudeColumn = latitudeColumn;
            this.zOrder = new ZOrder(domain);
        }

        @Override
        public int columns() {
            return 2;
        }

        @Override
        public int column(int number) {
            return number == 0 ? longitudeColumn : latitudeColumn;
        }

        @Override
        public boolean makes(long[] keys, long[][] values, int rows) {
            long[] longitudes = values[0];
            long[] latitudes = values[1];
            for (int i = 0; i < rows; i++) {
                double longitude = Double.longBitsToDouble(longitudes[i]);
                double latitude = Double.longBitsToDouble(latitudes[i]);
                if (zOrder.code(longitude, latitude) != keys[i]) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public long[] keys(byte[][] values, byte[][] arenas, int rows) {
            byte[] longitudes = values[0];
            byte[] latitudes = values[1];
            return zOrder.codes(longitudes, latitudes, rows);
        }

        @Override
        public int kind() {
            return KIND;
        }

        @Override
        public byte[] parameters() {
            Box domain = zOrder.domain();
            return ByteBuffer.allocate(PARAMETER_BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putShort((short) longitudeColumn)
                    .putShort((short) latitudeColumn)
                    .putDouble(domain.west())
                    .putDouble(domain.south())
                    .putDouble(domain.east())
                    .putDouble(domain.north())
                    .array();
        }
    }

    private static final class Maker extends KeyMaker {
        private final ZOrder zOrder;
        private final KeySpec.Position position;
        private final int longitudeColumn;
        private final int latitudeColumn;

        Maker(KeySpec.Position position, int longitudeColumn, int latitudeColumn) {
            this.zOrder = new ZOrder(position.domain());
            this.position = position;
            this.longitudeColumn = longitudeColumn;
            this.latitudeColumn = latitudeColumn;
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
                return reason(position.longitude(), longitude, domain.west(), domain.east());
            }
            return reason(position.latitude(), latitude, domain.south(), domain.north());
        }

        private static String reason(String field, double value, double min, double max) {
            return "field '" + field + "': expected a number from " + min + " to " + max + " (the key's domain), got "
                    + value;
        }
    }
}
