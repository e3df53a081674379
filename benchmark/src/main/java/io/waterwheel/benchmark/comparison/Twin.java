package io.waterwheel.benchmark.comparison;

import io.waterwheel.key.Area;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.PositionIndex;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** All rows in arrays, and every answer by looking at each of them. */
final class Twin {
    /** An answer as a bag of rows: their number, the sum of their hashes, and the sum of their hashes' hashes. */
    record Bag(long rows, long sum, long mixed) {
        static final Bag EMPTY = new Bag(0, 0, 0);

        Bag with(long hash) {
            return new Bag(rows + 1, sum + hash, mixed + RowHashes.mix(~hash));
        }
    }

    private final RowHashes hashes;
    private final int longitudeColumn;
    private final int latitudeColumn;
    private long[] keys = new long[1024];
    private long[] times = new long[1024];
    private long[] hash = new long[1024];
    private double[] longitudes = new double[1024];
    private double[] latitudes = new double[1024];
    private int size;

    Twin(Schema schema) {
        RowLayout layout = RowLayout.of(schema);
        hashes = new RowHashes(layout);
        PositionIndex positions = KeyScheme.of(schema).positions();
        longitudeColumn = positions == null ? -1 : layout.columnOf(positions.longitudeField());
        latitudeColumn = positions == null ? -1 : layout.columnOf(positions.latitudeField());
    }

    int size() {
        return size;
    }

    boolean hasPositions() {
        return longitudeColumn >= 0;
    }

    long key(int row) {
        return keys[row];
    }

    long time(int row) {
        return times[row];
    }

    double longitude(int row) {
        return longitudes[row];
    }

    double latitude(int row) {
        return latitudes[row];
    }

    void add(TupleBlock block) {
        int rows = size + block.size();
        if (rows > keys.length) {
            int grown = Math.max(rows, keys.length * 2);
            keys = Arrays.copyOf(keys, grown);
            times = Arrays.copyOf(times, grown);
            hash = Arrays.copyOf(hash, grown);
            longitudes = Arrays.copyOf(longitudes, hasPositions() ? grown : 0);
            latitudes = Arrays.copyOf(latitudes, hasPositions() ? grown : 0);
        }
        System.arraycopy(block.keys(), 0, keys, size, block.size());
        System.arraycopy(block.times(), 0, times, size, block.size());
        for (int row = 0; row < block.size(); row++) {
            hash[size + row] = hashes.of(block, row);
            if (hasPositions()) {
                longitudes[size + row] = LittleEndian.getDouble(block.column(longitudeColumn), row * 8);
                latitudes[size + row] = LittleEndian.getDouble(block.column(latitudeColumn), row * 8);
            }
        }
        size = rows;
    }

    /**
     * The rows of the first {@code rows} that lie in the interval of keys, of times and, when there is one, the area.
     */
    Bag answer(int rows, KeyInterval of, TimeInterval in, @Nullable Area area) {
        long count = 0;
        long sum = 0;
        long mixed = 0;
        for (int row = 0; row < rows; row++) {
            if (keys[row] >= of.low()
                    && keys[row] <= of.high()
                    && times[row] >= in.from()
                    && times[row] <= in.to()
                    && (area == null || area.contains(longitudes[row], latitudes[row]))) {
                count++;
                sum += hash[row];
                mixed += RowHashes.mix(~hash[row]);
            }
        }
        return new Bag(count, sum, mixed);
    }
}
