package io.waterwheel.embedded.demo;

import io.waterwheel.geo.Box;
import io.waterwheel.tuple.TimeInterval;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/**
 * An hour of aircraft positions around Paris (see ATTRIBUTION.md beside the file), and the plain way to count in it:
 * look at every line. Shares no code with the engine, so that it can tell when the engine is wrong.
 */
public final class FlightsFile {
    private static final String RESOURCE = "/io/waterwheel/embedded/examples/paris-flights.csv.gz";

    private final List<String> lines;
    private final long[] times;
    private final double[] longitudes;
    private final double[] latitudes;
    private final double[] altitudes;
    private final double[] climbs;
    private final List<String> callsigns = new ArrayList<>();

    private FlightsFile(List<String> lines) {
        this.lines = List.copyOf(lines);
        this.times = new long[lines.size()];
        this.longitudes = new double[lines.size()];
        this.latitudes = new double[lines.size()];
        this.altitudes = new double[lines.size()];
        this.climbs = new double[lines.size()];
        for (int i = 0; i < times.length; i++) {
            // No value of this file holds a comma or a quote.
            String[] values = lines.get(i).split(",", -1);
            times[i] = Long.parseLong(values[0]);
            longitudes[i] = Double.parseDouble(values[3]);
            latitudes[i] = Double.parseDouble(values[4]);
            callsigns.add(values[2]);
            altitudes[i] = number(values[5]);
            climbs[i] = number(values[8]);
        }
    }

    private static double number(String text) {
        return text.isEmpty() ? Double.NaN : Double.parseDouble(text);
    }

    public static FlightsFile read() throws IOException {
        InputStream resource =
                Objects.requireNonNull(FlightsFile.class.getResourceAsStream(RESOURCE), "this jar lacks " + RESOURCE);
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.UTF_8))) {
            List<String> lines = new ArrayList<>();
            reader.readLine(); // the names of the fields
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
            return new FlightsFile(lines);
        }
    }

    /** A box and a time interval to ask for. */
    public record Region(Box box, TimeInterval times) {}

    public int size() {
        return lines.size();
    }

    /** Line i, without the end. */
    public String line(int i) {
        return lines.get(i);
    }

    public long time(int line) {
        return times[line];
    }

    double longitude(int line) {
        return longitudes[line];
    }

    double latitude(int line) {
        return latitudes[line];
    }

    /** Feet; NaN when the line has none. */
    double altitude(int line) {
        return altitudes[line];
    }

    /** Feet a minute; NaN when the line has none. */
    double climb(int line) {
        return climbs[line];
    }

    /** Empty when the line has none. */
    String callsign(int line) {
        return callsigns.get(line);
    }

    /** The lines are in the order of time. */
    long firstTime() {
        return times[0];
    }

    long lastTime() {
        return times[times.length - 1];
    }

    public long count(Region region) {
        long count = 0;
        for (int i = 0; i < times.length; i++) {
            if (contains(region, i)) {
                count++;
            }
        }
        return count;
    }

    /** The lines within the region. */
    List<String> lines(Region region) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            if (contains(region, i)) {
                found.add(lines.get(i));
            }
        }
        return found;
    }

    private boolean contains(Region region, int i) {
        return times[i] >= region.times().from()
                && times[i] <= region.times().to()
                && longitudes[i] >= region.box().west()
                && longitudes[i] <= region.box().east()
                && latitudes[i] >= region.box().south()
                && latitudes[i] <= region.box().north();
    }

    /** A region around one of the positions, from a few hundred metres and seconds to most of the file. */
    public Region randomRegion(Random random) {
        int centre = random.nextInt(times.length);
        double degrees = 0.005 * Math.pow(400, random.nextDouble());
        long millis = (long) (2_000 * Math.pow(900, random.nextDouble()));
        return new Region(
                new Box(
                        rounded(longitudes[centre] - degrees),
                        rounded(latitudes[centre] - degrees),
                        rounded(longitudes[centre] + degrees),
                        rounded(latitudes[centre] + degrees)),
                new TimeInterval(times[centre] - millis, times[centre] + millis));
    }

    /** As many digits as one can read. */
    private static double rounded(double degrees) {
        return Math.round(degrees * 10_000) / 10_000.0;
    }
}
