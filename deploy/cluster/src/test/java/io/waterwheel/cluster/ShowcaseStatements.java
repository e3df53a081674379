package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Statements of SQL about taxis and flights: groups of one stream, which are one query, and joins, windows and set
 * operations, which take the executor's process beside a coordinator. Each has its answer by brute force. Owner: one
 * thread at a time.
 */
final class ShowcaseStatements {
    /** Milliseconds of taxis that a statement is about, at most. */
    private static final int SPAN = 2_000;

    private static final long RETRY_NANOS = 20_000_000;
    /** The place of altitude_ft in a line of the flights. */
    private static final int ALTITUDE = 5;

    private final TaxiRows taxis;
    private final List<FlightRows.Row> flights;
    private final String flightsStream;
    private final Map<String, Map<Integer, Long>> demands;
    private final Random random;
    private int asked;
    private int repeats;

    /** A statement, the streams that it reads, and the rows that it has, in any order. */
    private record Question(String sql, Set<String> streams, List<List<Object>> rows) {}

    /** @param demands by stream, up to where its rows are */
    ShowcaseStatements(
            TaxiRows taxis,
            List<FlightRows.Row> flights,
            String flightsStream,
            Map<String, Map<Integer, Long>> demands,
            Random random) {
        this.taxis = taxis;
        this.flights = flights;
        this.flightsStream = flightsStream;
        this.demands = demands;
        this.random = random;
    }

    /** How many statements were asked again, as their coordinator, or what it asked, had died. */
    int repeats() {
        return repeats;
    }

    /**
     * Asks a statement of the next kind and compares its answer.
     *
     * @param patience how long failures that pass are repeated
     */
    void ask(WaterwheelClient client, Duration patience, String when) throws InterruptedException {
        Question question = question(asked++);
        List<List<Object>> rows = null;
        long deadline = System.nanoTime() + patience.toNanos();
        while (rows == null) {
            try {
                rows = answer(client, question, patience);
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.TEMPORARY || System.nanoTime() - deadline > 0) {
                    throw new AssertionError(when + ": " + question.sql(), e);
                }
                repeats++;
                LockSupport.parkNanos(RETRY_NANOS);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
        assertThat(sorted(rows)).as("%s: %s", when, question.sql()).isEqualTo(sorted(question.rows()));
    }

    private List<List<Object>> answer(WaterwheelClient client, Question question, Duration patience) {
        Map<String, Map<Integer, Long>> of = new HashMap<>(demands);
        of.keySet().retainAll(question.streams());
        List<List<Object>> rows = new ArrayList<>();
        try (Cursor cursor =
                client.sql(Statement.of(question.sql()).withAtLeast(of).withTimeout(patience))) {
            while (cursor.next()) {
                List<Object> row = new ArrayList<>();
                for (int f = 0; f < cursor.fields().size(); f++) {
                    row.add(cursor.value(f));
                }
                rows.add(row);
            }
            assertThat(cursor.verdict().complete()).isTrue();
        }
        return rows;
    }

    /** Whole numbers are of any width, and the order is any. */
    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream()
                .map(row -> row.stream().map(String::valueOf).collect(Collectors.joining(",")))
                .sorted()
                .toList();
    }

    private Question question(int number) {
        long begin = taxis.time(0) + random.nextLong(taxis.time(taxis.size() - 1) - taxis.time(0) + 1);
        long end = begin + random.nextInt(SPAN);
        int[] within = IntStream.range(0, taxis.size())
                .filter(row -> begin <= taxis.time(row) && taxis.time(row) <= end)
                .toArray();
        String times = "time BETWEEN " + moment(begin) + " AND " + moment(end);
        return switch (number % (flights.isEmpty() ? 4 : 5)) {
            case 0 -> groups(within, times);
            case 1 -> neighbours(within, times);
            case 2 -> seconds(within, times);
            case 3 -> difference(within, begin, end);
            default -> beside(within, times);
        };
    }

    private static String moment(long millis) {
        return "TIMESTAMP '" + Instant.ofEpochMilli(millis).toString().replace('T', ' ') + "'";
    }

    private static Question taxi(String sql, List<List<Object>> rows) {
        return new Question(sql, Set.of(TaxiRows.STREAM), rows);
    }

    private Map<Integer, List<Integer>> byVehicle(int[] within) {
        Map<Integer, List<Integer>> vehicles = new TreeMap<>();
        for (int row : within) {
            vehicles.computeIfAbsent(taxis.vehicle(row), id -> new ArrayList<>())
                    .add(row);
        }
        return vehicles;
    }

    /** One query of the engine. */
    private Question groups(int[] within, String times) {
        List<List<Object>> rows = new ArrayList<>();
        byVehicle(within).forEach((id, of) -> {
            if (of.size() > 1) {
                rows.add(List.of(
                        id,
                        of.size(),
                        of.stream().mapToLong(taxis::time).min().orElseThrow(),
                        of.stream().mapToDouble(taxis::longitude).max().orElseThrow()));
            }
        });
        return taxi(
                "SELECT id, COUNT(*) AS n, MIN(time) AS first, MAX(lon) AS east FROM taxi WHERE " + times
                        + " GROUP BY id HAVING COUNT(*) > 1",
                rows);
    }

    /** A stream joined with itself. */
    private Question neighbours(int[] within, String times) {
        Map<Integer, List<Integer>> vehicles = byVehicle(within);
        List<List<Object>> rows = new ArrayList<>();
        vehicles.forEach((id, of) -> {
            List<Integer> next = vehicles.getOrDefault(id + 1, List.of());
            if (!next.isEmpty()) {
                rows.add(List.of(
                        id,
                        of.size() * next.size(),
                        next.stream().mapToDouble(taxis::latitude).max().orElseThrow()));
            }
        });
        return taxi(
                "SELECT a.id, COUNT(*) AS n, MAX(b.lat) AS north FROM taxi a JOIN taxi b ON b.id = a.id + 1 WHERE a."
                        + times + " AND b." + times + " GROUP BY a.id",
                rows);
    }

    /** The second report of each vehicle. */
    private Question seconds(int[] within, String times) {
        List<List<Object>> rows = new ArrayList<>();
        byVehicle(within).forEach((id, of) -> of.stream()
                .sorted(Comparator.<Integer>comparingLong(taxis::time)
                        .thenComparingDouble(taxis::longitude)
                        .thenComparingDouble(taxis::latitude))
                .skip(1)
                .findFirst()
                .ifPresent(row -> rows.add(List.of(id, taxis.time(row), taxis.longitude(row), taxis.latitude(row)))));
        return taxi(
                "SELECT id, time, lon, lat FROM taxi WHERE " + times
                        + " QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY time, lon, lat) = 2",
                rows);
    }

    private Question difference(int[] within, long begin, long end) {
        long middle = begin + (end - begin) / 2;
        Set<Integer> only = new HashSet<>();
        IntStream.of(within).filter(row -> taxis.time(row) <= middle).forEach(row -> only.add(taxis.vehicle(row)));
        IntStream.of(within).filter(row -> taxis.time(row) > middle).forEach(row -> only.remove(taxis.vehicle(row)));
        return taxi(
                "SELECT id FROM taxi WHERE time BETWEEN " + moment(begin) + " AND " + moment(middle)
                        + " EXCEPT SELECT id FROM taxi WHERE time > " + moment(middle) + " AND time <= " + moment(end),
                only.stream().map(id -> List.<Object>of(id)).toList());
    }

    /** Two streams: vehicles whose number is an altitude. */
    private Question beside(int[] within, String times) {
        Map<Double, Integer> altitudes = new HashMap<>();
        for (FlightRows.Row flight : flights) {
            if (flight.values().get(ALTITUDE) instanceof Double altitude) {
                altitudes.merge(altitude, 1, Integer::sum);
            }
        }
        List<List<Object>> rows = new ArrayList<>();
        byVehicle(within).forEach((id, of) -> {
            int flying = altitudes.getOrDefault((double) id, 0);
            if (flying > 0) {
                rows.add(List.of(id, of.size() * flying));
            }
        });
        return new Question(
                "SELECT t.id, COUNT(*) AS n FROM taxi t JOIN \"" + flightsStream
                        + "\" f ON f.altitude_ft = t.id WHERE t." + times + " GROUP BY t.id",
                Set.of(TaxiRows.STREAM, flightsStream),
                rows);
    }
}
