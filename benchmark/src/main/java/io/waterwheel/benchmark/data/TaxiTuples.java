package io.waterwheel.benchmark.data;

import io.waterwheel.geo.Box;
import io.waterwheel.key.ZOrder;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.SplittableRandom;

/**
 * Positions of taxis of a city, made up from a seed: (id int, lon double, lat double, time timestamp), with its z-order
 * key 36 bytes a tuple. Vehicles start around the centre (normally distributed) and walk; they report in random order,
 * all together {@code rate} times a second of event time. One tuple in a hundred is late, by up to ten seconds. Not
 * thread-safe.
 */
public final class TaxiTuples {
    public static final Box CITY = new Box(116.0, 39.6, 116.8, 40.2);
    public static final int VEHICLES = 10_000;
    /** Time of the first tuple. */
    public static final long START_MILLIS = 1_700_000_000_000L;

    private static final int LATE_MILLIS = 10_000;
    private static final double STEP = 0.0005;

    private final SplittableRandom random;
    private final double tuplesPerMilli;
    private final double[] longitudes = new double[VEHICLES];
    private final double[] latitudes = new double[VEHICLES];
    private final ZOrder zOrder = new ZOrder(CITY);
    private long made;

    private int id;
    private double longitude;
    private double latitude;
    private long time;

    /** @param ratePerSecond tuples in a second of event time */
    public TaxiTuples(long seed, int ratePerSecond) {
        random = new SplittableRandom(seed);
        tuplesPerMilli = ratePerSecond / 1000.0;
        for (int v = 0; v < VEHICLES; v++) {
            longitudes[v] = within(116.4 + 0.08 * normal(), CITY.west(), CITY.east());
            latitudes[v] = within(39.9 + 0.06 * normal(), CITY.south(), CITY.north());
        }
    }

    /** The stream that takes them. */
    public static StreamDefinition stream(RecordFormat format, int partitions) {
        return SchemaFile.read(
                "taxi.yaml", """
                name: taxi
                topic: taxi
                format: %s
                partitions: %d
                fields:
                  - {name: id, type: int}
                  - {name: lon, type: double}
                  - {name: lat, type: double}
                  - {name: time, type: timestamp}
                key: {longitude: lon, latitude: lat, box: [116.0, 39.6, 116.8, 40.2]}
                time: time
                """.formatted(format.name().toLowerCase(java.util.Locale.ROOT), partitions));
    }

    public int id() {
        return id;
    }

    public double longitude() {
        return longitude;
    }

    public double latitude() {
        return latitude;
    }

    /** Milliseconds since 1970 UTC. */
    public long time() {
        return time;
    }

    /** Adds the next tuple to a block of the stream's layout that has room for it, its key too. */
    public void nextInto(TupleBlock block) {
        next();
        int row = block.size();
        LittleEndian.putInt(block.column(0), row * 4, id);
        LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(longitude));
        LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(latitude));
        block.keys()[row] = zOrder.code(longitude, latitude);
        block.times()[row] = time;
        block.setSize(row + 1);
    }

    /** Makes the next tuple. */
    public void next() {
        int vehicle = random.nextInt(VEHICLES);
        longitudes[vehicle] =
                within(longitudes[vehicle] + STEP * (random.nextDouble() - 0.5), CITY.west(), CITY.east());
        latitudes[vehicle] =
                within(latitudes[vehicle] + STEP * (random.nextDouble() - 0.5), CITY.south(), CITY.north());
        id = vehicle;
        longitude = longitudes[vehicle];
        latitude = latitudes[vehicle];
        time = START_MILLIS + (long) (made++ / tuplesPerMilli);
        if (random.nextInt(100) == 0) {
            time -= random.nextInt(LATE_MILLIS);
        }
    }

    private static double within(double value, double low, double high) {
        return Math.max(low, Math.min(high, value));
    }

    /** About normal: twelve uniform numbers. */
    private double normal() {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += random.nextDouble();
        }
        return sum;
    }
}
