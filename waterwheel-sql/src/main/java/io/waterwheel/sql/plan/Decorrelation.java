package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.residual.MixedComparisons;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.calcite.plan.Context;
import org.apache.calcite.plan.Contexts;
import org.apache.calcite.plan.Convention;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptSchema;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAsofJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.rules.SubQueryRemoveRule;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql2rel.RelDecorrelator;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.tools.RelBuilderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes joins of sub-queries, also of those that are asked for each row. Calcite makes other joins of as-of joins when
 * it does so, or fails: to it each is a table.
 */
final class Decorrelation {
    // Rules are made one by one: CoreRules makes all that Calcite has, for the first statement of a process.
    private static final HepProgram SUB_QUERIES = new HepProgramBuilder()
            .addRuleCollection(List.of(
                    SubQueryRemoveRule.Config.FILTER
                            .withRelBuilderFactory(SubQueryLists.FACTORY)
                            .toRule(),
                    SubQueryRemoveRule.Config.PROJECT
                            .withRelBuilderFactory(SubQueryLists.FACTORY)
                            .toRule(),
                    SubQueryRemoveRule.Config.JOIN
                            .withRelBuilderFactory(SubQueryLists.FACTORY)
                            .toRule()))
            .build();

    private Decorrelation() {}

    /** The plan with sub-queries as operators: joins, and correlated ones where they name columns around them. */
    static RelNode operators(RelNode root) {
        HepPlanner planner = new HepPlanner(SUB_QUERIES);
        planner.setRoot(root.accept(new Rewording()));
        return planner.findBestExp().accept(new MixedComparisons.Casting());
    }

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
        if (!Correlations.has(node)) {
            return node;
        }
        RelNode held = node.accept(new Holding()).accept(new MixedComparisons.Holding());
        return RelDecorrelator.decorrelateQuery(held, builder)
                .accept(new MixedComparisons.Releasing())
                .accept(new Releasing());
    }

    /**
     * Hides the written values that make groups. Calcite leaves them out of the groups while it makes joins: without
     * any other there is one group even of no rows, and what stands above looks for columns in the wrong places.
     */
    private static final class Holding extends RelHomogeneousShuttle {
        /** The value of its argument. */
        private static final SqlFunction HELD = new SqlFunction(
                "HELD",
                SqlKind.OTHER_FUNCTION,
                ReturnTypes.ARG0,
                null,
                OperandTypes.ANY,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);

        @Override
        public RelNode visit(RelNode other) {
            RelNode node = super.visit(other);
            if (!(node instanceof Aggregate aggregate) || !(aggregate.getInput() instanceof Project project)) {
                return node;
            }
            RexBuilder rex = node.getCluster().getRexBuilder();
            List<RexNode> values = new ArrayList<>(project.getProjects());
            for (int key : aggregate.getGroupSet()) {
                if (values.get(key) instanceof RexLiteral literal) {
                    values.set(key, rex.makeCall(literal.getType(), HELD, List.of(literal)));
                }
            }
            RelNode held = project.copy(project.getTraitSet(), project.getInput(), values, project.getRowType());
            return values.equals(project.getProjects()) ? node : node.copy(node.getTraitSet(), List.of(held));
        }
    }

    /** Shows them again. */
    private static final class Releasing extends RelHomogeneousShuttle {
        @Override
        public RelNode visit(RelNode other) {
            return super.visit(other).accept(new RexShuttle() {
                @Override
                public RexNode visitCall(RexCall call) {
                    return call.getOperator().equals(Holding.HELD)
                            ? call.getOperands().get(0)
                            : super.visitCall(call);
                }
            });
        }
    }

    /**
     * Puts other words for what Calcite makes wrong operators of. {@code x <> ANY (...)}, and so {@code = ALL}, looks
     * for the columns of its helpers by name alone, and finds others; {@code < ANY} or {@code > ANY} is the same. IN of
     * several columns has rows twice or loses them where it is unknown.
     */
    private static final class Rewording extends RelHomogeneousShuttle {
        private final RexShuttle within = new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                same = same.clone(MixedComparisons.uncast(same, same.rel.accept(Rewording.this)));
                if (same.getKind() == SqlKind.SOME && same.operands.size() > 1) {
                    // Calcite would compare the first alone.
                    throw SqlErrors.unsupported(
                            "not supported: ANY, SOME or ALL of several columns but as = ANY, which is"
                                    + " IN, and <> ALL, which is NOT IN; write EXISTS (SELECT 1 FROM ... WHERE ...)");
                }
                if (same.getKind() != SqlKind.SOME
                        || ((SqlQuantifyOperator) same.getOperator()).comparisonKind != SqlKind.NOT_EQUALS) {
                    return same;
                }
                return same.rel
                        .getCluster()
                        .getRexBuilder()
                        .makeCall(
                                SqlStdOperatorTable.OR,
                                RexSubQuery.some(same.rel, same.operands, SqlStdOperatorTable.SOME_LT),
                                RexSubQuery.some(same.rel, same.operands, SqlStdOperatorTable.SOME_GT));
            }
        };

        @Override
        public RelNode visit(RelNode other) {
            requireKnownRows(other);
            return super.visit(other).accept(within);
        }

        private static void requireKnownRows(RelNode node) {
            RexShuttle requiring = new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    boolean nulls = query.getOperands().stream()
                                    .anyMatch(operand -> operand.getType().isNullable())
                            || query.rel.getRowType().getFieldList().stream()
                                    .anyMatch(column -> column.getType().isNullable());
                    if (query.getKind() == SqlKind.IN && query.getOperands().size() > 1 && nulls) {
                        throw SqlErrors.unsupported(
                                "not supported: IN of several columns that may be null is answered only as a whole"
                                        + " condition of WHERE or HAVING, alone or joined by AND; write [NOT] EXISTS"
                                        + " (SELECT 1 FROM ... WHERE x = a AND y = b)");
                    }
                    return super.visitSubQuery(query);
                }
            };
            if (!(node instanceof Filter filter)) {
                RelNode unused = node.accept(requiring);
                return;
            }
            for (RexNode one : RelOptUtil.conjunctions(filter.getCondition())) {
                if (one.getKind() != SqlKind.IN) {
                    RexNode unused = one.accept(requiring);
                }
            }
        }
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

    /**
     * Makes one list of two that stand one above the other, as Calcite does, but where the upper one asks sub-queries:
     * what these name are columns of the lower list. Over what that list reads they would find others in their places.
     */
    static final class SubQueryLists extends RelBuilder {
        static final RelBuilderFactory FACTORY = (cluster, schema) -> new SubQueryLists(Contexts.of(), cluster, schema);

        private final Config config;

        private SubQueryLists(Context context, RelOptCluster cluster, @Nullable RelOptSchema schema) {
            super(context, cluster, schema);
            this.config = context.maybeUnwrap(Config.class).orElse(Config.DEFAULT);
        }

        @Override
        public RelBuilder transform(UnaryOperator<Config> transform) {
            return new SubQueryLists(Contexts.of(transform.apply(config)), cluster, relOptSchema);
        }

        @Override
        public RelBuilder project(
                Iterable<? extends RexNode> values,
                Iterable<? extends @Nullable String> names,
                boolean force,
                Iterable<CorrelationId> rows) {
            if (!(peek() instanceof Project) || !asks(values)) {
                return super.project(values, names, force, rows);
            }
            RelNode lower = build();
            RelBuilder apart =
                    RelBuilder.proto(Contexts.of(config.withBloat(-1))).create(cluster, relOptSchema);
            return push(apart.push(lower).project(values, names, force, rows).build());
        }

        private static boolean asks(Iterable<? extends RexNode> values) {
            for (RexNode value : values) {
                if (RexUtil.SubQueryFinder.find(value) != null) {
                    return true;
                }
            }
            return false;
        }
    }
}
