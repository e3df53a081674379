package io.waterwheel.sql.plan;

import java.util.HashSet;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** Looks at sub-queries that are asked for each row of the query around them. */
final class Correlations extends RelVisitor {
    private final Set<CorrelationId> rows = new HashSet<>();
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
     * Whether Calcite makes joins of all of them that have the same rows. It does not of one that names a row further
     * out than that of the query directly around it, nor of one in which a row around it is named within a join or
     * below a window: it gives each side of the join values of the row by itself, and opens the window over the rows of
     * all rows. Nor of one with an aggregate without groups below it, but as one value: such an aggregate has a row
     * where nothing matches, and the join has none.
     */
    static boolean areJoins(RelNode node) {
        return !looked(node).distant && namesAbove(node, false);
    }

    /**
     * Whether rows are named above joins, windows and such aggregates alone.
     *
     * @param optional whether all columns are null where the node has no row
     */
    private static boolean namesAbove(RelNode node, boolean optional) {
        boolean apart = node instanceof Join
                || (node instanceof Project project && project.containsOver())
                || (node instanceof Aggregate aggregate
                        && !optional
                        && aggregate.getGroupSets().contains(ImmutableBitSet.of()));
        if (apart) {
            Set<CorrelationId> named = new HashSet<>(RelOptUtil.getVariablesUsed(node));
            named.removeAll(rows(node));
            if (!named.isEmpty()) {
                return false;
            }
        }
        if (node instanceof Correlate correlate) {
            return namesAbove(correlate.getLeft(), false)
                    && namesAbove(correlate.getRight(), correlate.getJoinType() == JoinRelType.LEFT);
        }
        boolean same = optional
                && node instanceof Project project
                && project.getProjects().stream().allMatch(RexInputRef.class::isInstance);
        return node.getInputs().stream().allMatch(input -> namesAbove(input, same));
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
            Set<CorrelationId> named = new HashSet<>(RelOptUtil.getVariablesUsed(correlate.getRight()));
            named.removeAll(rows(correlate.getRight()));
            named.remove(correlate.getCorrelationId());
            distant |= !named.isEmpty();
        }
        super.visit(node, ordinal, parent);
    }
}
