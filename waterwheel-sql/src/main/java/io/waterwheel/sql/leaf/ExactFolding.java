package io.waterwheel.sql.leaf;

import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexExecutor;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;

/**
 * Computes constants while a statement is planned, as Calcite does, but those of decimals: Calcite cuts where the
 * engine rounds, and a decimal that became a double is no longer known.
 */
public final class ExactFolding implements RexExecutor {
    @Override
    public void reduce(RexBuilder rex, List<RexNode> constants, List<RexNode> reduced) {
        for (RexNode constant : constants) {
            if (hasDecimal(constant)) {
                reduced.add(constant);
            } else {
                RexUtil.EXECUTOR.reduce(rex, List.of(constant), reduced);
            }
        }
    }

    private static boolean hasDecimal(RexNode node) {
        return DecimalTypes.isDecimal(node)
                || (node instanceof RexCall call && call.getOperands().stream().anyMatch(ExactFolding::hasDecimal));
    }
}
