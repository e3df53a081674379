package io.waterwheel.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A statement over views is planned as if their queries were written in it. */
final class ViewsTest {
    private static final Instant NOW = Instant.parse("2026-11-26T03:00:00Z");
    private static final Schema ORDERS = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("amount", FieldType.LONG, true),
                    new Field("note", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");

    private final List<String> streams = new ArrayList<>(List.of("orders"));
    private final Map<String, SqlView> views = new HashMap<>();
    private final SqlPlanner planner = new SqlPlanner(new StreamSchemas() {
        @Override
        public List<String> names() {
            return List.copyOf(streams);
        }

        @Override
        public @Nullable Schema schema(String name) {
            return streams.contains(name) ? ORDERS : null;
        }

        @Override
        public @Nullable SqlView view(String name) {
            return views.values().stream()
                    .filter(view -> view.name().equalsIgnoreCase(name))
                    .findFirst()
                    .orElse(null);
        }
    });

    private void view(String name, String columns, String query) {
        views.put(name, new SqlView(name, List.of(columns.split(",")), query));
    }

    private void alike(String statement, String written) {
        for (int again = 0; again < 2; again++) {
            assertThat(planner.plan(statement, NOW)).as(statement).isEqualTo(planner.plan(written, NOW));
        }
    }

    private void fails(String statement, String message) {
        assertThatThrownBy(() -> planner.plan(statement, NOW)).as(statement).hasMessageContaining(message);
    }

    @Test
    void conditionsGoThroughThem() {
        view("large", "id,twice", "SELECT id, amount * 2 AS x FROM orders WHERE amount > 10");
        view("larger", "id,twice", "SELECT * FROM large WHERE twice > 100");
        view("counts", "note,n", "SELECT note, COUNT(*) FROM orders GROUP BY note");
        alike(
                "SELECT id, twice FROM large WHERE id = 7",
                "SELECT id, amount * 2 AS twice FROM orders WHERE amount > 10 AND id = 7");
        alike(
                "SELECT l.twice FROM public.Larger AS l WHERE l.id < 3",
                "SELECT amount * 2 AS twice FROM orders WHERE amount > 10 AND amount * 2 > 100 AND id < 3");
        view("days", "current_date,n", "SELECT note, COUNT(*) FROM orders GROUP BY note");
        alike("SELECT n FROM days", "SELECT COUNT(*) AS n FROM orders GROUP BY note");
        alike("SELECT c.n FROM counts c", "SELECT COUNT(*) AS n FROM orders GROUP BY note");
        alike("SELECT a FROM large AS t(a, b)", "SELECT id AS a FROM orders WHERE amount > 10");
        alike(
                "SELECT x.id FROM orders x JOIN large y ON x.id = y.id",
                "SELECT x.id FROM orders x JOIN (SELECT id, amount * 2 AS z FROM orders WHERE amount > 10) y ON x.id = y.id");
        alike(
                "SELECT id FROM orders WHERE id IN (SELECT id FROM large)",
                "SELECT id FROM orders WHERE id IN (SELECT id FROM orders WHERE amount > 10)");
        // What WITH names hides a view, and so does a stream.
        alike("WITH large AS (SELECT id FROM orders) SELECT id FROM large", "SELECT id FROM orders");
        view("orders", "id", "SELECT 1 AS id FROM nothing");
        alike("SELECT id FROM orders", "SELECT id FROM public.orders");
    }

    /** Not of the streams that the statement calls so, nor of the time of the first statement. */
    @Test
    void meanWhatTheyMeantWhenTheyWereMade() {
        streams.add("visits");
        view("large", "id", "SELECT id FROM orders WHERE amount > 10");
        alike(
                "WITH orders AS (SELECT id, 99 AS amount FROM visits) SELECT id FROM large",
                "SELECT id FROM orders WHERE amount > 10");
        view("recent", "id,asked", "SELECT id, NOW() FROM orders");
        String joined = "SELECT r.id, r.asked FROM recent r JOIN visits v ON r.id = v.id";
        StatementPlan first = planner.plan(joined, NOW);
        assertThat(planner.plan(joined, NOW.plusSeconds(1))).isNotEqualTo(first);
    }

    /** A tower of views, each of which names the one below it many times. */
    @Test
    void areBoundedTogether() {
        view("a1", "id", "SELECT id FROM orders");
        for (int i = 2; i <= 8; i++) {
            String below = "a" + (i - 1);
            view("a" + i, "id", "SELECT x0.id FROM " + below + " x0" + (", " + below + " x").repeat(39));
        }
        fails("SELECT id FROM a8", "it has over 32 views");
    }

    @Test
    void plansAreForgottenWhenViewsChange() {
        view("v", "id", "SELECT id FROM orders WHERE amount > 10");
        alike("SELECT id FROM v WHERE id = 7", "SELECT id FROM orders WHERE amount > 10 AND id = 7");
        view("v", "id", "SELECT id FROM orders WHERE amount > 20");
        alike("SELECT id FROM v WHERE id = 8", "SELECT id FROM orders WHERE amount > 20 AND id = 8");
        streams.add("v");
        alike("SELECT id FROM v WHERE id = 8", "SELECT id FROM public.v WHERE id = 8");
        assertThat(planner.plan("SELECT id FROM v WHERE id = 8", NOW).streams()).containsExactly("v");
        streams.remove("v");
        views.clear();
        fails("SELECT id FROM v WHERE id = 8", "there is no stream 'v'");
    }

    @Test
    void refusalsNameTheView() {
        view("a", "id", "SELECT id FROM b");
        view("b", "id", "SELECT id\nFROM\n a");
        fails("SELECT id\n FROM a", "line 2, column 7: view a would be over itself: a, b, a");
        assertThatThrownBy(() -> planner.view("c", "SELECT id FROM C", NOW))
                .hasMessageContaining("there is no stream 'C'");
        view("c", "id", "SELECT id FROM orders");
        assertThatThrownBy(() -> planner.view("c", "SELECT id FROM C", NOW))
                .hasMessageContaining("line 1, column 16: view c would be over itself: c, c");
        assertThatThrownBy(() -> planner.view("d", "SELECT id FROM orders WHERE id = ?", NOW))
                .hasMessageContaining("a view takes no parameters");
        streams.add("visits");
        view("gone", "id", "SELECT id FROM visits");
        streams.remove("visits");
        fails(
                "SELECT id FROM gone",
                "line 1, column 16: view gone is over 'visits', and there is no stream or view of that");
        view("deep0", "id", "SELECT id FROM orders");
        for (int i = 1; i < 12; i++) {
            view("deep" + i, "id", "SELECT id FROM deep" + (i - 1));
        }
        fails("SELECT id FROM deep11", "views are over each other more than 8 deep");
        fails("SELECT nothing FROM c", "there is no column 'nothing'");
    }
}
