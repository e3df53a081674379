package io.waterwheel.sql.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexVisitor;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/** Looks at sub-queries that are asked for each row of the query around them. */
final class Correlations extends RelVisitor {
    private final Set<CorrelationId> rows = new HashSet<>();

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
     * Whether Calcite makes joins of all of them that have the same rows. It does of one that names the row directly
     * around it, in one condition, of which lists, conditions and groups are the rest, and compares different columns
     * of the two by {@code =}. It does not of one that names a row further out, nor of one that names its row in
     * several places or otherwise: it gives each the values of the row by itself, and forgets that they are of one row,
     * or has rows of the row twice. Nor of one in which a join, a window, a set operation or a LIMIT stands above the
     * condition: these would be over the rows of all rows. Nor of one with an aggregate without groups above it, but as
     * one value: such an aggregate has a row where nothing matches, and the join has none.
     */
    static boolean areJoins(RelNode node) {
        return (!(node instanceof Correlate correlate) || isJoin(correlate))
                && node.getInputs().stream().allMatch(Correlations::areJoins);
    }

    private static boolean isJoin(Correlate correlate) {
        RelNode asked = correlate.getRight();
        Set<CorrelationId> named = new HashSet<>(RelOptUtil.getVariablesUsed(asked));
        named.removeAll(rows(asked));
        named.remove(correlate.getCorrelationId());
        return named.isEmpty()
                && isNamedOnce(asked, correlate.getCorrelationId(), correlate.getJoinType() == JoinRelType.LEFT);
    }

    /** @param optional whether all columns are null where the node has no row */
    private static boolean isNamedOnce(RelNode node, CorrelationId row, boolean optional) {
        if (!isNamed(node, row)) {
            return true;
        } else if (node instanceof Filter filter && !isNamed(filter.getInput(), row)) {
            return areEqualities(filter, row);
        } else if (node instanceof Filter filter) {
            return !isNamed(List.of(filter.getCondition()), row) && isNamedOnce(filter.getInput(), row, false);
        } else if (node instanceof Project project) {
            boolean same = project.getProjects().stream().allMatch(RexInputRef.class::isInstance);
            return !project.containsOver()
                    && !isNamed(project.getProjects(), row)
                    && isNamedOnce(project.getInput(), row, optional && same);
        }
        return node instanceof Aggregate aggregate
                && aggregate.getGroupType() == Aggregate.Group.SIMPLE
                && (optional || !aggregate.getGroupSet().isEmpty())
                && isNamedOnce(aggregate.getInput(), row, false);
    }

    /** Whether the conditions of a filter that name the row compare a column of it each with another value. */
    private static boolean areEqualities(Filter filter, CorrelationId row) {
        Set<RexNode> sides = new HashSet<>();
        for (RexNode condition : RelOptUtil.conjunctions(filter.getCondition())) {
            if (!isNamed(List.of(condition), row)) {
                continue;
            }
            if (!(condition instanceof RexCall call) || !call.isA(SqlKind.EQUALS)) {
                return false;
            }
            boolean first = isNamed(call.getOperands().subList(0, 1), row);
            RexNode named = call.getOperands().get(first ? 0 : 1);
            RexNode value = call.getOperands().get(first ? 1 : 0);
            RexNode column =
                    named.isA(SqlKind.CAST) ? ((RexCall) named).getOperands().get(0) : named;
            if (isNamed(List.of(value), row)
                    || !(column instanceof RexFieldAccess)
                    || !sides.add(column)
                    || !sides.add(value)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNamed(RelNode node, CorrelationId row) {
        return !RelOptUtil.notContainsCorrelation(node, row, Litmus.IGNORE);
    }

    private static boolean isNamed(List<RexNode> values, CorrelationId row) {
        boolean[] found = {false};
        RexVisitor<@Nullable Void> names = new RexVisitorImpl<@Nullable Void>(true) {
            @Override
            public @Nullable Void visitCorrelVariable(RexCorrelVariable variable) {
                found[0] |= variable.id.equals(row);
                return null;
            }
        };
        values.forEach(value -> value.accept(names));
        return found[0];
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
        }
        super.visit(node, ordinal, parent);
    }
}
