package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.SqlErrors;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalAsofJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql2rel.RelDecorrelator;
import org.apache.calcite.tools.RelBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Makes joins of sub-queries that are asked for each row. Calcite makes other joins of as-of joins when it does so, or
 * fails: to it each is a table.
 */
final class Decorrelation {
    private Decorrelation() {}

    /** @throws io.waterwheel.error.WaterwheelException code SQL_UNSUPPORTED */
    static RelNode of(RelNode node, RelBuilder builder) {
        RelNode nearest = node.accept(new LateralAsof(builder));
        if (!Correlations.has(nearest)) {
            return nearest;
        }
        RelNode joined = joined(nearest, builder);
        if (joined == null) {
            // An as-of join that was made within such a sub-query stays a sub-query.
            joined = joined(node, builder);
        }
        if (joined == null) {
            throw SqlErrors.unsupported(
                    "not supported: an ASOF JOIN within a sub-query that names a column of the query around it; join in"
                            + " WITH or in the outer FROM instead, or ask for the nearest row by LATERAL (SELECT ... ORDER"
                            + " BY ... LIMIT 1)");
        }
        return joined;
    }

    /** Null where an as-of join names a row further out. */
    private static @Nullable RelNode joined(RelNode node, RelBuilder builder) {
        Closing closing = new Closing(builder);
        RelNode closed = node.accept(closing);
        if (closing.depends) {
            return null;
        }
        Correlations.requireNear(node);
        return decorrelated(closed, builder).accept(new Opening());
    }

    private static RelNode decorrelated(RelNode node, RelBuilder builder) {
        return Correlations.has(node) ? RelDecorrelator.decorrelateQuery(node, builder) : node;
    }

    /** Puts a table into the place of each as-of join, once no sub-query within it is asked for each row. */
    private static final class Closing extends RelHomogeneousShuttle {
        private final RelBuilder builder;
        private boolean depends;

        Closing(RelBuilder builder) {
            this.builder = builder;
        }

        @Override
        public RelNode visit(LogicalAsofJoin join) {
            Set<CorrelationId> rows = new HashSet<>(RelOptUtil.getVariablesUsed(join));
            rows.removeAll(Correlations.rows(join));
            if (!rows.isEmpty()) {
                depends = true;
                return join;
            }
            List<RelNode> inputs =
                    join.getInputs().stream().map(input -> closed(input)).toList();
            return new Closed(join.copy(join.getTraitSet(), inputs));
        }

        private RelNode closed(RelNode input) {
            RelNode below = input.accept(this);
            if (depends || !Correlations.has(below)) {
                return below;
            }
            // Below a join may be columns more than the query has; the list keeps those that there were.
            RelNode listed = LogicalProject.create(
                    below,
                    List.of(),
                    below.getCluster().getRexBuilder().identityProjects(below.getRowType()),
                    below.getRowType().getFieldNames(),
                    Set.of());
            return builder.push(decorrelated(listed, builder))
                    .convert(input.getRowType(), false)
                    .build();
        }
    }

    /** Puts the as-of joins back. */
    private static final class Opening extends RelHomogeneousShuttle {
        @Override
        public RelNode visit(RelNode other) {
            return other instanceof Closed closed ? closed.join.accept(this) : super.visit(other);
        }
    }

    /** A join that nothing looks into. */
    private static final class Closed extends AbstractRelNode {
        private final RelNode join;

        Closed(RelNode join) {
            super(join.getCluster(), join.getCluster().traitSetOf(Convention.NONE));
            this.join = join;
        }

        @Override
        protected RelDataType deriveRowType() {
            return join.getRowType();
        }

        @Override
        public RelNode copy(RelTraitSet traits, List<RelNode> inputs) {
            return this;
        }

        @Override
        public RelWriter explainTerms(RelWriter writer) {
            // Equal joins are one, others are not.
            return super.explainTerms(writer).item("join", RelOptUtil.toString(join));
        }
    }
}
