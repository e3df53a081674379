package io.waterwheel.sql.plan;

import com.google.common.collect.ImmutableSet;
import io.waterwheel.sql.parse.SqlErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a join that asks sub-queries. Calcite would ask them of one side, of which it loses rows or has them
 * twice. Of an inner join the conditions stand above it instead, of another the sub-queries are columns of the side
 * that they name.
 */
final class AskingJoin {
    private final Join join;
    private final RexBuilder rex;
    private final int left;

    AskingJoin(Join join) {
        this.join = join;
        this.rex = join.getCluster().getRexBuilder();
        this.left = join.getLeft().getRowType().getFieldCount();
    }

    /** @throws io.waterwheel.error.WaterwheelException code SQL_UNSUPPORTED */
    RelNode asked() {
        return join.getJoinType() == JoinRelType.INNER ? above() : below();
    }

    private RelNode above() {
        List<RexNode> asking = new ArrayList<>();
        List<RexNode> others = new ArrayList<>();
        for (RexNode one : RelOptUtil.conjunctions(join.getCondition())) {
            (RexUtil.SubQueryFinder.find(one) == null ? others : asking).add(one);
        }
        RelNode joined = LogicalJoin.create(
                join.getLeft(),
                join.getRight(),
                join.getHints(),
                RexUtil.composeConjunction(rex, others),
                Set.of(),
                JoinRelType.INNER);
        return LogicalFilter.create(
                joined, RexUtil.composeConjunction(rex, asking), ImmutableSet.copyOf(join.getVariablesSet()));
    }

    private RelNode below() {
        Side first = new Side(join.getLeft(), 0);
        Side second = new Side(join.getRight(), left);
        List<RexSubQuery> queries = new ArrayList<>();
        join.getCondition().accept(new RexVisitorImpl<@Nullable Void>(true) {
            @Override
            public @Nullable Void visitSubQuery(RexSubQuery query) {
                queries.add(query);
                return null;
            }
        });
        for (RexSubQuery query : queries) {
            (isOfLeft(query) ? first : second).add(query);
        }
        int more = first.queries.size();
        RexShuttle naming = new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                return input.getIndex() < left ? input : RexUtil.shift(input, more);
            }

            @Override
            public RexNode visitSubQuery(RexSubQuery query) {
                int place = first.queries.indexOf(query);
                int column = place >= 0 ? left + place : more + second.column(query);
                return rex.makeInputRef(query.getType(), column);
            }
        };
        RelNode joined = LogicalJoin.create(
                first.asked(),
                second.asked(),
                join.getHints(),
                join.getCondition().accept(naming),
                Set.of(),
                join.getJoinType());
        List<RexNode> columns = new ArrayList<>();
        for (int c = 0; c < join.getRowType().getFieldCount(); c++) {
            columns.add(rex.makeInputRef(joined, c < left ? c : c + more));
        }
        return LogicalProject.create(
                joined, List.of(), columns, join.getRowType().getFieldNames(), Set.of());
    }

    private boolean isOfLeft(RexSubQuery query) {
        ImmutableBitSet named = RelOptUtil.InputFinder.bits(query.getOperands(), null);
        for (CorrelationId row : join.getVariablesSet()) {
            named = named.union(RelOptUtil.correlationColumns(row, query.rel));
        }
        if (named.length() > left && named.nextSetBit(0) < left) {
            throw SqlErrors.unsupported(
                    "not supported: a sub-query in ON of a LEFT, RIGHT or FULL JOIN that names columns of both"
                            + " sides; join with the rows of the sub-query instead");
        }
        return named.length() <= left;
    }

    /** A side of the join, with columns for what is asked. */
    private final class Side {
        private final RelNode rows;
        private final int before;
        private final CorrelationId row;
        private final List<RexSubQuery> queries = new ArrayList<>();

        /** @param before the columns of the join that stand before its own */
        Side(RelNode rows, int before) {
            this.rows = rows;
            this.before = before;
            this.row = rows.getCluster().createCorrel();
        }

        void add(RexSubQuery query) {
            if (!queries.contains(query)) {
                queries.add(query);
            }
        }

        /** Its place in the join, where the left side has no columns more. */
        int column(RexSubQuery query) {
            return before + rows.getRowType().getFieldCount() + queries.indexOf(query);
        }

        RelNode asked() {
            if (queries.isEmpty()) {
                return rows;
            }
            List<RexNode> columns = new ArrayList<>(rex.identityProjects(rows.getRowType()));
            List<@Nullable String> names = new ArrayList<>(rows.getRowType().getFieldNames());
            for (RexSubQuery query : queries) {
                RexSubQuery own = query.clone(query.rel.accept(new Renaming()));
                columns.add(own.clone(own.getType(), RexUtil.shift(own.getOperands(), -before)));
                names.add(null);
            }
            return LogicalProject.create(rows, List.of(), columns, names, Set.of(row));
        }

        /** Names the row of the side instead of that of the join. */
        private final class Renaming extends RelHomogeneousShuttle {
            private final RexShuttle within = new RexShuttle() {
                @Override
                public RexNode visitFieldAccess(RexFieldAccess access) {
                    if (!(access.getReferenceExpr() instanceof RexCorrelVariable variable)
                            || !join.getVariablesSet().contains(variable.id)) {
                        return access;
                    }
                    RexNode own = rex.makeFieldAccess(
                            rex.makeCorrel(rows.getRowType(), row),
                            access.getField().getIndex() - before);
                    return own.getType().equals(access.getType())
                            ? own
                            : rex.makeAbstractCast(access.getType(), own, false);
                }

                @Override
                public RexNode visitSubQuery(RexSubQuery query) {
                    RexSubQuery same = (RexSubQuery) super.visitSubQuery(query);
                    return same.clone(same.rel.accept(Renaming.this));
                }
            };

            @Override
            public RelNode visit(RelNode other) {
                return super.visit(other).accept(within);
            }
        }
    }
}
