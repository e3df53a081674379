package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.cache.ParameterFunction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * IN and BETWEEN of a column and numbers of several types, such as {@code price IN (0.5, 3)}: Calcite takes one type of
 * all, and would round long ones to doubles. Apart, each comparison has the types of its own two sides.
 */
final class MixedValues {
    private enum Form {
        WHOLE,
        DOUBLE,
        EXACT,
        OTHER
    }

    private MixedValues() {}

    /** Whether a call is one of these. */
    static boolean isOf(SqlCall call) {
        List<SqlNode> values = values(call);
        if (values.isEmpty() || !(call.operand(0) instanceof SqlIdentifier)) {
            return false;
        }
        Set<Form> forms = new HashSet<>();
        values.forEach(value -> forms.add(form(value)));
        forms.remove(Form.OTHER);
        return forms.size() > 1;
    }

    private static List<SqlNode> values(SqlCall call) {
        if ((call.getKind() == SqlKind.IN || call.getKind() == SqlKind.NOT_IN)
                && call.operand(1) instanceof SqlNodeList list) {
            return new ArrayList<>(list.getList());
        }
        boolean between = call.getOperator() instanceof SqlBetweenOperator operator
                && operator.flag == SqlBetweenOperator.Flag.ASYMMETRIC;
        return between ? List.of(call.<SqlNode>operand(1), call.<SqlNode>operand(2)) : List.of();
    }

    private static Form form(SqlNode value) {
        if (value instanceof SqlNumericLiteral number) {
            return number.isInteger() ? Form.WHOLE : Form.DOUBLE;
        }
        return value instanceof SqlBasicCall call ? form(call) : Form.OTHER;
    }

    private static Form form(SqlBasicCall call) {
        if (call.getKind() == SqlKind.MINUS_PREFIX) {
            return form(call.<SqlNode>operand(0));
        } else if (call.getOperator() instanceof ParameterFunction open) {
            return open.placeholder() instanceof Expression.Whole
                    ? Form.WHOLE
                    : open.placeholder() instanceof Expression.Decimal ? Form.DOUBLE : Form.OTHER;
        }
        return call.getKind() == SqlKind.CAST ? Form.EXACT : Form.DOUBLE;
    }

    /** The same as comparisons of two values each. */
    static SqlNode apart(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        SqlNode column = call.operand(0);
        List<SqlNode> values = values(call);
        SqlNode all;
        boolean not;
        if (call.getOperator() instanceof SqlBetweenOperator between) {
            all = SqlStdOperatorTable.AND.createCall(
                    position,
                    SqlStdOperatorTable.GREATER_THAN_OR_EQUAL.createCall(position, column, values.get(0)),
                    SqlStdOperatorTable.LESS_THAN_OR_EQUAL.createCall(position, column, values.get(1)));
            not = between.isNegated();
        } else {
            List<SqlNode> terms = new ArrayList<>();
            values.forEach(value -> terms.add(SqlStdOperatorTable.EQUALS.createCall(position, column, value)));
            all = joined(SqlStdOperatorTable.OR, terms, position);
            not = call.getKind() == SqlKind.NOT_IN;
        }
        return not ? SqlStdOperatorTable.NOT.createCall(position, all) : all;
    }

    /** As a tree that is no deeper than it must be. */
    private static SqlNode joined(SqlOperator operator, List<SqlNode> terms, SqlParserPos position) {
        int half = terms.size() / 2;
        return half == 0
                ? terms.get(0)
                : operator.createCall(
                        position,
                        joined(operator, terms.subList(0, half), position),
                        joined(operator, terms.subList(half, terms.size()), position));
    }
}
