package io.waterwheel.trino;

import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What Trino's planner knows of the rows that it wants, as a condition of Waterwheel's. It is never narrower than that;
 * for the columns that are {@link #exact} it says the same, and Trino need not test them again.
 *
 * @param where null: nothing is known
 * @param exact columns of which the condition says all
 */
record PushedConditions(@Nullable Expression where, Set<StreamColumn> exact) {
    /** Beyond, only their span is asked for; a condition has at most 262,144 characters. */
    private static final int MOST_VALUES = 500;
    /** More alternatives than this narrow nothing. */
    private static final int MOST_RANGES = 60;
    /** Characters of a column's condition, and of all. */
    private static final int MOST_OF_COLUMN = 60_000;

    private static final int MOST_OF_ALL = 200_000;
    /** Columns with conditions: each may have as many parts as its values, and all have 20,000 at most. */
    private static final int MOST_COLUMNS = 32;

    /** The condition; of a constraint that no row meets use {@link TupleDomain#isNone} before. */
    static PushedConditions of(TupleDomain<StreamColumn> constraint) {
        List<Expression> all = new ArrayList<>();
        Set<StreamColumn> exact = new HashSet<>();
        int length = 0;
        List<Map.Entry<StreamColumn, Domain>> columns =
                new ArrayList<>(constraint.getDomains().orElse(Map.of()).entrySet());
        columns.sort(Comparator.comparing(entry -> entry.getKey().name()));
        for (Map.Entry<StreamColumn, Domain> entry : columns) {
            StreamColumn column = entry.getKey();
            Domain domain = entry.getValue();
            if (domain.isAll() || (domain.getValues().isAll() && !column.nullable())) {
                exact.add(column);
                continue;
            }
            Expression condition = condition(column, domain);
            boolean whole = condition != null && condition.toString().length() <= MOST_OF_COLUMN;
            if (!whole && !domain.getValues().isNone()) {
                Range span = domain.getValues().getRanges().getSpan();
                condition = condition(column, Domain.create(ValueSet.ofRanges(span), domain.isNullAllowed()));
            }
            int more = condition == null ? 0 : condition.toString().length();
            if (condition == null
                    || more > MOST_OF_COLUMN
                    || length + more > MOST_OF_ALL
                    || all.size() == MOST_COLUMNS) {
                continue;
            }
            length += more;
            all.add(condition);
            if (whole && Literals.sameOrder(column)) {
                exact.add(column);
            }
        }
        return new PushedConditions(
                all.isEmpty() ? null : all.size() == 1 ? all.get(0) : new Expression.And(all), Set.copyOf(exact));
    }

    /**
     * A narrower constraint, if the server can be asked for it and tests then no less than before; else the one before.
     *
     * @param more what is wanted besides
     */
    static TupleDomain<StreamColumn> narrowed(TupleDomain<StreamColumn> before, TupleDomain<StreamColumn> more) {
        TupleDomain<StreamColumn> both = before.intersect(more);
        if (both.isNone() || before.isAll()) {
            return both;
        }
        // Trino no longer tests what was exact: it must stay so.
        return of(both).exact().containsAll(of(before).exact()) ? both : before;
    }

    /** The condition in words, for who reads a plan. */
    String text() {
        return where == null ? "TRUE" : where.toString();
    }

    /** The condition of one column; null where it cannot be said, or is too long. */
    private static @Nullable Expression condition(StreamColumn column, Domain domain) {
        Expression field = new Expression.FieldValue(column.field());
        List<Expression> any = new ArrayList<>();
        if (domain.getValues().isAll()) {
            any.add(new Expression.IsNull(field, true));
        } else if (!domain.getValues().isNone()) {
            List<Expression.Literal> values = new ArrayList<>();
            List<Range> ranges = domain.getValues().getRanges().getOrderedRanges();
            if (ranges.size() > MOST_VALUES) {
                return null;
            }
            for (Range range : ranges) {
                if (!add(column, field, range, values, any)) {
                    return null;
                }
            }
            if (any.size() > MOST_RANGES) {
                return null;
            }
            if (values.size() == 1) {
                any.add(new Comparison(Relation.EQUAL, field, values.get(0)));
            } else if (!values.isEmpty()) {
                any.add(new Expression.In(field, List.copyOf(values), false));
            }
        }
        if (domain.isNullAllowed() && column.nullable()) {
            any.add(new Expression.IsNull(field, false));
        }
        return any.isEmpty() ? new Expression.Truth(false) : any.size() == 1 ? any.get(0) : new Expression.Or(any);
    }

    /** Whether the range can be said. */
    private static boolean add(
            StreamColumn column, Expression field, Range range, List<Expression.Literal> values, List<Expression> any) {
        if (range.isSingleValue()) {
            Expression.Literal value = Literals.of(column, range.getSingleValue());
            return value != null && values.add(value);
        }
        if (!Literals.inOrder(column)) {
            return false;
        }
        List<Expression> both = new ArrayList<>(2);
        if (!range.isLowUnbounded()) {
            Expression.Literal low = Literals.of(column, range.getLowBoundedValue());
            if (low == null) {
                return false;
            }
            both.add(new Comparison(range.isLowInclusive() ? Relation.AT_LEAST : Relation.GREATER, field, low));
        }
        if (!range.isHighUnbounded()) {
            Expression.Literal high = Literals.of(column, range.getHighBoundedValue());
            if (high == null) {
                return false;
            }
            both.add(new Comparison(range.isHighInclusive() ? Relation.AT_MOST : Relation.LESS, field, high));
        }
        return any.add(both.size() == 1 ? both.get(0) : new Expression.And(both));
    }
}
