package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.suite.LoadedTables;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Conditions on addresses and UUIDs, pushed to the engine and not, beside a look at every row: texts beside them have
 * any form, and bounds are those of the values.
 */
final class AddressStatementsTest {
    private static final int SEEDS = Rounds.of(1, 200);
    private static final int STATEMENTS = 40;
    private static final Instant NOW = Instant.parse("2026-11-29T02:00:00Z");
    private static final Schema FLOWS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("moment", FieldType.TIMESTAMP, false),
                    new Field("source", FieldType.IPV4, true),
                    new Field("target", FieldType.IPV6, true),
                    new Field("flow", FieldType.UUID, true)),
            new KeySpec.Ordered("id"),
            "moment");
    private static final List<String> COLUMNS = List.of("source", "target", "flow");

    private static DuckDbExecutor executor;

    @TempDir
    Path folder;

    @BeforeAll
    static void open() {
        executor = new DuckDbExecutor(new DuckDbSettings(256 << 20, 1 << 30, 1, 2));
    }

    @AfterAll
    static void close() {
        executor.close();
    }

    private LoadedTables tables(String name) throws Exception {
        return new LoadedTables(folder.resolve(name), Map.of("flows", FLOWS), executor, NOW);
    }

    private static int width(String column) {
        return column.equals("source") ? 4 : 16;
    }

    /** Some that are near each other, and some whose text has another order than their bytes. */
    private static BigInteger value(String column, Random random) {
        BigInteger base =
                switch (column) {
                    case "source" -> BigInteger.valueOf(0x0a000000L);
                    case "target" -> new BigInteger("20010db8000000000000000000000000", 16);
                    default -> BigInteger.ZERO;
                };
        BigInteger step = BigInteger.valueOf(random.nextInt(40)).shiftLeft(random.nextInt(3) * 8);
        return random.nextInt(20) == 0 ? new BigInteger(8 * width(column), random) : base.add(step);
    }

    private static byte[] bytes(BigInteger value, int width) {
        byte[] all = value.toByteArray();
        byte[] bytes = new byte[width];
        for (int i = 0; i < width && i < all.length; i++) {
            bytes[width - 1 - i] = all[all.length - 1 - i];
        }
        return bytes;
    }

    /** One of the forms that stand for a value. */
    private static String text(String column, BigInteger value, Random random) {
        byte[] b = bytes(value, width(column));
        if (column.equals("source")) {
            return (b[0] & 255) + "." + (b[1] & 255) + "." + (b[2] & 255) + "." + (b[3] & 255);
        }
        String hex = String.format("%032x", value);
        String text;
        if (column.equals("flow")) {
            text = hex.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
        } else if (random.nextBoolean()) {
            text = new Expression.Sixteen(ValueType.IPV6, hex.replaceAll("(.{4})(?!$)", "$1:")).text();
        } else {
            text = hex.replaceAll("(.{4})(?!$)", "$1:");
        }
        return random.nextBoolean() ? text.toUpperCase(Locale.ROOT) : text;
    }

    /** A condition, and what it means. */
    private record Condition(String text, Predicate<@Nullable BigInteger> holds) {}

    private static Condition condition(String column, Random random) {
        BigInteger a = value(column, random);
        BigInteger b = value(column, random);
        String one = "'" + text(column, a, random) + "'";
        String other = "'" + text(column, b, random) + "'";
        return switch (random.nextInt(9)) {
            case 0 -> new Condition(column + " = " + one, value -> value != null && value.equals(a));
            case 1 -> new Condition(column + " <> " + one, value -> value != null && !value.equals(a));
            case 2 -> new Condition(column + " < " + one, value -> value != null && value.compareTo(a) < 0);
            case 3 -> new Condition(one + " <= " + column, value -> value != null && value.compareTo(a) >= 0);
            case 4 ->
                new Condition(
                        column + " BETWEEN " + one + " AND " + other,
                        value -> value != null && value.compareTo(a) >= 0 && value.compareTo(b) <= 0);
            case 5 ->
                new Condition(
                        column + " NOT BETWEEN " + one + " AND " + other,
                        value -> value != null && !(value.compareTo(a) >= 0 && value.compareTo(b) <= 0));
            case 6 ->
                new Condition(
                        column + " IN (" + one + ", " + other + ")",
                        value -> value != null && (value.equals(a) || value.equals(b)));
            case 7 -> new Condition(column + " IS DISTINCT FROM " + one, value -> value == null || !value.equals(a));
            default ->
                new Condition(
                        "(" + column + " > " + one + " OR " + column + " IS NULL)",
                        value -> value == null || value.compareTo(a) > 0);
        };
    }

    @Test
    void conditionsAreThoseOfTheValues() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (LoadedTables tables = tables("s" + seed)) {
                List<List<@Nullable BigInteger>> rows = new ArrayList<>();
                for (int part = 0; part < 2; part++) {
                    List<List<@Nullable Object>> inserted = new ArrayList<>();
                    for (int row = 0; row < 150; row++) {
                        List<@Nullable BigInteger> values = new ArrayList<>();
                        List<@Nullable Object> cells = new ArrayList<>(List.of((long) row, NOW.toEpochMilli() - row));
                        for (String column : COLUMNS) {
                            BigInteger value = random.nextInt(9) == 0 ? null : value(column, random);
                            values.add(value);
                            cells.add(value == null ? null : bytes(value, width(column)));
                        }
                        rows.add(values);
                        inserted.add(cells);
                    }
                    tables.insert("flows", inserted);
                    if (part == 0) {
                        tables.flush();
                    }
                }
                for (int s = 0; s < STATEMENTS; s++) {
                    check(tables, rows, random, "seed " + seed + ": ");
                }
            }
        }
    }

    private static void check(LoadedTables tables, List<List<@Nullable BigInteger>> rows, Random random, String where)
            throws Exception {
        int c = random.nextInt(COLUMNS.size());
        Condition condition = condition(COLUMNS.get(c), random);
        long expected =
                rows.stream().filter(row -> condition.holds().test(row.get(c))).count();
        String statement =
                switch (random.nextInt(3)) {
                    case 0 -> "SELECT COUNT(*) FROM flows WHERE " + condition.text();
                    // Of what was joined, and of what was computed.
                    case 1 ->
                        "SELECT COUNT(*) FROM flows JOIN (VALUES (1)) AS v (one) ON one = 1 WHERE " + condition.text();
                    default -> "SELECT SUM(CASE WHEN " + condition.text() + " THEN 1 ELSE 0 END) FROM flows";
                };
        assertThat(tables.answer(statement))
                .as("%s%s %s", where, statement, tables.asked())
                .isEqualTo(List.of(List.of(expected)));
        assertThat(tables.answerUnpushed(statement))
                .as("%s%s, unpushed", where, statement)
                .isEqualTo(List.of(List.of(expected)));
    }

    /** Two addresses, what was grouped, and values of a question mark. */
    @Test
    void addressesBesideAddresses() throws Exception {
        try (LoadedTables tables = tables("pairs")) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (int row = 0; row < 12; row++) {
                rows.add(List.of(
                        (long) row,
                        NOW.toEpochMilli(),
                        bytes(BigInteger.valueOf(0x0a000000L + row), 4),
                        bytes(BigInteger.valueOf(row), 16),
                        bytes(BigInteger.valueOf(row), 16)));
            }
            tables.insert("flows", rows);
            String below = "SELECT COUNT(*) FROM flows a JOIN flows b ON a.source < b.source AND b.id = 10";
            assertThat(tables.answer(below)).isEqualTo(List.of(List.of(10L)));
            assertThat(tables.answer("SELECT COUNT(*) FROM flows WHERE source <= source"))
                    .isEqualTo(List.of(List.of(12L)));
            assertThat(
                            tables.answer(
                                    "SELECT source FROM (SELECT source, COUNT(*) FROM flows GROUP BY source) WHERE source > '10.0.0.10'"))
                    .isEqualTo(List.of(List.of("10.0.0.11")));
            assertThat(tables.answer(
                            "SELECT COUNT(*) FROM (SELECT target FROM flows UNION ALL SELECT target FROM flows)"
                                    + " WHERE target BETWEEN '::A' AND '::b'"))
                    .isEqualTo(List.of(List.of(4L)));
            assertThat(tables.answer("SELECT target FROM flows WHERE id = 1 UNION ALL SELECT NULL"))
                    .hasSize(2);
            assertThat(tables.answer("SELECT id FROM flows WHERE CASE WHEN id > 9 THEN source END < '10.0.0.9'"))
                    .as("a text")
                    .hasSize(2);
            assertThat(tables.answer("SELECT id FROM flows WHERE '::A' IN (target, NULL) OR target <> '' AND id = 3"))
                    .hasSize(2);
            assertThat(tables.answer("SELECT MAX(source) FROM flows HAVING MAX(source) > '10.0.0.8'"))
                    .as("both by the text")
                    .isEqualTo(List.of(List.of("10.0.0.9")));
            assertThat(tables.answer("SELECT id FROM flows WHERE CAST(target AS VARCHAR) = '::A'"))
                    .as("a text")
                    .isEmpty();
        }
    }

    @Test
    void aTextThatIsNoAddressIsRefusedAtItsPlace() throws Exception {
        try (LoadedTables tables = tables("wrong")) {
            assertThatThrownBy(() -> tables.answer("SELECT id FROM flows WHERE source = 'abc'"))
                    .hasMessage("statement, line 1, column 37: expected an IPv4 address such as 192.0.2.1, got 'abc'");
            assertThatThrownBy(() -> tables.answer("SELECT id FROM flows WHERE target IN ('::1', '1.2.3')"))
                    .hasMessageContaining("expected an IPv6 address such as 2001:db8::1, got '1.2.3'");
            assertThatThrownBy(
                            () -> tables.answer("SELECT id FROM flows WHERE source > ALL (SELECT source FROM flows)"))
                    .hasMessageContaining("column 28: not supported: > ALL of addresses");
            assertThatThrownBy(() -> tables.answer("SELECT id FROM flows WHERE source > 'x' || CAST(id AS VARCHAR)"))
                    .hasMessageContaining("the order of an address and a text");
            assertThatThrownBy(() -> tables.answer("SELECT id FROM flows WHERE flow > 'x'"))
                    .hasMessageContaining("expected a UUID such as");
        }
    }
}
