package io.waterwheel.client;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.KeyTime;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the steps of a {@link StreamQuery} say of its result. Each step changes a copy, before anyone else sees it; then
 * none does.
 */
final class ResultParts {
    List<String> select = List.of();
    List<Order> orders = List.of();
    long limit = Query.NO_LIMIT;
    int perKey;
    int every = 1;
    List<KeyTime> pairs = List.of();
    boolean asOf;
    List<Aggregate> aggregates = List.of();
    List<NamedExpression> groups = List.of();

    ResultSpec.@Nullable Bucket bucket;

    ResultSpec.@Nullable Fill fill;

    @Nullable
    Expression having;

    boolean distinct;
    List<NeighbourValue> series = List.of();

    @Nullable
    Downsampling downsampling;

    @Nullable
    PageToken after;

    /** Nothing is said. */
    ResultParts() {}

    /** A copy. */
    ResultParts(ResultParts from) {
        this.select = from.select;
        this.orders = from.orders;
        this.limit = from.limit;
        this.perKey = from.perKey;
        this.every = from.every;
        this.pairs = from.pairs;
        this.asOf = from.asOf;
        this.aggregates = from.aggregates;
        this.groups = from.groups;
        this.bucket = from.bucket;
        this.fill = from.fill;
        this.having = from.having;
        this.distinct = from.distinct;
        this.series = from.series;
        this.downsampling = from.downsampling;
        this.after = from.after;
    }

    /** Whether it is about series. */
    private boolean serial() {
        return !series.isEmpty() || downsampling != null;
    }

    /** Whether it is about groups. */
    private boolean grouped() {
        return !aggregates.isEmpty() || bucket != null || (!serial() && !groups.isEmpty());
    }

    /** Whether it says which fields the answer has. */
    boolean nameFields() {
        return !select.isEmpty() || !series.isEmpty() || grouped();
    }

    /**
     * All that was said.
     *
     * @throws IllegalArgumentException when it does not go together
     */
    ResultSpec spec() {
        boolean grouped = grouped();
        if (serial() && (grouped || distinct || perKey > 0 || !orders.isEmpty() || after != null)) {
            throw new IllegalArgumentException(
                    "query: series: these tuples have an order of their own: leave aggregate,"
                            + " bucket, distinct, latest, orderBy and after away");
        }
        if (grouped && (!select.isEmpty() || perKey > 0)) {
            throw new IllegalArgumentException("query: select and latest are for tuples, not for aggregates");
        }
        if (distinct && (grouped || perKey > 0)) {
            throw new IllegalArgumentException(
                    "query: distinct is for selected fields of tuples, not for aggregates or the latest");
        }
        if (after != null && (!pairs.isEmpty() || grouped || distinct || perKey > 0)) {
            throw new IllegalArgumentException("query: after: pages are of tuples, not of aggregates or the latest");
        }
        if (fill != null && !grouped) {
            throw new IllegalArgumentException("query: fill is for time buckets: give a bucket");
        }
        if (having != null && !grouped) {
            throw new IllegalArgumentException("query: having is for groups of aggregates; for tuples there is where");
        }
        if (!pairs.isEmpty()
                && (grouped || serial() || distinct || perKey > 0 || !orders.isEmpty() || limit != Query.NO_LIMIT)) {
            throw new IllegalArgumentException("query: at: each pair has one row, in the order asked: leave aggregate,"
                    + " series, distinct, latest, orderBy and limit away");
        }
        if (asOf && pairs.isEmpty()) {
            throw new IllegalArgumentException("query: asOf is of pairs of a key and a time: give at too");
        }
        if (every != 1 && perKey == 0) {
            throw new IllegalArgumentException("query: every is of the latest: give latest too");
        }
        if (perKey > 0 && (!orders.isEmpty() || limit != Query.NO_LIMIT)) {
            throw new IllegalArgumentException(
                    "query: orderBy and limit are for tuples; the latest are in the order of key and time");
        }
        if (grouped) {
            List<Aggregate> values = aggregates.isEmpty() ? List.of(Aggregate.count()) : aggregates;
            return new ResultSpec.Aggregates(values, groups, bucket, fill, having, orders, limit);
        }
        if (!pairs.isEmpty()) {
            return new ResultSpec.Lookup(pairs, asOf, select);
        }
        if (perKey > 0) {
            return new ResultSpec.Latest(perKey, every, select);
        }
        List<NamedExpression> selected =
                select.stream().map(NamedExpression::parse).toList();
        if (serial()) {
            return new ResultSpec.Series(NamedExpression.names(groups), selected, series, downsampling, limit);
        }
        return distinct
                ? ResultSpec.Aggregates.distinct(selected).withOrder(orders, limit)
                : new ResultSpec.Rows(selected, orders, limit, after);
    }
}
