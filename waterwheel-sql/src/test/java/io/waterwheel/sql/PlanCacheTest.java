package io.waterwheel.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SqlParameters;
import io.waterwheel.query.compile.RowInterpreter;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.cache.PlanCache;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Plans that are used again are those that a planner makes which never saw a statement before. */
final class PlanCacheTest {
    private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");

    private static final class Streams implements StreamSchemas {
        private final Map<String, Schema> all = new ConcurrentHashMap<>();

        @Override
        public List<String> names() {
            return all.keySet().stream().sorted().toList();
        }

        @Override
        public @Nullable Schema schema(String name) {
            return all.get(name);
        }
    }

    private static Schema orders(FieldType amount) {
        return new Schema(
                List.of(
                        new Field("id", FieldType.LONG, false),
                        new Field("at", FieldType.TIMESTAMP, false),
                        new Field("amount", amount, true),
                        new Field("price", FieldType.DOUBLE, true),
                        new Field("note", FieldType.STRING, true),
                        new Field("source", FieldType.IPV4, true),
                        new Field("paid", FieldType.BOOLEAN, true)),
                new KeySpec.Ordered("id"),
                "at");
    }

    private final Streams streams = new Streams();
    private final SqlPlanner planner = new SqlPlanner(streams);

    {
        streams.all.put("orders", orders(FieldType.INT));
    }

    private Object plan(String statement, Instant now, Object... parameters) {
        try {
            return planner.plan(statement, SqlParameters.of(parameters), now);
        } catch (WaterwheelException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void assertSame(String statement, Instant now, Object... parameters) {
        // So long a statement is planned with its values.
        Object expected = plan(statement + " ".repeat(PlanCache.MOST_CHARACTERS), now, parameters);
        for (int again = 0; again < 2; again++) {
            Object got = plan(statement, now, parameters);
            if (expected instanceof SqlPlan literal && got instanceof SqlPlan bound) {
                assertSame(statement, literal, bound);
            } else if (expected instanceof ResidualPlan literal && got instanceof ResidualPlan bound) {
                assertSame(statement, literal, bound);
            } else if (!(expected instanceof ResidualPlan && got instanceof SqlPlan)
                    && !String.valueOf(expected).startsWith("statement: not supported")) {
                // What can match no row is another plan, or none, where its values are known.
                assertThat(got).as(statement).isEqualTo(expected);
            }
        }
    }

    private void assertSame(String statement, SqlPlan literal, SqlPlan bound) {
        assertThat(bound.columns()).as(statement).isEqualTo(literal.columns());
        assertThat(bound.fields()).as(statement).isEqualTo(literal.fields());
        assertSame(statement, literal.query(), bound.query());
    }

    private void assertSame(String statement, ResidualPlan literal, ResidualPlan bound) {
        assertThat(bound.text()).as(statement).isEqualTo(literal.text());
        assertThat(bound.narrowings()).as(statement).isEqualTo(literal.narrowings());
        assertThat(bound.leaves()).as(statement).hasSameSizeAs(literal.leaves());
        for (int leaf = 0; leaf < literal.leaves().size(); leaf++) {
            ResidualPlan.Leaf one = literal.leaves().get(leaf);
            ResidualPlan.Leaf other = bound.leaves().get(leaf);
            assertSame(statement, one.query(), other.query());
            assertThat(other.places()).as(statement).isEqualTo(one.places());
            assertThat(other.singles() == null).as(statement).isEqualTo(one.singles() == null);
            if (one.singles() != null && other.singles() != null) {
                assertSame(statement, one.singles().query(), other.singles().query());
            }
        }
    }

    private void assertSame(String statement, Query literal, Query bound) {
        assertThat(bound.result()).as(statement).isEqualTo(literal.result());
        Expression one = literal.where();
        Expression other = bound.where();
        if (one == null || other == null || one.equals(other)) {
            assertThat(other).as(statement).isEqualTo(one);
            return;
        }
        // Of values that are known Calcite makes shorter conditions.
        Schema schema = java.util.Objects.requireNonNull(streams.schema("orders"));
        ExpressionTypes types = new ExpressionTypes(schema.fields());
        Random random = new Random(7);
        for (int r = 0; r < 200; r++) {
            Map<String, Object> row = new HashMap<>();
            row.put("id", (long) random.nextInt(12) - 1);
            row.put("at", Instant.parse("2026-11-24T00:00:00Z").plusSeconds(random.nextInt(900_000) - 400_000));
            row.put("amount", random.nextInt(4) == 0 ? null : (Object) (long) random.nextInt(12));
            row.put("price", random.nextInt(4) == 0 ? null : (Object) (random.nextInt(20) * 0.5));
            row.put("note", random.nextInt(4) == 0 ? null : "" + random.nextInt(10));
            row.put("source", random.nextInt(4) == 0 ? null : (Object) (0x0A000000L + random.nextInt(3)));
            row.put("paid", random.nextInt(4) == 0 ? null : (Object) random.nextBoolean());
            RowInterpreter interpreter = new RowInterpreter(types, row);
            assertThat(Boolean.TRUE.equals(interpreter.value(other)))
                    .as("%s: %s and %s of %s", statement, one, other, row)
                    .isEqualTo(Boolean.TRUE.equals(interpreter.value(one)));
        }
    }

    @Test
    void literalsAreValues() {
        for (String condition : List.of(
                "id = 7|id = 8",
                "id = -7|id = 9223372036854775807|id = 9223372036854775808|id = 7.5|id = '7'|id = NULL",
                "id BETWEEN 3 AND 9|id BETWEEN -1 AND 5",
                "price > 1|price > 2|price > 1.5|price > -2.5e3|price > 1e400",
                "note = 'a'|note = 'it''s'|note = ''|note = '?' AND id = 1",
                "source = '10.0.0.1'|source = '10.0.0.2'|source = 'nonsense'",
                "source <> '10.0.0.1'|'10.0.0.1' = source",
                "at >= TIMESTAMP '2026-11-24 01:00:00Z'|at >= TIMESTAMP '2026-11-24 02:00:00'|at >= TIMESTAMP 'x'",
                "at >= '2026-11-24T01:00:00'|at >= '2026-11-25T01:00:00'|at >= 'x'",
                "at >= NOW() - INTERVAL '5' MINUTE|at >= NOW() - INTERVAL '6' MINUTE",
                "at < CURRENT_TIMESTAMP + INTERVAL '1' DAY|at < LOCALTIMESTAMP",
                "at >= CURRENT_DATE|at < CURRENT_DATE - INTERVAL '7' DAY|at BETWEEN CURRENT_DATE AND NOW()",
                "at >= DATE_TRUNC('month', CURRENT_DATE)|CAST(at AS DATE) = CURRENT_DATE|current_date > at",
                "id = 5 * 2|id = 5 * 3|id = 5 - 2|id = -5 - -2",
                "amount / 5 = 3|amount / 0 = 3|amount % 2 = 1",
                "5 < id|5 < amount AND id > 3",
                "CASE WHEN amount > 1 THEN 'low' END = 'low'|CASE WHEN amount > 2 THEN 'low' END = 'x'",
                "note LIKE 'a%'|note LIKE 'b%' OR note = 'c'",
                "id IN (1, 2)|id IN (3)|id = 1 OR id = 2|NOT id = 4",
                "paid = TRUE|paid = FALSE|paid",
                "CASE WHEN amount > 1 THEN 'low' ELSE 'high' END = 'low'|CASE WHEN amount > 2 THEN 'low' ELSE 'high' END = 'x'",
                "id = 1 -- = 2\n AND amount > 3|id = 1 /* > 7 */ AND amount > 4",
                "\"id\" = 3|\"id\" = 4|id = X'00'|id >= 1 AND amount >= 2",
                "id =7|id=8|id = 7e0|id = 7.|id = 3and amount = 5")) {
            for (String one : condition.split("\\|", -1)) {
                assertSame("SELECT id, note FROM orders WHERE " + one, NOW);
                assertSame("SELECT id, note FROM orders WHERE " + one, NOW.plusSeconds(77));
                assertSame("SELECT id, note FROM orders WHERE " + one, NOW.plus(1, ChronoUnit.DAYS));
                assertSame("SELECT COUNT(*) FILTER (WHERE " + one + ") AS n FROM orders", NOW);
                assertSame(
                        "SELECT note, MAX(amount) FROM orders WHERE " + one + " GROUP BY 1 HAVING COUNT(*) > 5", NOW);
            }
        }
    }

    @Test
    void valuesInOtherPlacesDecide() {
        for (String statement : List.of(
                "SELECT id FROM orders LIMIT 5|SELECT id FROM orders LIMIT 6",
                "SELECT CASE WHEN amount < 5 THEN 1 ELSE 2 END, COUNT(*) FROM orders GROUP BY CASE WHEN amount < 5 THEN 1 ELSE 2 END",
                "SELECT CASE WHEN amount < 5 THEN 1 ELSE 2 END, COUNT(*) FROM orders GROUP BY CASE WHEN amount < 6 THEN 1 ELSE 2 END",
                "SELECT CASE WHEN amount < 5 THEN 1 ELSE 2 END, COUNT(*) FROM orders GROUP BY 1",
                "SELECT amount > 5 AS big FROM orders|SELECT amount > 6 AS big FROM orders",
                "SELECT id FROM (SELECT id, amount > 5 AS big FROM orders) WHERE big",
                "SELECT id, big FROM (SELECT id, amount > 5 AS big FROM orders) WHERE big",
                "SELECT id, at FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) = 1",
                "SELECT id, at FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) = 2",
                "SELECT id, at FROM orders QUALIFY LTTB(amount, 5) OVER (PARTITION BY id ORDER BY at)",
                "SELECT id, at FROM orders QUALIFY LTTB(amount, 6) OVER (PARTITION BY id ORDER BY at)",
                "SELECT id, amount > 5 AS big FROM orders QUALIFY LTTB(amount, 9) OVER (PARTITION BY id ORDER BY at)",
                "SELECT id, amount > 6 AS big FROM orders QUALIFY LTTB(amount, 9) OVER (PARTITION BY id ORDER BY at)",
                "SELECT at FROM orders QUALIFY MINMAX(CASE WHEN amount > 5 THEN 1 ELSE 0 END, 8) OVER (PARTITION BY id ORDER BY at)",
                "SELECT at FROM orders QUALIFY MINMAX(CASE WHEN amount > 6 THEN 1 ELSE 0 END, 8) OVER (PARTITION BY id ORDER BY at)",
                "SELECT QUANTILE(amount, 0.5) FROM orders WHERE id > 5|SELECT QUANTILE(amount, 0.9) FROM orders WHERE id > 5",
                "SELECT nope FROM orders WHERE id = 5",
                "SELECT id FROM orders WHERE id = ",
                "SELECT id FROM orders WHERE note = 'open")) {
            for (String one : statement.split("\\|", -1)) {
                assertSame(one, NOW);
            }
        }
    }

    /** Plans of joins are kept while the values are in the leaves alone. */
    @Test
    void joinsAreKept() {
        for (String condition : List.of(
                "a.price > 1|a.price > 2|a.price > 0",
                "a.id = 3|a.id = 4|a.id = 5",
                "a.amount > 1 AND b.note = 'a'|a.amount > 2 AND b.note = 'b'",
                "a.id = b.id AND a.id < 7|a.id = b.id AND a.id < 8",
                "a.at > NOW() - INTERVAL '5' MINUTE AND b.at > NOW()",
                "CASE WHEN a.amount > 1 THEN a.note ELSE '' END = b.note|CASE WHEN a.amount > 2 THEN a.note ELSE '' END = b.note",
                "a.amount + b.amount > 3|a.amount + b.amount > 4",
                "a.source = '10.0.0.1'|a.source = '10.0.0.2'|a.source = 'nonsense'",
                "EXISTS (SELECT 1 FROM orders c WHERE c.amount = a.id AND c.price > 2)"
                        + "|EXISTS (SELECT 1 FROM orders c WHERE c.amount = a.id AND c.price > 3)")) {
            for (String one : condition.split("\\|", -1)) {
                for (String select : List.of(
                        "SELECT a.id, b.note FROM orders a JOIN orders b ON a.id = b.amount WHERE ",
                        "SELECT a.id, b.note FROM orders a LEFT JOIN orders b ON a.id = b.amount AND ",
                        "SELECT b.note, COUNT(*), SUM(a.amount) FROM orders a JOIN orders b ON a.id = b.amount WHERE ")) {
                    String statement = select + one + (select.contains("COUNT") ? " GROUP BY b.note" : "");
                    assertSame(statement, NOW);
                    assertSame(statement, NOW.plus(1, ChronoUnit.DAYS));
                }
            }
        }
        // Twice the same leaf, but for the value.
        String two = "SELECT a.id FROM orders a JOIN orders b ON a.amount = b.amount WHERE a.price > # AND b.price > 2";
        assertSame(two.replace('#', '1'), NOW);
        assertSame(two.replace('#', '2'), NOW);
        assertThat(planner.plan(two.replace('#', '5'), NOW).toString())
                .contains("price > 5")
                .doesNotContain("price > 1");
    }

    /** A million seconds apart, two moments had one placeholder, and the column of the first was that of both. */
    @Test
    void momentsThatAreMovedStayApart() {
        assertSame(
                "SELECT id FROM orders WHERE at > NOW() - INTERVAL '12' DAY AND (at > NOW() OR at < NOW() - INTERVAL '1000000' SECOND)",
                NOW);
        assertSame("SELECT at > NOW() AS a, at > NOW() - INTERVAL '1000000' SECOND AS b FROM orders", NOW);
    }

    /** Drivers ask for the signature first. */
    @Test
    void theSignatureOfATextHasItsKeptPlan() {
        String fixed = "SELECT o.id, p.note FROM orders o JOIN orders p ON p.id = o.id";
        StatementPlan first = planner.signature(fixed, NOW).plan();
        assertThat(planner.plan(fixed, NOW)).isSameAs(first);
        streams.all.put("orders", orders(FieldType.LONG));
        StatementPlan changed = planner.signature(fixed, NOW).plan();
        assertThat(changed).isNotSameAs(first);
        assertThat(planner.plan(fixed, NOW)).isSameAs(changed);

        String moving = "SELECT o.id, NOW() AS n FROM orders o JOIN orders p ON p.id = o.id";
        StatementPlan then = planner.signature(moving, NOW).plan();
        StatementPlan later = planner.plan(moving, NOW.plusSeconds(1));
        assertThat(later).isNotSameAs(then);
        assertThat(later).isNotEqualTo(then);
    }

    @Test
    void parametersAndLiteralsAreAlike() {
        String statement = "SELECT id FROM orders WHERE id = ? AND price > ? AND note <> ? AND at >= ? AND amount < 5";
        for (int i = 0; i < 5; i++) {
            assertSame(statement, NOW, i, i * 0.5, "n" + i, NOW.minusSeconds(i));
            assertSame(statement, NOW, i, i, null, NOW.plusNanos(i));
        }
        assertSame("SELECT id FROM orders WHERE id BETWEEN ? AND 9", NOW, 5);
        assertSame("SELECT id FROM orders WHERE id = ?", NOW);
        assertSame("SELECT id FROM orders WHERE id = ?", NOW, 1, 2);
        assertSame("SELECT id FROM orders WHERE source = ?", NOW, "10.0.0.1");
        assertSame("SELECT id FROM orders WHERE note LIKE ? LIMIT ?", NOW, "a%", 5);
    }

    @Test
    void aPlanHoldsAsLongAsItsStream() {
        String statement = "SELECT id, amount FROM orders WHERE amount = 5";
        assertSame(statement, NOW);
        streams.all.put("orders", orders(FieldType.STRING));
        assertSame(statement, NOW);
        streams.all.remove("orders");
        assertThatThrownBy(() -> planner.plan(statement, NOW)).hasMessageContaining("there is no stream 'orders'");
        streams.all.put("orders", orders(FieldType.INT));
        assertSame(statement, NOW);
    }

    @Test
    void randomStatements() {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(12, 3000); seed++) {
            Random random = new Random(seed);
            String shape = "SELECT id, note FROM orders WHERE " + condition(random, 3);
            for (int again = 0; again < 3; again++) {
                try {
                    assertSame(filled(shape, random), NOW);
                } catch (AssertionError e) {
                    throw new AssertionError("replay with -Dseed=" + seed + " -Dseeds=1", e);
                }
            }
        }
    }

    /** A condition with a place for each value. */
    private static String condition(Random random, int depth) {
        if (depth > 0 && random.nextInt(3) > 0) {
            String one = condition(random, depth - 1);
            String other = condition(random, depth - 1);
            return switch (random.nextInt(3)) {
                case 0 -> "(" + one + " AND " + other + ")";
                case 1 -> "(" + one + " OR " + other + ")";
                default -> "NOT (" + one + ")";
            };
        }
        return List.of(
                        "id = #",
                        "id > #",
                        "amount BETWEEN # AND #",
                        "amount <> #",
                        "price < #",
                        "note = '#'",
                        "amount + # > #",
                        "LENGTH(note) < #",
                        "paid",
                        "note IS NULL",
                        "price >= #.5",
                        "at > TIMESTAMP '2026-11-2# 00:00:00'",
                        "id IN (#, #)")
                .get(random.nextInt(13));
    }

    private static String filled(String shape, Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < shape.length(); i++) {
            char letter = shape.charAt(i);
            text.append(letter == '#' ? Integer.toString(random.nextInt(10)) : String.valueOf(letter));
        }
        return text.toString();
    }

    /**
     * Not judged, for the machine decides: what it prints says how dear a plan is; in the long form to be relied on.
     */
    @Test
    void whatAPlanCosts() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<String> lines = new ArrayList<>();
        String point = "SELECT id, note FROM orders WHERE id = # AND at >= TIMESTAMP '2026-11-24 01:00:00Z'";
        String join =
                "SELECT a.note, COUNT(*) FROM orders a JOIN orders b ON a.id = b.amount WHERE a.id = # GROUP BY a.note";
        for (String shape : List.of(point, join)) {
            lines.add(shape.equals(point) ? "a point" : "a join");
            cost(threads, shape, false, lines);
            cost(threads, shape, true, lines);
        }
        System.err.println("what a plan takes: " + lines);
        assertThat(lines).hasSize(6);
    }

    private void cost(com.sun.management.ThreadMXBean threads, String shape, boolean same, List<String> lines) {
        int rounds = same ? Rounds.of("plans", 200, 20_000) : Rounds.of("new-plans", 2, 200);
        long checksum = 0;
        long begun = 0;
        for (int i = -rounds; i < rounds; i++) {
            if (i == 0) {
                begun = threads.getCurrentThreadCpuTime();
            }
            SqlPlanner asked = same ? planner : new SqlPlanner(streams);
            checksum += asked.plan(shape.replace("#", String.valueOf(Math.abs(i))), NOW)
                    .columns()
                    .size();
        }
        lines.add((same ? "known " : "new ") + (threads.getCurrentThreadCpuTime() - begun) / (rounds * 1000.0)
                + " us, checksum " + checksum);
    }
}
