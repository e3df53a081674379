package io.waterwheel.sql.leaf;

import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexExecutor;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Computes constants while a statement is planned, as Calcite does, but for those that the engine has another value of.
 * Of decimals Calcite cuts where the engine rounds, and a decimal that became a double is no longer known; nor is a
 * whole number that a double rounds. A text of something else is that of the engine, in which truth has small letters,
 * or none.
 */
public final class ExactFolding implements RexExecutor {
    @Override
    public void reduce(RexBuilder rex, List<RexNode> constants, List<RexNode> reduced) {
        for (RexNode constant : constants) {
            if (isOther(constant)) {
                reduced.add(constant);
            } else {
                RexUtil.EXECUTOR.reduce(rex, List.of(constant), reduced);
            }
        }
    }

    private static boolean isOther(RexNode node) {
        return DecimalTypes.isDecimal(node)
                || MixedNumbers.isRounded(node)
                || (node instanceof RexCall call
                        && (changesKind(call) || call.getOperands().stream().anyMatch(ExactFolding::isOther)));
    }

    /** Whether it makes a text of what is none, or a number of a time, or a time of a number. */
    private static boolean changesKind(RexCall call) {
        if (call.getKind() != SqlKind.CAST) {
            return call.getOperator().getName().equals(EngineFunctions.TO_TEXT);
        }
        RelDataType from = call.getOperands().get(0).getType();
        RelDataType to = call.getType();
        boolean toText = isText(to) && !isText(from) && from.getSqlTypeName() != SqlTypeName.NULL;
        return toText || (isTime(from) && SqlTypes.isNumber(to)) || (isTime(to) && SqlTypes.isNumber(from));
    }

    private static boolean isText(RelDataType type) {
        return SqlTypeName.CHAR_TYPES.contains(type.getSqlTypeName());
    }

    private static boolean isTime(RelDataType type) {
        return SqlTypeName.DATETIME_TYPES.contains(type.getSqlTypeName());
    }
}
