package io.waterwheel.sql.plan;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.residual.HeldValues;
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
import org.apache.calcite.plan.RelOptPredicateList;
import org.apache.calcite.plan.RelOptRuleCall;
import org.apache.calcite.plan.RelOptSchema;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.plan.RelRule;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.plan.hep.HepPlanner;
import org.apache.calcite.plan.hep.HepProgram;
import org.apache.calcite.plan.hep.HepProgramBuilder;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAsofJoin;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.rules.SubQueryRemoveRule;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.LogicVisitor;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSimplify;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUnknownAs;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes joins of sub-queries, also of those that are asked for each row, where Calcite makes the right ones: leaves
 * take more of a join. What it does not is left to DuckDB as it is, for each row. Calcite makes other joins of as-of
 * joins when it does so, or fails: to it each is a table.
 */
final class Decorrelation {
    // Rules are made one by one: CoreRules makes all that Calcite has, for the first statement of a process.
    private static final HepProgram SUB_QUERIES = new HepProgramBuilder()
            .addRuleCollection(List.of(new AskingRule(SubQueryRemoveRule.Config.FILTER), new AskingList()))
            .build();

    private static final Logger LOG = LoggerFactory.getLogger(Decorrelation.class);

    private Decorrelation() {}

    /** The plan with sub-queries as operators: joins, and correlated ones where they name columns around them. */
    static RelNode operators(RelNode root) {
        HepPlanner planner = new HepPlanner(SUB_QUERIES);
        planner.setRoot(root.accept(new Correlations.OfGroups())
                .accept(new Rewording(root.getCluster().getRexBuilder())));
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
            throw asofOfRow();
        }
        return joined;
    }

    private static WaterwheelException asofOfRow() {
        return SqlErrors.unsupported(
                "not supported: an ASOF JOIN within a sub-query that names a column of the query around it; join in"
                        + " WITH or in the outer FROM instead, or ask for the nearest row by LATERAL (SELECT ... ORDER"
                        + " BY ... LIMIT 1)");
    }

    /** Null where an as-of join names a row further out. */
    private static @Nullable RelNode joined(RelNode node, RelBuilder builder) {
        Closing closing = new Closing(builder);
        RelNode closed = node.accept(closing);
        if (closing.depends) {
            return null;
        }
        return decorrelated(closed, builder).accept(new Opening());
    }

    /** As it is where Calcite makes no joins of it, or wrong ones. */
    private static RelNode decorrelated(RelNode node, RelBuilder builder) {
        if (!Correlations.has(node) || !Correlations.areJoins(node)) {
            return node;
        }
        try {
            RelNode held = node.accept(new HeldValues.Holding()).accept(new MixedComparisons.Holding());
            RelNode joined = RelDecorrelator.decorrelateQuery(held, builder)
                    .accept(new MixedComparisons.Releasing())
                    .accept(new HeldValues.Releasing());
            return Correlations.has(joined) ? node : joined;
        } catch (RuntimeException | AssertionError e) {
            // Calcite says in many ways that it cannot.
            LOG.debug("no joins are made of the sub-queries of a statement", e);
            return node;
        }
    }

    /**
     * Puts other words for what Calcite makes wrong operators of. {@code x <> ANY (...)}, and so {@code = ALL}, looks
     * for the columns of its helpers by name alone, and finds others; {@code < ANY} or {@code > ANY} is the same. IN of
     * several columns has rows twice or loses them where it is unknown.
     */
    private static final class Rewording extends RelHomogeneousShuttle {
        private final RexBuilder rex;
        private final RexShuttle within = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                RexNode same = super.visitCall(call);
                // An OR or AND may have come into another.
                return same.getKind() == SqlKind.OR || same.getKind() == SqlKind.AND
                        ? RexUtil.flatten(rex, same)
                        : same;
            }

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
                if (isNull(same)) {
                    // No row has it, unknown if there is any; Calcite takes it for unknown also where there is none.
                    return rex.makeCall(
                            SqlStdOperatorTable.AND, RexSubQuery.exists(same.rel), rex.makeNullLiteral(same.getType()));
                }
                if (same.getKind() != SqlKind.SOME
                        || ((SqlQuantifyOperator) same.getOperator()).comparisonKind != SqlKind.NOT_EQUALS) {
                    return same;
                }
                return rex.makeCall(
                        SqlStdOperatorTable.OR,
                        RexSubQuery.some(same.rel, same.operands, SqlStdOperatorTable.SOME_LT),
                        RexSubQuery.some(same.rel, same.operands, SqlStdOperatorTable.SOME_GT));
            }
        };

        Rewording(RexBuilder rex) {
            this.rex = rex;
        }

        /** Whether a written null is looked for in a list. */
        private static boolean isNull(RexSubQuery query) {
            return query.getOperands().size() == 1
                    && RexUtil.isNullLiteral(query.getOperands().get(0), true);
        }

        @Override
        public RelNode visit(LogicalAsofJoin join) {
            if (Correlations.isNamed(List.of(join.getCondition(), join.getMatchCondition()))) {
                // Calcite says which rows its inputs name, not which it does itself.
                throw asofOfRow();
            }
            return super.visit(join);
        }

        @Override
        public RelNode visit(RelNode other) {
            requireKnownRows(other);
            RelNode visited = super.visit(other).accept(within);
            if (visited instanceof LogicalJoin join && RexUtil.SubQueryFinder.find(join.getCondition()) != null) {
                return new AskingJoin(join).asked();
            }
            return visited instanceof Project project && windowAsks(project) ? belowWindows(project) : visited;
        }

        private static boolean windowAsks(Project project) {
            boolean[] found = {false};
            for (RexNode value : project.getProjects()) {
                value.accept(new RexVisitorImpl<@Nullable Void>(true) {
                    @Override
                    public @Nullable Void visitOver(RexOver over) {
                        found[0] |= RexUtil.SubQueryFinder.find(over) != null
                                || over.getWindow().partitionKeys.stream()
                                        .anyMatch(key -> RexUtil.SubQueryFinder.find(key) != null)
                                || over.getWindow().orderKeys.stream()
                                        .anyMatch(key -> RexUtil.SubQueryFinder.find(key.left) != null);
                        return super.visitOver(over);
                    }
                });
            }
            return found[0];
        }

        /** The windows of a list above another list that has the values of the sub-queries. */
        private static RelNode belowWindows(Project project) {
            RelNode input = project.getInput();
            RexBuilder rex = project.getCluster().getRexBuilder();
            List<RexNode> lower = new ArrayList<>(rex.identityProjects(input.getRowType()));
            List<@Nullable String> names = new ArrayList<>(input.getRowType().getFieldNames());
            RexShuttle moving = new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    int known = lower.indexOf(query);
                    if (known < 0) {
                        lower.add(query);
                        names.add(null);
                    }
                    return rex.makeInputRef(query.getType(), known < 0 ? lower.size() - 1 : known);
                }
            };
            List<RexNode> upper = moving.apply(project.getProjects());
            return LogicalProject.create(
                    LogicalProject.create(input, List.of(), lower, names, project.getVariablesSet()),
                    project.getHints(),
                    upper,
                    project.getRowType().getFieldNames(),
                    Set.of());
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

    /**
     * Makes operators of sub-queries that tell false from unknown, but where a condition is met by true alone. Calcite
     * takes one for the other also where an operator between the two does not.
     */
    private static class AskingRule extends SubQueryRemoveRule {
        AskingRule(RelRule.Config config) {
            super((SubQueryRemoveRule.Config) config.withRelBuilderFactory(SubQueryLists.FACTORY));
        }

        @Override
        protected RexNode apply(
                RexSubQuery query,
                Set<CorrelationId> rows,
                RelOptUtil.Logic logic,
                RelBuilder builder,
                int inputs,
                int columns,
                int number) {
            RelOptUtil.Logic known = logic == RelOptUtil.Logic.TRUE
                    ? logic
                    : query.getType().isNullable() ? RelOptUtil.Logic.TRUE_FALSE_UNKNOWN : RelOptUtil.Logic.TRUE_FALSE;
            return super.apply(query, rows, known, builder, inputs, columns, number);
        }
    }

    /**
     * Makes operators of the sub-queries of a list. Calcite's own rule takes one that names a row further out, and no
     * row of the list itself, to name that of the list.
     */
    private static final class AskingList extends AskingRule {
        AskingList() {
            super(SubQueryRemoveRule.Config.PROJECT);
        }

        @Override
        public void onMatch(RelOptRuleCall call) {
            Project project = call.rel(0);
            RelBuilder builder = call.builder().push(project.getInput());
            List<RexNode> values = project.getProjects();
            RexSubQuery query = RexUtil.SubQueryFinder.find(values);
            for (int number = 1; query != null; number++) {
                Set<CorrelationId> rows = new HashSet<>(RelOptUtil.getVariablesUsed(query.rel));
                rows.retainAll(project.getVariablesSet());
                RelOptUtil.Logic logic = LogicVisitor.find(RelOptUtil.Logic.TRUE_FALSE_UNKNOWN, values, query);
                int columns = builder.peek().getRowType().getFieldCount();
                RexNode value = apply(query, rows, logic, builder, 1, columns, number);
                values = inPlace(query, value).apply(values);
                query = RexUtil.SubQueryFinder.find(values);
            }
            builder.project(values, project.getRowType().getFieldNames());
            call.transformTo(builder.build());
        }

        private static RexShuttle inPlace(RexSubQuery query, RexNode value) {
            return new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery other) {
                    return other.equals(query) ? value : other;
                }
            };
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
            if (!asks(values)) {
                // Calcite looks for the list above a HAVING that asks several, also where it is all columns.
                boolean list = force || (peek() instanceof Filter having && asks(List.of(having.getCondition())));
                return super.project(values, names, list, rows);
            } else if (!(peek() instanceof Project)) {
                return withSimplifier(Asking::new, same -> super.project(values, names, force, rows));
            }
            RelNode lower = build();
            RelBuilder apart =
                    RelBuilder.proto(Contexts.of(config.withBloat(-1))).create(cluster, relOptSchema);
            return push(apart.push(lower)
                    .withSimplifier(Asking::new, same -> same.project(values, names, force, rows))
                    .build());
        }

        @Override
        public RelBuilder filter(Iterable<CorrelationId> rows, Iterable<? extends RexNode> conditions) {
            return asks(conditions)
                    ? withSimplifier(Asking::new, same -> super.filter(rows, conditions))
                    : super.filter(rows, conditions);
        }

        @Override
        public RelBuilder join(JoinRelType type, RexNode condition, Set<CorrelationId> rows) {
            return asks(List.of(condition))
                    ? withSimplifier(Asking::new, same -> super.join(type, condition, rows))
                    : super.join(type, condition, rows);
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

    /**
     * Simplifies what asks sub-queries without looking at them. Calcite takes IN to be never unknown where what is
     * looked for is never null, as if the list had no nulls.
     */
    private static final class Asking extends RexSimplify {
        /** The value of its argument, a sub-query. */
        private static final SqlFunction ASKED = new SqlFunction(
                "ASKED",
                SqlKind.OTHER_FUNCTION,
                ReturnTypes.ARG0,
                null,
                OperandTypes.ANY,
                SqlFunctionCategory.USER_DEFINED_FUNCTION);

        private static final RexShuttle SHOWING = new RexShuttle() {
            @Override
            public RexNode visitCall(RexCall call) {
                return call.getOperator().equals(ASKED) ? call.getOperands().get(0) : super.visitCall(call);
            }
        };

        private final RexSimplify simplify;
        private final RexShuttle hiding = new RexShuttle() {
            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                return rexBuilder.makeCall(query.getType(), ASKED, List.of(query));
            }
        };

        Asking(RelBuilder builder, RexSimplify simplify) {
            super(builder.getRexBuilder(), RelOptPredicateList.EMPTY, RexUtil.EXECUTOR);
            this.simplify = simplify;
        }

        @Override
        public RexNode simplifyUnknownAs(RexNode value, RexUnknownAs unknown) {
            return simplify.simplifyUnknownAs(value.accept(hiding), unknown).accept(SHOWING);
        }

        @Override
        public @Nullable RexNode simplifyFilterPredicates(Iterable<? extends RexNode> conditions) {
            List<RexNode> hidden = new ArrayList<>();
            conditions.forEach(condition -> hidden.add(condition.accept(hiding)));
            RexNode simple = simplify.simplifyFilterPredicates(hidden);
            return simple == null ? null : simple.accept(SHOWING);
        }
    }
}
