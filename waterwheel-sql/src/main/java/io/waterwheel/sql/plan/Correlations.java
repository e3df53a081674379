package io.waterwheel.sql.plan;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.waterwheel.sql.parse.SqlErrors;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelShuttle;
import org.apache.calcite.rel.RelVisitor;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.type.RelDataType;
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
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql2rel.DeduplicateCorrelateVariables;
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
     * Says of the conditions of HAVING whose rows their sub-queries name. Calcite says it of the first sub-query alone,
     * and calls the row otherwise in each.
     */
    static final class OfGroups extends RelHomogeneousShuttle {
        /** Rows around the node. */
        private Set<CorrelationId> around = Set.of();

        @Override
        public RelNode visit(RelNode other) {
            if (other instanceof Correlate correlate) {
                RelNode left = correlate.getLeft().accept(this);
                RelNode right = within(Set.of(correlate.getCorrelationId()), correlate.getRight());
                return correlate.copy(correlate.getTraitSet(), List.of(left, right));
            }
            RelNode visited = super.visit(other);
            RelNode named = ofKeys(visited instanceof Filter filter ? named(filter) : visited);
            return named.accept(new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                    return same.clone(within(named.getVariablesSet(), same.rel));
                }
            });
        }

        private RelNode within(Set<CorrelationId> rows, RelNode node) {
            Set<CorrelationId> outer = around;
            around = Sets.union(outer, rows).immutableCopy();
            RelNode visited = node.accept(this);
            around = outer;
            return visited;
        }

        /** A condition with one name for its row. */
        private RelNode named(Filter filter) {
            RelDataType type = filter.getInput().getRowType();
            Set<CorrelationId> rows = new LinkedHashSet<>(filter.getVariablesSet());
            for (RexSubQuery query : subQueries(filter.getCondition())) {
                rows.addAll(Sets.difference(namesOf(query.rel, type), around));
            }
            if (rows.equals(filter.getVariablesSet())) {
                return filter;
            }
            Set<CorrelationId> more = Sets.difference(rows, filter.getVariablesSet());
            CorrelationId first = rows.iterator().next();
            RexBuilder rex = filter.getCluster().getRexBuilder();
            RexNode condition = filter.getCondition().accept(new RexShuttle() {
                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                    requireNone(same.rel, type, more);
                    return same.clone(DeduplicateCorrelateVariables.go(rex, first, rows, same.rel));
                }
            });
            return LogicalFilter.create(filter.getInput(), condition, ImmutableSet.of(first));
        }

        /** Refuses conditions within that may name rows of their own so. */
        private static void requireNone(RelNode node, RelDataType type, Set<CorrelationId> rows) {
            each(node, one -> {
                boolean same = one instanceof Filter filter
                        && filter.getInput().getRowType().equals(type)
                        && subQueries(filter.getCondition()).stream()
                                .anyMatch(query -> !Sets.intersection(RelOptUtil.getVariablesUsed(query.rel), rows)
                                        .isEmpty());
                if (same) {
                    throw SqlErrors.unsupported(
                            "not supported: several sub-queries in HAVING, one of which has such a HAVING itself, over"
                                    + " groups whose columns have the same names; select from the groups instead:"
                                    + " FROM (SELECT ... GROUP BY ...) AS g WHERE ...");
                }
            });
        }

        private static List<RexSubQuery> subQueries(RexNode value) {
            List<RexSubQuery> found = new ArrayList<>();
            value.accept(new RexVisitorImpl<@Nullable Void>(true) {
                @Override
                public @Nullable Void visitSubQuery(RexSubQuery query) {
                    found.add(query);
                    return super.visitSubQuery(query);
                }
            });
            return found;
        }

        /**
         * With the columns of groups in what is asked of them: Calcite names the first so, and leaves others as they
         * were in the rows.
         */
        private static RelNode ofKeys(RelNode node) {
            RelNode below = node.getInputs().size() == 1 ? node.getInput(0) : node;
            RelNode groups = node instanceof Project && below instanceof Filter ? below.getInput(0) : below;
            if (!(groups instanceof Aggregate aggregate)
                    || node.getVariablesSet().isEmpty()) {
                return node;
            }
            RexBuilder rex = node.getCluster().getRexBuilder();
            return node.accept(new RexShuttle() {
                private final RexShuttle naming = this;

                @Override
                public RexNode visitFieldAccess(RexFieldAccess access) {
                    RexNode of = access.getReferenceExpr();
                    return of instanceof RexCorrelVariable variable
                                    && node.getVariablesSet().contains(variable.id)
                                    && !of.getType().equals(aggregate.getRowType())
                            ? rex.makeFieldAccess(
                                    rex.makeCorrel(aggregate.getRowType(), variable.id), key(aggregate, access))
                            : super.visitFieldAccess(access);
                }

                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                    return same.clone(same.rel.accept(new RelHomogeneousShuttle() {
                        @Override
                        public RelNode visit(RelNode other) {
                            return super.visit(other).accept(naming);
                        }
                    }));
                }
            });
        }

        /**
         * The place among the groups' columns of one of the rows'. Their names tell nothing: they are those of the
         * SELECT's list.
         */
        private static int key(Aggregate groups, RexFieldAccess access) {
            RelNode input = groups.getInput();
            RelNode rows = input instanceof Project list ? list.getInput() : input;
            // Else a list has become one with that of the groups, and the places in it are lost.
            boolean known = RelOptUtil.areRowTypesEqual(
                    rows.getRowType(), access.getReferenceExpr().getType(), true);
            int key = 0;
            for (int column : groups.getGroupSet()) {
                RexNode value = input instanceof Project list
                        ? list.getProjects().get(column)
                        : RexInputRef.of(column, input.getRowType());
                if (known
                        && value instanceof RexInputRef named
                        && named.getIndex() == access.getField().getIndex()) {
                    return key;
                }
                key++;
            }
            throw SqlErrors.unsupported("not supported: a sub-query that names several columns of groups, "
                    + access.getField().getName()
                    + " among them, where that is not a column of a stream or a join that the groups are made of; select"
                    + " from the groups instead: FROM (SELECT ... GROUP BY ...) AS g");
        }

        /** The rows of a type that are named within and are not of a node within. */
        private static Set<CorrelationId> namesOf(RelNode node, RelDataType type) {
            Set<CorrelationId> used = RelOptUtil.getVariablesUsed(node);
            Set<CorrelationId> names = new LinkedHashSet<>();
            RexShuttle looking = new RexShuttle() {
                @Override
                public RexNode visitCorrelVariable(RexCorrelVariable variable) {
                    if (used.contains(variable.id) && variable.getType().equals(type)) {
                        names.add(variable.id);
                    }
                    return variable;
                }
            };
            each(node, one -> {
                RelNode unused = one.accept(looking);
            });
            return names;
        }

        /** Hands out the nodes, those of sub-queries too. */
        private static void each(RelNode node, Consumer<RelNode> look) {
            RelNode unused = node.accept(new RelHomogeneousShuttle() {
                private final RexShuttle within = new RexShuttle() {
                    @Override
                    public RexNode visitSubQuery(RexSubQuery query) {
                        RelNode unused = query.rel.accept(outer());
                        return super.visitSubQuery(query);
                    }
                };

                private RelShuttle outer() {
                    return this;
                }

                @Override
                public RelNode visit(RelNode other) {
                    look.accept(other);
                    RelNode unused = other.accept(within);
                    return super.visit(other);
                }
            });
        }
    }
}
