package io.waterwheel.sql.parse;

import io.waterwheel.sql.leaf.EngineFunctions;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of positions and shapes of a written NULL, of which it cannot be told which of them it is. */
public final class NullShapes {
    private static final Set<String> TRUTHS =
            Set.of(EngineFunctions.WITHIN, EngineFunctions.CONTAINS, EngineFunctions.INTERSECTS, EngineFunctions.NEAR);

    private NullShapes() {}

    /** The null that a call of such a function is; null where no argument is one, and for what is a shape itself. */
    public static @Nullable SqlNode of(SqlCall call) {
        String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
        SqlTypeName type = TRUTHS.contains(name)
                ? SqlTypeName.BOOLEAN
                : name.equals(EngineFunctions.METRES)
                        ? SqlTypeName.DOUBLE
                        : name.equals(EngineFunctions.AS_TEXT) ? SqlTypeName.VARCHAR : null;
        return type != null && call.getOperandList().stream().anyMatch(NullShapes::isNull)
                ? ofType(type, call.getParserPosition())
                : null;
    }

    /** Whether it is NULL, or a position or a shape that is made of one. */
    private static boolean isNull(SqlNode node) {
        return SqlUtil.isNullLiteral(node, true)
                || (node instanceof SqlCall call
                        && call.getOperator().getName().toUpperCase(Locale.ROOT).startsWith("ST_")
                        && call.getOperandList().stream().anyMatch(NullShapes::isNull));
    }

    private static SqlNode ofType(SqlTypeName type, SqlParserPos position) {
        return SqlStdOperatorTable.CAST.createCall(
                position,
                SqlLiteral.createNull(position),
                new SqlDataTypeSpec(new SqlBasicTypeNameSpec(type, position), position));
    }
}
