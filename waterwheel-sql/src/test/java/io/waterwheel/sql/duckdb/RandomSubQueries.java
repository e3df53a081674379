package io.waterwheel.sql.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random statements whose sub-queries name columns of the queries around them in several places: in both sides and the
 * conditions of joins, below set operations, groups, windows and limits, and from two levels down. Their texts mean the
 * same to DuckDB.
 */
final class RandomSubQueries {
    private final Random random;
    private int names;

    RandomSubQueries(Random random) {
        this.random = random;
    }

    String next() {
        names = 0;
        String from = one(List.of(
                "orders o",
                "orders o",
                "orders o LEFT JOIN visits v ON v.level = o.amount AND v.id = o.id",
                "(SELECT note, amount, price, moment, id + 1 AS id FROM orders) o",
                "orders o" + one(List.of(" JOIN ", " LEFT JOIN ")) + "visits v ON v.id = o.id AND "
                        + truth(one(List.of("o", "v")), 1) + one(List.of("", " AND " + truth("o", 1)))));
        String where = one(List.of("", " WHERE o.id < 6", " WHERE o.amount > 0"));
        return switch (random.nextInt(4)) {
            case 0 ->
                "SELECT o.id, o.moment FROM " + from + " WHERE " + one(List.of("", "NOT ")) + truth("o", 2)
                        + one(List.of("", " AND o.price > 0"));
            case 1 -> {
                String name = name();
                boolean all = random.nextBoolean();
                yield "SELECT o.id, o.moment, n.x FROM " + from + (all ? " LEFT" : " CROSS") + " JOIN LATERAL ("
                        + rows(name, "o", 2) + ") n" + (all ? " ON TRUE" : "") + where;
            }
            case 2 -> "SELECT o.id, o.moment, " + truth("o", 2) + " AS t FROM " + from + where;
            default -> "SELECT o.id, o.moment, o.amount, " + value("o", 2) + " AS x FROM " + from + where;
        };
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String name() {
        return "s" + names++;
    }

    /** Of a row around it. */
    private String truth(String row, int depth) {
        String name = name();
        return switch (random.nextInt(3)) {
            case 0 -> whole(row) + one(List.of(" IN (", " NOT IN (")) + rows(name, row, depth) + ")";
            case 1 -> "(" + value(row, depth) + " > 1)";
            default -> "EXISTS (" + rows(name, row, depth) + ")";
        };
    }

    private String value(String row, int depth) {
        String name = name();
        String y = name + "y";
        String asked = one(List.of(
                "COUNT(*)", "MAX(" + y + ".level)", "COALESCE(SUM(" + y + ".id), 2)", "COUNT(" + name + "u.level)"));
        return "(SELECT " + asked + " FROM " + joined(name, row, depth) + ")";
    }

    /** A query of one column, x. */
    private String rows(String name, String row, int depth) {
        String y = name + "y";
        String u = name + "u";
        String query = "SELECT " + y + ".level AS x FROM " + joined(name, row, depth);
        return switch (random.nextInt(6)) {
            case 0 ->
                query + " UNION " + one(List.of("", "ALL ")) + "SELECT w.id AS x FROM visits w WHERE "
                        + term("w", "w", row);
            case 1 -> "SELECT MAX(" + u + ".level) AS x FROM " + joined(name, row, depth) + " GROUP BY " + y + ".id";
            case 2 -> "SELECT COUNT(*) OVER (PARTITION BY " + y + ".id) AS x FROM " + joined(name, row, depth);
            case 3 -> query + " ORDER BY x NULLS FIRST LIMIT " + (1 + random.nextInt(3));
            case 4 -> "SELECT DISTINCT " + u + ".id AS x FROM " + joined(name, row, depth);
            default -> query;
        };
    }

    /** What follows FROM: a join of two, called by the name with y and u, and WHERE. */
    private String joined(String name, String row, int depth) {
        String y = name + "y";
        String u = name + "u";
        String join = one(List.of(" JOIN ", " JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "));
        String on = join.equals(" FULL JOIN ") ? u + ".level = " + y + ".level" : term(y, u, row);
        List<String> terms = new ArrayList<>();
        for (int t = random.nextInt(3); t >= 0; t--) {
            terms.add(term(y, u, row));
        }
        if (depth > 1 && random.nextInt(3) == 0) {
            terms.add(truth(one(List.of(y, u, row)), depth - 1));
        }
        if (depth > 1 && random.nextInt(3) == 0) {
            // Names the row around, and one further out.
            String inner = name();
            terms.add("EXISTS (SELECT 1 FROM visits " + inner + " WHERE " + term(inner, y, row) + " AND "
                    + term(inner, u, y) + ")");
        }
        return side(y, row) + join + side(u, row) + " ON " + on + " AND " + term(y, u, y) + " WHERE "
                + String.join(" AND ", terms);
    }

    private String side(String name, String row) {
        String where = " WHERE " + term("w", "w", row) + ") " + name;
        return switch (random.nextInt(7)) {
            case 0 ->
                "(SELECT " + one(List.of("", "DISTINCT ")) + "w.id, w.level, w.moment, w.note, w.weight FROM visits w"
                        + where;
            case 1 -> "(SELECT w.id, w.level, w.moment, w.note, w.weight FROM visits w WHERE w.level > 0) " + name;
            case 2 ->
                "(SELECT w.id, MAX(w.level) AS level, MIN(w.moment) AS moment, MAX(w.note) AS note FROM visits w"
                        + where.replace(") " + name, " GROUP BY w.id) " + name);
            default -> "visits " + name;
        };
    }

    /** Of two tables and a row around them. */
    private String term(String y, String u, String row) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> y + ".id = " + row + ".id";
            case 2, 3 -> u + ".level = " + whole(row);
            case 4 -> y + ".id = " + whole(row);
            case 5 -> y + ".moment <= " + row + ".moment";
            case 6 -> u + ".note = " + row + ".note";
            case 7 -> u + ".level IS NOT DISTINCT FROM " + whole(row);
            case 8 -> y + ".level " + one(List.of("<=", "<>", ">")) + " " + whole(row);
            default -> u + ".id = " + y + ".id";
        };
    }

    private static String whole(String row) {
        return row + (row.equals("o") ? ".amount" : ".level");
    }
}
