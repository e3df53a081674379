package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.SqlErrors;
import java.util.HashSet;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Sort;
import org.jspecify.annotations.Nullable;

/** Looks at sub-queries that are asked for each row of the query around them. */
final class Correlations extends RelVisitor {
    private final Set<CorrelationId> rows = new HashSet<>();
    private boolean limited;
    private boolean distant;

    private Correlations() {}

    /** Whether there is one. */
    static boolean has(RelNode node) {
        return !looked(node).rows.isEmpty();
    }

    /** Their rows. */
    static Set<CorrelationId> rows(RelNode node) {
        return looked(node).rows;
    }

    /**
     * Refuses one that has a LIMIT and names a row further out than that of the query directly around it: the joins
     * that Calcite makes of it have other rows.
     */
    static void requireNear(RelNode node) {
        if (looked(node).distant) {
            throw SqlErrors.unsupported(
                    "not supported: a sub-query with a LIMIT that names a column of a query further out than the one"
                            + " around it; docs/sql.md has what is");
        }
    }

    private static Correlations looked(RelNode node) {
        Correlations correlations = new Correlations();
        correlations.go(node);
        return correlations;
    }

    @Override
    public void visit(RelNode node, int ordinal, @Nullable RelNode parent) {
        if (node instanceof Correlate correlate) {
            rows.add(correlate.getCorrelationId());
            Correlations within = looked(correlate.getRight());
            Set<CorrelationId> named = new HashSet<>(RelOptUtil.getVariablesUsed(correlate.getRight()));
            named.removeAll(within.rows);
            named.remove(correlate.getCorrelationId());
            distant |= within.limited && !named.isEmpty();
        }
        limited |= node instanceof Sort sort && (sort.fetch != null || sort.offset != null);
        super.visit(node, ordinal, parent);
    }
}
