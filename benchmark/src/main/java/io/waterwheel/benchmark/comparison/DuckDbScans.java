package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.FetchedDriver;
import io.waterwheel.benchmark.Options;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * How much processor time does a scan take beside DuckDB's? The same rows in one chunk whose parts are in the cache, in
 * a tree, and in a table of DuckDB in memory; one thread each, warm; the median of the rounds. The questions take
 * turns, so that what else the machine does falls on all alike. Before they are timed, all answers are compared.
 *
 * <p>DuckDB's driver is no dependency, for it has 80 MB. Fetch it once, and name it, or leave it where Maven puts it:
 *
 * <pre>
 * mvn dependency:get -Dartifact=org.duckdb:duckdb_jdbc:2.0.0.1 -Dtransitive=false
 * java -Xms3g -Xmx3g -XX:+UseTransparentHugePages \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.DuckDbScans
 * </pre>
 *
 * The large pages are what the launcher gives the server, too; without them a tree takes up to a quarter more.
 *
 * <p>Options (name=value): rows, rounds (timed, of each question), warm (rounds before), seed, duckdb (the jar; empty
 * for the one that Maven fetched; none: only ours), only (asks only questions whose name begins so).
 */
public final class DuckDbScans {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Of sums and averages of doubles, which DuckDB rounds at each step. */
    private static final double TOLERANCE = 1e-9;

    private record Question(String name, String sql, Query query) {}

    private interface Asked {
        List<String> ask(Question question) throws SQLException, InterruptedException;
    }

    private record Side(String name, Asked asked) {}

    private DuckDbScans() {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments, "rows", "1_000_000", "rounds", "31", "warm", "60", "seed", "1", "duckdb", "", "only", "");
        options.printMachine();
        Path folder = Files.createTempDirectory("waterwheel-duckdb");
        // One chunk, and one tree.
        LocalSettings settings = new LocalSettings(1L << 30, 1L << 30);
        try (LocalStream chunk = LocalStream.open(folder.resolve("chunk"), "rows", ScanRows.schema(), settings);
                LocalStream tree = LocalStream.open(folder.resolve("tree"), "rows", ScanRows.schema(), settings);
                Connection duck = duck(options.text("duckdb"))) {
            Path csv = folder.resolve("rows.csv");
            new ScanRows(options.number("seed")).make(options.integer("rows"), csv, block -> {
                chunk.insert(block);
                tree.insert(block);
            });
            chunk.flush();
            List<Side> sides = new ArrayList<>();
            sides.add(new Side("chunk", question -> ours(chunk, question)));
            sides.add(new Side("tree", question -> ours(tree, question)));
            if (duck != null) {
                load(duck, csv);
                sides.add(new Side("duckdb", question -> theirs(duck, question)));
            }
            for (Question question : questions(chunk)) {
                if (question.name.startsWith(options.text("only"))) {
                    compare(question, sides);
                    time(question, sides, options.integer("warm"), options.integer("rounds"));
                }
            }
        } finally {
            delete(folder);
        }
        System.out.printf(
                Locale.ROOT,
                "load at the end %.2f%n",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static List<Question> questions(LocalStream stream) {
        Query all = stream.query();
        return List.of(
                new Question(
                        "count where x > 100",
                        "select count(*) from t where x > 100",
                        all.withWhere("x > 100").withCount()),
                aggregate(all, "sum(long)", "sum(x)", "sum(x)::bigint"),
                aggregate(all, "sum(double), exact", "sum(d)", "fsum(d)"),
                aggregate(all, "min, max", "min(x),max(x),min(d),max(d)", "min(x),max(x),min(d),max(d)"),
                new Question(
                        "min, max where",
                        "select min(x),max(x),min(d),max(d) from t where x > 100",
                        all.withWhere("x > 100").withAggregates(aggregates("min(x),max(x),min(d),max(d)"))),
                grouped(all, "count by int", "g", "count(*)"),
                grouped(all, "avg by int", "g", "avg(x)"),
                grouped(all, "avg by text", "name", "avg(d)"),
                new Question(
                        "top 10",
                        "select id, d from t order by d desc nulls last limit 10",
                        all.withOrderBy(List.of(new Order("d", true)))
                                .withSelect(List.of("id", "d"))
                                .withLimit(10)),
                new Question(
                        "like, each text another",
                        "select count(*) from t where note like '%sig%bri%'",
                        all.withWhere("note LIKE '%sig%bri%'").withCount()),
                new Question(
                        "like, few texts",
                        "select count(*) from t where name like '%-a%z%'",
                        all.withWhere("name LIKE '%-a%z%'").withCount()));
    }

    private static List<Aggregate> aggregates(String list) {
        return Arrays.stream(list.split(",")).map(Aggregate::parse).toList();
    }

    private static Question aggregate(Query all, String name, String ours, String theirs) {
        return new Question(name, "select " + theirs + " from t", all.withAggregates(aggregates(ours)));
    }

    private static Question grouped(Query all, String name, String by, String value) {
        return new Question(
                name,
                "select " + by + ", " + value + " from t group by " + by,
                all.withResult(new ResultSpec.Aggregates(aggregates(value), NamedExpression.fields(by), null)));
    }

    private static List<String> ours(LocalStream stream, Question question) throws InterruptedException {
        List<String> rows = new ArrayList<>();
        stream.answer(question.query, block -> {
            for (int row = 0; row < block.size(); row++) {
                StringBuilder line = new StringBuilder();
                for (int field = 0; field < block.layout().fields().size(); field++) {
                    line.append(block.value(field, row)).append('\t');
                }
                rows.add(line.toString());
            }
            return true;
        });
        return rows;
    }

    private static List<String> theirs(Connection duck, Question question) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = duck.createStatement();
                ResultSet found = statement.executeQuery(question.sql)) {
            int columns = found.getMetaData().getColumnCount();
            while (found.next()) {
                StringBuilder line = new StringBuilder();
                for (int column = 1; column <= columns; column++) {
                    line.append(found.getObject(column)).append('\t');
                }
                rows.add(line.toString());
            }
        }
        return rows;
    }

    private static @Nullable Connection duck(String named) throws Exception {
        if (named.equals("none")) {
            return null;
        }
        Connection duck =
                FetchedDriver.DUCKDB.load(FetchedDriver.DUCKDB.jar(named)).connect("jdbc:duckdb:", new Properties());
        try (Statement statement = duck.createStatement()) {
            statement.execute("SET threads=1");
        }
        return duck;
    }

    private static void load(Connection duck, Path csv) throws SQLException {
        try (Statement statement = duck.createStatement()) {
            statement.execute("CREATE TABLE t (id BIGINT, moment BIGINT, x BIGINT, d DOUBLE, g INTEGER, name VARCHAR,"
                    + " note VARCHAR)");
            statement.execute("COPY t FROM '" + csv + "' (HEADER false, DELIMITER ',')");
        }
    }

    private static void compare(Question question, List<Side> sides) throws SQLException, InterruptedException {
        List<String> expected = sides.get(0).asked.ask(question);
        for (Side side : sides) {
            List<String> found = side.asked.ask(question);
            // Groups come in an order of their own; rows that are asked for by an order in that.
            boolean ordered = question.sql.contains("order by");
            List<String> sorted = ordered ? found : found.stream().sorted().toList();
            List<String> sortedExpected =
                    ordered ? expected : expected.stream().sorted().toList();
            boolean equal = sorted.size() == sortedExpected.size();
            for (int row = 0; equal && row < sorted.size(); row++) {
                equal = equal(sorted.get(row), sortedExpected.get(row));
            }
            if (!equal) {
                throw new AssertionError(question + ": " + sides.get(0).name + " gives " + some(sortedExpected) + ", "
                        + side.name + " " + some(sorted));
            }
        }
    }

    private static String some(List<String> rows) {
        return rows.size() + " rows: " + rows.subList(0, Math.min(5, rows.size()));
    }

    private static boolean equal(String left, String right) {
        String[] a = left.split("\t", -1);
        String[] b = right.split("\t", -1);
        boolean equal = a.length == b.length;
        for (int i = 0; equal && i < a.length; i++) {
            if (!a[i].equals(b[i])) {
                boolean numbers = a[i].contains(".") && b[i].contains(".");
                equal = numbers
                        && Math.abs(Double.parseDouble(a[i]) - Double.parseDouble(b[i]))
                                <= TOLERANCE * Math.abs(Double.parseDouble(a[i]));
            }
        }
        return equal;
    }

    private static void time(Question question, List<Side> sides, int warm, int rounds)
            throws SQLException, InterruptedException {
        double[][] millis = new double[sides.size()][rounds];
        for (int round = -warm; round < rounds; round++) {
            for (int side = 0; side < sides.size(); side++) {
                long start = THREADS.getCurrentThreadCpuTime();
                sides.get(side).asked.ask(question);
                if (round >= 0) {
                    millis[side][round] = (THREADS.getCurrentThreadCpuTime() - start) / 1e6;
                }
            }
        }
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-24s", question.name));
        double last = 1;
        for (int side = 0; side < sides.size(); side++) {
            Arrays.sort(millis[side]);
            last = millis[side][rounds / 2];
            line.append(String.format(
                    Locale.ROOT,
                    "  %s %7.2f ms (%.2f to %.2f)",
                    sides.get(side).name,
                    last,
                    millis[side][rounds / 10],
                    millis[side][rounds * 9 / 10]));
        }
        if (sides.size() == 3) {
            line.append(String.format(
                    Locale.ROOT,
                    "  chunk / duckdb %.2f  tree / duckdb %.2f",
                    millis[0][rounds / 2] / last,
                    millis[1][rounds / 2] / last));
        }
        System.out.println(line);
    }

    private static void delete(Path folder) throws IOException {
        List<Path> paths;
        try (var walk = Files.walk(folder)) {
            paths = new ArrayList<>(walk.toList());
        }
        for (int i = paths.size() - 1; i >= 0; i--) {
            Files.deleteIfExists(paths.get(i));
        }
    }
}
