package io.waterwheel.sql.plan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.prepare.Prepare;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexVisitor;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql2rel.DeduplicateCorrelateVariables;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.sql2rel.SqlToRelConverter;
import org.apache.calcite.util.ImmutableBitSet;
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
        return isNamed(values, row::equals);
    }

    /** Whether values name a row around what they are computed of. */
    static boolean isNamed(List<RexNode> values) {
        return isNamed(values, row -> true);
    }

    private static boolean isNamed(List<RexNode> values, Predicate<CorrelationId> row) {
        boolean[] found = {false};
        RexVisitor<@Nullable Void> names = new RexVisitorImpl<@Nullable Void>(true) {
            @Override
            public @Nullable Void visitCorrelVariable(RexCorrelVariable variable) {
                found[0] |= row.test(variable.id);
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

    /**
     * Makes operators of a statement, and notes of which groups each row is that a sub-query names. Calcite gives each
     * column that is named a row of its own, and says of the first alone which of the groups' columns it is.
     */
    static final class Conversion extends SqlToRelConverter {
        private final SqlValidator scopes;
        private final Rows rows;
        /** Of the SELECT whose groups are made; groups that DISTINCT makes have no such. */
        private @Nullable Blackboard grouped;

        private @Nullable SqlValidatorScope scope;

        private int count;

        Conversion(
                SqlValidator validator,
                Prepare.CatalogReader reader,
                RelOptCluster cluster,
                SqlRexConvertletTable convertlets,
                Config config) {
            super(
                    (type, text, path, view) -> {
                        throw new IllegalStateException("there are no views");
                    },
                    validator,
                    reader,
                    cluster,
                    convertlets,
                    config);
            this.scopes = validator;
            this.rows = (Rows) rexBuilder;
        }

        /** Notes of which groups each row is, when it is first named. */
        static final class Rows extends RexBuilder {
            /** Those that are made; what is named before is of the rows below them. */
            private final Map<SqlValidatorScope, RelNode> groups = new HashMap<>();

            private final Set<CorrelationId> known = new HashSet<>();
            private final Map<CorrelationId, RelNode> ofGroups = new HashMap<>();
            private @Nullable SqlValidatorScope named;

            Rows(RelDataTypeFactory types) {
                super(types);
            }

            @Override
            public RexNode makeCorrel(RelDataType type, CorrelationId row) {
                RelNode of = groups.get(named);
                if (known.add(row) && of != null) {
                    ofGroups.put(row, of);
                }
                return super.makeCorrel(type, row);
            }
        }

        @Override
        protected @Nullable RexNode convertExtendedExpression(SqlNode node, Blackboard within) {
            if (node instanceof SqlIdentifier identifier) {
                SqlValidatorScope.ResolvedImpl resolved = new SqlValidatorScope.ResolvedImpl();
                within.scope.resolve(identifier.names.subList(0, 1), catalogReader.nameMatcher(), false, resolved);
                rows.named = resolved.count() == 1 ? resolved.only().scope : null;
            }
            return super.convertExtendedExpression(node, within);
        }

        /** Keeps apart the rows that groups are made of, and the list of what is grouped. */
        @Override
        protected void convertAgg(Blackboard within, SqlSelect select, List<SqlNode> order, List<SqlNode> more) {
            RelNode from = Objects.requireNonNull(within.root);
            within.setRoot(
                    LogicalProject.create(
                            from,
                            List.of(),
                            rexBuilder.identityProjects(from.getRowType()),
                            from.getRowType().getFieldNames(),
                            Set.of()),
                    false);
            Blackboard around = grouped;
            SqlValidatorScope scopeAround = scope;
            grouped = within;
            scope = scopes.getWhereScope(select);
            super.convertAgg(within, select, order, more);
            grouped = around;
            scope = scopeAround;
        }

        /** Gives groups a type of their own. */
        @Override
        protected RelNode createAggregate(
                Blackboard within,
                ImmutableBitSet keys,
                ImmutableList<ImmutableBitSet> sets,
                List<AggregateCall> calls) {
            if (within != grouped) {
                return super.createAggregate(within, keys, sets, calls);
            }
            Project list = (Project) Objects.requireNonNull(within.root);
            String prefix = "groups " + count++ + " ";
            List<String> names = IntStream.range(0, list.getProjects().size())
                    .mapToObj(column -> prefix + column)
                    .toList();
            within.setRoot(
                    LogicalProject.create(
                            list.getInput(), list.getHints(), list.getProjects(), names, list.getVariablesSet()),
                    false);
            RelNode made = super.createAggregate(within, keys, sets, calls);
            rows.groups.put(Objects.requireNonNull(scope), made);
            return made;
        }

        /** With the columns of groups in what is asked of them, and one row for each list or condition that asks. */
        RelNode ofGroups(RelNode root) {
            return rows.ofGroups.isEmpty() ? root : root.accept(new OfGroups(rows.ofGroups));
        }
    }

    /** Names the columns of groups in what is asked of them. */
    private static final class OfGroups extends RelHomogeneousShuttle {
        private final Map<CorrelationId, RelNode> groups;
        private final RexShuttle naming = new RexShuttle() {
            @Override
            public RexNode visitFieldAccess(RexFieldAccess access) {
                RelNode of = access.getReferenceExpr() instanceof RexCorrelVariable row ? groups.get(row.id) : null;
                if (of == null || access.getReferenceExpr().getType().equals(of.getRowType())) {
                    return super.visitFieldAccess(access);
                }
                RexBuilder rex = of.getCluster().getRexBuilder();
                CorrelationId row = ((RexCorrelVariable) access.getReferenceExpr()).id;
                return rex.makeFieldAccess(
                        rex.makeCorrel(of.getRowType(), row),
                        key(of, access.getField().getIndex()));
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                return same.clone(same.rel.accept(OfGroups.this));
            }
        };

        OfGroups(Map<CorrelationId, RelNode> groups) {
            this.groups = groups;
        }

        @Override
        public RelNode visit(RelNode other) {
            RelNode visited = super.visit(other).accept(naming);
            if (visited instanceof Filter filter) {
                OneRow row = new OneRow(filter);
                RexNode condition = filter.getCondition().accept(row);
                return LogicalFilter.create(filter.getInput(), condition, ImmutableSet.copyOf(row.all()));
            } else if (visited instanceof Project project) {
                OneRow row = new OneRow(project);
                return LogicalProject.create(
                        project.getInput(),
                        project.getHints(),
                        row.apply(project.getProjects()),
                        project.getRowType().getFieldNames(),
                        row.all());
            }
            return visited;
        }

        /** The place among the groups' columns of one of the rows that they are made of. */
        private static int key(RelNode groups, int place) {
            Aggregate aggregate = (Aggregate) (groups instanceof Project ? groups.getInput(0) : groups);
            List<RexNode> list = ((Project) aggregate.getInput()).getProjects();
            int key = 0;
            for (int column : aggregate.getGroupSet()) {
                if (list.get(column) instanceof RexInputRef input && input.getIndex() == place) {
                    return key;
                }
                key++;
            }
            throw new IllegalStateException("column " + place + " is not of " + groups);
        }

        /** Gives the rows of groups right below a node one name in what the node asks. */
        private final class OneRow extends RexShuttle {
            private final RelNode node;
            private final CorrelationId one;
            private boolean named;

            OneRow(RelNode node) {
                this.node = node;
                this.one = node.getCluster().createCorrel();
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                Set<CorrelationId> rows = new HashSet<>(RelOptUtil.getVariablesUsed(same.rel));
                rows.removeIf(row -> !isBelow(row));
                if (rows.isEmpty()) {
                    return same;
                }
                named = true;
                return same.clone(
                        DeduplicateCorrelateVariables.go(node.getCluster().getRexBuilder(), one, rows, same.rel));
            }

            private boolean isBelow(CorrelationId row) {
                RelNode of = groups.get(row);
                return of != null && of.getRowType().equals(node.getInput(0).getRowType());
            }

            /** All rows that the node has names for, without those that Calcite takes for rows of it. */
            Set<CorrelationId> all() {
                Set<CorrelationId> rows = new HashSet<>(node.getVariablesSet());
                rows.removeAll(groups.keySet());
                if (named) {
                    rows.add(one);
                }
                return rows;
            }
        }
    }
}
