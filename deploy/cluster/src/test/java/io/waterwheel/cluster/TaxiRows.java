package io.waterwheel.cluster;

import io.waterwheel.geo.Box;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TimeInterval;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Positions of taxis of a city, made from a seed: vehicles start around the centre and walk, and report in random
 * order, ten thousand times a second; one report in a hundred is up to ten seconds late. 16 bytes each are kept.
 * Immutable once made.
 */
final class TaxiRows {
    static final String STREAM = "taxi";
    static final Box CITY = new Box(116.0, 39.6, 116.8, 40.2);
    private static final long START_MILLIS = 1_700_000_000_000L;
    private static final int VEHICLES = 10_000;
    private static final int A_MILLI = 10;
    private static final int LATE_MILLIS = 10_000;
    private static final int STEP = 500;
    private static final double MICRO = 1e6;

    private final int[] vehicles;
    private final int[] longitudes;
    private final int[] latitudes;
    private final int[] millis;

    TaxiRows(long seed, int rows) {
        vehicles = new int[rows];
        longitudes = new int[rows];
        latitudes = new int[rows];
        millis = new int[rows];
        SplittableRandom random = new SplittableRandom(seed);
        int[] east = new int[VEHICLES];
        int[] north = new int[VEHICLES];
        for (int v = 0; v < VEHICLES; v++) {
            east[v] = within(116_400_000 + (int) (80_000 * normal(random)), 116_000_000, 116_800_000);
            north[v] = within(39_900_000 + (int) (60_000 * normal(random)), 39_600_000, 40_200_000);
        }
        for (int i = 0; i < rows; i++) {
            int v = random.nextInt(VEHICLES);
            east[v] = within(east[v] + random.nextInt(-STEP, STEP + 1), 116_000_000, 116_800_000);
            north[v] = within(north[v] + random.nextInt(-STEP, STEP + 1), 39_600_000, 40_200_000);
            vehicles[i] = v;
            longitudes[i] = east[v];
            latitudes[i] = north[v];
            millis[i] = i / A_MILLI + LATE_MILLIS - (random.nextInt(100) == 0 ? random.nextInt(LATE_MILLIS) : 0);
        }
    }

    /** About normal: twelve uniform numbers. */
    private static double normal(SplittableRandom random) {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += random.nextDouble();
        }
        return sum;
    }

    private static int within(int value, int low, int high) {
        return Math.max(low, Math.min(high, value));
    }

    static StreamDefinition definition() {
        return SchemaFile.read(
                "taxi.yaml", """
                name: %s
                topic: taxi
                format: %s
                partitions: 4
                fields:
                  - {name: id, type: int}
                  - {name: lon, type: double}
                  - {name: lat, type: double}
                  - {name: time, type: timestamp}
                key: {longitude: lon, latitude: lat, box: [116.0, 39.6, 116.8, 40.2]}
                time: time
                """.formatted(STREAM, RecordFormat.BLOCK.name().toLowerCase(Locale.ROOT)));
    }

    int size() {
        return vehicles.length;
    }

    int vehicle(int row) {
        return vehicles[row];
    }

    double longitude(int row) {
        return longitudes[row] / MICRO;
    }

    double latitude(int row) {
        return latitudes[row] / MICRO;
    }

    long time(int row) {
        return START_MILLIS + millis[row];
    }

    boolean matches(int row, Box box, TimeInterval times) {
        return times.from() <= time(row) && time(row) <= times.to() && box.contains(longitude(row), latitude(row));
    }

    /** Of a row of these values: sums of it are the same for the same rows in any order, and hardly for others. */
    static long digest(int vehicle, double longitude, double latitude, long time) {
        long hash = mix(time * 31 + vehicle);
        hash = mix(hash ^ Double.doubleToRawLongBits(longitude));
        return mix(hash ^ Double.doubleToRawLongBits(latitude));
    }

    long digest(int row) {
        return digest(vehicle(row), longitude(row), latitude(row), time(row));
    }

    private static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
