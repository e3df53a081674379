package io.waterwheel.embedded.demo;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.StreamQuery;
import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Five questions to the first half hour of the flights, and what the file itself says to each: every line is looked at,
 * with code that shares nothing with the engine.
 */
final class DemoQuestions {
    /**
     * A question.
     *
     * @param text for people
     * @param ask puts it to the stream
     * @param row a row of the answer, as a line
     * @param expected the lines of the file's answer
     */
    record Question(String text, UnaryOperator<StreamQuery> ask, Function<Cursor, String> row, List<String> expected) {}

    static final Circle CHARLES_DE_GAULLE = new Circle(2.55, 49.01, 10_000);
    private static final Circle EIFFEL_TOWER = new Circle(2.2945, 48.8584, 8_000);
    private static final Circle ORLY = new Circle(2.365, 48.724, 25_000);
    private static final Box PARIS = new Box(2.2, 48.75, 2.5, 48.95);
    private static final Duration SPAN = Duration.ofMinutes(30);
    private static final long MINUTE = 60_000;

    private final FlightsFile file;
    private final Instant from;
    private final Instant to;
    private final int lines;

    DemoQuestions(FlightsFile file) {
        this.file = file;
        this.from = Instant.ofEpochMilli(file.firstTime());
        this.to = from.plus(SPAN);
        int line = 0;
        while (line < file.size() && file.time(line) <= to.toEpochMilli()) {
            line++;
        }
        this.lines = line;
    }

    /** The lines that the questions are about come before this one. */
    int lines() {
        return lines;
    }

    Instant from() {
        return from;
    }

    Instant to() {
        return to;
    }

    List<Question> all() {
        return List.of(nearTheAirport(), highest(), descending(), byTenMinutes(), overTheTower());
    }

    private Question nearTheAirport() {
        long count = 0;
        for (int i = 0; i < lines; i++) {
            count += metres(CHARLES_DE_GAULLE, i) <= CHARLES_DE_GAULLE.metres() ? 1 : 0;
        }
        return new Question(
                "How many positions lie within 10 km of Charles de Gaulle?",
                query -> query.within(CHARLES_DE_GAULLE).between(from, to).aggregate("count(*)"),
                row -> String.format(Locale.ROOT, "%,d", row.getLong(0)),
                List.of(String.format(Locale.ROOT, "%,d", count)));
    }

    private Question highest() {
        record High(double feet, String callsign, long time) {}

        List<High> found = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            if (!Double.isNaN(file.altitude(i)) && !file.callsign(i).isEmpty()) {
                found.add(new High(file.altitude(i), file.callsign(i), file.time(i)));
            }
        }
        found.sort(Comparator.comparingDouble(High::feet)
                .reversed()
                .thenComparing(High::callsign)
                .thenComparingLong(High::time));
        return new Question(
                "Which three positions are the highest?",
                query -> query.between(from, to)
                        .where("callsign IS NOT NULL AND altitude_ft IS NOT NULL")
                        .select("callsign", "time_ms", "altitude_ft")
                        .orderByDescending("altitude_ft")
                        .limit(3),
                row -> high(row.getString("callsign"), row.getDouble("altitude_ft"), row.getInstant("time_ms")),
                found.stream()
                        .limit(3)
                        .map(high -> high(high.callsign, high.feet, Instant.ofEpochMilli(high.time)))
                        .toList());
    }

    private static String high(String callsign, double feet, Instant time) {
        return String.format(Locale.ROOT, "%s %,.0f ft at %tT", callsign, feet, time.atZone(java.time.ZoneOffset.UTC));
    }

    private Question descending() {
        TreeMap<String, Long> counts = new TreeMap<>();
        for (int i = 0; i < lines; i++) {
            if (file.climb(i) < -1500 && file.altitude(i) < 8000 && metres(ORLY, i) <= ORLY.metres()) {
                counts.merge(file.callsign(i), 1L, Long::sum);
            }
        }
        return new Question(
                "Who comes down to Orly by more than 1,500 ft a minute, below 8,000 ft?",
                query -> query.within(ORLY)
                        .between(from, to)
                        .where("vertical_rate_fpm < -1500 AND altitude_ft < 8000")
                        .aggregate("count(*)")
                        .groupBy("callsign"),
                row -> (row.isNull(0) ? "-" : row.getString(0)) + " " + row.getLong(1) + " s",
                counts.entrySet().stream()
                        .map(entry -> (entry.getKey().isEmpty() ? "-" : entry.getKey()) + " " + entry.getValue() + " s")
                        .toList());
    }

    private Question byTenMinutes() {
        record Sum(long tuples, long known, double feet) {}

        TreeMap<Long, Sum> sums = new TreeMap<>();
        for (int i = 0; i < lines; i++) {
            boolean inside = file.longitude(i) >= PARIS.west()
                    && file.longitude(i) <= PARIS.east()
                    && file.latitude(i) >= PARIS.south()
                    && file.latitude(i) <= PARIS.north();
            if (inside) {
                boolean known = !Double.isNaN(file.altitude(i));
                Sum one = new Sum(1, known ? 1 : 0, known ? file.altitude(i) : 0);
                sums.merge(
                        file.time(i) / (10 * MINUTE),
                        one,
                        (a, b) -> new Sum(a.tuples + b.tuples, a.known + b.known, a.feet + b.feet));
            }
        }
        return new Question(
                "How busy is the sky over Paris, ten minutes at a time, and how high do they fly?",
                query -> query.within(PARIS)
                        .between(from, to)
                        .aggregate("count(*)", "avg(altitude_ft) AS feet")
                        .bucket(Duration.ofMinutes(10)),
                row -> busy(row.getInstant(0), row.getLong(1), row.isNull(2) ? Double.NaN : row.getDouble(2)),
                sums.entrySet().stream()
                        .map(entry -> busy(
                                Instant.ofEpochMilli(entry.getKey() * 10 * MINUTE),
                                entry.getValue().tuples,
                                entry.getValue().feet / entry.getValue().known))
                        .toList());
    }

    private static String busy(Instant time, long tuples, double feet) {
        return String.format(Locale.ROOT, "%tR %,d at %,.0f ft", time.atZone(java.time.ZoneOffset.UTC), tuples, feet);
    }

    private Question overTheTower() {
        Instant begin = from.plus(Duration.ofMinutes(10));
        Instant end = from.plus(Duration.ofMinutes(20));
        TreeMap<String, Double> lowest = new TreeMap<>();
        for (int i = 0; i < lines; i++) {
            if (file.time(i) >= begin.toEpochMilli()
                    && file.time(i) <= end.toEpochMilli()
                    && !Double.isNaN(file.altitude(i))
                    && metres(EIFFEL_TOWER, i) <= EIFFEL_TOWER.metres()) {
                lowest.merge(file.callsign(i), file.altitude(i), Math::min);
            }
        }
        return new Question(
                String.format(
                        Locale.ROOT,
                        "Who passed the Eiffel Tower within 8 km, %tR to %tR, and how low?",
                        begin.atZone(java.time.ZoneOffset.UTC),
                        end.atZone(java.time.ZoneOffset.UTC)),
                query -> query.within(EIFFEL_TOWER)
                        .between(begin, end)
                        .where("altitude_ft IS NOT NULL")
                        .aggregate("min(altitude_ft)")
                        .groupBy("callsign"),
                row -> passed(row.isNull(0) ? "" : row.getString(0), row.getDouble(1)),
                lowest.entrySet().stream()
                        .map(entry -> passed(entry.getKey(), entry.getValue()))
                        .toList());
    }

    private static String passed(String callsign, double feet) {
        return String.format(Locale.ROOT, "%s %,.0f ft", callsign.isEmpty() ? "-" : callsign, feet);
    }

    /** From the circle's centre to the position of a line, on the sphere. */
    private double metres(Circle circle, int line) {
        double latitude = Math.toRadians(file.latitude(line));
        double centre = Math.toRadians(circle.latitude());
        double north = Math.sin((latitude - centre) / 2);
        double east = Math.sin(Math.toRadians(file.longitude(line) - circle.longitude()) / 2);
        double chord = north * north + Math.cos(latitude) * Math.cos(centre) * east * east;
        return 2 * Circle.EARTH_RADIUS_METRES * Math.asin(Math.sqrt(chord));
    }
}
