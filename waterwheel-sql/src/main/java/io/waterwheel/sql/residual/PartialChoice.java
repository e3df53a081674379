package io.waterwheel.sql.residual;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * A column where a condition holds: {@code CASE WHEN day = 'Sunday' THEN price END}. An aggregate of it is that of the
 * column in parts, each of which is chosen or not: the tuples of a group are alike in what the condition looks at.
 *
 * @param call the CASE; each of its values is the column, NULL or zero
 * @param column of the row that the call is about
 */
record PartialChoice(RexCall call, int column) {
    /**
     * The choice that an expression is; null for any other.
     *
     * @param zeros whether a zero means as much as nothing, as in a sum
     */
    static @Nullable PartialChoice of(RexNode expression, boolean zeros) {
        if (expression.getKind() != SqlKind.CASE) {
            return null;
        }
        RexCall call = (RexCall) expression;
        int column = -1;
        for (int i = 0; i < call.getOperands().size(); i++) {
            RexNode operand = call.getOperands().get(i);
            if (isCondition(call, i) || RexUtil.isNullLiteral(operand, true) || (zeros && isZero(operand))) {
                continue;
            }
            if (!(operand instanceof RexInputRef value) || (column >= 0 && value.getIndex() != column)) {
                return null;
            }
            column = value.getIndex();
        }
        return column < 0 ? null : new PartialChoice(call, column);
    }

    private static boolean isCondition(RexCall call, int operand) {
        return operand % 2 == 0 && operand < call.getOperands().size() - 1;
    }

    private static boolean isZero(RexNode node) {
        return RexUtil.isLiteral(node, true)
                && RexLiteral.value(node) instanceof Number number
                && number.doubleValue() == 0;
    }

    /** The columns that the conditions look at. */
    ImmutableBitSet looked() {
        List<RexNode> conditions = new ArrayList<>();
        for (int i = 0; i < call.getOperands().size(); i++) {
            if (isCondition(call, i)) {
                conditions.add(call.getOperands().get(i));
            }
        }
        return RelOptUtil.InputFinder.bits(conditions, null);
    }

    /**
     * The choice of a part.
     *
     * @param columns by column before, its column now
     * @param part in place of the column
     */
    RexNode of(int[] columns, RexNode part, RexBuilder rex) {
        List<RexNode> operands = new ArrayList<>();
        for (int i = 0; i < call.getOperands().size(); i++) {
            RexNode operand = call.getOperands().get(i);
            if (isCondition(call, i)) {
                operands.add(PartialAggregates.moved(operand, columns));
            } else if (operand instanceof RexInputRef) {
                operands.add(part);
            } else {
                operands.add(rex.makeAbstractCast(
                        rex.getTypeFactory().createTypeWithNullability(part.getType(), true), operand, false));
            }
        }
        return rex.makeCall(SqlStdOperatorTable.CASE, operands);
    }
}
