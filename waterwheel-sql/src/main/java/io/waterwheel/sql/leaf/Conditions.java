package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Conditions of the engine, in the form that narrows best. */
final class Conditions {
    private Conditions() {}

    static Expression not(Expression condition) {
        if (condition instanceof Expression.Like like) {
            return new Expression.Like(like.operand(), like.pattern(), like.escape(), !like.negated());
        } else if (condition instanceof Expression.In in) {
            return new Expression.In(in.operand(), in.values(), !in.negated());
        } else if (condition instanceof Expression.Not not) {
            return not.operand();
        }
        return new Expression.Not(condition);
    }

    /** A number with the other sign; of a literal another literal. */
    static Expression negated(Expression number) {
        if (number instanceof Expression.Whole whole && whole.value() != Long.MIN_VALUE) {
            return new Expression.Whole(-whole.value());
        } else if (number instanceof Expression.Decimal decimal) {
            return new Expression.Decimal(-decimal.value());
        }
        return new Expression.Negation(number);
    }

    /** A simpler condition that is true where this is, where null is as good as false. */
    static Expression whereTrue(Expression condition) {
        return condition instanceof Expression.And and
                        && and.terms().size() == 2
                        && and.terms()
                                .get(1)
                                .equals(new Expression.IsNull(and.terms().get(0), true))
                ? and.terms().get(0)
                : condition;
    }

    /** True where the condition is, else false. */
    static Expression isTrue(Expression condition) {
        return new Expression.And(List.of(condition, new Expression.IsNull(condition, true)));
    }

    /** Both, either of which may be all. */
    static Expression and(@Nullable Expression one, Expression other) {
        if (one == null) {
            return other;
        }
        List<Expression> terms = new ArrayList<>(terms(one));
        terms.addAll(terms(other));
        return new Expression.And(terms);
    }

    private static List<? extends Expression> terms(Expression condition) {
        return condition instanceof Expression.And and ? and.terms() : List.of(condition);
    }

    /** An OR; what says that a value is one of several literals says so by IN. */
    static Expression or(List<Expression> terms) {
        Map<Expression, List<Expression.Literal>> equal = new LinkedHashMap<>();
        List<Expression> others = new ArrayList<>();
        for (Expression term : terms) {
            if (term instanceof Expression.Comparison comparison
                    && comparison.operator() == Relation.EQUAL
                    && comparison.right() instanceof Expression.Literal literal) {
                equal.computeIfAbsent(comparison.left(), left -> new ArrayList<>())
                        .add(literal);
            } else {
                others.add(term);
            }
        }
        List<Expression> made = new ArrayList<>();
        equal.forEach((left, values) -> made.add(
                values.size() == 1
                        ? new Expression.Comparison(Relation.EQUAL, left, values.get(0))
                        : new Expression.In(left, values, false)));
        made.addAll(others);
        return made.size() == 1 ? made.get(0) : new Expression.Or(made);
    }
}
