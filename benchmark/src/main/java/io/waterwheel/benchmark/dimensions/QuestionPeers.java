package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How long do questions about several fields take beside SQLite and DuckDB? The same rows under a key of dimensions,
 * all in chunks whose parts are in the cache; in a table of SQLite with one index over the same fields in the same
 * order; in one with an R*-tree over them (of at most five, and of 32-bit bounds, so the rows that it names are tested
 * again); and in a table of DuckDB in memory. One thread each, warm, the median of the rounds, in which the sides take
 * turns. Each answer is compared with a look at every row before it is timed.
 *
 * <p>The drivers are no dependencies. Fetch each once, and leave it where Maven puts it, or name its file:
 *
 * <pre>
 * mvn dependency:get -Dartifact=org.xerial:sqlite-jdbc:3.54.1.0 -Dtransitive=false
 * mvn dependency:get -Dartifact=org.duckdb:duckdb_jdbc:2.0.0.1 -Dtransitive=false
 * java -Xms4g -Xmx4g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.dimensions.QuestionPeers
 * </pre>
 *
 * Options (name=value): sets (ghcn-here, ghcn, trips; as those of {@link DimensionQuestions}), rows (at most), rounds,
 * warm (rounds before), questions (random ones), seed, data (the folder of data sets), sqlite and duckdb (the jar;
 * empty for the one that Maven fetched; none: without it).
 */
public final class QuestionPeers {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** Of averages, whose sums are added up in another order. */
    private static final double TOLERANCE = 1e-9;

    private QuestionPeers() {}

    /** Answers questions about the rows of one set. */
    interface Side extends AutoCloseable {
        String name();

        /** The aggregate; NaN where there is no row. */
        double ask(Question question) throws Exception;

        @Override
        void close() throws IOException;
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "sets",
                "ghcn-here,ghcn,trips",
                "rows",
                "1_000_000",
                "rounds",
                "15",
                "warm",
                "15",
                "questions",
                "40",
                "seed",
                "1",
                "data",
                "../shared/data",
                "sqlite",
                "",
                "duckdb",
                "");
        options.printMachine();
        for (String name : options.text("sets").split(",", -1)) {
            compare(name, QuestionSet.of(name, options), options);
        }
        System.out.printf(
                Locale.ROOT,
                "load at the end %.2f%n",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static void compare(String name, QuestionSet set, Options options) throws Exception {
        Path folder = Files.createTempDirectory("waterwheel-peers");
        List<Side> sides = new ArrayList<>();
        try {
            var learned = DimensionQuestions.learned(set, set.schedule());
            KeyedRun run = new KeyedRun(learned, set.rows().of(learned, null));
            sides.add(new Ours(run));
            if (!options.text("sqlite").equals("none")) {
                sides.add(SqlPeer.sqlite(options.text("sqlite"), folder, set, false));
                sides.add(SqlPeer.sqlite(options.text("sqlite"), folder, set, true));
            }
            if (!options.text("duckdb").equals("none")) {
                sides.add(SqlPeer.duck(options.text("duckdb"), folder, set));
            }
            print(name, set, sides, options);
        } finally {
            for (Side side : sides) {
                side.close();
            }
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private static void print(String name, QuestionSet set, List<Side> sides, Options options) throws Exception {
        System.out.printf(
                Locale.ROOT,
                "%n%s: %,d rows; all answers are those of a look at every row; milliseconds of processor time%n",
                name,
                set.rows().count());
        StringBuilder head = new StringBuilder("| question | rows |");
        for (Side side : sides) {
            head.append(' ').append(side.name()).append(" |");
        }
        System.out.println(head);
        System.out.println("|---|---|" + "---|".repeat(sides.size()));
        double[] sums = new double[sides.size()];
        for (Question question : set.questions()) {
            Rows.Found expected = set.rows().look(question);
            for (Side side : sides) {
                require(question, expected, side);
            }
            double[] medians = time(question, sides, options.integer("warm"), options.integer("rounds"));
            StringBuilder line =
                    new StringBuilder(String.format(Locale.ROOT, "| %s | %,d |", question.name(), expected.rows()));
            for (int side = 0; side < medians.length; side++) {
                sums[side] += medians[side];
                line.append(String.format(Locale.ROOT, " %.2f |", medians[side]));
            }
            System.out.println(line);
        }
        StringBuilder all = new StringBuilder("| all | |");
        for (double sum : sums) {
            all.append(String.format(Locale.ROOT, " %.1f |", sum));
        }
        System.out.println(all);
    }

    private static void require(Question question, Rows.Found expected, Side side) throws Exception {
        double answer = side.ask(question);
        double allowed = TOLERANCE * Math.max(1, Math.abs(expected.aggregate()));
        boolean same = Double.isNaN(expected.aggregate())
                ? Double.isNaN(answer)
                : Math.abs(answer - expected.aggregate()) <= allowed;
        if (!same) {
            throw new AssertionError(
                    side.name() + ", " + question + ": expected " + expected.aggregate() + ", got " + answer);
        }
    }

    private static double[] time(Question question, List<Side> sides, int warm, int rounds) throws Exception {
        double[][] millis = new double[sides.size()][rounds];
        for (int round = -warm; round < rounds; round++) {
            for (int side = 0; side < millis.length; side++) {
                long start = THREADS.getCurrentThreadCpuTime();
                sides.get(side).ask(question);
                if (round >= 0) {
                    millis[side][round] = (THREADS.getCurrentThreadCpuTime() - start) / 1e6;
                }
            }
        }
        return Arrays.stream(millis)
                .mapToDouble(of -> {
                    Arrays.sort(of);
                    return of[rounds / 2];
                })
                .toArray();
    }

    /** A key of dimensions. */
    private record Ours(KeyedRun run) implements Side {
        @Override
        public String name() {
            return "key of dimensions";
        }

        @Override
        public double ask(Question question) throws InterruptedException {
            return run.ask(question);
        }

        @Override
        public void close() throws IOException {
            run.close();
        }
    }
}
