package io.waterwheel.sql.plan;

import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.residual.TextAggregate;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/** STRING_AGG, LISTAGG and GROUP_CONCAT, which are one function. */
final class TextCalls {
    private TextCalls() {}

    /**
     * A call of any of them as one of that function, in the order that stands in its parentheses.
     *
     * @throws io.waterwheel.error.WaterwheelException code BAD_SQL, when it has no written separator
     */
    static SqlNode of(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        List<SqlNode> operands = call.getOperandList();
        SqlNodeList order = operands.size() == 3 && operands.get(2) instanceof SqlNodeList list ? list : null;
        if ((operands.size() != 2 && order == null) || !(operands.get(1) instanceof SqlCharStringLiteral separator)) {
            String name = call.getOperator().getName();
            String form = name.equals("LISTAGG") ? "(x, ', ') WITHIN GROUP (ORDER BY y)" : "(x, ', ' ORDER BY y)";
            throw SqlErrors.at(position, name + " takes a text and a written separator: " + name + form);
        }
        SqlCall texts = new TextAggregate(separator.getValueAs(String.class), List.of())
                .createCall(call.getFunctionQuantifier(), position, operands.get(0));
        return order == null ? texts : ordered(texts, order);
    }

    /** What has WITHIN GROUP behind it; null where that is another function. */
    static @Nullable SqlNode within(SqlCall call) {
        return call.operand(0) instanceof SqlCall texts
                        && texts.getOperator() instanceof TextAggregate
                        && texts.operandCount() == 1
                ? ordered(texts, call.operand(1))
                : null;
    }

    private static SqlNode ordered(SqlCall texts, SqlNodeList order) {
        List<SqlNode> arguments = new ArrayList<>();
        arguments.add(texts.operand(0));
        List<TextAggregate.Direction> directions = new ArrayList<>();
        for (SqlNode item : order) {
            RelFieldCollation.NullDirection nulls = RelFieldCollation.NullDirection.UNSPECIFIED;
            boolean descending = false;
            SqlNode value = item;
            while (value instanceof SqlCall call) {
                if (call.getKind() == SqlKind.DESCENDING) {
                    descending = true;
                } else if (call.getKind() == SqlKind.NULLS_FIRST) {
                    nulls = RelFieldCollation.NullDirection.FIRST;
                } else if (call.getKind() == SqlKind.NULLS_LAST) {
                    nulls = RelFieldCollation.NullDirection.LAST;
                } else {
                    break;
                }
                value = call.operand(0);
            }
            arguments.add(value);
            directions.add(new TextAggregate.Direction(descending, nulls));
        }
        TextAggregate function = ((TextAggregate) texts.getOperator()).ordered(directions);
        return function.createCall(texts.getFunctionQuantifier(), texts.getParserPosition(), arguments);
    }
}
