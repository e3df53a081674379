package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.NotPushed;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeTransforms;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.util.Optionality;

/**
 * {@code STRING_AGG(x, ',' ORDER BY y, z DESC)}: the texts of a group as one. Its arguments are the text and what it is
 * ordered by: an order that stands beside the arguments is by other columns where Calcite makes a join of a sub-query,
 * for it keeps the numbers of before. What is written between the texts, and which way the order goes, is a part of the
 * function: DuckDB takes no computed one.
 */
public final class TextAggregate extends SqlAggFunction {
    /** As a value of an answer may have; a longer text ends the statement before it is read. */
    private static final int MOST_BYTES = 32 * 1024;

    /** Which way one value orders. */
    public record Direction(boolean descending, RelFieldCollation.NullDirection nulls) {}

    private final String separator;
    private final List<Direction> order;

    /**
     * Texts.
     *
     * @param separator what stands between two of them
     * @param order of the arguments behind the first
     */
    public TextAggregate(String separator, List<Direction> order) {
        // Calcite takes calls of one name, of the same arguments, for the same.
        super(
                "STRING_AGG_" + separator.codePoints().boxed().toList() + order,
                null,
                SqlKind.OTHER_FUNCTION,
                ReturnTypes.explicit(SqlTypeName.VARCHAR).andThen(SqlTypeTransforms.FORCE_NULLABLE),
                null,
                OperandTypes.VARIADIC,
                SqlFunctionCategory.USER_DEFINED_FUNCTION,
                false,
                false,
                Optionality.FORBIDDEN);
        this.separator = separator;
        this.order = List.copyOf(order);
    }

    /** The same texts in an order. */
    public TextAggregate ordered(List<Direction> by) {
        return new TextAggregate(separator, by);
    }

    /** As DuckDB's text. Its input's columns are called t.c0, t.c1 and so on. */
    String text(AggregateCall call, RelDataType input, String filter) throws NotPushed {
        if (call.distinctKeys != null) {
            throw new NotPushed("STRING_AGG WITHIN DISTINCT");
        }
        int texts = call.getArgList().get(0);
        RelDataType type = input.getFieldList().get(texts).getType();
        if (type.getFamily() != SqlTypeFamily.CHARACTER) {
            throw new NotPushed("STRING_AGG of " + type.getSqlTypeName() + "; write CAST(x AS VARCHAR)");
        }
        List<String> keys = new ArrayList<>();
        for (int k = 0; k < order.size(); k++) {
            int key = call.getArgList().get(k + 1);
            if (call.isDistinct() && key != texts) {
                throw new NotPushed("STRING_AGG(DISTINCT x, ...) in an order of another value than x; "
                        + "select the distinct ones in a sub-query of FROM");
            }
            boolean descending = order.get(k).descending();
            keys.add("t.c" + key
                    + (descending ? " DESC" : " ASC")
                    + ResidualWindows.nulls(order.get(k).nulls(), descending));
        }
        String ordered = keys.isEmpty() ? "" : " ORDER BY " + String.join(", ", keys);
        String all = "string_agg(" + (call.isDistinct() ? "DISTINCT " : "") + "t.c" + texts + ", "
                + ResidualExpressions.quoted(separator) + ordered + ")" + filter;
        return "CASE WHEN strlen(" + all + ") > " + MOST_BYTES
                + " THEN error('STRING_AGG makes a text of ' || strlen(" + all + ") || ' bytes, expected at most "
                + MOST_BYTES + "') ELSE " + all + " END";
    }

    /** Its own, for the function of a name would be searched among others. */
    @Override
    public RelDataType deriveType(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
        call.getOperandList().forEach(operand -> validator.deriveType(scope, operand));
        return validateOperands(validator, scope, call);
    }
}
