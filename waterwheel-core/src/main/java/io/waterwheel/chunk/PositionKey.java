package io.waterwheel.chunk;

import io.waterwheel.geo.Box;
import io.waterwheel.key.ZOrder;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import org.jspecify.annotations.Nullable;

/** Makes the z-order keys of a leaf from its two columns of coordinates, so that they need not be stored. Immutable. */
final class PositionKey {
    final int longitudeColumn;
    final int latitudeColumn;
    final Box domain;
    private final ZOrder zOrder;

    /** @throws IllegalArgumentException for a domain that no key can have */
    PositionKey(int longitudeColumn, int latitudeColumn, Box domain) {
        this.longitudeColumn = longitudeColumn;
        this.latitudeColumn = latitudeColumn;
        this.domain = domain;
        this.zOrder = new ZOrder(domain);
    }

    /** That of the schema; null when its key is not made of a position. */
    static @Nullable PositionKey of(RowLayout layout, Schema schema) {
        if (schema.key() instanceof KeySpec.Position position) {
            return new PositionKey(
                    layout.columnOf(schema.indexOf(position.longitude())),
                    layout.columnOf(schema.indexOf(position.latitude())),
                    position.domain());
        }
        return null;
    }

    /** Whether each key is the one that its row's coordinates give; these are bits of doubles. */
    boolean makes(long[] keys, long[] longitudes, long[] latitudes, int rows) {
        for (int i = 0; i < rows; i++) {
            double longitude = Double.longBitsToDouble(longitudes[i]);
            double latitude = Double.longBitsToDouble(latitudes[i]);
            if (zOrder.code(longitude, latitude) != keys[i]) {
                return false;
            }
        }
        return true;
    }

    /** The keys of decoded columns. */
    long[] keys(byte[] longitudes, byte[] latitudes, int rows) {
        long[] keys = new long[rows];
        for (int i = 0; i < rows; i++) {
            keys[i] = zOrder.code(LittleEndian.getDouble(longitudes, i * 8), LittleEndian.getDouble(latitudes, i * 8));
        }
        return keys;
    }
}
