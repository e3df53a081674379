package io.waterwheel.sql.cache;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts values in the places of a query that a plan left open. Not thread-safe. */
final class BoundQuery {
    /** By the literal that stands for it, which is known by its identity. */
    private final IdentityHashMap<Expression, Expression.Literal> values;

    BoundQuery(IdentityHashMap<Expression, Expression.Literal> values) {
        this.values = values;
    }

    Query of(Query query) {
        return query.toBuilder()
                .where(optional(query.where()))
                .result(result(query.result()))
                .build();
    }

    Expression of(Expression expression) {
        return bound(expression);
    }

    private ResultSpec result(ResultSpec result) {
        if (result instanceof ResultSpec.Rows rows) {
            return new ResultSpec.Rows(rows.select().stream().map(this::named).toList(), rows.orderBy(), rows.limit());
        } else if (result instanceof ResultSpec.Aggregates groups) {
            return new ResultSpec.Aggregates(
                    groups.values().stream().map(this::aggregate).toList(),
                    groups.groupBy().stream().map(this::named).toList(),
                    groups.bucket(),
                    groups.fill(),
                    optional(groups.having()),
                    groups.orderBy(),
                    groups.limit());
        } else if (result instanceof ResultSpec.Series series) {
            return new ResultSpec.Series(
                    series.by(),
                    series.select().stream().map(this::named).toList(),
                    series.values(),
                    series.downsampling(),
                    series.limit());
        } else if (result instanceof ResultSpec.Latest) {
            // Of fields alone.
            return result;
        }
        throw new IllegalStateException("a leaf of another kind: " + result);
    }

    private NamedExpression named(NamedExpression one) {
        return new NamedExpression(bound(one.expression()), one.name());
    }

    private Aggregate aggregate(Aggregate one) {
        return new Aggregate(one.function(), all(one.arguments()), optional(one.filter()), one.name());
    }

    private @Nullable Expression optional(@Nullable Expression expression) {
        return expression == null ? null : bound(expression);
    }

    private List<Expression> all(List<? extends Expression> expressions) {
        return expressions.stream().map(this::bound).toList();
    }

    private Expression bound(Expression expression) {
        if (expression instanceof Expression.Literal literal) {
            return literal(literal);
        } else if (expression instanceof Expression.Comparison comparison) {
            return new Expression.Comparison(
                    comparison.operator(), bound(comparison.left()), bound(comparison.right()));
        } else if (expression instanceof Expression.Arithmetic arithmetic) {
            return new Expression.Arithmetic(
                    arithmetic.operator(), bound(arithmetic.left()), bound(arithmetic.right()));
        } else if (expression instanceof Expression.Negation negation) {
            return new Expression.Negation(bound(negation.operand()));
        } else if (expression instanceof Expression.And and) {
            return new Expression.And(all(and.terms()));
        } else if (expression instanceof Expression.Or or) {
            return new Expression.Or(all(or.terms()));
        } else if (expression instanceof Expression.Not not) {
            return new Expression.Not(bound(not.operand()));
        } else if (expression instanceof Expression.IsNull isNull) {
            return new Expression.IsNull(bound(isNull.operand()), isNull.negated());
        } else if (expression instanceof Expression.In in) {
            return new Expression.In(
                    bound(in.operand()), in.values().stream().map(this::literal).toList(), in.negated());
        } else if (expression instanceof Expression.Between between) {
            return new Expression.Between(
                    bound(between.operand()), bound(between.low()), bound(between.high()), between.negated());
        } else if (expression instanceof Expression.Like like) {
            return new Expression.Like(bound(like.operand()), like.pattern(), like.escape(), like.negated());
        } else if (expression instanceof Expression.Case choice) {
            return new Expression.Case(all(choice.conditions()), all(choice.results()), optional(choice.otherwise()));
        } else if (expression instanceof Expression.Cast cast) {
            return new Expression.Cast(bound(cast.operand()), cast.type());
        } else if (expression instanceof Expression.Call call) {
            return new Expression.Call(call.function(), all(call.arguments()));
        }
        return expression;
    }

    private Expression.Literal literal(Expression.Literal literal) {
        return values.getOrDefault(literal, literal);
    }
}
