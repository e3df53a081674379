package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.TimeInterval;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/** A file of flights, read naively: the truth that answers are compared with. */
final class FlightRows {
    /** Rows as the file has them, without the header. */
    final List<String> lines = new ArrayList<>();

    /** Rows as answers have them; empty for rows without a position. */
    final List<List<Object>> rows = new ArrayList<>();

    private final List<double[]> positions = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();

    /** The folder of data sets, or null where it is missing. */
    static Path shared() {
        Path shared = Path.of(System.getProperty("waterwheel.shared", "../../../shared"));
        return Files.isDirectory(shared.resolve("data")) ? shared : null;
    }

    /** The first rows of a file. */
    static FlightRows read(Path file, int most) throws IOException {
        return read(file, most, 1);
    }

    /** Of a file's rows those without a position, and of the others one of so many; the first of them. */
    static FlightRows read(Path file, int most, int oneOf) throws IOException {
        FlightRows flights = new FlightRows();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), UTF_8))) {
            in.readLine();
            String line;
            int placed = 0;
            while (flights.lines.size() < most && (line = in.readLine()) != null) {
                String[] parts = line.split(",", -1);
                if (!isPlaced(parts) || placed++ % oneOf == 0) {
                    flights.add(line, parts);
                }
            }
        }
        return flights;
    }

    private static boolean isPlaced(String[] parts) {
        return !parts[3].isEmpty() && !parts[4].isEmpty();
    }

    private void add(String line, String[] parts) {
        lines.add(line);
        boolean placed = isPlaced(parts);
        times.add(Long.parseLong(parts[0]));
        positions.add(
                placed
                        ? new double[] {Double.parseDouble(parts[3]), Double.parseDouble(parts[4])}
                        : new double[] {Double.NaN, Double.NaN});
        if (!placed) {
            rows.add(List.of());
            return;
        }
        List<Object> values = new ArrayList<>();
        values.add(Long.parseLong(parts[0]));
        values.add(parts[1].isEmpty() ? null : parts[1]);
        values.add(parts[2].isEmpty() ? null : parts[2]);
        for (int i = 3; i < parts.length; i++) {
            values.add(parts[i].isEmpty() ? null : Double.parseDouble(parts[i]));
        }
        rows.add(values);
    }

    /** Numbers of the rows that lie in box and time. */
    List<Integer> matching(Box box, TimeInterval interval) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (interval.contains(times.get(i))
                    && box.contains(positions.get(i)[0], positions.get(i)[1])) {
                found.add(i);
            }
        }
        return found;
    }

    /** Number of rows that have a position. */
    int placed() {
        return (int) rows.stream().filter(row -> !row.isEmpty()).count();
    }

    /** A box and a time interval around some row, small or large. */
    Shape randomShape(Random random) {
        int row = random.nextInt(lines.size());
        while (rows.get(row).isEmpty()) {
            row = random.nextInt(lines.size());
        }
        double half = Math.pow(10, -3 + 3.3 * random.nextDouble());
        double longitude = positions.get(row)[0] + half * (random.nextDouble() - 0.5);
        double latitude = positions.get(row)[1] + half * (random.nextDouble() - 0.5);
        Box box = new Box(
                Math.max(-180, longitude - half),
                Math.max(-90, latitude - half),
                Math.min(180, longitude + half),
                Math.min(90, latitude + half));
        long span = (long) Math.pow(10, 3 + 4 * random.nextDouble());
        long from = times.get(row) - (long) (span * random.nextDouble());
        return new Shape(box, new TimeInterval(from, from + span));
    }

    record Shape(Box box, TimeInterval times) {}
}
