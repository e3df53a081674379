package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.FetchedDriver;
import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.Polygons;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What does a join of positions with a table of polygons take? Of a server in a process of its own, started by the
 * launcher: a million positions in chunks, ten thousand polygons in a stream and the same in a file, all made from a
 * seed. The positions in each polygon are counted, the polygons of the stream and those of the file in turns.
 *
 * <p>Every count is compared with that of {@link Polygons}, which shares no code with the engine: it looks the polygons
 * up by a grid, and crosses their edges. Of some positions it looks at all polygons, without the grid.
 *
 * <p>Beside it DuckDB, in a process of its own, answers from tables of its own: by the bounds of the polygons, of which
 * it joins ranges, and their edges. It has no index over them, and no geometry without an extension.
 *
 * <pre>
 * mvn dependency:get -Dartifact=org.duckdb:duckdb_jdbc:2.0.0.1 -Dtransitive=false
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.RegionJoinTimes launcher=./waterwheel
 * </pre>
 *
 * Options: launcher (the command that starts the server; none leaves it out), positions, polygons, corners (of a
 * polygon, at most), looked (positions of which all polygons are looked at), rounds (the first warms up), seed,
 * settings (KEY=VALUE with blanks between, of the server), duckdb (the jar; empty for the one that Maven fetched; none
 * leaves it out), duckdb_rounds. Linux only.
 */
public final class RegionJoinTimes {
    private static final Instant AT = Instant.ofEpochMilli(1_700_000_000_000L);

    private final Options options;
    private final Path folder;
    private final Polygons polygons;
    private final double[] longitudes;
    private final double[] latitudes;

    private RegionJoinTimes(Options options, Path folder) {
        this.options = options;
        this.folder = folder;
        SplittableRandom random = new SplittableRandom(options.number("seed"));
        this.polygons = Polygons.of(random, options.integer("polygons"), options.integer("corners"));
        int positions = options.integer("positions");
        this.longitudes =
                random.doubles(positions, Polygons.WEST, Polygons.EAST).toArray();
        this.latitudes =
                random.doubles(positions, Polygons.SOUTH, Polygons.NORTH).toArray();
    }

    /** What one answer took. */
    private record Took(double millis, double serverMillis, double executorMillis) {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "launcher",
                "./waterwheel",
                "positions",
                "1_000_000",
                "polygons",
                "10_000",
                "corners",
                "7",
                "looked",
                "1_000",
                "rounds",
                "6",
                "seed",
                "7",
                "settings",
                "",
                "duckdb",
                "",
                "duckdb_rounds",
                "1");
        options.printMachine();
        Path folder = Files.createTempDirectory("waterwheel-regions");
        try {
            new RegionJoinTimes(options, folder).run();
        } finally {
            DrainBenchmark.delete(folder);
        }
    }

    private void run() throws Exception {
        long[] expected = expected();
        System.out.printf(
                Locale.ROOT,
                "%,d positions lie in %,d polygons: %,d pairs%n",
                longitudes.length,
                polygons.count(),
                Arrays.stream(expected).sum());
        if (!options.text("launcher").equals("none")) {
            joins(expected);
        }
        if (!options.text("duckdb").equals("none")) {
            plainDuckDb(expected);
        }
    }

    private void joins(long[] expected) throws Exception {
        Path tables = Files.createDirectory(folder.resolve("tables"));
        writeZones(tables.resolve("zones.csv"));
        String settings = "sql.tables=" + tables + " " + options.text("settings");
        try (LaunchedServer server =
                        LaunchedServer.start(options.text("launcher"), folder.resolve("data"), settings.strip());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            fill(client);
            client.sql("CREATE TABLE zones_of_file FROM 'zones.csv'").close();
            long idle = kilobytes(server.process().toHandle(), "VmRSS:");
            List<Took> ofStream = new ArrayList<>();
            List<Took> ofFile = new ArrayList<>();
            for (int round = 0; round < options.integer("rounds"); round++) {
                ofStream.add(joined(server, client, "zones", expected));
                ofFile.add(joined(server, client, "zones_of_file", expected));
            }
            print("polygons of a stream", ofStream);
            print("polygons of a file", ofFile);
            long executor = 0;
            for (ProcessHandle child : server.process().descendants().toList()) {
                executor = Math.max(executor, kilobytes(child, "VmHWM:"));
            }
            System.out.printf(
                    Locale.ROOT,
                    "memory: the server %,d MB before the first join, %,d at most; DuckDB's process %,d at most%n",
                    idle >> 10,
                    kilobytes(server.process().toHandle(), "VmHWM:") >> 10,
                    executor >> 10);
        }
    }

    /** How many positions lie in each polygon. */
    private long[] expected() {
        long[] counts = new long[polygons.count()];
        int looked = options.integer("looked");
        for (int p = 0; p < longitudes.length; p++) {
            int[] found = polygons.holding(longitudes[p], latitudes[p]);
            if (p < looked && !Arrays.equals(found, polygons.holdingOfAll(longitudes[p], latitudes[p]))) {
                throw new IllegalStateException(
                        "the grid is wrong of the position " + longitudes[p] + " " + latitudes[p]);
            }
            for (int zone : found) {
                counts[zone]++;
            }
        }
        return counts;
    }

    private void fill(WaterwheelClient client) {
        client.createStream(SchemaFile.read("positions.yaml", """
            name: positions
            topic: positions
            format: block
            partitions: 1
            fields:
              - {name: id, type: long}
              - {name: lon, type: double}
              - {name: lat, type: double}
              - {name: at, type: timestamp}
            key: {longitude: lon, latitude: lat}
            time: at
            """));
        client.createStream(SchemaFile.read("zones.yaml", """
            name: zones
            topic: zones
            format: block
            partitions: 1
            fields:
              - {name: zone, type: long}
              - {name: shape, type: string}
              - {name: at, type: timestamp}
            key: {field: zone}
            time: at
            """));
        try (Appender appender = client.appender("positions")) {
            for (int p = 0; p < longitudes.length; p++) {
                appender.append((long) p, longitudes[p], latitudes[p], AT.plusMillis(p));
            }
            requireAll(
                    longitudes.length,
                    client.query("positions").atLeast(appender.flush()).count());
        }
        try (Appender appender = client.appender("zones")) {
            for (int zone = 0; zone < polygons.count(); zone++) {
                appender.append((long) zone, polygons.text(zone), AT);
            }
            requireAll(
                    polygons.count(),
                    client.query("zones").atLeast(appender.flush()).count());
        }
        client.flush("positions");
        client.flush("zones");
    }

    private static void requireAll(long expected, long rows) {
        if (rows != expected) {
            throw new IllegalStateException("of " + expected + " rows there are " + rows);
        }
    }

    private void writeZones(Path file) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            out.write("zone,shape\n");
            for (int zone = 0; zone < polygons.count(); zone++) {
                out.write(zone + ",\"" + polygons.text(zone) + "\"\n");
            }
        }
    }

    private Took joined(LaunchedServer server, WaterwheelClient client, String zones, long[] expected) {
        long all = server.cpuMillis();
        long executor = executorMillis(server);
        long begin = System.nanoTime();
        long[] counts = new long[expected.length];
        try (Cursor rows = client.sql("SELECT z.zone, COUNT(*) AS n FROM positions p JOIN " + zones
                + " z ON ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape)) GROUP BY z.zone")) {
            while (rows.next()) {
                counts[(int) rows.getLong(0)] += rows.getLong(1);
            }
        }
        double took = (System.nanoTime() - begin) / 1e6;
        int different = Arrays.mismatch(expected, counts);
        if (different >= 0) {
            throw new IllegalStateException("polygon " + different + " of " + zones + ": expected "
                    + expected[different] + " positions, got " + counts[different]);
        }
        double ofExecutor = executorMillis(server) - executor;
        return new Took(took, server.cpuMillis() - all - ofExecutor, ofExecutor);
    }

    private static long executorMillis(LaunchedServer server) {
        return server.process()
                .descendants()
                .mapToLong(child ->
                        child.info().totalCpuDuration().map(d -> d.toMillis()).orElse(0L))
                .sum();
    }

    private static void print(String name, List<Took> rounds) {
        List<Took> warm = rounds.subList(Math.min(1, rounds.size() - 1), rounds.size());
        System.out.printf(
                Locale.ROOT,
                "%-22s the first %.0f ms, then %.0f ms (%.0f to %.0f); processor time %.0f ms of the server,"
                        + " %.0f of DuckDB's process%n",
                name + ":",
                rounds.get(0).millis(),
                median(warm.stream().mapToDouble(Took::millis).toArray()),
                warm.stream().mapToDouble(Took::millis).min().orElse(0),
                warm.stream().mapToDouble(Took::millis).max().orElse(0),
                median(warm.stream().mapToDouble(Took::serverMillis).toArray()),
                median(warm.stream().mapToDouble(Took::executorMillis).toArray()));
    }

    private static long kilobytes(ProcessHandle process, String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", String.valueOf(process.pid()), "status"))) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("process " + process.pid() + " has no " + name);
    }

    private void plainDuckDb(long[] expected) throws Exception {
        Path positions = folder.resolve("positions.csv");
        try (BufferedWriter out = Files.newBufferedWriter(positions, StandardCharsets.UTF_8)) {
            out.write("lon,lat\n");
            for (int p = 0; p < longitudes.length; p++) {
                out.write(longitudes[p] + "," + latitudes[p] + "\n");
            }
        }
        Path edges = folder.resolve("edges.csv");
        try (BufferedWriter out = Files.newBufferedWriter(edges, StandardCharsets.UTF_8)) {
            out.write("zone,x1,y1,x2,y2\n");
            for (int zone = 0; zone < polygons.count(); zone++) {
                for (double[] edge : polygons.edges(zone)) {
                    out.write(zone + "," + edge[0] + "," + edge[1] + "," + edge[2] + "," + edge[3] + "\n");
                }
            }
        }
        Process peer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PlainRegionJoin.class.getName(),
                        FetchedDriver.DUCKDB.jar(options.text("duckdb")).toString(),
                        positions.toString(),
                        edges.toString(),
                        String.valueOf(options.integer("duckdb_rounds")))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> lines = new String(peer.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        if (peer.waitFor() != 0 || lines.size() != expected.length + 1) {
            throw new IllegalStateException("DuckDB alone: got " + lines.size() + " lines");
        }
        for (int zone = 0; zone < expected.length; zone++) {
            if (!lines.get(zone).equals(zone + " " + expected[zone])) {
                throw new IllegalStateException("DuckDB alone, polygon " + zone + ": expected " + expected[zone]
                        + " positions, got " + lines.get(zone));
            }
        }
        System.out.println("DuckDB without an index: " + lines.get(expected.length));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
