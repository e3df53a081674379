package io.waterwheel.wire;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.wire.proto.AggregateMessage;
import io.waterwheel.wire.proto.Aggregates;
import io.waterwheel.wire.proto.Latest;
import io.waterwheel.wire.proto.OrderBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a query returns, in the fields of its message. Stateless, thread-safe. */
final class WireResults {
    private static final int MAX_FIELDS = 256;
    /** The longest bucket: a thousand years. */
    private static final long MAX_BUCKET_MILLIS = Duration.ofDays(365_250).toMillis();

    private WireResults() {}

    static void write(ResultSpec result, io.waterwheel.wire.proto.Query.Builder message) {
        if (result instanceof ResultSpec.Rows rows) {
            message.addAllSelect(rows.select());
            for (Order order : rows.orderBy()) {
                message.addOrderBy(OrderBy.newBuilder().setField(order.field()).setDescending(order.descending()));
            }
            if (rows.limit() != Query.NO_LIMIT) {
                message.setLimit(rows.limit());
            }
        } else if (result instanceof ResultSpec.Latest latest) {
            message.addAllSelect(latest.select());
            message.setLatest(Latest.newBuilder().setPerKey(latest.perKey()));
        } else if (result instanceof ResultSpec.Aggregates aggregates) {
            if (aggregates.equals(ResultSpec.Aggregates.COUNT)) {
                message.setCount(true);
                return;
            }
            Aggregates.Builder into = Aggregates.newBuilder().addAllGroupBy(aggregates.groupBy());
            if (aggregates.bucket() != null) {
                into.setBucketMillis(aggregates.bucket().toMillis());
            }
            for (Aggregate value : aggregates.values()) {
                AggregateMessage.Builder one = AggregateMessage.newBuilder()
                        .setFunction(value.function().name())
                        .setName(value.name());
                if (value.argument() != null) {
                    one.setArgument(value.argument().toString());
                }
                into.addValues(one);
            }
            message.setAggregates(into);
        }
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException when it says several things at once, or what it says is out of bounds
     */
    static ResultSpec read(io.waterwheel.wire.proto.Query message) {
        WireQueries.atMost("select", message.getSelectCount(), MAX_FIELDS);
        WireQueries.atMost("order_by", message.getOrderByCount(), MAX_FIELDS);
        for (String name : message.getSelectList()) {
            WireQueries.atMost("characters in select", name.length(), WireQueries.MAX_NAME);
        }
        int kinds = (message.getCount() ? 1 : 0) + (message.hasAggregates() ? 1 : 0) + (message.hasLatest() ? 1 : 0);
        if (kinds > 1) {
            throw new IllegalArgumentException("query: expected one of count, aggregates and latest, got " + kinds);
        }
        if (kinds == 1 && (message.getOrderByCount() > 0 || (message.hasLimit() && !message.getCount()))) {
            throw new IllegalArgumentException(
                    "query: order_by and limit are for tuples, not for aggregates or the latest");
        }
        if (message.getCount()) {
            return ResultSpec.Aggregates.COUNT;
        } else if (message.hasAggregates()) {
            return aggregates(message.getAggregates());
        } else if (message.hasLatest()) {
            WireQueries.refuseUnknown("query: latest", message.getLatest());
            return new ResultSpec.Latest(message.getLatest().getPerKey(), message.getSelectList());
        }
        List<Order> orders = new ArrayList<>();
        for (OrderBy order : message.getOrderByList()) {
            WireQueries.refuseUnknown("query: order_by", order);
            WireQueries.atMost("characters in order_by", order.getField().length(), WireQueries.MAX_NAME);
            orders.add(new Order(order.getField(), order.getDescending()));
        }
        return new ResultSpec.Rows(
                message.getSelectList(), orders, message.hasLimit() ? message.getLimit() : Query.NO_LIMIT);
    }

    private static ResultSpec aggregates(Aggregates message) {
        WireQueries.refuseUnknown("query: aggregates", message);
        WireQueries.atMost("group_by", message.getGroupByCount(), MAX_FIELDS);
        WireQueries.atMost("aggregates", message.getValuesCount(), MAX_FIELDS);
        long bucket = message.getBucketMillis();
        if (bucket < 0 || bucket > MAX_BUCKET_MILLIS) {
            throw new IllegalArgumentException(
                    "query: bucket_millis: expected 0 to " + MAX_BUCKET_MILLIS + ", got " + bucket);
        }
        List<Aggregate> values = new ArrayList<>();
        for (AggregateMessage value : message.getValuesList()) {
            WireQueries.refuseUnknown("query: aggregate", value);
            WireQueries.atMost(
                    "characters in the name of a function", value.getFunction().length(), WireQueries.MAX_NAME);
            values.add(new Aggregate(
                    AggregateFunctions.of(value.getFunction()),
                    value.getArgument().isEmpty() ? null : Expression.parse(value.getArgument()),
                    value.getName()));
        }
        return new ResultSpec.Aggregates(
                values, message.getGroupByList(), bucket == 0 ? null : Duration.ofMillis(bucket));
    }
}
