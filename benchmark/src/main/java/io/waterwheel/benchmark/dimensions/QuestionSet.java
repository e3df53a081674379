package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.RealSets;
import io.waterwheel.benchmark.data.TripTuples;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Rows and the questions that are asked of them.
 *
 * @param rows all of them
 * @param dimensions fields that make the key of dimensions, in order
 * @param position the dimensions that are a place, the longitude first; empty for none
 * @param schedule one made for the questions, from the key's highest bit on; empty for none
 * @param fields fields that may be the key alone, not nullable
 * @param questions to be asked of each key
 */
record QuestionSet(
        Rows rows,
        List<String> dimensions,
        List<String> position,
        List<String> schedule,
        List<String> fields,
        List<Question> questions) {
    private static final double SIDE = 0.009;
    private static final int BLOCK_ROWS = 1000;

    private static final List<String> TRIP_DIMENSIONS =
            List.of("pickup_latitude", "pickup_longitude", "passenger_count", "trip_time_in_secs");
    private static final List<String> TRIP_POSITION = List.of("pickup_longitude", "pickup_latitude");
    /** All questions name a small square: six bits of each of its sides, then the others. */
    private static final List<String> TRIP_SCHEDULE = Stream.concat(
                    Stream.generate(() -> TRIP_DIMENSIONS.subList(0, 2)).limit(6),
                    Stream.generate(() -> TRIP_DIMENSIONS.subList(2, 4)).limit(2))
            .flatMap(List::stream)
            .toList();

    private static final List<String> EIGHT = List.of(
            "pickup_latitude",
            "pickup_longitude",
            "dropoff_latitude",
            "dropoff_longitude",
            "passenger_count",
            "trip_time_in_secs",
            "trip_distance",
            "medallion");

    private static final List<Question> TRIPS = List.of(
            trips("1", 40.7645342324, -73.888983772, 0, 0),
            trips("2", 40.7567579105, -74.0104771822, 0, 0),
            trips("3", 40.8350997626, -73.9408829776, 0, 0),
            trips("4", 40.7313968589, -73.9281950202, 0, 0),
            trips("5", 40.6395406815, -73.7786922958, 0, 0),
            trips("6", 40.7766603868, -73.9849723371, 0, 0).during(1357318152, 1387058055),
            trips("7", 40.7518744163, -73.9920231278, 0, 0).during(1387425722, 1389354509),
            trips("8", 40.7390082969, -73.8975113729, 0, 0).during(1358101957, 1384534322),
            trips("9", 40.7441121105, -73.9241726808, 5, 0).during(1357228624, 1380690924),
            trips("10", 40.8095885444, -73.945678875, 5, 0).during(1358303391, 1388758328),
            trips("11", 40.7405100269, -73.8848861323, 6, 1800).during(1360644783, 1378268507),
            trips("12", 40.7360481905, -73.9318252224, 2, 3600).during(1359423704, 1377980909),
            trips("13", 40.7973076091, -73.9652836263, 1, 1800).during(1358294025, 1369831329),
            trips("14", 40.7502443406, -74.0404189891, 2, 1800).during(1366484530, 1381908856),
            trips("15", 40.8966859263, -73.7811546197, 2, 3600).during(1361340581, 1365432055),
            trips("16", 40.64089501, -73.7831658104, 1, 3600).during(1385293736, 1390390061));

    /** Trips that begin in a square, with at most these passengers and seconds; 0 for any. */
    private static Question trips(String name, double latitude, double longitude, int passengers, int seconds) {
        Question question = Question.of(name, "avg(passenger_count)")
                .where("pickup_latitude", Double.toString(latitude), Double.toString(latitude + SIDE))
                .where("pickup_longitude", Double.toString(longitude), Double.toString(longitude + SIDE));
        if (passengers > 0) {
            question = question.where("passenger_count", "", Integer.toString(passengers));
        }
        return seconds > 0 ? question.where("trip_time_in_secs", "", Integer.toString(seconds)) : question;
    }

    /**
     * The set of a name.
     *
     * @throws IllegalArgumentException when there is none
     */
    static QuestionSet of(String name, Options options) throws IOException {
        List<String> weather = List.of("element", "latitude", "longitude", "elevation_m", "value");
        List<String> place = List.of("longitude", "latitude");
        List<String> ofWeather = List.of("element", "value", "latitude", "longitude");
        return switch (name) {
            case "ghcn" ->
                new QuestionSet(weather(options), weather, place, List.of(), ofWeather, WeatherQuestions.ALL);
            case "ghcn-here" ->
                new QuestionSet(weather(options), weather, place, List.of(), ofWeather, WeatherQuestions.HERE);
            case "trips" ->
                new QuestionSet(trips(options), TRIP_DIMENSIONS, TRIP_POSITION, TRIP_SCHEDULE, TRIP_DIMENSIONS, TRIPS);
            case "random" -> {
                Rows rows = trips(options);
                yield new QuestionSet(rows, EIGHT, List.of(), List.of(), EIGHT, random(rows, options));
            }
            default ->
                throw new IllegalArgumentException(
                        "sets: expected some of ghcn, ghcn-here, trips and random, got '" + name + "'");
        };
    }

    private static Rows weather(Options options) throws IOException {
        Rows rows = new Rows(RealSets.GHCN.stream().schema());
        long wanted = options.number("rows");
        RealSets.GHCN.read(Path.of(options.text("data")), block -> {
            rows.addCopy(block);
            return rows.count() < wanted;
        });
        return rows;
    }

    private static Rows trips(Options options) {
        Rows rows = new Rows(TripTuples.schema());
        long wanted = options.number("rows");
        TripTuples trips = new TripTuples(options.number("seed"), wanted);
        while (rows.count() < wanted) {
            rows.add(trips.next((int) Math.min(BLOCK_ROWS, wanted - rows.count())));
        }
        return rows;
    }

    /** One to five of the dimensions; of each a range around a row's value that a twentieth to a fifth of rows meet. */
    private static List<Question> random(Rows rows, Options options) {
        SplittableRandom random = new SplittableRandom(options.number("seed") + 1);
        List<Question> questions = new ArrayList<>();
        for (int q = 1; q <= options.integer("questions"); q++) {
            List<String> left = new ArrayList<>(EIGHT);
            Question question = Question.of("r" + q, "avg(fare)");
            TupleBlock block = rows.blocks().get(random.nextInt(rows.blocks().size()));
            int row = random.nextInt(block.size());
            for (int d = 1 + random.nextInt(5); d > 0; d--) {
                String name = left.remove(random.nextInt(left.size()));
                int field = rows.schema().indexOf(name);
                double[] sample = sample(rows, field, random);
                double value = number(block, field, row);
                int at = Arrays.binarySearch(sample, value);
                int half = (int) (sample.length * (0.025 + 0.075 * random.nextDouble()));
                int middle = at < 0 ? -at - 1 : at;
                question = question.where(
                        name,
                        text(rows, field, Math.min(value, sample[Math.max(0, middle - half)])),
                        text(rows, field, Math.max(value, sample[Math.min(sample.length - 1, middle + half)])));
            }
            questions.add(question);
        }
        return questions;
    }

    private static double[] sample(Rows rows, int field, SplittableRandom random) {
        double[] sample = new double[1000];
        for (int i = 0; i < sample.length; i++) {
            TupleBlock block = rows.blocks().get(random.nextInt(rows.blocks().size()));
            sample[i] = number(block, field, random.nextInt(block.size()));
        }
        Arrays.sort(sample);
        return sample;
    }

    private static double number(TupleBlock block, int field, int row) {
        return ((Number) Objects.requireNonNull(block.value(field, row))).doubleValue();
    }

    private static String text(Rows rows, int field, double value) {
        return rows.schema().fields().get(field).type() == FieldType.INT
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
