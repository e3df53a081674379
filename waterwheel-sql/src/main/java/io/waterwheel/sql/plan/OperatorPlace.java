package io.waterwheel.sql.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Where a statement calls an operator, for a plan no longer knows.
 *
 * @param first of its calls in the text; that of nothing where there is none
 * @param calls how many there are in the text
 */
record OperatorPlace(SqlParserPos first, int calls) {
    /** The places of an operator's calls; null is no operator. */
    static OperatorPlace of(SqlNode statement, @Nullable String operator) {
        if (operator == null) {
            return new OperatorPlace(SqlParserPos.ZERO, 0);
        }
        // A call that GROUP BY 1 stands for is there twice, in one place.
        Set<SqlParserPos> found = new LinkedHashSet<>();
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call.getOperator().getName().equalsIgnoreCase(operator)
                        && call.getParserPosition().getLineNum() > 0) {
                    found.add(call.getParserPosition());
                }
                return super.visit(call);
            }
        });
        List<SqlParserPos> places = new ArrayList<>(found);
        places.sort(Comparator.comparingInt(SqlParserPos::getLineNum).thenComparingInt(SqlParserPos::getColumnNum));
        return new OperatorPlace(places.isEmpty() ? SqlParserPos.ZERO : places.get(0), places.size());
    }

    /** What to add to a message, where it is not known which of the calls is meant. */
    String among(@Nullable String operator) {
        return calls > 1 ? ", here or in another of the " + calls + " calls of " + operator : "";
    }
}
