package io.waterwheel.sql.duckdb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Random statements over {@link TwoStreams} that mean the same to the planner and to DuckDB. */
final class RandomStatements {
    private final Random random;
    /** Whether statements may have what DuckDB lacks, or means otherwise: functions on shapes, views and others. */
    private final boolean own;

    RandomStatements(Random random, boolean own) {
        this.random = random;
        this.own = own;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private record Source(
            String from, List<String> whole, List<String> doubles, List<String> texts, List<String> times) {}

    private static final Source ORDERS = new Source(
            "orders o", List.of("o.id", "o.amount"), List.of("o.price"), List.of("o.note"), List.of("o.moment"));
    private static final Source VISITS = new Source(
            "visits v", List.of("v.id", "v.level"), List.of("v.weight"), List.of("v.note"), List.of("v.moment"));

    private static final Source DEAR = new Source(
            "dear o", List.of("o.id", "o.amount"), List.of("o.price"), List.of("o.note"), List.of("o.moment"));

    /** Whose columns have names that are words of SQL. */
    private static final Source WORDS = new Source(
            "(SELECT id AS row, moment AS time, amount AS date, price AS range, note AS set FROM orders) AS values",
            List.of("row", "values.date"),
            List.of("range"),
            List.of("set", "values.set"),
            List.of("time", "values.time"));

    private Source source() {
        if (random.nextInt(8) == 0) {
            return WORDS;
        }
        if (own && random.nextInt(6) == 0) {
            return DEAR;
        }
        if (random.nextInt(4) == 0) {
            return one(List.of(ORDERS, VISITS));
        }
        String kind = one(List.of("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"));
        String on = one(List.of(
                "o.id = v.id",
                "o.id = v.level",
                "o.note = v.note",
                "o.id = v.id AND o.note = v.note",
                "o.id = v.id AND v.level > 0",
                "o.id = v.id AND v.level <> 0 AND o.amount <> 0",
                "o.amount = v.level AND o.id < v.id"));
        return new Source(
                "orders o " + kind + " visits v ON " + on,
                both(ORDERS.whole, VISITS.whole),
                both(ORDERS.doubles, VISITS.doubles),
                both(ORDERS.texts, VISITS.texts),
                both(ORDERS.times, VISITS.times));
    }

    /** A statement that asks for the nearest row of one stream for each row of the other. */
    String nearest() {
        boolean time = random.nextBoolean();
        String near = time ? "v.moment" : "v.level";
        String asked = time
                ? one(List.of("o.moment", "o.moment - INTERVAL '3' MINUTE"))
                : one(List.of("o.amount", "o.id - 5", "o.amount * 2"));
        boolean before = random.nextBoolean();
        String match = random.nextBoolean()
                ? near + (before ? one(List.of(" <= ", " < ")) : one(List.of(" >= ", " > "))) + asked
                : asked + (before ? one(List.of(" >= ", " > ")) : one(List.of(" <= ", " < "))) + near;
        // Now and then the wrong way round: the farthest.
        boolean descending = before ^ random.nextInt(8) == 0;
        String equal = one(List.of(
                "v.id = o.id AND ",
                "o.id = v.id AND v.note = o.note AND ",
                "v.id = o.amount + 1 AND ",
                "v.id < o.id AND ",
                ""));
        String own = one(List.of("", "", "v.note LIKE '%b%' AND ", "v.level > 0 AND "));
        String column = one(List.of(near, near, "1", "'found'", near + " = " + asked));
        String query = "SELECT " + column + " AS n FROM visits v WHERE " + equal + own + match
                + (time ? "" : " AND v.level IS NOT NULL") + " ORDER BY " + near + (descending ? " DESC" : "")
                + " LIMIT 1";
        String condition = one(List.of(
                "",
                " WHERE o.price > 0",
                " WHERE EXISTS (SELECT 1 FROM visits x WHERE x.level = o.amount)",
                " WHERE o.amount NOT IN (SELECT x.level FROM visits x WHERE x.id = o.id AND x.level > 0)"));
        return switch (random.nextInt(3)) {
            case 0 -> "SELECT o.id, o.moment, b.n FROM orders o, LATERAL (" + query + ") b" + condition;
            case 1 -> "SELECT o.id, o.note, b.n FROM orders o LEFT JOIN LATERAL (" + query + ") b ON TRUE" + condition;
            default -> "SELECT o.id, o.moment, (" + query + ") AS n FROM orders o" + condition;
        };
    }

    private static List<String> both(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    /** A whole number that is computed in our own way. */
    private String ownWhole(Source source) {
        String time = one(source.times);
        return switch (random.nextInt(8)) {
            case 7 -> "OCTET_LENGTH(" + text(source) + ")";
            case 0 -> "EXTRACT(" + one(List.of("MINUTE", "HOUR", "DAY", "DOW", "WEEK")) + " FROM " + time + ")";
            case 1 -> "POSITION('b' IN " + text(source) + ")";
            case 2 -> "CAST(" + one(source.doubles) + " * 1.5 AS BIGINT)";
            case 3 -> "CHAR_LENGTH(" + text(source) + ")";
            case 4 -> "CASE WHEN " + shape(source) + " THEN 1 ELSE " + one(source.whole) + " END";
            case 5 -> "COALESCE(NULLIF(" + one(source.whole) + ", 1), 7)";
            default -> "MINUTE(" + time + ")";
        };
    }

    private String text(Source source) {
        String text = one(source.texts);
        return switch (own ? random.nextInt(10) : random.nextInt(7)) {
            case 7 -> "TRIM(" + text + " || ' ')";
            case 8 -> "REPLACE(" + text + ", '" + one(List.of("a", "ü", "")) + "', " + one(source.texts) + ")";
            case 9 -> "SUBSTRING(" + text + " FROM " + one(source.whole) + ")";
            case 0 -> "UPPER(" + text + ")";
            case 1 -> "LOWER(" + text + ")";
            case 2 -> "SUBSTRING(" + text + " FROM 2 FOR " + random.nextInt(3) + ")";
            case 3 -> "CONCAT(" + text + ", 'x', " + one(source.texts) + ")";
            case 4 -> "(" + text + " || '%_')";
            case 5 -> "CASE WHEN " + one(source.whole) + " > 1 THEN " + text + " ELSE 'else' END";
            default -> text;
        };
    }

    private String time(Source source) {
        String time = one(source.times);
        return switch (random.nextInt(6)) {
            case 0 -> "DATE_TRUNC('" + one(List.of("minute", "hour", "day", "week", "month")) + "', " + time + ")";
            case 1 ->
                "TIME_BUCKET(INTERVAL '" + (1 + random.nextInt(9)) + "' MINUTE, " + time
                        + (random.nextBoolean()
                                ? ""
                                : ", TIMESTAMP '" + (1950 + random.nextInt(99)) + "-03-01 00:02:01.5'")
                        + ")";
            case 2 -> "CAST(" + time + " AS DATE)";
            case 3 -> "FLOOR(" + time + " TO HOUR)";
            case 4 -> time + " - INTERVAL '90' SECOND";
            default -> time;
        };
    }

    private String real(Source source) {
        String number = one(source.doubles);
        return switch (random.nextInt(9)) {
            case 6 -> one(List.of("SQRT", "LN", "EXP", "SIN", "ATAN", "DEGREES")) + "(" + number + ")";
            case 7 -> "POWER(" + number + ", " + one(source.whole) + ")";
            case 8 -> "LN(" + one(source.whole) + ") / LN(2)";
            case 0 -> "ROUND(" + number + ", " + random.nextInt(3) + ")";
            case 1 -> "ROUND(" + number + ")";
            case 2 -> "ST_Distance(ST_Point(" + number + ", " + one(source.whole) + "), ST_Point(1.5, -2))";
            case 3 -> one(source.whole) + " / 4::DOUBLE";
            case 4 -> "CAST(" + one(source.whole) + " AS DOUBLE) * " + number;
            default -> number;
        };
    }

    private String shape(Source source) {
        String point = "ST_Point(" + one(source.doubles) + ", " + one(source.whole) + ")";
        return switch (random.nextInt(4)) {
            case 0 -> "ST_Within(" + point + ", ST_MakeEnvelope(-1, -1, " + random.nextInt(3) + ", 2))";
            case 1 -> "ST_DWithin(" + point + ", ST_Point(0.5, 1), " + random.nextInt(300_000) + ")";
            case 2 -> "ST_Contains(ST_GeomFromText('POLYGON ((-2 -2, 3 -1, 0.5 2.5, -2 -2))'), " + point + ")";
            default -> "ST_Intersects(ST_Buffer(ST_Point(1, 0), 150000), " + point + ")";
        };
    }

    /** A condition that is written in our own way. */
    private String ownCondition(Source source) {
        return switch (random.nextInt(6)) {
            case 0 ->
                text(source)
                        + one(List.of(" LIKE ", " NOT LIKE "))
                        + one(List.of("'a%'", "'%b%'", "'_'", "'%!%!_' ESCAPE '!'"));
            case 1 ->
                time(source) + one(List.of(" = ", " < ", " >= ")) + "TIMESTAMP '2026-11-24 00:1" + random.nextInt(10)
                        + ":00'";
            case 2 -> real(source) + " BETWEEN -1 AND " + random.nextInt(4);
            case 3 -> text(source) + " = " + text(source);
            case 4 -> ownWhole(source) + one(List.of(" = ", " < ", " <> ")) + random.nextInt(5);
            default -> shape(source);
        };
    }

    private String whole(Source source, int depth) {
        if (own && random.nextInt(5) == 0) {
            return ownWhole(source);
        }
        return switch (depth == 0 ? 0 : random.nextInt(8)) {
            case 1 -> "(" + whole(source, depth - 1) + " + " + whole(source, depth - 1) + ")";
            case 2 -> "(" + whole(source, depth - 1) + " * " + (random.nextInt(5) - 2) + ")";
            case 3 ->
                "CASE WHEN " + condition(source, depth - 1) + " THEN " + whole(source, depth - 1) + " ELSE "
                        + whole(source, depth - 1) + " END";
            case 4 -> "COALESCE(" + whole(source, depth - 1) + ", " + whole(source, depth - 1) + ")";
            case 5 -> "ABS(" + whole(source, depth - 1) + ")";
            case 6 -> "LENGTH(" + one(source.texts) + ")";
            default -> one(source.whole);
        };
    }

    /** A number to select: a division by what may be zero and a factor that may exceed 64 bits are among them. */
    private String number(Source source) {
        if (own && random.nextInt(3) == 0) {
            return random.nextBoolean() ? real(source) : random.nextBoolean() ? time(source) : text(source);
        }
        return switch (random.nextInt(6)) {
            case 0, 1 -> one(source.doubles);
            case 2 -> risky(source);
            default -> whole(source, 1);
        };
    }

    /** What may fail; of many rows it must not be computed at all. */
    private String risky(Source source) {
        String number = one(source.whole);
        return switch (random.nextInt(4)) {
            case 0 -> "(10 / " + number + ")";
            case 1 -> "(" + number + " * " + one(List.of("9223372036854775807", "4611686018427387904")) + ")";
            case 2 -> "(" + whole(source, 1) + " / " + number + " + 1)";
            default -> "CASE WHEN " + number + " <> 0 THEN MOD(7, " + number + ") END";
        };
    }

    /** Conditions that often leave out the rows of which what is risky fails; some are of both sides of a join. */
    private String guard(Source source) {
        String number = one(source.whole);
        String other = one(source.whole);
        return switch (random.nextInt(4)) {
            case 0 -> number + " <> 0";
            // Of one value twice Calcite 1.42 asserts in vain that it knows what may be null.
            case 1 -> number.equals(other) ? number + " <> 0" : number + " * " + number + " > " + other + " * " + other;
            case 2 -> number + " BETWEEN -1 AND 1";
            default -> "ABS(" + number + ") + ABS(" + other + ") = 1";
        };
    }

    private String condition(Source source, int depth) {
        if (own && random.nextInt(3) == 0) {
            return ownCondition(source);
        }
        String relation = one(List.of("=", "<>", "<", "<=", ">", ">="));
        return switch (random.nextInt(depth == 0 ? 6 : 9)) {
            case 0 -> whole(source, 1) + " " + relation + " " + (random.nextInt(7) - 2);
            case 1 -> one(source.doubles) + " " + relation + " " + (random.nextInt(9) - 4) * 0.5;
            case 2 ->
                one(source.texts) + " "
                        + one(List.of(
                                "= 'a'", "LIKE 'a%'", "NOT LIKE '%b'", "IN ('a', '東京', '')", "IS NULL", "IS NOT NULL"));
            case 3 ->
                one(source.times) + " " + relation + " TIMESTAMP '2026-11-24 00:" + (10 + random.nextInt(10)) + ":00'";
            case 4 -> whole(source, 1) + " " + relation + " " + whole(source, 1);
            case 5 -> whole(source, 0) + " BETWEEN " + (random.nextInt(5) - 2) + " AND " + random.nextInt(7);
            case 6 -> "(" + condition(source, depth - 1) + " AND " + condition(source, depth - 1) + ")";
            case 7 -> "(" + condition(source, depth - 1) + " OR " + condition(source, depth - 1) + ")";
            default -> "NOT (" + condition(source, depth - 1) + ")";
        };
    }

    private String subQuery(Source source) {
        String outer = one(source.whole);
        return switch (random.nextInt(5)) {
            case 0 -> outer + " IN (SELECT level FROM visits WHERE weight > 0)";
            case 1 -> "EXISTS (SELECT 1 FROM visits x WHERE x.level = " + outer + " AND x.weight < 1)";
            case 2 -> "NOT EXISTS (SELECT 1 FROM orders x WHERE x.amount = " + outer + ")";
            case 3 -> outer + " > (SELECT MIN(amount) FROM orders)";
            default -> outer + " NOT IN (SELECT id FROM orders WHERE amount > 0)";
        };
    }

    /** A list of orders in which each column has another place than in the stream, or is computed. */
    private String turned() {
        String whole = one(List.of("amount", "amount", "amount + 1", "2 * id"));
        List<String> columns = new ArrayList<>(List.of(
                "id",
                "moment",
                whole + " AS amount",
                one(List.of("note", "note", "note || 'x' AS note", "COALESCE(note, 'b') AS note")),
                one(List.of("price", "price * 2 AS price", "MAX(price) OVER (PARTITION BY id) AS price"))));
        Collections.shuffle(columns, random);
        String list = "SELECT " + String.join(", ", columns) + " FROM orders";
        return switch (random.nextInt(6)) {
            case 0 -> list + " WHERE amount > -2";
            case 1 ->
                "SELECT COUNT(*) AS amount, note, MAX(moment) AS moment, MIN(price) AS price, id FROM orders GROUP BY note,"
                        + " id";
            case 2 -> "SELECT price, id, amount, note, moment FROM (" + list + ") AS below";
            case 3 -> list + " UNION ALL " + list;
            default -> list;
        };
    }

    /** A sub-query that is asked for each row of the table a. */
    private String askedForEach() {
        String condition = one(List.of(
                "y.id = a.id",
                "y.note = a.note",
                "y.level = a.amount",
                "y.level IS NOT DISTINCT FROM a.amount",
                "y.id = a.id AND y.note = a.note",
                "y.id = a.amount"));
        String more = one(List.of("", "", " AND y.level > 0", " AND y.moment <= a.moment", " AND y.level < a.amount"));
        String from = " FROM " + tableForEach() + " WHERE " + condition + more + ")";
        String in = one(List.of(" IN ", " NOT IN "));
        // Of a comparison of two kinds of times beside it Calcite 1.42 asserts in vain that it knows which columns are
        // asked by.
        String plain = " FROM visits y WHERE " + condition
                + one(List.of("", " AND y.level > 0", " AND y.level < a.amount")) + ")";
        return switch (random.nextInt(9)) {
            case 0 -> "(SELECT COUNT(*)" + from;
            case 1 -> "(SELECT MAX(y.level)" + from;
            case 2 -> "COALESCE((SELECT MIN(y.weight)" + from + ", a.price)";
            case 3 -> "EXISTS (SELECT 1" + from;
            // Neither is null.
            case 4 -> "a.id IN (SELECT y.id FROM visits y WHERE " + condition + ")";
            case 5 -> "a.amount" + in + "(SELECT y.level" + plain;
            case 6 -> one(List.of("a.note", "a.note || 'b'")) + in + "(SELECT y.note" + plain;
            case 7 -> one(List.of("2", "a.amount + 1", "a.id")) + in + "(SELECT y.level" + plain;
            default -> "(SELECT SUM(y.level)" + from + " + a.amount";
        };
    }

    /** What a sub-query reads, all rows of a table y, alone or joined. */
    private String tableForEach() {
        return switch (random.nextInt(8)) {
            case 0 -> "visits u RIGHT JOIN visits y ON u.level = y.level AND u.weight > 0";
            case 1 -> "visits y LEFT JOIN visits u ON u.level = y.level AND u.id < y.id";
            case 2 -> "visits u FULL JOIN visits y ON u.level = y.level AND u.id = y.id";
            default -> "visits y";
        };
    }

    /** A statement with a sub-query that joins, for each row, by a condition that may name the row. */
    String joinedForEach() {
        String on = one(List.of(
                        "z.level = o.amount",
                        "z.level IS NOT DISTINCT FROM o.amount",
                        "z.weight < o.price",
                        "z.level = y.level AND y.level = o.amount",
                        "o.amount > 0",
                        "z.level = y.level"))
                + one(List.of("", " AND z.id = y.id", " AND z.level > 0", " AND z.note = 'a'"));
        String joined = random.nextInt(4) == 0
                ? "visits y LEFT JOIN visits z ON " + on
                : random.nextInt(6) == 0
                        ? "visits z FULL JOIN visits y ON z.level = y.level AND z.id = y.id"
                        : "visits z RIGHT JOIN visits y ON " + on;
        String query = " FROM " + joined + " WHERE y.id = o.id"
                + one(List.of("", " AND y.note = o.note", " AND z.id IS NULL", " AND y.level > 0")) + ")";
        String asks =
                one(List.of("(SELECT COUNT(*)", "(SELECT COUNT(z.level)", "(SELECT MAX(z.id)", "EXISTS (SELECT 1"));
        String from =
                " FROM orders o" + one(List.of("", "", " LEFT JOIN visits v ON v.level = o.amount AND v.id = o.id"));
        return asks.startsWith("EXISTS") && random.nextBoolean()
                ? "SELECT o.id, o.moment" + from + " WHERE " + one(List.of("", "NOT ")) + asks + query
                : "SELECT o.id, o.moment, o.amount, " + asks + query + " AS x" + from;
    }

    /**
     * A statement that asks sub-queries for each row of a derived table, of one in WITH or of a view.
     *
     * @return the statement, and the same without a view
     */
    List<String> overTurned() {
        List<String> columns = new ArrayList<>();
        for (int c = 1 + random.nextInt(4); c > 0; c--) {
            columns.add(one(List.of("a.id", "a.moment", "a.amount", "a.note", "a.price", "a.amount + a.id")));
        }
        for (int c = 1 + random.nextInt(2); c > 0; c--) {
            columns.add(random.nextInt(columns.size() + 1), askedForEach());
        }
        String select = "SELECT " + named(columns) + " FROM ";
        String end = one(List.of(
                        "",
                        "",
                        " WHERE a.amount > 0",
                        " WHERE a.id > 3 AND EXISTS (SELECT 1 FROM visits z" + " WHERE z.id = a.id)"))
                + (random.nextInt(4) == 0 ? " ORDER BY " + askedForEach() + ", a.id" : "");
        String table = turned();
        return switch (random.nextInt(5)) {
            case 0 -> {
                String with = "WITH a AS (" + table + ") " + select + "a" + end;
                yield List.of(with, with);
            }
            case 1 -> List.of(select + "turned a" + end, select + "(" + TwoStreams.TURNED + ") AS a" + end);
            case 2 -> {
                String joined = select + "(" + table + ") AS a LEFT JOIN visits v ON "
                        + one(List.of("v.level = a.amount", "v.id = a.id AND v.note = a.note")) + end;
                yield List.of(joined, joined);
            }
            default -> {
                String derived = select + "(" + table + ") AS a" + end;
                yield List.of(derived, derived);
            }
        };
    }

    private String where(Source source) {
        List<String> terms = new ArrayList<>();
        if (random.nextInt(3) > 0) {
            terms.add(condition(source, 2));
        }
        if (random.nextInt(4) == 0) {
            terms.add(subQuery(source));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            terms.add(guard(source));
        }
        return terms.isEmpty() ? "" : " WHERE " + String.join(" AND ", terms);
    }

    private String aggregate(Source source) {
        return switch (random.nextInt(10)) {
            case 0 -> "COUNT(*)";
            case 1 -> "COUNT(" + whole(source, 0) + ")";
            case 2 -> "COUNT(DISTINCT " + one(source.texts) + ")";
            case 3 -> "SUM(" + whole(source, 1) + ")";
            case 4 -> "SUM(" + one(source.doubles) + ")";
            case 5 -> "MIN(" + number(source) + ")";
            case 6 -> "MAX(" + risky(source) + ")";
            case 7 -> "MAX(" + one(source.texts) + ")";
            case 8 -> distinctTexts(one(source.texts));
            default -> "COUNT(*) FILTER (WHERE " + condition(source, 1) + ")";
        };
    }

    private String distinctTexts(String text) {
        return "STRING_AGG(DISTINCT " + text + ", '" + one(List.of(",", "", "''", "東")) + "' ORDER BY " + text
                + one(List.of("", " DESC")) + ")";
    }

    private static final Source JOINED = new Source(
            "orders o JOIN visits v ON o.id = v.id",
            both(ORDERS.whole, VISITS.whole),
            both(ORDERS.doubles, VISITS.doubles),
            both(ORDERS.texts, VISITS.texts),
            both(ORDERS.times, VISITS.times));

    /** A condition without parentheses, of columns of orders, in which casts stand between operators. */
    private String bare(int depth) {
        String number = one(List.of("id", "amount", "3", "-1"));
        String cast = one(List.of("id", "amount", "id + amount", "2 * id", "ABS(amount)", "(id - amount::BIGINT)"))
                + one(List.of("", "::BIGINT", "::DOUBLE", "::BIGINT::DOUBLE"));
        String text = one(List.of("note", "note::TEXT", "amount::TEXT", "note || 'x'", "'a' || note::VARCHAR"));
        String one =
                switch (random.nextInt(7)) {
                    case 0 -> cast + one(List.of(" = ", " < ", " >= ", " <> ")) + number;
                    case 1 -> number + one(List.of(" = ", " < ", " >= ", " <> ")) + cast;
                    case 2 -> text + one(List.of(" LIKE ", " NOT LIKE ")) + one(List.of("'a%'", "'%b'", "'1%' || '%'"));
                    case 3 -> cast + one(List.of(" BETWEEN ", " NOT BETWEEN ")) + number + " AND " + cast;
                    case 4 -> cast + one(List.of(" IS NULL", " IS NOT NULL"));
                    case 5 -> one(List.of("paid", "paid::BOOLEAN", "NOT paid::BOOL", "NOT paid"));
                    default -> text + " IN ('a', 'b', '1')";
                };
        return depth == 0 ? one : one + one(List.of(" OR ", " AND ")) + bare(depth - 1);
    }

    /** A statement with such a condition. */
    String casts() {
        return "SELECT id, moment, note FROM orders WHERE " + bare(random.nextInt(4));
    }

    /** A statement that makes texts of groups, each in an order that leaves nothing open. */
    String texts() {
        int kind = random.nextInt(3);
        Source source = kind == 0 ? one(List.of(ORDERS, VISITS, WORDS)) : kind == 1 ? JOINED : VISITS;
        String text = random.nextBoolean() ? one(source.texts) : one(source.texts) + " || " + one(source.texts);
        String first = one(List.of("", one(source.whole) + ", ", one(source.doubles) + " DESC NULLS LAST, "));
        String call = "STRING_AGG(" + text + ", '" + one(List.of(", ", "", "/")) + "' ORDER BY " + first + text
                + one(List.of("", " DESC", " NULLS FIRST")) + ")"
                + (random.nextInt(3) == 0 ? " FILTER (WHERE " + condition(source, 1) + ")" : "");
        if (kind == 2) {
            return "SELECT o.id, o.moment, (SELECT " + call + " FROM visits v WHERE v.id = o.id AND v.level > "
                    + one(List.of("o.amount", "-1")) + ") AS x FROM orders o" + where(ORDERS);
        }
        String group = kind == 1 ? "o.id, o.moment" : one(List.of(source.whole.get(0), source.times.get(0)));
        return "SELECT " + group + ", " + call + " AS x, COUNT(*) AS n FROM " + source.from + where(source)
                + " GROUP BY " + group;
    }

    private String window(Source source) {
        String over = " OVER (PARTITION BY " + one(source.whole) + " ORDER BY ";
        // Over all rows with equal values alike, so that the answer does not depend on an order of its own.
        String order = one(source.whole) + one(List.of("", " DESC"));
        return switch (random.nextInt(6)) {
            case 0 -> "RANK()" + over + order + ")";
            case 1 -> "DENSE_RANK()" + over + order + ")";
            case 2 -> "SUM(" + whole(source, 0) + ")" + over + order + ")";
            case 3 -> "COUNT(*)" + over + order + " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";
            case 4 -> "MAX(" + one(source.doubles) + ") OVER (PARTITION BY " + one(source.texts) + ")";
            default -> "AVG(" + whole(source, 0) + ")" + over + order + ")";
        };
    }

    /** A SELECT whose answer is a set of rows that hangs on no order. */
    private String select() {
        Source source = source();
        List<String> columns = new ArrayList<>();
        int kind = random.nextInt(3);
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            columns.add(kind == 0 ? aggregate(source) : kind == 1 ? window(source) : number(source));
        }
        if (kind == 0) {
            List<String> groups = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                groups.add(random.nextBoolean() ? one(source.texts) : whole(source, 1));
            }
            columns.addAll(groups);
            String by = groups.isEmpty() ? "" : " GROUP BY " + numbers(count, groups.size());
            String having = random.nextInt(3) == 0 ? " HAVING COUNT(*) > " + random.nextInt(4) : "";
            return "SELECT " + named(columns) + " FROM " + source.from + where(source) + by + having;
        }
        columns.add(one(source.times));
        columns.add(one(source.texts));
        String distinct = random.nextInt(3) == 0 ? "DISTINCT " : "";
        return "SELECT " + distinct + named(columns) + " FROM " + source.from + where(source);
    }

    private static String named(List<String> columns) {
        List<String> named = new ArrayList<>();
        for (String column : columns) {
            named.add(column + " AS x" + named.size());
        }
        return String.join(", ", named);
    }

    private static String numbers(int from, int count) {
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(String.valueOf(from + i + 1));
        }
        return String.join(", ", numbers);
    }

    /** A statement that groups joined rows by what its aggregates can be computed in part of. */
    String joinedGroups() {
        String kind = one(List.of("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"));
        String on = one(List.of(
                "o.id = v.id",
                "o.id = v.level",
                "o.note = v.note",
                "o.id = v.id AND v.level > 0",
                "o.amount = v.level"));
        String third =
                one(List.of("", "", " JOIN visits w ON w.level = o.amount", " LEFT JOIN orders w ON w.id = v.level"));
        List<String> groups = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            groups.add(one(List.of("v.note", "o.note", "v.level", "o.amount", "o.id", "LENGTH(v.note)", "o.id + 1")));
        }
        List<String> columns = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            String value = one(List.of("o.amount", "o.amount", "o.id", "v.level"));
            String call =
                    switch (random.nextInt(12)) {
                        case 8, 9 -> chosen(one(List.of("o.amount", "o.price", "v.level", "o.id")));
                        case 10 -> "AVG(" + one(List.of("o.price", "o.amount", "v.weight")) + ")";
                        case 11 -> "SUM(" + one(List.of("o.price", "v.weight")) + ")";
                        case 0, 1 -> "COUNT(*)";
                        case 2 -> "COUNT(" + one(List.of("o.amount", "o.price", "v.level", "v.note")) + ")";
                        case 3, 4 -> "SUM(" + value + ")";
                        case 5 -> "MIN(" + one(List.of("o.price", "o.moment", "o.note", "v.moment", "o.amount")) + ")";
                        case 6 -> "MAX(" + one(List.of("o.price", "o.moment", "v.weight", "v.note", "o.id")) + ")";
                        default -> one(List.of("SUM(o.price)", "COUNT(DISTINCT o.note)", "SUM(o.amount + v.level)"));
                    };
            columns.add(call + (random.nextInt(5) == 0 ? " FILTER (WHERE " + condition(JOINED, 1) + ")" : ""));
        }
        int count = columns.size();
        columns.addAll(groups);
        return "SELECT " + named(columns) + " FROM orders o " + kind + " visits v ON " + on + third
                + (random.nextInt(3) == 0 ? " WHERE " + condition(JOINED, 1) : "")
                + (groups.isEmpty() ? "" : " GROUP BY " + numbers(count, groups.size()))
                + (random.nextInt(4) == 0 ? " HAVING COUNT(*) > " + random.nextInt(4) : "");
    }

    /** An aggregate of a column where a condition holds. */
    private String chosen(String column) {
        String function = one(List.of("SUM", "SUM", "AVG", "COUNT", "MIN", "MAX"));
        String other = function.equals("SUM") && random.nextBoolean() ? " ELSE 0" : one(List.of("", " ELSE NULL"));
        String second = random.nextInt(3) == 0 ? " WHEN v.level > 1 THEN " + one(List.of("NULL", column)) : "";
        return function + "(CASE WHEN " + condition(JOINED, 1) + " THEN " + column + second + other + " END)";
    }

    String next() {
        if (random.nextInt(5) == 0) {
            return joinedGroups();
        }
        if (random.nextInt(6) == 0) {
            String word = one(List.of("UNION", "UNION ALL", "INTERSECT", "EXCEPT"));
            Source one = source();
            Source other = source();
            return "SELECT " + whole(one, 1) + ", " + one(one.texts) + " FROM " + one.from + where(one) + " " + word
                    + " SELECT " + whole(other, 1) + ", " + one(other.texts) + " FROM " + other.from + where(other);
        }
        String select = select();
        return random.nextInt(4) == 0 ? "SELECT * FROM (" + select + ") AS s" : select;
    }
}
