package io.waterwheel.embedded;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.StreamDetails;
import io.waterwheel.client.TextRows;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.embedded.FlightsFile.Region;
import io.waterwheel.model.Box;
import io.waterwheel.model.SchemaFile;
import io.waterwheel.model.StreamDefinition;
import io.waterwheel.model.TimeInterval;
import io.waterwheel.query.Query;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What {@code waterwheel demo} does with a server: real aircraft positions flow in through Kafka, are asked for while
 * they arrive, once they are all there, and once they are in chunks; each answer is compared with the file itself.
 */
final class Demo {
    private static final String STREAM = "flights";
    private static final Box CHARLES_DE_GAULLE = new Box(2.4, 48.9, 2.7, 49.1);
    private static final int QUESTIONS = 20;
    /** Of so many questions the tuples are compared too, not only their number. */
    private static final int WITH_ROWS = 5;

    private static final long MOST_ROWS = 20_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final WaterwheelClient client;
    private final PrintStream out;
    private final FlightsFile file;
    private final List<Region> questions = new ArrayList<>();
    private int agreeing;
    private int differing;

    Demo(WaterwheelClient client, PrintStream out, long seed) throws IOException {
        this.client = client;
        this.out = out;
        this.file = FlightsFile.read();
        Random random = new Random(seed);
        for (int i = 0; i < QUESTIONS; i++) {
            questions.add(file.randomRegion(random));
        }
    }

    /**
     * Runs it against an empty server.
     *
     * @param kafka HOST:PORT
     * @return whether all answers were right
     */
    boolean run(String kafka) throws IOException, InterruptedException {
        create();
        append(kafka);
        say("");
        say("Asking " + QUESTIONS
                + " random boxes of space and time, fresh from memory; beside each what the file says:");
        compareAll(true);
        flush();
        say("Asking the same again, now from the chunk files:");
        compareAll(false);
        say("");
        if (differing > 0) {
            say(differing + " of " + (agreeing + differing) + " answers DIFFER from the file");
            return false;
        }
        say("all " + agreeing + " answers agree with the file");
        return true;
    }

    private void create() throws IOException {
        StreamDefinition definition;
        try (InputStream schema = Objects.requireNonNull(
                Demo.class.getResourceAsStream("schemas/flights.yaml"), "this jar lacks schemas/flights.yaml")) {
            definition = SchemaFile.read("flights.yaml", new String(schema.readAllBytes(), StandardCharsets.UTF_8));
        }
        long begin = System.nanoTime();
        StreamDetails stream = client.createStream(definition);
        say("Created stream " + STREAM + ": CSV lines of "
                + definition.schema().fields().size()
                + " fields, keyed by position, fed by Kafka topic " + definition.topic() + " with "
                + stream.definition().partitions() + " partitions (" + millis(begin) + ").");
        begin = System.nanoTime();
        long none = client.count(Query.of(STREAM));
        say("It answers: " + none + " tuples (" + millis(begin) + ").");
        compare("an empty stream", 0L, none);
    }

    private void append(String kafka) throws IOException, InterruptedException {
        say("Sending " + number(file.size()) + " positions of aircraft around Paris, "
                + Instant.ofEpochMilli(file.firstTime())
                + " to " + Instant.ofEpochMilli(file.lastTime()) + ", " + FlightsProducer.bytes(file) / 1_000_000
                + " MB, with Kafka's plain producer; asking meanwhile around the airport Charles de Gaulle:");
        Query airport = Query.of(STREAM).withShape(CHARLES_DE_GAULLE);
        Map<Integer, Long> positions;
        long sentAt;
        try (FlightsProducer producer = new FlightsProducer(file, kafka, STREAM)) {
            producer.start();
            while (!producer.done() && producer.sent() < file.size()) {
                LockSupport.parkNanos(LOOK_NANOS);
                int sent = producer.sent();
                long begin = System.nanoTime();
                long there = client.count(airport);
                say(String.format(Locale.ROOT, "  %,7d sent: %,6d near the airport (%s)", sent, there, millis(begin)));
            }
            positions = producer.finish();
            sentAt = System.nanoTime();
        }
        long there = client.count(Query.of(STREAM).withAtLeast(positions).withTimeout(Duration.ofMinutes(2)));
        say("All " + number(there) + " are visible " + millis(sentAt) + " after Kafka had confirmed the last.");
        compare("everything", (long) file.size(), there);
        latest();
    }

    /** Rows, to see what they look like. */
    private void latest() {
        Query query = Query.of(STREAM)
                .withShape(CHARLES_DE_GAULLE)
                .withTimes(new TimeInterval(file.lastTime() - 1_000, file.lastTime()))
                .withSelect(List.of("time_ms", "callsign", "longitude", "latitude", "altitude_ft"))
                .withLimit(5);
        say("Some of those near the airport in the last second:");
        try (Cursor rows = client.query(query)) {
            while (rows.next()) {
                say(String.format(
                        Locale.ROOT,
                        "  %s  %-8s  %8.4f %8.4f  %s",
                        rows.getInstant("time_ms"),
                        rows.isNull("callsign") ? "-" : rows.getString("callsign"),
                        rows.getDouble("longitude"),
                        rows.getDouble("latitude"),
                        rows.isNull("altitude_ft") ? "-" : Math.round(rows.getDouble("altitude_ft")) + " ft"));
            }
        }
    }

    private void flush() {
        long begin = System.nanoTime();
        client.flush(STREAM, Duration.ofMinutes(1));
        StreamDetails stream = client.describe(STREAM);
        long tuples = stream.chunkTuples().orElse(0);
        say("");
        say(String.format(
                Locale.ROOT,
                "Wrote %,d tuples into chunks: %d of %,d bytes in all, %.1f bytes a tuple (%s).",
                tuples,
                stream.chunks().orElse(0),
                stream.chunkBytes().orElse(0),
                stream.chunkBytes().orElse(0) / (double) Math.max(1, tuples),
                millis(begin)));
        compare("tuples in chunks", (long) file.size(), tuples);
    }

    private void compareAll(boolean show) {
        List<Double> took = new ArrayList<>();
        int rowsCompared = 0;
        for (Region region : questions) {
            Query query = Query.of(STREAM).withShape(region.box()).withTimes(region.times());
            long expected = file.count(region);
            long begin = System.nanoTime();
            long count = client.count(query);
            took.add((System.nanoTime() - begin) / 1e6);
            if (show) {
                say(String.format(
                        Locale.ROOT,
                        "  %8.4f,%8.4f,%8.4f,%8.4f  %6d s: %,6d  file %,6d  (%s)",
                        region.box().west(),
                        region.box().south(),
                        region.box().east(),
                        region.box().north(),
                        (region.times().to() - region.times().from()) / 1000,
                        count,
                        expected,
                        millis(begin)));
            }
            compare("count in " + region, expected, count);
            if (expected > 0 && expected <= MOST_ROWS && rowsCompared < WITH_ROWS) {
                rowsCompared++;
                compare("tuples in " + region, sorted(file.lines(region)), rows(query));
            }
        }
        Collections.sort(took);
        say(String.format(
                Locale.ROOT,
                "  %d counts, median %.1f ms; of %d questions every tuple compared too",
                took.size(),
                took.get(took.size() / 2),
                rowsCompared));
    }

    private List<String> rows(Query query) {
        List<String> lines = new ArrayList<>();
        try (Cursor rows = client.query(query)) {
            while (rows.next()) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int f = 0; f < rows.fields().size(); f++) {
                    values.add(rows.value(f));
                }
                lines.add(TextRows.csv(values));
            }
        }
        Collections.sort(lines);
        return lines;
    }

    /** The file's lines with each number written as Java writes it, sorted. */
    private static List<String> sorted(List<String> lines) {
        List<String> copy = new ArrayList<>(lines.size());
        for (String line : lines) {
            String[] values = line.split(",", -1);
            for (int f = 3; f < values.length; f++) {
                values[f] = values[f].isEmpty() ? "" : Double.toString(Double.parseDouble(values[f]));
            }
            copy.add(String.join(",", values));
        }
        Collections.sort(copy);
        return copy;
    }

    private void compare(String what, Object expected, Object got) {
        boolean same = expected.equals(got);
        if (same) {
            agreeing++;
        } else {
            differing++;
            String told = expected instanceof List<?> lines && got instanceof List<?> others
                    ? lines.size() + " lines, got " + others.size() + " or others"
                    : expected + ", got " + got;
            say("  DIFFERS: " + what + ": expected " + told);
        }
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    static String millis(long beginNanos) {
        return String.format(Locale.ROOT, "%.1f ms", (System.nanoTime() - beginNanos) / 1e6);
    }
}
