package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.endtoend.LaunchedServer;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.query.KeyRange;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The questions of [Colmenares 2017] as statements of SQL, asked of a server by its client: the rows under the key of
 * dimensions that {@link DimensionQuestions} learns, first in memory, then in chunks. Each answer is compared with a
 * look at every row, before it is timed and each time that it is. Printed are the time at the client and the server's
 * processor time, medians and means of the rounds.
 *
 * <pre>
 * java -Xms2g -Xmx2g --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.dimensions.SqlQuestions launcher=./waterwheel
 * </pre>
 *
 * Options (name=value): launcher (the command that starts the server), sets (some of ghcn, ghcn-here, trips, random),
 * rows (at most), rounds, warm (rounds before), questions (random ones), seed, data (the folder of data sets), settings
 * (KEY=VALUE with blanks between, of the server; by default trees of 64 MiB, so that no row of a million is in a chunk
 * before the flush). Linux only.
 */
public final class SqlQuestions {
    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);
    /** Of averages, whose sums are added up in another order. */
    private static final double TOLERANCE = 1e-9;

    private SqlQuestions() {}

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "launcher",
                "./waterwheel",
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
                "settings",
                "indexer.seal-size=64MiB");
        options.printMachine();
        Path folder = Files.createTempDirectory("waterwheel-sql-questions");
        try (LaunchedServer server = LaunchedServer.start(options.text("launcher"), folder, options.text("settings"));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            for (String name : options.text("sets").split(",", -1)) {
                QuestionSet set = QuestionSet.of(name, options);
                String stream = name.replace('-', '_');
                fill(client, stream, set);
                ask(name + ", in memory", server, client, stream, set, options);
                client.flush(stream);
                ask(name + ", in chunks", server, client, stream, set, options);
                client.drop(stream);
            }
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "load at the end %.2f%n",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static void fill(WaterwheelClient client, String stream, QuestionSet set) throws IOException {
        Schema learned = DimensionQuestions.learned(set, set.schedule());
        client.createStream(new StreamDefinition(stream, stream, RecordFormat.BLOCK, 1, learned));
        try (Appender appender = client.appender(stream)) {
            for (TupleBlock block : set.rows().of(learned, null)) {
                appender.append(block);
            }
            long all = client.query(stream).atLeast(appender.flush()).count();
            if (all != set.rows().count()) {
                throw new IOException("of " + set.rows().count() + " rows there are " + all);
            }
        }
    }

    private static void ask(
            String title,
            LaunchedServer server,
            WaterwheelClient client,
            String stream,
            QuestionSet set,
            Options options) {
        int rounds = options.integer("rounds");
        int count = set.questions().size();
        double[][] millis = new double[count][rounds];
        List<String> texts = new ArrayList<>();
        List<Rows.Found> expected = new ArrayList<>();
        for (Question question : set.questions()) {
            texts.add(statement(stream, set.rows().schema(), question));
            expected.add(set.rows().look(question));
        }
        long processor = 0;
        for (int round = -options.integer("warm"); round < rounds; round++) {
            if (round == 0) {
                processor = server.cpuMillis();
            }
            for (int q = 0; q < count; q++) {
                long begun = System.nanoTime();
                double answer = answer(client, texts.get(q));
                double took = (System.nanoTime() - begun) / 1e6;
                require(texts.get(q), expected.get(q).aggregate(), answer);
                if (round >= 0) {
                    millis[q][round] = took;
                }
            }
        }
        double each = (server.cpuMillis() - processor) / (double) (rounds * count);
        System.out.printf(
                Locale.ROOT,
                "%n%s: %,d rows; all answers are those of a look at every row; %.2f ms of the server's processor time a"
                        + " question%n| question | rows | ms |%n|---|---|---|%n",
                title,
                set.rows().count(),
                each);
        double sum = 0;
        for (int q = 0; q < count; q++) {
            Arrays.sort(millis[q]);
            sum += millis[q][rounds / 2];
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %,d | %.2f |%n",
                    set.questions().get(q).name(),
                    expected.get(q).rows(),
                    millis[q][rounds / 2]);
        }
        System.out.printf(Locale.ROOT, "| all | | %.1f |%n", sum);
    }

    private static double answer(WaterwheelClient client, String statement) {
        try (Cursor cursor = client.sql(statement)) {
            if (!cursor.next()) {
                throw new IllegalStateException(statement + ": no row");
            }
            Object value = cursor.value(0);
            return value == null ? Double.NaN : ((Number) value).doubleValue();
        }
    }

    private static void require(String statement, double expected, double answer) {
        boolean same = Double.isNaN(expected)
                ? Double.isNaN(answer)
                : Math.abs(answer - expected) <= TOLERANCE * Math.max(1, Math.abs(expected));
        if (!same) {
            throw new AssertionError(statement + ": expected " + expected + ", got " + answer);
        }
    }

    private static String statement(String stream, Schema schema, Question question) {
        List<String> all = new ArrayList<>();
        for (KeyRange range : question.ranges()) {
            String field = Objects.requireNonNull(range.field());
            String column = '"' + field + '"';
            String low = literal(schema, field, range.low());
            String high = literal(schema, field, range.high());
            if (low != null && low.equals(high)) {
                all.add(column + " = " + low);
            } else if (low != null && high != null) {
                all.add(column + " BETWEEN " + low + " AND " + high);
            } else {
                all.add(low != null ? column + " >= " + low : column + " <= " + high);
            }
        }
        TimeInterval times = question.times();
        if (!times.equals(TimeInterval.ALL)) {
            all.add('"' + schema.timeField() + "\" BETWEEN " + moment(times.from()) + " AND " + moment(times.to()));
        }
        return "SELECT " + question.aggregate().replace("(", "(\"").replace(")", "\")") + " FROM " + stream + " WHERE "
                + String.join(" AND ", all);
    }

    private static @Nullable String literal(Schema schema, String field, @Nullable String bound) {
        boolean text = schema.fields().get(schema.indexOf(field)).type().variable();
        return bound == null || !text ? bound : "'" + bound.replace("'", "''") + "'";
    }

    private static String moment(long millis) {
        return "TIMESTAMP '" + MOMENT.format(Instant.ofEpochMilli(millis)) + "'";
    }
}
