package io.waterwheel.benchmark.data;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.SplittableRandom;

/**
 * Taxi trips of a city and a year, made up from a seed in the image of those of New York in 2013, which the questions
 * of [Colmenares 2017] are about: most begin in Manhattan or at one of two airports, all are in the order of their
 * beginning, the duration follows from the distance, the hour and chance, the fare from both. Not thread-safe.
 */
public final class TripTuples {
    /** The first of January 2013. */
    private static final long START_SECONDS = 1_356_998_400L;

    private static final long YEAR_SECONDS = 365L * 86_400;
    private static final double MILES_A_DEGREE = 69.0;
    private static final double COSINE = Math.cos(Math.toRadians(40.75));
    /** By number of passengers less one, the share of trips with no more. */
    private static final double[] PASSENGERS = {0.70, 0.84, 0.88, 0.90, 0.96, 1.0};

    private final SplittableRandom random;
    private final long rows;
    private long made;

    /** @param rows trips of the year, which lie evenly in it */
    public TripTuples(long seed, long rows) {
        this.random = new SplittableRandom(seed);
        this.rows = rows;
    }

    /** The fields of a trip, with a position for a key. */
    public static Schema schema() {
        return SchemaFile.read("trips.yaml", """
                        name: trips
                        format: block
                        fields:
                          - {name: pickup_datetime, type: timestamp}
                          - {name: medallion, type: int}
                          - {name: rate_code, type: int}
                          - {name: passenger_count, type: int}
                          - {name: trip_time_in_secs, type: int}
                          - {name: trip_distance, type: double}
                          - {name: pickup_longitude, type: double}
                          - {name: pickup_latitude, type: double}
                          - {name: dropoff_longitude, type: double}
                          - {name: dropoff_latitude, type: double}
                          - {name: fare, type: double}
                        key: {longitude: pickup_longitude, latitude: pickup_latitude}
                        time: pickup_datetime
                        """).schema();
    }

    /** The next trips, without keys. */
    public TupleBlock next(int count) {
        TupleBlock block = new TupleBlock(RowLayout.of(schema()), count);
        for (int row = 0; row < count; row++) {
            long second = START_SECONDS + YEAR_SECONDS * made++ / rows;
            double[] from = place();
            double[] to = random.nextInt(4) == 0 ? place() : near(from);
            double miles = 1.3
                    * MILES_A_DEGREE
                    * Math.hypot((from[0] - to[0]) * COSINE, from[1] - to[1])
                    * (1 + 0.1 * normal());
            miles = Math.max(0.1, miles);
            long hour = second / 3600 % 24;
            double milesAnHour = Math.max(4, (hour < 6 ? 20 : 11) + 3 * normal() + 0.3 * miles);
            int seconds = (int) Math.max(60, 3600 * miles / milesAnHour);
            block.times()[row] = second * 1000;
            boolean airport = to[2] > 0 || from[2] > 0;
            int[] whole = {
                random.nextInt(13_437), airport && random.nextInt(3) == 0 ? 2 : 1, passengers(), seconds,
            };
            double[] decimal = {miles, from[0], from[1], to[0], to[1], 2.5 + 2.5 * miles + seconds / 120.0};
            for (int c = 0; c < whole.length; c++) {
                LittleEndian.putInt(block.column(c), row * 4, whole[c]);
            }
            for (int c = 0; c < decimal.length; c++) {
                LittleEndian.putLong(block.column(whole.length + c), row * 8, Double.doubleToRawLongBits(decimal[c]));
            }
        }
        block.setSize(count);
        return block;
    }

    private int passengers() {
        double chance = random.nextDouble();
        int more = 0;
        while (chance > PASSENGERS[more]) {
            more++;
        }
        return more + 1;
    }

    /** Longitude, latitude, and 1 at an airport. */
    private double[] place() {
        double chance = random.nextDouble();
        if (chance < 0.04) {
            return at(-73.7781, 40.6413, 0.004, 1);
        } else if (chance < 0.08) {
            return at(-73.8740, 40.7769, 0.003, 1);
        } else if (chance < 0.85) {
            // Manhattan lies along a line, which its avenues follow.
            double along = 0.5 + 0.22 * normal();
            double across = 0.006 * normal();
            return new double[] {-74.012 + 0.075 * along + across, 40.708 + 0.105 * along - 0.4 * across, 0};
        }
        return at(-73.93, 40.73, 0.05, 0);
    }

    private double[] near(double[] from) {
        return at(from[0], from[1], 0.018, 0);
    }

    private double[] at(double longitude, double latitude, double width, double airport) {
        return new double[] {longitude + width * normal(), latitude + width * normal(), airport};
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
