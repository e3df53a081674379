package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Random statements over streams, beside the same over the same rows in tables of Trino's own. */
final class StatementsBesideMemoryTest {
    private static final int SEEDS = Integer.getInteger("seeds", 15);
    private static final long SEED = Long.getLong("seed", 20261127);

    private final DistributedQueryRunner trino = TrinoCluster.shared();

    @Test
    void keyOfNumbers() {
        run("by_number", "{field: id}");
    }

    @Test
    void keyOfDimensions() {
        run(
                "by_dimensions",
                "{dimensions: [{field: n, range: [-20, 20]}, {field: x, range: [-10, 15]}, {field: note, cuts: [a, b, zz]}]}");
    }

    @Test
    void keyOfTime() {
        run("by_time", "{field: at}");
    }

    private void run(String name, String key) {
        Readings readings = new Readings(name, key, SEED);
        readings.append(300);
        compare(readings, name, "in memory");
        ServerProcess.client().flush(name);
        compare(readings, name, "in chunks");
        readings.append(200);
        ServerProcess.client().flush(name);
        readings.append(100);
        compare(readings, name, "in both");
    }

    private void compare(Readings readings, String name, String where) {
        for (int i = 0; i < SEEDS; i++) {
            long seed = SEED + i;
            Statement statement = new Statement(readings, new Random(seed));
            String text = statement.text();
            List<String> ours;
            try {
                ours = rows(text.replace("$", TrinoCluster.CATALOG + ".default." + name));
            } catch (RuntimeException e) {
                throw new AssertionError(where + ", -Dseed=" + seed + " -Dseeds=1: " + text, e);
            }
            List<String> expected = rows(text.replace("$", "memory.default." + name));
            if (statement.anyRows()) {
                assertThat(ours).as(text).hasSameSizeAs(expected);
            } else {
                assertThat(ours)
                        .as(where + ", -Dseed=" + seed + " -Dseeds=1: " + text)
                        .isEqualTo(expected);
            }
        }
    }

    private List<String> rows(String statement) {
        MaterializedResult result = trino.execute(statement);
        return result.getMaterializedRows().stream()
                .map(StatementsBesideMemoryTest::text)
                .sorted()
                .collect(Collectors.toList());
    }

    private static String text(MaterializedRow row) {
        return row.getFields().stream()
                .map(value -> value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value))
                .collect(Collectors.joining("|"));
    }

    /** A random statement; {@code $} stands for the table. */
    private static final class Statement {
        private final Readings readings;
        private final Random random;
        private boolean any;

        Statement(Readings readings, Random random) {
            this.readings = readings;
            this.random = random;
        }

        /** Whether it is not said which rows the answer has, only how many. */
        boolean anyRows() {
            return any;
        }

        String text() {
            String where = random.nextInt(6) == 0 ? "" : " WHERE " + condition(random.nextInt(3), "");
            return switch (random.nextInt(7)) {
                case 0 -> "SELECT count(*) FROM $" + where;
                case 1 ->
                    "SELECT count(*), count(" + column() + "), min(" + ordered() + "), max(" + ordered() + "), min("
                            + ordered() + ") FROM $" + where;
                case 2 -> "SELECT " + column() + ", count(*) FROM $" + where + " GROUP BY 1";
                case 3 -> {
                    any = true;
                    yield "SELECT " + column() + " FROM $" + where + " LIMIT " + random.nextInt(1, 200);
                }
                case 4 -> {
                    String by = ordered();
                    String direction = List.of("ASC", "DESC", "ASC NULLS FIRST", "DESC NULLS LAST", "DESC NULLS FIRST")
                            .get(random.nextInt(5));
                    // The values alone: of rows that are equal in them any may come.
                    yield "SELECT " + by + " FROM $" + where + " ORDER BY " + by + " " + direction + " LIMIT "
                            + random.nextInt(1, 50);
                }
                case 5 ->
                    "SELECT a.at, b.price FROM $ a JOIN $ b ON a.id = b.id AND a.n = b.n WHERE "
                            + condition(random.nextInt(3), "a.");
                default -> "SELECT * FROM $" + where;
            };
        }

        private String column() {
            return Readings.COLUMNS.get(random.nextInt(Readings.COLUMNS.size()));
        }

        private String ordered() {
            List<String> columns = List.of("at", "id", "n", "note", "us", "ns", "price", "big", "x", "f");
            return columns.get(random.nextInt(columns.size()));
        }

        /** @param table what stands before a column */
        private String condition(int depth, String table) {
            String first = comparison(table);
            return depth == 0 ? first : first + (random.nextInt(3) == 0 ? " OR " : " AND ") + comparison(table);
        }

        private String comparison(String table) {
            String column = column();
            String named = table + column;
            return switch (random.nextInt(7)) {
                case 0 -> "(" + named + " IS NULL)";
                case 1 -> "(" + named + " IS NOT NULL)";
                case 2 -> "(" + named + " = " + readings.literal(column) + ")";
                case 3 -> "(" + named + " <> " + readings.literal(column) + ")";
                case 4 -> {
                    List<String> values = new ArrayList<>();
                    for (int i = random.nextInt(5); i >= 0; i--) {
                        values.add(readings.literal(column));
                    }
                    yield "(" + named + " IN (" + String.join(", ", values) + "))";
                }
                case 5 ->
                    column.equals("note")
                            ? "(" + named + " LIKE 'a%')"
                            : "(" + named + " BETWEEN " + readings.literal(column) + " AND " + readings.literal(column)
                                    + ")";
                default ->
                    column.equals("ok")
                            ? "(" + named + ")"
                            : "(" + named
                                    + List.of(" < ", " <= ", " > ", " >= ").get(random.nextInt(4))
                                    + readings.literal(column) + ")";
            };
        }
    }
}
