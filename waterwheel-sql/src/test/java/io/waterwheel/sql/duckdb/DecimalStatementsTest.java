package io.waterwheel.sql.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.suite.DuckDbTwin;
import io.waterwheel.sql.suite.LoadedTables;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random statements over decimals, pushed to the engine and not, are answered as DuckDB answers the same text over the
 * same rows: it takes numbers with a point for decimals, as written ones are compared here.
 */
final class DecimalStatementsTest {
    private static final int SEEDS = Rounds.of(1, 60);
    private static final int STATEMENTS = 120;
    private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");

    private static final Schema BILLS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("moment", FieldType.TIMESTAMP, false),
                    new Field("price", FieldType.decimal(18, 2), true),
                    new Field("fee", FieldType.decimal(4, 1), false),
                    new Field("total", FieldType.decimal(38, 6), true),
                    new Field("share", FieldType.decimal(6, 6), true),
                    new Field("n", FieldType.LONG, true)),
            new KeySpec.Ordered("id"),
            "moment");
    private static final Schema PAYMENTS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("moment", FieldType.TIMESTAMP, false),
                    new Field("price", FieldType.decimal(18, 2), true),
                    new Field("amount", FieldType.decimal(22, 3), true),
                    new Field("units", FieldType.decimal(30, 0), true)),
            new KeySpec.Ordered("id"),
            "moment");
    private static final List<String> OF_BILLS = List.of("price", "fee", "total", "share");
    private static final List<String> OF_PAYMENTS = List.of("price", "amount", "units");

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

    private static LoadedTables tables(Path folder) throws Exception {
        return new LoadedTables(folder, Map.of("bills", BILLS, "payments", PAYMENTS), executor, NOW);
    }

    /** Small ones, so that several are equal, and now and then one of all digits. */
    private static BigDecimal value(FieldType type, Random random) {
        if (random.nextInt(40) == 0) {
            BigInteger digits = BigInteger.TEN.pow(type.precision() - 1).subtract(BigInteger.ONE);
            return new BigDecimal(random.nextBoolean() ? digits : digits.negate(), type.scale());
        }
        BigDecimal quarters = BigDecimal.valueOf(random.nextInt(33) - 16).multiply(new BigDecimal("0.25"));
        if (type.scale() == type.precision()) {
            return quarters.movePointLeft(1).setScale(type.scale());
        }
        int behind = Math.min(2, type.scale());
        return quarters.setScale(behind, java.math.RoundingMode.FLOOR).setScale(type.scale());
    }

    private static void fill(LoadedTables tables, DuckDbTwin duckdb, String name, Schema schema, Random random)
            throws Exception {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int row = 1 + random.nextInt(100); row >= 0; row--) {
            List<@Nullable Object> values = new ArrayList<>();
            for (Field field : schema.fields()) {
                if (field.nullable() && random.nextInt(7) == 0) {
                    values.add(null);
                } else if (field.type().isDecimal()) {
                    values.add(value(field.type(), random));
                } else {
                    long time = NOW.toEpochMilli() - 1000 * random.nextInt(1000);
                    values.add(field.type().isTimestamp() ? time : random.nextInt(12) - 3L);
                }
            }
            rows.add(values);
        }
        tables.insert(name, rows);
        duckdb.insert(name, schema, rows);
    }

    /** What a statement is here, and for DuckDB. */
    private record Statement(String ours, String duckdbs) {}

    private static Statement statement(Random random) {
        String b = one(OF_BILLS, random);
        String c = one(OF_BILLS, random);
        String p = one(OF_PAYMENTS, random);
        String of = condition("", random);
        String ours =
                switch (random.nextInt(16)) {
                    case 0 -> "SELECT id, " + b + ", " + c + " FROM bills WHERE " + of;
                    case 1 ->
                        "SELECT COUNT(" + b + "), SUM(" + b + "), MIN(" + c + "), MAX(" + c + "), AVG(" + b
                                + "), COUNT(DISTINCT " + c + ") FROM bills WHERE " + of;
                    case 2 -> "SELECT " + b + ", COUNT(*), SUM(" + c + ") FROM bills WHERE " + of + " GROUP BY " + b;
                    case 3 ->
                        "SELECT id, SUM(" + b + ") AS s FROM bills GROUP BY id HAVING SUM(" + b + ") > "
                                + number(random);
                    case 4 ->
                        "SELECT b.id, b." + b + ", p." + p + " FROM bills b JOIN payments p ON b." + b + " = p." + p;
                    case 5 ->
                        "SELECT b.id, SUM(p." + p + "), MAX(b." + b + ") FROM bills b LEFT JOIN payments p ON b.id ="
                                + " p.id AND p." + p + " > b." + b + " WHERE " + condition("b.", random)
                                + " GROUP BY b.id";
                    case 6 ->
                        "SELECT " + b + " FROM bills "
                                + one(List.of("UNION", "UNION ALL", "EXCEPT", "INTERSECT"), random) + " SELECT " + p
                                + " FROM payments";
                    case 7 ->
                        "SELECT id, SUM(" + b + ") OVER (PARTITION BY id ORDER BY " + c + "), MAX(" + b
                                + ") OVER (PARTITION BY n) FROM bills WHERE " + of;
                    case 8 ->
                        "SELECT id, CAST(" + b + " AS DOUBLE), CAST(" + c
                                + " AS DECIMAL(38, 1)), CAST(n AS DECIMAL(12, 2))" + " FROM bills WHERE " + of;
                    case 9 ->
                        "SELECT id FROM bills WHERE " + b + (random.nextBoolean() ? " IN" : " NOT IN") + " (SELECT " + p
                                + " FROM payments WHERE " + p + " IS NOT NULL)";
                    case 10 ->
                        "SELECT id, CASE WHEN " + of + " THEN " + b + " ELSE 0 END, COALESCE(" + b + ", " + c
                                + "), NULLIF(" + b + ", " + c + ") FROM bills";
                    case 11 ->
                        "SELECT COALESCE(" + b + ", 0) AS x, COUNT(*) FROM bills WHERE COALESCE(" + b + ", 1) < "
                                + number(random) + " GROUP BY 1";
                    case 12 ->
                        "SELECT b.id, CAST(b." + b + " AS DECIMAL(38, 1)), CAST(b.total AS VARCHAR), CAST(b.price AS"
                                + " VARCHAR) FROM bills b JOIN payments p ON b.id = p.id WHERE p." + p + " <> "
                                + number(random);
                    case 13 ->
                        "SELECT id FROM bills WHERE " + b + " = (SELECT MAX(" + p + ") FROM payments WHERE " + p + " < "
                                + number(random) + ")";
                    case 14 -> "SELECT DISTINCT " + b + ", n FROM bills WHERE n <= " + b + " OR " + of;
                    default -> "SELECT " + b + " FROM bills WHERE " + of + " ORDER BY " + b + " DESC LIMIT 7";
                };
        return new Statement(ours, ours.replaceAll("DECIMAL '([^']*)'", "$1"));
    }

    private static <T> T one(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    private static String number(Random random) {
        String plain =
                switch (random.nextInt(7)) {
                    case 6 ->
                        "DECIMAL '"
                                + value(FieldType.decimal(18, 2), new Random(random.nextInt(40)))
                                        .add(
                                                random.nextBoolean()
                                                        ? BigDecimal.ZERO
                                                        : new BigDecimal("1000000000000000.01"))
                                        .toPlainString()
                                + "'";
                    case 0 -> String.valueOf(random.nextInt(7) - 3);
                    case 1 -> "0.125";
                    case 2 -> BigDecimal.valueOf(random.nextInt(2001) - 1000, 3).toPlainString();
                    default ->
                        BigDecimal.valueOf(random.nextInt(33) - 16)
                                .multiply(new BigDecimal("0.25"))
                                .toPlainString();
                };
        return random.nextBoolean() || plain.startsWith("D") ? plain : "DECIMAL '" + plain + "'";
    }

    private static String condition(String of, Random random) {
        String a = of + one(OF_BILLS, random);
        String relation = one(List.of("=", "<>", "<", "<=", ">", ">="), random);
        return switch (random.nextInt(9)) {
            case 0 -> a + " BETWEEN " + number(random) + " AND " + number(random);
            case 1 -> a + " IN (" + number(random) + ", " + number(random) + ", " + number(random) + ")";
            case 2 -> a + " NOT IN (" + number(random) + ", " + number(random) + ")";
            case 3 -> a + " " + relation + " " + of + one(OF_BILLS, random);
            case 4 -> a + " " + relation + " " + of + "n";
            case 5 -> "(" + condition(of, random) + " OR NOT " + a + " " + relation + " " + number(random) + ")";
            case 6 -> a + " IS NOT DISTINCT FROM " + of + one(OF_BILLS, random);
            case 7 -> number(random) + " " + relation + " " + a;
            default -> a + " " + relation + " " + number(random);
        };
    }

    @Test
    void answersAreThoseOfDuckDbPushedAndUnpushed() throws Exception {
        long first = Long.getLong("seed", 0);
        int refused = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            Random random = new Random(seed);
            try (LoadedTables tables = tables(folder.resolve("s" + seed));
                    DuckDbTwin duckdb = new DuckDbTwin()) {
                duckdb.create("bills", BILLS);
                duckdb.create("payments", PAYMENTS);
                for (int round = 0; round < 2; round++) {
                    fill(tables, duckdb, "bills", BILLS, random);
                    fill(tables, duckdb, "payments", PAYMENTS, random);
                    if (round == 0) {
                        tables.flush();
                    }
                }
                for (int s = 0; s < STATEMENTS; s++) {
                    Statement statement = statement(random);
                    refused += check(tables, duckdb, statement, "seed " + seed + " statement " + s + ": ");
                }
            }
        }
        // A test that refuses much compares little.
        assertThat(refused).isLessThan(SEEDS * STATEMENTS / 10);
    }

    private static int check(LoadedTables tables, DuckDbTwin duckdb, Statement statement, String where)
            throws InterruptedException {
        String expected;
        try {
            expected = shown(duckdb.rows(statement.duckdbs, true));
        } catch (SQLException e) {
            expected = null;
        }
        for (boolean pushed : new boolean[] {true, false}) {
            String got;
            try {
                got = shown(pushed ? tables.answer(statement.ours) : tables.answerUnpushed(statement.ours));
            } catch (WaterwheelException e) {
                boolean digits = e.code().equals("INTEGER_OVERFLOW") || e.code().equals("SQL_VALUE");
                if (e.code().equals("SQL_UNSUPPORTED") || (expected == null && digits)) {
                    return 1;
                }
                throw new AssertionError(where + statement.ours + " pushed " + pushed, e);
            } catch (RuntimeException e) {
                throw new AssertionError(where + statement.ours + " pushed " + pushed, e);
            }
            if (expected != null) {
                assertThat(got)
                        .as("%s%s pushed %s %s", where, statement.ours, pushed, tables.asked())
                        .isEqualTo(expected);
            }
        }
        return expected == null ? 1 : 0;
    }

    /** In an order of its own; of a double the digits that any order of a sum has. */
    private static String shown(List<List<@Nullable Object>> rows) {
        List<List<@Nullable Object>> sorted = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            List<@Nullable Object> values = new ArrayList<>(row);
            values.replaceAll(value -> value instanceof Double number
                    ? String.format("%.11e", number + 0.0)
                    : value instanceof BigDecimal decimal ? text(decimal) : value);
            sorted.add(values);
        }
        sorted.sort(Comparator.comparing(Object::toString));
        return sorted.toString();
    }

    private static String text(BigDecimal decimal) {
        return decimal.signum() == 0 ? "0" : decimal.stripTrailingZeros().toPlainString();
    }

    private LoadedTables small(String name) throws Exception {
        LoadedTables tables = tables(folder.resolve(name));
        tables.insert(
                "bills",
                List.of(
                        row(1, "1.20", "0.5", "123456789012345678901234567890.123456", "0.500000", 3L),
                        row(2, "-0.99", "-0.5", "-0.000001", "-0.250000", -1L),
                        row(3, "9999999999999999.99", "999.9", "99999999999999999999999999999999.999999", null, null)));
        tables.insert("payments", List.of(payment(1, "1.20", "1.200", "1"), payment(2, "0.10", "-0.990", "-1")));
        return tables;
    }

    private static List<@Nullable Object> row(
            long id, String price, String fee, String total, @Nullable String share, @Nullable Long n) {
        List<@Nullable Object> row = new ArrayList<>(
                List.of(id, NOW.toEpochMilli(), new BigDecimal(price), new BigDecimal(fee), new BigDecimal(total)));
        row.add(share == null ? null : new BigDecimal(share));
        row.add(n);
        return row;
    }

    private static List<@Nullable Object> payment(long id, String price, String amount, String units) {
        return List.of(id, NOW.toEpochMilli(), new BigDecimal(price), new BigDecimal(amount), new BigDecimal(units));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT price, total FROM bills WHERE price = 1.2 ; [[1.20, 123456789012345678901234567890.123456]]",
                "SELECT id FROM bills WHERE price > DECIMAL '9999999999999999.98' ; [[3]]",
                "SELECT id FROM bills WHERE total = DECIMAL '123456789012345678901234567890.123456' ; [[1]]",
                "SELECT SUM(price), AVG(fee) FROM bills WHERE id < 3 ; [[0.21, 0.0]]",
                "SELECT CAST(price AS BIGINT), CAST(price AS VARCHAR), CAST(share AS VARCHAR) FROM bills WHERE id = 2 ;"
                        + " [[0, -0.99, -0.250000]]",
                "SELECT CAST(b.price AS BIGINT), CAST(b.price AS VARCHAR), CAST(b.share AS VARCHAR), CAST(b.total AS DOUBLE)"
                        + " FROM bills b JOIN payments p ON b.id = p.id WHERE b.id = 2 ; [[0, -0.99, -0.250000, -1.0E-6]]",
                "SELECT CAST(1.25 AS DECIMAL(2, 1)), DECIMAL '1.20', -DECIMAL '1.20' FROM bills WHERE id = 1 ;"
                        + " [[1.3, 1.20, -1.20]]",
                "SELECT CAST(DECIMAL '-1.25' AS DECIMAL(2, 1)), CAST('7.255' AS DECIMAL(3, 2)), CAST(DECIMAL '1.20' AS VARCHAR),"
                        + " CAST(DECIMAL '1.9' AS BIGINT), CAST(DECIMAL '1.5' AS DOUBLE), '2.50'::numeric(3, 1)"
                        + " FROM bills WHERE id = 1 ; [[-1.3, 7.26, 1.20, 1, 1.5, 2.5]]",
                "SELECT CAST(price AS DECIMAL(18, 1)) FROM bills WHERE id < 3 ORDER BY id ; [[1.2], [-1.0]]",
                "SELECT CAST(b.price AS DECIMAL(18, 1)) FROM bills b JOIN payments p ON b.id = p.id ORDER BY b.id ;"
                        + " [[1.2], [-1.0]]",
                "SELECT b.id FROM bills b JOIN payments p ON b.price = p.amount ORDER BY 1 ; [[1], [2]]",
                "SELECT GREATEST(price, fee) FROM bills WHERE id < 3 ORDER BY id ; [[1.20], [-0.50]]",
                "SELECT id FROM bills WHERE price IN (0.5, DECIMAL '9999999999999999.99') ; [[3]]",
                "SELECT id FROM bills WHERE price IN (0.5, DECIMAL '9999999999999999.98') ; []",
                "SELECT id FROM bills WHERE price BETWEEN 1.5 AND DECIMAL '9999999999999999.98' ; []",
                "SELECT id FROM bills WHERE price NOT BETWEEN 1.5 AND DECIMAL '9999999999999999.98' ORDER BY id ; [[1], [2], [3]]",
                "SELECT id FROM bills WHERE total IN (0.5, DECIMAL '123456789012345678901234567890.123456') ; [[1]]",
                "SELECT id FROM bills WHERE total NOT IN (0.5, DECIMAL '123456789012345678901234567890.123456', 7) ORDER BY 1 ;"
                        + " [[2], [3]]",
                "SELECT CAST(x AS DECIMAL(3, 1)) FROM (SELECT id, DECIMAL '1.25' AS x FROM bills) WHERE id = 1 ; [[1.3]]",
                "SELECT id FROM (SELECT id, price, DECIMAL '1.16' AS x FROM bills) WHERE CAST(x AS DECIMAL(3, 1)) = price ;"
                        + " [[1]]",
                "SELECT CAST(CASE WHEN TRUE THEN 1.25 END AS DECIMAL(3, 1)) FROM bills WHERE id = 1 ; [[1.3]]",
                "SELECT id FROM bills WHERE price < CAST(CAST(1234567890123.1234567 AS DOUBLE) AS DECIMAL(18, 2)) ORDER BY id ;"
                        + " [[1], [2]]",
                "SELECT id FROM bills WHERE CAST(n AS DOUBLE) > 2.35222190000001771 ; [[1]]",
                "SELECT id FROM bills WHERE CAST(n AS DOUBLE) > DECIMAL '2.35222190000001771' ; [[1]]",
                "SELECT CAST(1.23456789012345678901 AS DECIMAL(21, 20)) FROM bills WHERE id = 1 ; [[1.23456789012345678901]]",
                "SELECT id FROM bills WHERE price IN (1.2, 1.204) ; [[1]]",
                "SELECT id FROM bills WHERE price IN (1.204) ; []",
                "SELECT id FROM bills WHERE price IN (1.204, DECIMAL '9.5') ; []",
                "SELECT id FROM bills WHERE price NOT IN (1.204) ORDER BY id ; [[1], [2], [3]]",
                "SELECT b.id FROM bills b JOIN payments p ON b.id = p.id WHERE b.price IN (1.2, 1.204) ; [[1]]",
                "SELECT id FROM bills WHERE price = -/* a */DECIMAL '0.99' ; [[2]]",
                "SELECT CAST(price AS REAL) FROM bills WHERE id = 1 ; [[1.2]]",
                "SELECT SIGN(price) FROM bills ORDER BY id ; [[1], [-1], [1]]",
            })
    void means(String statement, String answer) throws Exception {
        try (LoadedTables tables = small("means")) {
            assertThat(tables.answer(statement)).hasToString(answer);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT price * 2 FROM bills | SQL_UNSUPPORTED | write CAST(... AS DOUBLE)",
                "SELECT id FROM bills WHERE price > CAST(n AS DOUBLE) | SQL_UNSUPPORTED | a DECIMAL beside a DOUBLE",
                "SELECT COALESCE(price, 0.5) FROM bills | SQL_UNSUPPORTED | a DECIMAL beside a DOUBLE",
                "SELECT STDDEV_POP(price) FROM bills | SQL_UNSUPPORTED | write CAST(... AS DOUBLE)",
                "SELECT id FROM bills WHERE price = 1234567890123.1234567 | SQL_UNSUPPORTED | a DECIMAL beside a DOUBLE",
                "SELECT id FROM bills WHERE price = 1000000000000000.01 | SQL_UNSUPPORTED | write DECIMAL '...'",
                "SELECT id FROM bills WHERE price > 1000000000000000 + 0.01 | SQL_UNSUPPORTED | write DECIMAL '...'",
                "SELECT b.id FROM bills b JOIN payments p ON b.price - p.price = 1 | SQL_UNSUPPORTED | CAST(... AS DOUBLE)",
                "SELECT CAST(price AS DECIMAL(3, 2)) FROM bills | INTEGER_OVERFLOW | exceeds DECIMAL(3, 2)",
                "SELECT SUM(total) FROM bills WHERE total > 0 | INTEGER_OVERFLOW | 38 digits",
                "SELECT CAST(9.96 AS DECIMAL(2, 1)) FROM bills | BAD_SQL | exceeds DECIMAL(2, 1)",
                "SELECT DECIMAL '1e50' FROM bills | BAD_SQL | at most 38 digits",
                "SELECT price::numeric FROM bills | BAD_SQL | such as DECIMAL(18, 2)",
            })
    void fails(String statement, String code, String says) throws Exception {
        try (LoadedTables tables = small("fails")) {
            assertThatThrownBy(() -> tables.answer(statement))
                    .hasMessageContaining(says)
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
    }

    /** As question marks, a decimal is one, and a whole number is compared with decimals by a plan that is kept. */
    @Test
    void takesParameters() throws Exception {
        try (LoadedTables tables = small("marks")) {
            SqlPlanner planner = new SqlPlanner(tables);
            String statement = "SELECT id FROM bills WHERE price > ?";
            for (int round = 0; round < 2; round++) {
                assertThat(where(planner, statement, new Expression.Whole(2))).isEqualTo("price > 2");
                assertThat(where(planner, statement, new Expression.Decimal(0.5)))
                        .isEqualTo("price > 0.5");
                assertThat(where(planner, statement, new Expression.Exact(new BigDecimal("0.50"))))
                        .isEqualTo("price > DECIMAL '0.50'");
            }
            assertThat(where(planner, "SELECT id FROM bills WHERE id = 1 AND price > ?", new Expression.Decimal(0.75)))
                    .contains("price > 0.75");
            assertThat(planner.signature(statement, NOW).parameters()).hasToString("[DECIMAL(18, 2)]");
            assertThat(planner.plan("SELECT SUM(price) FROM bills GROUP BY ROLLUP(fee)", NOW))
                    .isInstanceOfSatisfying(
                            ResidualPlan.class,
                            plan -> assertThat(plan.fields().get(0).type()).isSameAs(FieldType.decimal(38, 2)));
        }
    }

    private static String where(SqlPlanner planner, String statement, Expression.Literal value) {
        SqlPlan plan = (SqlPlan) planner.plan(statement, List.of(value), NOW);
        return String.valueOf(plan.query().where());
    }
}
