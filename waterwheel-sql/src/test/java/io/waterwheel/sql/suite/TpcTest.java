package io.waterwheel.sql.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.waterwheel.Rounds;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.duckdb.DuckDbExecutor;
import io.waterwheel.sql.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The statements of TPC-H and TPC-DS are answered as DuckDB answers them over the same rows.
 *
 * <p>Options: {@code tpc.scale}; {@code tpc.only}, names of statements, of which only the tables are filled;
 * {@code tpc.times}, rounds in which each statement is timed after it was compared, in turns with DuckDB, each
 * computing in one thread, ours over rows in chunks.
 */
final class TpcTest {
    private static final Path TEXTS = Path.of(System.getProperty("waterwheel.tpc", "target/tpc"));
    private static final Instant NOW = Instant.parse("2026-11-26T00:00:00Z");
    /** Sums of doubles in another order differ in their last digits. */
    private static final double CLOSE = 1e-9;

    @TempDir
    Path folder;

    @Test
    @Timeout(1800)
    void ofH() throws Exception {
        compare("tpch", TpcTables.schemasOfH(), Double.parseDouble(scale(0.01, 0.1)), TpcTables::loadH);
    }

    @Test
    @Timeout(3600)
    void ofDs() throws Exception {
        assumeTrue(
                Rounds.ALL || System.getProperty("tpc.scale") != null,
                "TPC-DS takes minutes: ./waterwheel test TpcTest -Dtpc.scale=0.1");
        compare("tpcds", TpcTables.schemasOfDs(), Double.parseDouble(scale(0.01, 0.1)), TpcTables::loadDs);
    }

    private static String scale(double few, double many) {
        return System.getProperty("tpc.scale", String.valueOf(Rounds.ALL ? many : few));
    }

    /** Fills the tables. */
    private interface Loader {
        void load(double scale, Predicate<String> wanted, LoadedTables streams, DuckDbTwin twin) throws Exception;
    }

    private void compare(String suite, Map<String, Schema> schemas, double scale, Loader loader) throws Exception {
        List<Path> texts = texts(suite);
        List<String> wrong = new ArrayList<>();
        Map<String, String> statements = new TreeMap<>();
        String only = System.getProperty("tpc.only");
        for (Path text : texts) {
            String name = text.getFileName().toString().replace(".sql", "");
            if (only == null || List.of(only.split(",")).contains(name)) {
                statements.put(name, TpcTexts.statement(Files.readString(text)));
            }
        }
        int rounds = Integer.getInteger("tpc.times", 0);
        try (DuckDbExecutor executor = new DuckDbExecutor(new DuckDbSettings(1L << 30, 4L << 30, 1, 2));
                LoadedTables streams = new LoadedTables(folder, schemas, executor, NOW);
                DuckDbTwin twin = new DuckDbTwin()) {
            loader.load(
                    scale,
                    table -> only == null
                            || statements.values().stream().anyMatch(text -> text.toLowerCase(Locale.ROOT)
                                    .contains(table)),
                    streams,
                    twin);
            if (rounds > 0) {
                streams.flush();
            }
            for (Map.Entry<String, String> statement : statements.entrySet()) {
                String trouble = trouble(streams, twin, statement.getValue());
                if (trouble != null) {
                    wrong.add(statement.getKey() + ": " + trouble);
                    System.out.println(wrong.get(wrong.size() - 1));
                } else if (rounds > 0) {
                    System.out.println(times(statement.getKey(), streams, twin, statement.getValue(), rounds));
                }
            }
        }
        assertThat(wrong).as("%s at scale %s", suite, scale).isEmpty();
        assertThat(statements).as("statements of %s", suite).hasSizeGreaterThan(only == null ? 21 : 0);
    }

    /** The medians of the rounds, in milliseconds. */
    private static String times(String name, LoadedTables streams, DuckDbTwin twin, String statement, int rounds)
            throws Exception {
        double[] ours = new double[rounds];
        double[] theirs = new double[rounds];
        for (int turn = 0; turn < 2 * rounds; turn++) {
            // Who is first changes with each round.
            boolean our = (turn + turn / 2) % 2 == 0;
            long begun = System.nanoTime();
            if (our) {
                streams.answer(statement);
            } else {
                twin.rows(statement);
            }
            (our ? ours : theirs)[turn / 2] = (System.nanoTime() - begun) / 1e6;
        }
        Arrays.sort(ours);
        Arrays.sort(theirs);
        double our = ours[rounds / 2];
        double their = theirs[rounds / 2];
        return String.format(
                Locale.ROOT, "%s: %.0f ms, DuckDB %.0f ms, %.2f times that", name, our, their, our / their);
    }

    private static List<Path> texts(String suite) throws IOException {
        Path texts = TEXTS.resolve(suite);
        assumeTrue(
                Files.isDirectory(texts),
                () -> "no statements in " + texts.toAbsolutePath()
                        + "; the build unpacks them, or -Dwaterwheel.tpc=FOLDER names another folder");
        try (Stream<Path> files = Files.list(texts)) {
            return files.filter(file -> file.toString().endsWith(".sql"))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        }
    }

    /** What is wrong with an answer; null when nothing is. */
    private static @Nullable String trouble(LoadedTables streams, DuckDbTwin twin, String statement) throws Exception {
        List<List<@Nullable Object>> expected;
        try {
            expected = twin.rows(statement);
        } catch (SQLException e) {
            return dividesByZero(e) ? fails(streams, statement) : String.valueOf(e);
        }
        try {
            List<List<@Nullable Object>> got = streams.answer(statement);
            String trouble = difference(got, expected);
            if (trouble == null) {
                trouble = disorder(got, expected, TpcTexts.orderedBy(statement, twin.columns(statement)));
            }
            String unlimited = TpcTexts.withoutLimit(statement);
            // Of rows that are equal in their order any may be the last within the limit.
            return trouble == null || unlimited.equals(statement)
                    ? trouble
                    : difference(streams.answer(unlimited), twin.rows(unlimited));
        } catch (RuntimeException | SQLException e) {
            return String.valueOf(e);
        }
    }

    private static boolean dividesByZero(Exception failure) {
        return String.valueOf(failure.getMessage()).contains("ivision by zero");
    }

    /** Where DuckDB divides by zero, so do we. */
    private static @Nullable String fails(LoadedTables streams, String statement) throws Exception {
        try {
            return streams.answer(statement).size() + " rows, expected a division by zero";
        } catch (RuntimeException e) {
            return dividesByZero(e) || String.valueOf(e.getMessage()).contains("division by zero")
                    ? null
                    : String.valueOf(e);
        }
    }

    private static @Nullable String difference(
            List<List<@Nullable Object>> got, List<List<@Nullable Object>> expected) {
        if (got.size() != expected.size()) {
            return got.size() + " rows, expected " + expected.size();
        }
        List<List<@Nullable Object>> ours = sorted(got);
        List<List<@Nullable Object>> theirs = sorted(expected);
        for (int row = 0; row < ours.size(); row++) {
            for (int c = 0; c < ours.get(row).size(); c++) {
                if (!alike(ours.get(row).get(c), theirs.get(row).get(c))) {
                    return "row " + row + ": " + ours.get(row) + ", expected " + theirs.get(row);
                }
            }
        }
        return null;
    }

    /** Rows that are equal in their order may change places, so only what they are ordered by is compared in place. */
    private static @Nullable String disorder(
            List<List<@Nullable Object>> got, List<List<@Nullable Object>> expected, List<Integer> columns) {
        for (int row = 0; row < got.size(); row++) {
            for (int column : columns) {
                if (!alike(got.get(row).get(column), expected.get(row).get(column))) {
                    return "at place " + row + " is " + got.get(row) + ", expected " + expected.get(row);
                }
            }
        }
        return null;
    }

    private static boolean alike(@Nullable Object one, @Nullable Object other) {
        if (one == null || other == null) {
            return one == other;
        } else if (one instanceof Long && other instanceof Long) {
            return one.equals(other);
        } else if (one instanceof Number a && other instanceof Number b) {
            double difference = Math.abs(a.doubleValue() - b.doubleValue());
            return difference <= CLOSE * Math.max(1, Math.abs(a.doubleValue()));
        }
        return one.equals(other);
    }

    private static List<List<@Nullable Object>> sorted(List<List<@Nullable Object>> rows) {
        return rows.stream()
                .sorted(Comparator.comparing(row -> row.stream()
                        .map(value -> value instanceof Number number
                                ? String.format("%.4e", number.doubleValue() + 0.0)
                                : String.valueOf(value))
                        .toList()
                        .toString()))
                .toList();
    }
}
