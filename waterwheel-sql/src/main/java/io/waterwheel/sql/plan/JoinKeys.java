package io.waterwheel.sql.plan;

import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.MixedNumbers;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.logical.LogicalJoin;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.tools.RelBuilder;

/**
 * Computes what joins compare below them, so that leaves can. But for a comparison of a whole number with a double, or
 * of times in different units, or of decimals of different digits: what is computed below would be one of them as the
 * other, which is not exact, or fails of a row that has no equal.
 */
final class JoinKeys extends RelHomogeneousShuttle {
    private final RelBuilder builder;

    JoinKeys(RelBuilder builder) {
        this.builder = builder;
    }

    @Override
    public RelNode visit(LogicalJoin join) {
        RelNode visited = super.visit(join);
        boolean exact = visited instanceof LogicalJoin same
                && RelOptUtil.conjunctions(same.getCondition()).stream().noneMatch(JoinKeys::isMixed);
        return exact ? RelOptUtil.pushDownJoinConditions((LogicalJoin) visited, builder) : visited;
    }

    private static boolean isMixed(RexNode term) {
        return term instanceof RexCall call
                && call.getOperands().stream()
                        .anyMatch(side -> MixedNumbers.isWidened(side)
                                || MixedNumbers.isInNanos(side)
                                || !DecimalTypes.compared(side).equals(side));
    }
}
