package io.waterwheel.embedded.demo;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.embedded.demo.DemoQuestions.Question;
import io.waterwheel.embedded.demo.FlightsFile.Region;
import io.waterwheel.encode.TextRows;
import io.waterwheel.geo.Box;
import io.waterwheel.key.Area;
import io.waterwheel.key.ZOrder;
import io.waterwheel.query.Query;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What {@code waterwheel demo} does with a server: real aircraft positions flow in through Kafka; five questions are
 * asked while they arrive, and again once they are in chunks; each answer is compared with the file itself.
 */
public final class Demo {
    /** Where the server's chunks are seen. */
    public interface Chunks {
        List<ChunkDescriptor> of(String stream) throws IOException;
    }

    private static final String STREAM = "flights";
    /** The keys of the whole globe would put all of Paris into one indexer. */
    private static final Box AROUND_PARIS = new Box(0, 47, 5, 51);

    /** Indexers that the demo's server has: the quarters of the box. */
    static final int INDEXERS = 4;

    private static final Box MAP = new Box(2.1, 48.6, 2.9, 49.15);
    private static final int RANDOM_REGIONS = 20;
    /** The number of queries whose tuples are compared too, not only counted. */
    private static final int WITH_ROWS = 5;

    private static final long MOST_ROWS = 20_000;
    private static final long PROGRESS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int BAR = 40;

    private final WaterwheelClient client;
    private final PrintStream out;
    private final boolean interactive;
    private final FlightsFile file;
    private final DemoQuestions questions;
    private final List<Region> regions = new ArrayList<>();
    private final Map<String, List<String>> firstAnswers = new LinkedHashMap<>();
    private int agreeing;
    private int differing;

    /** @param interactive whether a line may be written over */
    public Demo(WaterwheelClient client, PrintStream out, boolean interactive, long seed) throws IOException {
        this.client = client;
        this.out = out;
        this.interactive = interactive;
        this.file = FlightsFile.read();
        this.questions = new DemoQuestions(file);
        Random random = new Random(seed);
        for (int i = 0; i < RANDOM_REGIONS; i++) {
            regions.add(file.randomRegion(random));
        }
    }

    /**
     * Runs it against an empty server.
     *
     * @param kafka HOST:PORT
     * @return whether all answers were right
     */
    public boolean run(String kafka, Chunks chunks) throws IOException, InterruptedException {
        create();
        append(kafka);
        flush();
        say("");
        say("The same five questions, answered from chunk files:");
        askAll(file.size());
        compareRegions();
        draw(chunks.of(STREAM));
        say("");
        if (differing > 0) {
            say(differing + " of " + (agreeing + differing) + " comparisons with the file DIFFER");
            return false;
        }
        say("all " + agreeing + " comparisons with the file agree");
        tryNext();
        return true;
    }

    private void create() throws IOException {
        StreamDefinition given;
        try (InputStream schema = Objects.requireNonNull(
                Demo.class.getResourceAsStream("/io/waterwheel/embedded/schemas/flights.yaml"),
                "this jar lacks schemas/flights.yaml")) {
            given = SchemaFile.read("flights.yaml", new String(schema.readAllBytes(), StandardCharsets.UTF_8));
        }
        KeySpec key = new KeySpec.Position("longitude", "latitude", AROUND_PARIS);
        StreamDefinition definition = new StreamDefinition(
                given.name(),
                given.topic(),
                given.format(),
                given.partitions(),
                given.schema().withKey(key));
        long begin = System.nanoTime();
        client.createStream(definition);
        say("Created stream " + STREAM + " (" + millis(begin) + "): CSV lines of "
                + definition.schema().fields().size() + " fields, keyed by position (z-order), fed by");
        say("Kafka topic " + definition.topic() + " with " + definition.partitions() + " partitions.");
        compare("an empty stream", 0L, client.count(Query.of(STREAM)));
    }

    private void append(String kafka) throws IOException, InterruptedException {
        int half = questions.lines();
        say("");
        say("Sending " + number(file.size()) + " positions of aircraft around Paris, "
                + Instant.ofEpochMilli(file.firstTime()) + " to " + DemoPicture.clock(file.lastTime()) + ", "
                + FlightsProducer.bytes(file) / 1_000_000 + " MB,");
        say("with Kafka's plain producer; asking about the first half hour while the rest arrives.");
        Map<Integer, Long> positions;
        long sentAt;
        try (FlightsProducer producer = new FlightsProducer(file, kafka, STREAM, half)) {
            producer.start();
            boolean asked = false;
            while (!producer.done()) {
                LockSupport.parkNanos(PROGRESS_NANOS);
                progress(producer.sent());
                if (!asked && producer.milestoneReached()) {
                    asked = true;
                    askAboutTheFirst(producer);
                }
            }
            if (!asked && producer.milestoneReached()) {
                // All was sent between two looks.
                askAboutTheFirst(producer);
            }
            positions = producer.finish();
            sentAt = System.nanoTime();
            endProgress(producer.sent());
        }
        long there = client.query(STREAM)
                .atLeast(positions)
                .timeout(Duration.ofMinutes(2))
                .count();
        say("All " + number(there) + " are visible " + millis(sentAt) + " after Kafka had confirmed the last.");
        compare("everything", (long) file.size(), there);
    }

    private void askAboutTheFirst(FlightsProducer producer) {
        endProgress(producer.sent());
        say("");
        say("The first half hour is in Kafka: five questions, which wait until they see all of it:");
        askWhileArriving(producer);
        say("");
    }

    private void progress(int sent) {
        if (interactive) {
            int full = (int) ((long) BAR * sent / file.size());
            out.printf(
                    Locale.ROOT,
                    "\r  [%s%s] %,d of %,d sent",
                    "=".repeat(full),
                    " ".repeat(BAR - full),
                    sent,
                    file.size());
            out.flush();
        }
    }

    private void endProgress(int sent) {
        progress(sent);
        say(interactive ? "" : "  " + number(sent) + " of " + number(file.size()) + " sent");
    }

    private void askWhileArriving(FlightsProducer producer) {
        Map<Integer, Long> seen = producer.positions();
        int number = 1;
        for (Question question : questions.all()) {
            Query query = question.ask()
                    .apply(client.query(STREAM).atLeast(seen).timeout(Duration.ofMinutes(2)))
                    .toQuery();
            ask(number++, question, query, producer.sent());
        }
    }

    private void askAll(long tuples) {
        int number = 1;
        for (Question question : questions.all()) {
            ask(number++, question, question.ask().apply(client.query(STREAM)).toQuery(), tuples);
        }
    }

    /** @param tuples about how many the stream has now */
    private void ask(int number, Question question, Query query, long tuples) {
        List<String> answer = new ArrayList<>();
        Verdict verdict;
        long begin = System.nanoTime();
        try (Cursor rows = client.query(query)) {
            while (rows.next()) {
                answer.add(question.row().apply(rows));
            }
            verdict = rows.verdict();
        }
        String took = millis(begin);
        List<String> before = firstAnswers.putIfAbsent(question.text(), answer);
        if (before == null) {
            say(" " + number + ". " + question.text());
            sayWrapped(answer);
        } else {
            say(" " + number + ". " + question.text());
            compare("the answer now and the one before: " + question.text(), before, answer);
        }
        boolean right = question.expected().equals(answer);
        compare(question.text(), question.expected(), answer);
        say("      "
                + (right
                        ? (before == null ? "as the file says" : "as before, as the file says")
                        : "NOT as the file says")
                + "; " + took + "; " + lookedAt(verdict.statistics(), tuples));
    }

    private void sayWrapped(List<String> answer) {
        StringBuilder line = new StringBuilder("      ");
        for (int i = 0; i < answer.size(); i++) {
            String item = answer.get(i) + (i + 1 < answer.size() ? ", " : "");
            if (line.length() + item.length() > 78) {
                say(line.toString().stripTrailing());
                line = new StringBuilder("      ");
            }
            line.append(item);
        }
        say(line.toString());
    }

    /** What was looked at, and how much was not. */
    private static String lookedAt(Statistics statistics, long tuples) {
        ScanStatistics all = statistics.fresh().plus(statistics.inChunks());
        double share = 100.0 * all.tuples() / Math.max(1, Math.max(tuples, all.tuples()));
        String chunks = statistics.chunks() == 0
                ? ""
                : "chunks " + statistics.chunksRead() + " of " + statistics.chunks() + ", ";
        String bytes = all.parts().allBytesRead() == 0
                ? ""
                : String.format(Locale.ROOT, ", %,d kB read", all.parts().allBytesRead() / 1000);
        String memory = statistics.fresh().tuples() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", %,d of them in memory",
                        statistics.fresh().tuples());
        return String.format(
                Locale.ROOT,
                "%.1f %% looked at%n      (%sleaves %,d of %,d, tuples %,d of %,d%s%s)",
                share,
                chunks,
                all.read(),
                all.leaves(),
                all.tuples(),
                tuples,
                memory,
                bytes);
    }

    private void flush() {
        long begin = System.nanoTime();
        client.flush(STREAM, Duration.ofMinutes(1));
        StreamDetails stream = client.describe(STREAM);
        long tuples = stream.knownChunks().tuples();
        long chunks = stream.knownChunks().count();
        long bytes = stream.knownChunks().bytes();
        say(String.format(
                Locale.ROOT,
                "Flushed (%s): %,d tuples in %d chunks, %,d kB, %.1f bytes a tuple.",
                millis(begin),
                tuples,
                chunks,
                bytes / 1000,
                bytes / (double) Math.max(1, tuples)));
        compare("tuples in chunks", (long) file.size(), tuples);
    }

    private void compareRegions() {
        List<Double> took = new ArrayList<>();
        int rowsCompared = 0;
        for (Region region : regions) {
            Query query = Query.of(STREAM).withShape(region.box()).withTimes(region.times());
            long expected = file.count(region);
            long begin = System.nanoTime();
            long count = client.count(query);
            took.add((System.nanoTime() - begin) / 1e6);
            compare("count in " + region, expected, count);
            if (expected > 0 && expected <= MOST_ROWS && rowsCompared < WITH_ROWS) {
                rowsCompared++;
                compare("tuples in " + region, sorted(file.lines(region)), rows(query));
            }
        }
        Collections.sort(took);
        say(String.format(
                Locale.ROOT,
                "Besides, %d random boxes of space and time: counted, median %.1f ms; of %d every tuple compared.",
                took.size(),
                took.get(took.size() / 2),
                rowsCompared));
    }

    private void draw(List<ChunkDescriptor> chunks) {
        ZOrder order = new ZOrder(AROUND_PARIS);
        // A band of the picture for each indexer, as wide as what it has.
        List<KeyInterval> bands = chunks.stream()
                .collect(Collectors.toMap(
                        ChunkDescriptor::indexer, chunk -> chunk.region().keys(), KeyInterval::span, TreeMap::new))
                .values()
                .stream()
                .toList();
        TimeInterval times = new TimeInterval(
                questions.from().plus(Duration.ofMinutes(10)).toEpochMilli(),
                questions.from().plus(Duration.ofMinutes(20)).toEpochMilli());
        say("");
        say("The " + chunks.size() + " chunks by time (to the right) and key (upwards: each indexer has a quarter).");
        say("A question for 10 km around Charles de Gaulle in ten minutes asks for what is marked #:");
        say("it looks into the chunks with dots at most, and reads nothing of the others.");
        DemoPicture.regions(
                        chunks.stream().map(ChunkDescriptor::region).toList(),
                        bands,
                        Area.of(DemoQuestions.CHARLES_DE_GAULLE).intervals(order, 64),
                        times)
                .forEach(this::say);
        say("");
        drawMap(times);
    }

    private void drawMap(TimeInterval times) {
        Map<String, List<DemoPicture.Spot>> tracks = new LinkedHashMap<>();
        try (Cursor rows = client.query(STREAM)
                .within(MAP)
                .between(Instant.ofEpochMilli(times.from()), Instant.ofEpochMilli(times.to()))
                .where("callsign IS NOT NULL")
                .select("callsign", "longitude", "latitude", "time_ms")
                .orderBy("time_ms")
                .rows()) {
            while (rows.next()) {
                List<DemoPicture.Spot> track = tracks.computeIfAbsent(rows.getString(0), callsign -> new ArrayList<>());
                char letter = (char) ('A' + (tracks.size() - 1) % 26);
                track.add(new DemoPicture.Spot(rows.getDouble(1), rows.getDouble(2), letter(track, letter), false));
            }
        }
        List<DemoPicture.Spot> spots = new ArrayList<>();
        List<String> names = new ArrayList<>();
        tracks.forEach((callsign, track) -> {
            spots.addAll(track);
            DemoPicture.Spot end = track.get(track.size() - 1);
            spots.add(new DemoPicture.Spot(end.longitude(), end.latitude(), end.letter(), true));
            names.add(end.letter() + " " + callsign);
        });
        say("Who flew there in these ten minutes: " + tracks.size()
                + " aircraft, each with a letter where it was last:");
        DemoPicture.map(spots, MAP).forEach(this::say);
        sayWrapped(names);
    }

    private static char letter(List<DemoPicture.Spot> track, char next) {
        return track.isEmpty() ? next : track.get(0).letter();
    }

    private void tryNext() {
        say("");
        say("Try next:");
        say("  ./waterwheel server --data waterwheel-data     a server that stays; in another terminal:");
        say("  ./waterwheel stream create conf/schemas/flights.yaml");
        say("  ./waterwheel append flights conf/examples/paris-flights.csv.gz");
        say("  ./waterwheel query flights --circle 2.55,49.01,10000 --count");
        say("docs/queries.md has what can be asked, docs/quickstart-kafka.md how to index a topic of your own.");
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
