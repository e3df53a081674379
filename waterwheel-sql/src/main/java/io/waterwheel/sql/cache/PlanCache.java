package io.waterwheel.sql.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlView;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.StreamSchemas;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Plans by the text of their statements, some values of which may be open. A plan holds as long as the streams that it
 * names are those it was made for. Bounded in bytes, those longest unused go first. Thread-safe.
 */
public final class PlanCache {
    /** About the bytes of all. */
    private static final long MOST_BYTES = 16L << 20;
    /** Longer ones are planned each time. */
    public static final int MOST_CHARACTERS = 16_384;

    private static final int BYTES_A_CHARACTER = 24;
    private static final int LEAST_BYTES = 4096;

    private final StreamSchemas streams;
    private final Cache<String, Entry> plans = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher((String text, Entry entry) ->
                    LEAST_BYTES + BYTES_A_CHARACTER * text.length() + 2 * entry.queryCharacters())
            .build();

    public PlanCache(StreamSchemas streams) {
        this.streams = streams;
    }

    /**
     * A plan.
     *
     * @param plan null when statements of this text are planned each time
     * @param open by what stands for them in the query, the values that it leaves open
     * @param schemas of the streams that the statement names as they are called
     * @param views that it names, by name
     */
    public record Entry(
            @Nullable StatementPlan plan,
            IdentityHashMap<Expression, ParameterFunction> open,
            Map<String, Schema> schemas,
            Map<String, SqlView> views,
            int queryCharacters) {
        public static Entry of(
                StatementPlan plan,
                IdentityHashMap<Expression, ParameterFunction> open,
                Map<String, Schema> schemas,
                Map<String, SqlView> views) {
            return new Entry(
                    plan, open, Map.copyOf(schemas), views, plan.toString().length());
        }

        /** Of a text whose plans depend on the values. */
        public static Entry none(Map<String, Schema> schemas, Map<String, SqlView> views) {
            return new Entry(null, new IdentityHashMap<>(), Map.copyOf(schemas), views, 0);
        }

        /** The plan with these values. */
        public StatementPlan bound(StatementPlan known, List<Expression.Literal> values, Instant now) {
            if (open.isEmpty()) {
                return known;
            }
            IdentityHashMap<Expression, Expression.Literal> bound = new IdentityHashMap<>();
            open.forEach((placeholder, function) -> bound.put(placeholder, function.value(values, now)));
            BoundQuery query = new BoundQuery(bound);
            if (known instanceof SqlPlan plan) {
                return new SqlPlan(query.of(plan.query()), plan.fields(), plan.columns());
            }
            return known instanceof ResidualPlan plan ? bound(plan, query) : known;
        }

        /** Open values are in leaves, and in what narrows them, alone. */
        private static ResidualPlan bound(ResidualPlan plan, BoundQuery query) {
            return new ResidualPlan(
                    plan.leaves().stream().map(leaf -> bound(leaf, query)).toList(),
                    plan.systems(),
                    plan.files(),
                    plan.sides(),
                    plan.regions(),
                    plan.text(),
                    plan.finiteText(),
                    plan.fields(),
                    plan.labels(),
                    plan.narrowings().stream()
                            .map(one -> new ResidualPlan.Narrowing(
                                    one.from(), one.column(), one.to(), query.of(one.value()), one.type()))
                            .toList());
        }

        private static ResidualPlan.Leaf bound(ResidualPlan.Leaf leaf, BoundQuery query) {
            ResidualPlan.Leaf singles = leaf.singles();
            return new ResidualPlan.Leaf(
                    query.of(leaf.query()),
                    leaf.fields(),
                    leaf.places(),
                    singles == null ? null : bound(singles, query));
        }
    }

    /** The plan of a text; null when there is none that still holds. */
    public @Nullable Entry get(String text) {
        Entry entry = plans.getIfPresent(text);
        if (entry == null) {
            return null;
        }
        if (!holds(entry)) {
            plans.invalidate(text);
            return null;
        }
        return entry;
    }

    private boolean holds(Entry entry) {
        for (Map.Entry<String, Schema> one : entry.schemas().entrySet()) {
            if (!one.getValue().equals(streams.schema(one.getKey()))) {
                return false;
            }
        }
        for (Map.Entry<String, SqlView> one : entry.views().entrySet()) {
            // A stream of that name, made since, hides it.
            boolean hidden = streams.names().stream().anyMatch(one.getKey()::equalsIgnoreCase);
            if (hidden || !one.getValue().equals(streams.view(one.getKey()))) {
                return false;
            }
        }
        return true;
    }

    public void put(String text, Entry entry) {
        plans.put(text, entry);
    }
}
