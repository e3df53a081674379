package io.waterwheel.sql.plan;

import com.google.common.collect.ImmutableList;
import io.waterwheel.sql.leaf.MixedNumbers;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.logical.LogicalAsofJoin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.tools.RelBuilder;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.Litmus;
import org.jspecify.annotations.Nullable;

/**
 * Makes an as-of join of a sub-query that is asked for each row, and takes the nearest row of another table by one
 * column:
 *
 * <pre>
 * FROM orders o, LATERAL (SELECT v.note FROM visits v WHERE v.id = o.id AND v.moment &lt;= o.moment
 *                         ORDER BY v.moment DESC LIMIT 1)
 * </pre>
 *
 * The same sub-query may stand for one value of a SELECT. Another is left as it is.
 */
final class LateralAsof extends RelHomogeneousShuttle {
    private final RelBuilder builder;

    LateralAsof(RelBuilder builder) {
        this.builder = builder;
    }

    @Override
    public RelNode visit(RelNode other) {
        RelNode node = super.visit(other);
        RelNode asof = node instanceof Correlate correlate ? new Nearest(correlate).join() : null;
        return asof == null ? node : asof;
    }

    /** One such sub-query. Its expressions are in terms of the columns of the row, then of those of the other table. */
    private final class Nearest {
        private final Correlate correlate;
        private final CorrelationId row;
        private final RexBuilder rex;
        private final int left;
        /** What is searched. */
        private RelNode searched;

        private @Nullable RexInputRef order;
        private boolean descending;
        /** All of which a row that is found fulfils. */
        private final List<RexNode> terms = new ArrayList<>();

        Nearest(Correlate correlate) {
            this.correlate = correlate;
            this.row = correlate.getCorrelationId();
            this.rex = correlate.getCluster().getRexBuilder();
            this.left = correlate.getLeft().getRowType().getFieldCount();
            this.searched = correlate.getRight();
        }

        /** The join; null when the sub-query is another. */
        @Nullable
        RelNode join() {
            boolean outer = correlate.getJoinType() == JoinRelType.LEFT;
            if (!outer && correlate.getJoinType() != JoinRelType.INNER) {
                return null;
            }
            List<RexNode> columns = columns(correlate.getRight());
            RexInputRef by = order;
            // A row further out would have to reach through the join.
            if (columns == null || by == null || containsCorrelation(columns) || containsCorrelation(terms)) {
                return null;
            }
            List<RexNode> equal = new ArrayList<>();
            List<RexNode> ofSearched = new ArrayList<>();
            RexNode match = null;
            for (RexNode term : terms) {
                ImmutableBitSet names = RelOptUtil.InputFinder.bits(term);
                if (!names.isEmpty() && names.nextSetBit(0) >= left) {
                    ofSearched.add(RexUtil.shift(term, -left));
                } else if (isMixed(term)) {
                    return null;
                } else if (isEquality(term)) {
                    equal.add(term);
                } else if (match == null && isMatch(term, by)) {
                    match = term;
                } else {
                    return null;
                }
            }
            if (match == null) {
                return null;
            }
            RelNode joined = LogicalAsofJoin.create(
                    correlate.getLeft(),
                    builder.push(searched).filter(ofSearched).build(),
                    List.of(),
                    RexUtil.composeConjunction(rex, equal),
                    match,
                    outer ? JoinRelType.LEFT_ASOF : JoinRelType.ASOF,
                    ImmutableList.of());
            return builder.push(joined)
                    .project(shown(joined, columns, by, outer))
                    .build();
        }

        /** The columns of the row, and of the sub-query: null of a row for which nothing is found. */
        private List<RexNode> shown(RelNode joined, List<RexNode> columns, RexInputRef by, boolean outer) {
            List<RexNode> shown = new ArrayList<>();
            List<RelDataTypeField> fields = joined.getRowType().getFieldList();
            for (int c = 0; c < left; c++) {
                shown.add(RexInputRef.of(c, fields));
            }
            // Where the searched row is missing, its columns are null. The order is never null of a row that is found.
            RexShuttle inJoined = new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    return RexInputRef.of(input.getIndex(), fields);
                }
            };
            List<RelDataTypeField> wanted = correlate.getRowType().getFieldList();
            for (int c = 0; c < columns.size(); c++) {
                RexNode column = columns.get(c).accept(inJoined);
                RelDataType type = wanted.get(left + c).getType();
                if (outer && !(column instanceof RexInputRef input && input.getIndex() >= left)) {
                    RexNode found =
                            rex.makeCall(SqlStdOperatorTable.IS_NOT_NULL, RexInputRef.of(by.getIndex(), fields));
                    column = rex.makeCall(
                            type, SqlStdOperatorTable.CASE, List.of(found, column, rex.makeNullLiteral(type)));
                }
                shown.add(column.getType().equals(type) ? column : rex.makeAbstractCast(type, column, false));
            }
            return shown;
        }

        /** What a node below the sub-query has for columns; null when the sub-query is another. */
        private @Nullable List<RexNode> columns(RelNode node) {
            if (node instanceof Project project && !project.containsOver()) {
                List<RexNode> below = columns(project.getInput());
                return below == null ? null : composed(project.getProjects(), below);
            }
            return node instanceof Sort sort && isOne(sort) ? sorted(sort) : null;
        }

        private static boolean isOne(Sort sort) {
            return sort.offset == null
                    && sort.fetch instanceof RexLiteral fetch
                    && Long.valueOf(1).equals(fetch.getValueAs(Long.class))
                    && sort.getCollation().getFieldCollations().size() == 1;
        }

        private @Nullable List<RexNode> sorted(Sort sort) {
            List<RexNode> below = searched(sort.getInput());
            RelFieldCollation by = sort.getCollation().getFieldCollations().get(0);
            if (below == null
                    || !(below.get(by.getFieldIndex()) instanceof RexInputRef input)
                    || input.getIndex() < left) {
                return null;
            }
            order = input;
            descending = by.direction.isDescending();
            return below;
        }

        /** Down to what does not depend on the row. */
        private @Nullable List<RexNode> searched(RelNode node) {
            if (RelOptUtil.notContainsCorrelation(node, row, Litmus.IGNORE)) {
                searched = node;
                List<RexNode> columns = new ArrayList<>();
                for (RelDataTypeField field : node.getRowType().getFieldList()) {
                    columns.add(new RexInputRef(left + field.getIndex(), field.getType()));
                }
                return columns;
            } else if (node instanceof Filter filter) {
                List<RexNode> below = searched(filter.getInput());
                if (below != null) {
                    terms.addAll(RelOptUtil.conjunctions(
                            composed(List.of(filter.getCondition()), below).get(0)));
                }
                return below;
            } else if (node instanceof Project project && !project.containsOver()) {
                List<RexNode> below = searched(project.getInput());
                return below == null ? null : composed(project.getProjects(), below);
            }
            return null;
        }

        private List<RexNode> composed(List<RexNode> expressions, List<RexNode> below) {
            RexShuttle composing = new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    return below.get(input.getIndex());
                }

                @Override
                public RexNode visitFieldAccess(RexFieldAccess access) {
                    return access.getReferenceExpr() instanceof RexCorrelVariable variable && variable.id.equals(row)
                            ? new RexInputRef(access.getField().getIndex(), access.getType())
                            : super.visitFieldAccess(access);
                }
            };
            return composing.visitList(expressions);
        }

        private static boolean containsCorrelation(List<RexNode> nodes) {
            return nodes.stream().anyMatch(RexUtil::containsCorrelation);
        }

        /** Whether values of two types are compared, for which DuckDB's as-of join has no exact comparison. */
        private static boolean isMixed(RexNode term) {
            return term instanceof RexCall call
                    && call.getOperands().stream()
                            .anyMatch(side -> MixedNumbers.isWidened(side) || MixedNumbers.isInNanos(side));
        }

        private boolean isEquality(RexNode term) {
            return term.isA(SqlKind.EQUALS)
                    && term instanceof RexCall call
                    && (compares(call.getOperands().get(0), call.getOperands().get(1))
                            || compares(
                                    call.getOperands().get(1),
                                    call.getOperands().get(0)));
        }

        private boolean compares(RexNode row, RexNode other) {
            return isOfRow(row) && isOfSearched(other);
        }

        /** Whether the nearest of the rows for which it is true is the first in the order. */
        private boolean isMatch(RexNode term, RexInputRef by) {
            if (!(term instanceof RexCall call) || call.getOperands().size() != 2) {
                return false;
            }
            boolean first = call.getOperands().get(0).equals(by)
                    && isOfRow(call.getOperands().get(1));
            boolean second = call.getOperands().get(1).equals(by)
                    && isOfRow(call.getOperands().get(0));
            return switch (call.getKind()) {
                case LESS_THAN, LESS_THAN_OR_EQUAL -> descending ? first : second;
                case GREATER_THAN, GREATER_THAN_OR_EQUAL -> descending ? second : first;
                default -> false;
            };
        }

        private boolean isOfRow(RexNode node) {
            ImmutableBitSet names = RelOptUtil.InputFinder.bits(node);
            return !names.isEmpty() && names.length() <= left;
        }

        private boolean isOfSearched(RexNode node) {
            ImmutableBitSet names = RelOptUtil.InputFinder.bits(node);
            return !names.isEmpty() && names.nextSetBit(0) >= left;
        }
    }
}
