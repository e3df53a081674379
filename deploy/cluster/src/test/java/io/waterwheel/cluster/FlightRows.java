package io.waterwheel.cluster;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.TimeInterval;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** The lines of the flights file, and for each of them the partition it goes to and the offset it gets there. */
final class FlightRows {
    static final int PARTITIONS = 4;

    /**
     * One line.
     *
     * @param values as an answer has them: the time as Long, text as String, numbers as Double, null where empty
     */
    record Row(
            String line,
            List<Object> values,
            long time,
            double longitude,
            double latitude,
            int partition,
            long offset) {
        boolean matches(Box box, TimeInterval times) {
            return times.from() <= time && time <= times.to() && box.contains(longitude, latitude);
        }

        boolean isBelow(Map<Integer, Long> positions) {
            return offset < positions.getOrDefault(partition, 0L);
        }
    }

    private FlightRows() {}

    /** In the file's order. An aircraft's lines go to one partition, so offsets follow from the order alone. */
    static List<Row> read(Path file) throws IOException {
        List<Row> rows = new ArrayList<>();
        long[] next = new long[PARTITIONS];
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            String header = reader.readLine();
            if (header == null || !header.startsWith("time_ms,icao24,callsign,longitude,latitude,")) {
                throw new IOException(file + ": unexpected header " + header);
            }
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] texts = line.split(",", -1);
                Object[] values = new Object[texts.length];
                values[0] = Long.valueOf(texts[0]);
                for (int f = 1; f < texts.length; f++) {
                    values[f] = texts[f].isEmpty() ? null : f < 3 ? texts[f] : (Object) Double.valueOf(texts[f]);
                }
                int partition = Math.floorMod(texts[1].hashCode(), PARTITIONS);
                rows.add(new Row(
                        line,
                        Arrays.asList(values),
                        (Long) values[0],
                        (Double) values[3],
                        (Double) values[4],
                        partition,
                        next[partition]++));
            }
        }
        return rows;
    }
}
