package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.SqlErrors;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
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

    /**
     * Refuses one with a join of which several parts name the same column of the row around it, and some part another
     * column: Calcite gives each part values of the row by itself, and forgets that they are of one row.
     */
    static void requireOneValue(RelNode node) {
        if (node instanceof Correlate correlate) {
            requireOneValue(correlate.getRight(), correlate.getCorrelationId(), correlate.getRight());
        }
        node.getInputs().forEach(Correlations::requireOneValue);
    }

    private static void requireOneValue(RelNode node, CorrelationId row, RelNode whole) {
        if (node instanceof Join join) {
            List<Set<Integer>> parts = new ArrayList<>();
            for (RexNode condition : RelOptUtil.conjunctions(join.getCondition())) {
                parts.add(columns(condition, row));
            }
            parts.add(columns(join.getLeft(), row, null));
            parts.add(columns(join.getRight(), row, null));
            if (parts.stream().anyMatch(part -> !part.isEmpty())) {
                parts.add(columns(whole, row, join));
                requireOneValue(parts);
            }
        }
        for (RelNode input : node.getInputs()) {
            requireOneValue(input, row, whole);
        }
    }

    private static void requireOneValue(List<Set<Integer>> parts) {
        parts.removeIf(Set::isEmpty);
        Set<Integer> seen = new HashSet<>();
        boolean shared = false;
        for (Set<Integer> part : parts) {
            for (int column : part) {
                shared |= !seen.add(column);
            }
        }
        if (shared && !parts.stream().allMatch(parts.get(0)::equals)) {
            throw SqlErrors.unsupported(
                    "not supported: a sub-query with a join, of which several conditions name the same column of the"
                            + " query around it, and one names another of its columns; name each once, and compare"
                            + " columns of the sub-query with each other in the other conditions");
        }
    }

    /** The columns of the row that a part of the plan names, but for what lies in and below one of its nodes. */
    private static Set<Integer> columns(RelNode node, CorrelationId row, @Nullable RelNode without) {
        Set<Integer> columns = new HashSet<>();
        if (node != without) {
            node.accept(named(columns, row));
            for (RelNode input : node.getInputs()) {
                columns.addAll(columns(input, row, without));
            }
        }
        return columns;
    }

    private static Set<Integer> columns(RexNode condition, CorrelationId row) {
        Set<Integer> columns = new HashSet<>();
        condition.accept(named(columns, row));
        return columns;
    }

    private static RexShuttle named(Set<Integer> columns, CorrelationId row) {
        return new RexShuttle() {
            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
                if (access.getReferenceExpr() instanceof RexCorrelVariable variable && variable.id.equals(row)) {
                    columns.add(access.getField().getIndex());
                }
                return access;
            }
        };
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
