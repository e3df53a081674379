package io.waterwheel.sql.duckdb;

import java.util.List;
import java.util.Random;

/**
 * Random statements whose conditions ask lists with and without nulls, and then what the conditions are: true, false,
 * unknown, or the same as another. Their texts mean the same to DuckDB.
 */
final class RandomTruths {
    private final Random random;

    RandomTruths(Random random) {
        this.random = random;
    }

    String next() {
        String truth = truth(2);
        return switch (random.nextInt(9)) {
            case 0 -> "SELECT o.id, o.amount FROM orders o WHERE " + truth;
            case 1 ->
                "SELECT o.id, v.moment FROM orders o" + one(List.of(" JOIN ", " LEFT JOIN "))
                        + "visits v ON o.id = v.id AND " + truth;
            case 2 ->
                // One sub-query: HAVING with several that name its row is refused.
                "SELECT COUNT(*) AS n FROM orders o GROUP BY o.id, o.amount, o.paid, o.note HAVING (" + asking() + ")"
                        + one(List.of("", " IS NOT TRUE", " IS NOT FALSE", " IS DISTINCT FROM TRUE", " IS NULL"));
            case 3 ->
                "SELECT o.id, o.moment, o.amount FROM orders o ORDER BY (o.id IN (SELECT v.level FROM visits v"
                        + one(List.of("", " WHERE v.note = o.note", " WHERE v.level IS NOT NULL")) + "))"
                        + one(List.of("", " IS NOT TRUE", " IS NOT DISTINCT FROM FALSE", " IS DISTINCT FROM o.paid"))
                        + ", 1, 2, 3 LIMIT 20";
            case 4 -> "SELECT " + truth + " AS t, COUNT(*) AS n FROM orders o GROUP BY 1";
            case 5 -> "SELECT COUNT(*) FILTER (WHERE " + truth + ") AS n FROM orders o";
            case 6 ->
                "SELECT o.id, CASE WHEN " + truth + " THEN 'a' WHEN " + truth(1)
                        + one(List.of(" THEN 'b' END", " THEN 'b' ELSE 'c' END")) + " AS t FROM orders o";
            default -> "SELECT o.id, o.amount, " + truth + " AS t FROM orders o";
        };
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String truth(int depth) {
        if (depth == 0) {
            return random.nextInt(6) == 0 ? one(List.of("o.paid", "o.amount > 0", "o.id = 3")) : asking();
        }
        String of = "(" + truth(depth - 1) + ")";
        return switch (random.nextInt(10)) {
            case 0, 1 -> of + one(List.of(" IS ", " IS NOT ")) + one(List.of("TRUE", "FALSE", "NULL"));
            case 2, 3 ->
                of
                        + one(List.of(" IS DISTINCT FROM ", " IS NOT DISTINCT FROM "))
                        + one(List.of("TRUE", "FALSE", "o.paid", "(" + truth(depth - 1) + ")"));
            case 4 -> "NOT " + of;
            case 5 -> of + one(List.of(" AND ", " OR ")) + "(" + truth(depth - 1) + ")";
            case 6 -> "COALESCE(" + of + ", " + one(List.of("TRUE", "FALSE", "o.paid")) + ")";
            case 7 ->
                "CASE WHEN " + of + " THEN " + one(List.of("TRUE", "FALSE", "o.paid")) + " ELSE "
                        + one(List.of("TRUE", "FALSE", "o.amount < 0")) + " END";
            case 8 -> of + one(List.of(" = ", " <> ")) + one(List.of("TRUE", "FALSE", "o.paid"));
            default -> of;
        };
    }

    /** Whether a value is in a list, or how it compares with it. */
    private String asking() {
        if (random.nextInt(10) == 0) {
            return one(List.of("(o.id, o.id + 1)", "(3, o.id)"))
                    + one(List.of(" IN ", " NOT IN "))
                    + one(List.of(
                            "(SELECT v.id, v.id + 1 FROM visits v)",
                            "(SELECT v.id, v.id FROM visits v WHERE v.level > 0)"));
        }
        String value = one(List.of(
                "o.id",
                "o.id",
                "o.amount",
                "o.id + 1",
                "3",
                "NULLIF(o.id, 4)",
                "-o.amount",
                "NULL",
                "CAST(NULL AS BIGINT)"));
        String asks = random.nextInt(3) == 0
                ? one(List.of("=", "<>", "<", "<=", ">", ">=")) + one(List.of(" ANY ", " SOME ", " ALL "))
                : one(List.of("IN ", "NOT IN "));
        return value + " " + asks + list();
    }

    private String list() {
        return one(List.of(
                "(SELECT v.level FROM visits v)",
                "(SELECT v.level FROM visits v WHERE v.note = o.note)",
                "(SELECT v.level FROM visits v WHERE v.id = o.id)",
                "(SELECT level FROM visits WHERE level IS NOT NULL)",
                "(SELECT level FROM visits WHERE note = o.note AND level > 0)",
                "(SELECT v.id FROM visits v WHERE v.level > 0)",
                "(SELECT v.level FROM visits v WHERE v.id > 100)",
                "(SELECT v.level FROM visits v WHERE v.level = o.amount)",
                "(SELECT v.level FROM visits v UNION SELECT w.amount FROM orders w)",
                "(SELECT v.id FROM visits v UNION ALL SELECT w.amount FROM orders w WHERE w.id = o.id)",
                "(SELECT v.level FROM visits v EXCEPT SELECT 1)",
                "(WITH w AS (SELECT level, note FROM visits WHERE id > 3) SELECT level FROM w)",
                "(SELECT level FROM visits ORDER BY level NULLS FIRST LIMIT 2)",
                "(SELECT level FROM visits ORDER BY level NULLS LAST LIMIT 2)",
                "(VALUES (1), (3), (CAST(NULL AS INTEGER)))",
                "(VALUES (1), (3))",
                "(SELECT MAX(v.level) FROM visits v WHERE v.id = o.id)",
                "(SELECT v.level FROM visits v GROUP BY v.level HAVING COUNT(*) > 3)",
                "(SELECT v.id FROM visits v WHERE v.level IN (SELECT w.amount FROM orders w WHERE w.id = v.id))",
                "(SELECT v.level FROM visits v WHERE (v.id NOT IN (SELECT w.amount FROM orders w)) IS NOT TRUE)"));
    }
}
