package io.waterwheel.sql;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Statements of each kind, over a stream that is nowhere. */
final class WarmUpStatements {
    private static final int ROUNDS = 3;
    private static final String STREAM = "warm_up";
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("number", FieldType.DOUBLE, true),
                    new Field("note", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");
    private static final List<String> STATEMENTS = List.of(
            "SELECT * FROM warm_up WHERE id = 1 AND at >= TIMESTAMP '2026-01-01 00:00:00Z' LIMIT 3",
            "SELECT note, COUNT(*) AS n, AVG(number) FROM warm_up WHERE number BETWEEN 1 AND 2.5 AND note LIKE 'a%'"
                    + " GROUP BY note HAVING COUNT(*) > 5 ORDER BY n DESC LIMIT 5",
            "SELECT FLOOR(at TO MINUTE), MAX(number) FROM warm_up WHERE at > NOW() - INTERVAL '5' MINUTE GROUP BY 1",
            "SELECT id, number * 2 AS twice FROM warm_up WHERE note IN ('a', 'b') OR id < 5 ORDER BY twice",
            "SELECT a.note, COUNT(*), SUM(b.number) FROM warm_up a JOIN warm_up b ON a.id = b.id GROUP BY a.note");

    private WarmUpStatements() {}

    static void run(BooleanSupplier goesOn) {
        for (int round = 0; round < ROUNDS; round++) {
            // One each time: it knows no plan yet.
            SqlPlanner planner = new SqlPlanner(new OneStream());
            for (String statement : STATEMENTS) {
                if (!goesOn.getAsBoolean()) {
                    return;
                }
                StatementPlan unused = planner.plan(statement, Instant.EPOCH);
            }
            SqlSignature asked = planner.signature("SELECT id FROM warm_up WHERE id = ? AND note > ?", Instant.EPOCH);
            StatementPlan unused = planner.plan(
                    "SELECT id FROM warm_up WHERE id = ? AND note > ?",
                    List.of(new Expression.Whole(asked.parameters().size()), new Expression.Text("a")),
                    Instant.EPOCH);
        }
    }

    private static final class OneStream implements StreamSchemas {
        @Override
        public List<String> names() {
            return List.of(STREAM);
        }

        @Override
        public @Nullable Schema schema(String name) {
            return name.equals(STREAM) ? SCHEMA : null;
        }
    }
}
