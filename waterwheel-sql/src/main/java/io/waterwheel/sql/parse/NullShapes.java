package io.waterwheel.sql.parse;

import io.waterwheel.sql.leaf.EngineFunctions;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUtil;

/** Functions of positions and shapes of a written NULL, of which it cannot be told which of them it is. */
final class NullShapes {
    private static final Set<String> OF_SHAPES = Set.of(
            EngineFunctions.WITHIN,
            EngineFunctions.CONTAINS,
            EngineFunctions.INTERSECTS,
            EngineFunctions.NEAR,
            EngineFunctions.METRES,
            EngineFunctions.AS_TEXT);

    private NullShapes() {}

    /** Whether a call is null, as one of its arguments is; false for what is a shape itself. */
    static boolean isNull(SqlCall call) {
        return OF_SHAPES.contains(call.getOperator().getName().toUpperCase(Locale.ROOT)) && hasNull(call);
    }

    private static boolean hasNull(SqlCall call) {
        return call.getOperandList().stream().anyMatch(NullShapes::isWrittenNull);
    }

    /** Whether it is NULL, or a position or a shape that is made of one. */
    private static boolean isWrittenNull(SqlNode node) {
        return SqlUtil.isNullLiteral(node, true)
                || (node instanceof SqlCall call
                        && call.getOperator().getName().toUpperCase(Locale.ROOT).startsWith("ST_")
                        && hasNull(call));
    }
}
