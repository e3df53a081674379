package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.FetchedDriver;
import io.waterwheel.benchmark.Options;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What does SQL take? Of a server in a process of its own, started by the launcher, with two streams of as many rows:
 *
 * <ol>
 *   <li>a point, asked without SQL and by it: of a plan that is kept by its text, with a parameter, prepared by JDBC,
 *       and of a text that was never seen. The forms take turns; the figures are medians of the rounds;
 *   <li>a join of both streams, groups of it and their ranks, beside DuckDB, which has the same rows in tables of its
 *       own, in one thread; both answers are compared;
 *   <li>all rows of a stream by JDBC, in a process of 256 MB of heap;
 *   <li>the first statement of a server that is started on the same data.
 * </ol>
 *
 * <pre>
 * mvn dependency:get -Dartifact=org.apache.arrow:flight-sql-jdbc-driver:18.3.0 -Dtransitive=false
 * mvn dependency:get -Dartifact=org.duckdb:duckdb_jdbc:2.0.0.1 -Dtransitive=false
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.endtoend.StatementTimes launcher=./waterwheel
 * </pre>
 *
 * Options: launcher (the command that starts the server), rows (of each stream), asked (points of a round), rounds,
 * joins (rounds of the join), starts (of fresh servers), settings (KEY=VALUE with blanks between, of the server),
 * flight and duckdb (the jars; empty for those that Maven fetched; duckdb=none leaves it out). Linux only.
 */
public final class StatementTimes {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long BEGIN = 1_700_000_000_000L;
    private static final int GROUPS = 1_000;

    /* The same of DuckDB, of the number i. */
    private static final String ID = "i";
    private static final String GROUP = "(i * 7919) % 1000";
    private static final String VALUE = "((i * 104729) % 1000003) / 8.0";

    private static final String JOIN = "SELECT g, n, s, RANK() OVER (ORDER BY s DESC, g) AS place FROM (SELECT a.g,"
            + " COUNT(*) AS n, SUM(b.x) AS s FROM trips a JOIN events b ON a.id = b.id GROUP BY a.g) AS sums"
            + " ORDER BY place LIMIT 10";

    private final Options options;
    private final Path folder;
    private final int rows;
    private final SplittableRandom random = new SplittableRandom(7);
    private final Path flightJar;
    /** Null without DuckDB. */
    private final @Nullable Path duckJar;

    private int texts;

    private StatementTimes(Options options, Path folder) {
        this.options = options;
        this.folder = folder;
        this.rows = options.integer("rows");
        this.flightJar = FetchedDriver.FLIGHT_SQL.jar(options.text("flight"));
        this.duckJar = options.text("duckdb").equals("none") ? null : FetchedDriver.DUCKDB.jar(options.text("duckdb"));
    }

    private interface Asked {
        void ask(long id) throws SQLException;
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "launcher",
                "./waterwheel",
                "rows",
                "1_000_000",
                "asked",
                "200",
                "rounds",
                "15",
                "joins",
                "7",
                "starts",
                "3",
                "settings",
                "",
                "flight",
                "",
                "duckdb",
                "");
        options.printMachine();
        Path folder = Files.createTempDirectory("waterwheel-statements");
        try {
            new StatementTimes(options, folder).run();
        } finally {
            DrainBenchmark.delete(folder);
        }
    }

    private void run() throws Exception {
        try (LaunchedServer server = start();
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Connection jdbc = FetchedDriver.FLIGHT_SQL
                        .load(flightJar)
                        .connect(
                                "jdbc:arrow-flight-sql://" + address(server) + "/?useEncryption=false",
                                new Properties())) {
            fill(client, "trips");
            fill(client, "events");
            client.flush("trips");
            client.flush("events");
            points(server, client, jdbc);
            join(server, client);
            allRows(server);
        }
        for (int s = 0; s < options.integer("starts"); s++) {
            try (LaunchedServer server = start();
                    WaterwheelClient client = WaterwheelClient.connect(server.url())) {
                long begin = System.nanoTime();
                read(client.sql("SELECT * FROM trips WHERE id = 17"));
                double took = (System.nanoTime() - begin) / 1e6;
                begin = System.nanoTime();
                read(client.sql(JOIN));
                System.out.printf(
                        Locale.ROOT,
                        "ready after %d ms: its first statement took %.0f ms, its first join %.0f ms%n",
                        server.readyMillis(),
                        took,
                        (System.nanoTime() - begin) / 1e6);
            }
        }
    }

    private LaunchedServer start() throws IOException {
        return LaunchedServer.start(options.text("launcher"), folder.resolve("data"), options.text("settings"));
    }

    private static String address(LaunchedServer server) {
        return server.url().replace("grpc://", "");
    }

    private void fill(WaterwheelClient client, String name) throws IOException {
        client.createStream(SchemaFile.read(name + ".yaml", """
                name: NAME
                topic: NAME
                format: block
                partitions: 1
                fields:
                  - {name: id, type: long}
                  - {name: g, type: int}
                  - {name: x, type: double}
                  - {name: at, type: timestamp}
                key: {field: id}
                time: at
                """.replace("NAME", name)));
        try (Appender appender = client.appender(name)) {
            for (long i = 0; i < rows; i++) {
                appender.append(
                        i, (int) (i * 7919 % GROUPS), i * 104729 % 1000003 / 8.0, Instant.ofEpochMilli(BEGIN + i));
            }
            long all = client.query(name).atLeast(appender.flush()).count();
            if (all != rows) {
                throw new IOException("of " + rows + " rows there are " + all);
            }
        }
    }

    private void points(LaunchedServer server, WaterwheelClient client, Connection jdbc) throws Exception {
        try (PreparedStatement prepared = jdbc.prepareStatement("SELECT * FROM trips WHERE id = ?")) {
            Map<String, Asked> forms = new LinkedHashMap<>();
            forms.put(
                    "without SQL",
                    id -> requireOne(read(client.query("trips").key(id).rows())));
            forms.put(
                    "a text that differs in its number",
                    id -> requireOne(read(client.sql("SELECT * FROM trips WHERE id = " + id))));
            forms.put(
                    "a text with a parameter",
                    id -> requireOne(read(client.sql("SELECT * FROM trips WHERE id = ?", id))));
            forms.put("prepared, by JDBC", id -> {
                prepared.setLong(1, id);
                try (ResultSet result = prepared.executeQuery()) {
                    requireOne(result.next() ? 1 : 0);
                }
            });
            forms.put(
                    "a text that was never seen",
                    id -> requireOne(
                            read(client.sql("SELECT id, x AS x" + texts++ + ", at, g FROM trips WHERE id = " + id))));
            Map<String, List<Double>> times = new LinkedHashMap<>();
            Map<String, List<Double>> processor = new LinkedHashMap<>();
            int asked = options.integer("asked");
            // The first half warms up.
            for (int round = 0; round < 2 * options.integer("rounds"); round++) {
                for (Map.Entry<String, Asked> form : forms.entrySet()) {
                    double[] millis = new double[asked];
                    ProcessorTime cpu = ProcessorTime.begin(server);
                    for (int i = 0; i < asked; i++) {
                        long id = random.nextLong(rows);
                        long begin = System.nanoTime();
                        form.getValue().ask(id);
                        millis[i] = (System.nanoTime() - begin) / 1e6;
                    }
                    if (round >= options.integer("rounds")) {
                        processor
                                .computeIfAbsent(form.getKey(), unused -> new ArrayList<>())
                                .add(cpu.serverMillis() / asked);
                        times.computeIfAbsent(form.getKey(), unused -> new ArrayList<>())
                                .add(median(millis));
                    }
                }
            }
            System.out.println("a point:");
            forms.keySet()
                    .forEach(name -> System.out.printf(
                            Locale.ROOT,
                            "  %-36s p50 %6.2f ms, %5.2f ms of the server's processor time%n",
                            name,
                            median(doubles(times.getOrDefault(name, List.of()))),
                            median(doubles(processor.getOrDefault(name, List.of())))));
        }
    }

    private void join(LaunchedServer server, WaterwheelClient client) throws Exception {
        int rounds = options.integer("joins");
        double[] ours = new double[rounds];
        double[] took = new double[rounds];
        double[] theirs = new double[rounds];
        try (Connection duck = duck();
                Statement statement = duck == null ? null : duck.createStatement()) {
            for (int round = 0; round < rounds; round++) {
                ProcessorTime cpu = ProcessorTime.begin(server);
                long begin = System.nanoTime();
                List<String> answer = rows(client.sql(JOIN));
                took[round] = (System.nanoTime() - begin) / 1e6;
                ours[round] = cpu.serverMillis();
                if (statement == null) {
                    continue;
                }
                long before = THREADS.getCurrentThreadCpuTime();
                List<String> duckAnswer = rows(statement.executeQuery(JOIN));
                theirs[round] = (THREADS.getCurrentThreadCpuTime() - before) / 1e6;
                if (!answer.equals(duckAnswer)) {
                    throw new IllegalStateException("the join: expected " + duckAnswer + ", got " + answer);
                }
            }
        }
        long peak = 0;
        for (ProcessHandle child : server.process().descendants().toList()) {
            peak = Math.max(peak, JdbcRows.peakKilobytes(Path.of("/proc", String.valueOf(child.pid()), "status")));
        }
        System.out.printf(
                Locale.ROOT,
                "join, groups and ranks of %,d rows and %,d: %.0f ms, %.0f ms of processor time, DuckDB alone %.0f ms (0: not asked);"
                        + " at most %,d MB of memory beside the server%n",
                rows,
                rows,
                median(took),
                median(ours),
                median(theirs),
                peak >> 10);
    }

    /** DuckDB with the same rows; null without it. */
    private @Nullable Connection duck() throws Exception {
        if (duckJar == null) {
            return null;
        }
        Connection duck = FetchedDriver.DUCKDB.load(duckJar).connect("jdbc:duckdb:", new Properties());
        try (Statement statement = duck.createStatement()) {
            statement.execute("SET threads=1");
            for (String name : List.of("trips", "events")) {
                statement.execute("CREATE TABLE " + name + " AS SELECT " + ID + " AS id, " + GROUP + " AS g, " + VALUE
                        + " AS x FROM range(" + rows + ") AS r(i)");
            }
        }
        return duck;
    }

    private void allRows(LaunchedServer server) throws Exception {
        Process reader = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        JdbcRows.class.getName(),
                        flightJar.toString(),
                        address(server),
                        "SELECT id, g, x, at FROM trips")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ProcessorTime cpu = ProcessorTime.begin(server);
        long begin = System.nanoTime();
        String said = new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        double seconds = (System.nanoTime() - begin) / 1e9;
        String[] parts = said.substring(said.lastIndexOf('\n') + 1).split(" ", -1);
        if (reader.waitFor() != 0
                || Long.parseLong(parts[0]) != rows
                || Long.parseLong(parts[1]) != (long) rows * (rows - 1) / 2) {
            throw new IllegalStateException("by JDBC: expected " + rows + " rows, got " + said);
        }
        System.out.printf(
                Locale.ROOT,
                "%,d rows by JDBC: %.1f s with the start of a JVM, %.0f ns a row of the server's processor time, the"
                        + " reader's memory %,d MB at most%n",
                rows,
                seconds,
                cpu.serverMillis() * 1e6 / rows,
                Long.parseLong(parts[2]) >> 10);
    }

    private static void requireOne(long rows) {
        if (rows != 1) {
            throw new IllegalStateException("a point: expected one row, got " + rows);
        }
    }

    private static long read(Cursor cursor) {
        try (cursor) {
            long rows = 0;
            while (cursor.nextBatch()) {
                rows += cursor.columns().getRowCount();
            }
            return rows;
        }
    }

    private static List<String> rows(Cursor cursor) {
        try (cursor) {
            List<String> rows = new ArrayList<>();
            while (cursor.next()) {
                rows.add(cursor.getLong(0) + " " + cursor.getLong(1) + " " + cursor.getDouble(2) + " "
                        + cursor.getLong(3));
            }
            return rows;
        }
    }

    private static List<String> rows(ResultSet result) throws SQLException {
        try (result) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(result.getLong(1) + " " + result.getLong(2) + " " + result.getDouble(3) + " "
                        + result.getLong(4));
            }
            return rows;
        }
    }

    private static double[] doubles(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
