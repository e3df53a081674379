package io.waterwheel.sql.exec;

import io.waterwheel.query.expression.Expression;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Conditions of leaves that are narrowed by values of other leaves: {@code a > 1} becomes {@code a > 1 AND id IN (3,
 * 4)}.
 */
public final class Narrowed {
    private Narrowed() {}

    /**
     * The condition of the rows alone whose value is one of some; none when there are no values. The same when it says
     * so already, as that of what is joined with a few written rows does.
     *
     * @param where of the rows before, null for all
     */
    public static Expression where(@Nullable Expression where, Expression value, List<Expression.Literal> values) {
        Expression condition = values.isEmpty() ? new Expression.Truth(false) : new Expression.In(value, values, false);
        if (where == null) {
            return condition;
        }
        return says(where, value, values) ? where : new Expression.And(List.of(where, condition));
    }

    private static boolean says(Expression where, Expression value, List<Expression.Literal> values) {
        return where instanceof Expression.And and
                ? and.terms().stream().anyMatch(term -> says(term, value, values))
                : where instanceof Expression.In in
                        && !in.negated()
                        && in.operand().equals(value)
                        && Set.copyOf(in.values()).equals(Set.copyOf(values));
    }

    /**
     * To how many values a leaf was narrowed, in the order of those calls of {@link #where} that changed its condition.
     *
     * @param planned the leaf's condition before the first of them
     * @param asked that after the last
     */
    public static List<Integer> counts(@Nullable Expression planned, @Nullable Expression asked) {
        List<Integer> counts = new ArrayList<>();
        Expression where = asked;
        while (where != null && !where.equals(planned)) {
            Expression condition = where;
            where = null;
            if (condition instanceof Expression.And and && and.terms().size() == 2) {
                where = and.terms().get(0);
                condition = and.terms().get(1);
            }
            counts.add(0, condition instanceof Expression.In in ? in.values().size() : 0);
        }
        return counts;
    }
}
