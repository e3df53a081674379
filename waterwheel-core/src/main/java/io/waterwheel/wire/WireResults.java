package io.waterwheel.wire;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.wire.proto.AggregateMessage;
import io.waterwheel.wire.proto.Aggregates;
import io.waterwheel.wire.proto.Fill;
import io.waterwheel.wire.proto.Latest;
import io.waterwheel.wire.proto.NamedExpressionMessage;
import io.waterwheel.wire.proto.OrderBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a query returns, in the fields of its message. Stateless, thread-safe. */
final class WireResults {
    private static final int MAX_FIELDS = 256;
    /** The longest bucket: a thousand years. */
    private static final long MAX_BUCKET_MILLIS = Duration.ofDays(365_250).toMillis();

    private WireResults() {}

    static void write(ResultSpec result, io.waterwheel.wire.proto.Query.Builder message) {
        if (result instanceof ResultSpec.Rows rows) {
            rows.select().forEach(one -> message.addSelect(one.toString()));
            message.addAllOrderBy(orders(rows.orderBy()));
            if (rows.limit() != Query.NO_LIMIT) {
                message.setLimit(rows.limit());
            }
            if (rows.after() != null) {
                message.setAfter(rows.after().text());
            }
        } else if (result instanceof ResultSpec.Latest latest) {
            message.addAllSelect(latest.select());
            // Older servers refuse what they do not know: all of the newest is what an absent number means.
            message.setLatest(
                    Latest.newBuilder().setPerKey(latest.perKey()).setEvery(latest.every() == 1 ? 0 : latest.every()));
        } else if (result instanceof ResultSpec.Lookup lookup) {
            message.addAllSelect(lookup.select());
            message.setLookup(WireLookups.toMessage(lookup));
        } else if (result instanceof ResultSpec.Series series) {
            WireSeries.write(series, message);
        } else if (result instanceof ResultSpec.Aggregates aggregates) {
            if (aggregates.countsOnly()) {
                message.setCount(true);
                return;
            }
            Aggregates.Builder into = Aggregates.newBuilder();
            for (NamedExpression group : aggregates.groupBy()) {
                into.addGroupBy(NamedExpressionMessage.newBuilder()
                        .setExpression(group.expression().toString())
                        .setName(group.name()));
            }
            if (aggregates.bucket() != null) {
                into.setBucketMillis(aggregates.bucket().millis());
                // 0 is not sent: servers that know no origin answer then.
                into.setBucketOriginMillis(aggregates.bucket().ahead());
            }
            for (Aggregate value : aggregates.values()) {
                AggregateMessage.Builder one = AggregateMessage.newBuilder()
                        .setFunction(value.function().name())
                        .setName(value.name());
                for (Expression argument : value.arguments()) {
                    one.addArguments(argument.toString());
                }
                if (value.filter() != null) {
                    one.setFilter(value.filter().toString());
                }
                into.addValues(one);
            }
            if (aggregates.fill() != null) {
                into.setFill(
                        switch (aggregates.fill()) {
                            case NULL -> Fill.FILL_NULL;
                            case PREVIOUS -> Fill.FILL_PREVIOUS;
                            case LINEAR -> Fill.FILL_LINEAR;
                        });
            }
            if (aggregates.having() != null) {
                into.setHaving(aggregates.having().toString());
            }
            into.addAllOrderBy(orders(aggregates.orderBy()));
            if (aggregates.limit() != Query.NO_LIMIT) {
                into.setLimit(aggregates.limit());
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
        int kinds = (message.getCount() ? 1 : 0)
                + (message.hasAggregates() ? 1 : 0)
                + (message.hasLatest() ? 1 : 0)
                + (message.hasSeries() ? 1 : 0)
                + (message.hasLookup() ? 1 : 0);
        if (kinds > 1) {
            throw new IllegalArgumentException(
                    "query: expected one of count, aggregates, latest, series and lookup, got " + kinds);
        }
        if (message.getSelectCount() > 0 && (message.getCount() || message.hasAggregates())) {
            throw new IllegalArgumentException(
                    "query: select is for tuples, not for count or aggregates, whose answers have what these compute");
        }
        boolean limited = message.hasLimit() && !message.hasSeries();
        if (kinds == 1 && (message.getOrderByCount() > 0 || limited)) {
            throw new IllegalArgumentException(
                    "query: order_by and limit are for tuples, order_by not for count, aggregates, the latest, series or a"
                            + " look-up, limit not for count, aggregates, the latest or a look-up");
        }
        if (kinds == 1 && !message.getAfter().isEmpty()) {
            throw new IllegalArgumentException(
                    "query: page: pages are of tuples, not of aggregates, the latest, series or a look-up");
        }
        if (message.getCount()) {
            return ResultSpec.Aggregates.COUNT;
        } else if (message.hasAggregates()) {
            return aggregates(message.getAggregates());
        } else if (message.hasLatest()) {
            WireQueries.refuseUnknown("query: latest", message.getLatest());
            Latest latest = message.getLatest();
            return new ResultSpec.Latest(
                    latest.getPerKey(), latest.getEvery() == 0 ? 1 : latest.getEvery(), message.getSelectList());
        }
        if (message.hasLookup()) {
            return WireLookups.fromMessage(message.getLookup(), message.getSelectList());
        }
        if (message.hasSeries()) {
            return WireSeries.read(message);
        }
        return new ResultSpec.Rows(
                message.getSelectList().stream().map(NamedExpression::parse).toList(),
                readOrders(message.getOrderByList()),
                message.hasLimit() ? message.getLimit() : Query.NO_LIMIT,
                message.getAfter().isEmpty() ? null : new PageToken(message.getAfter()));
    }

    private static List<OrderBy> orders(List<Order> orders) {
        return orders.stream()
                .map(order -> OrderBy.newBuilder()
                        .setField(order.field())
                        .setDescending(order.descending())
                        .build())
                .toList();
    }

    private static List<Order> readOrders(List<OrderBy> messages) {
        List<Order> orders = new ArrayList<>();
        for (OrderBy order : messages) {
            WireQueries.refuseUnknown("query: order_by", order);
            WireQueries.atMost("characters in order_by", order.getField().length(), WireQueries.MAX_NAME);
            orders.add(new Order(order.getField(), order.getDescending()));
        }
        return orders;
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
        if (bucket == 0 && message.getBucketOriginMillis() != 0) {
            throw new IllegalArgumentException("query: bucket_origin_millis: expected 0 without bucket_millis, got "
                    + message.getBucketOriginMillis());
        }
        WireQueries.atMost("order_by", message.getOrderByCount(), MAX_FIELDS);
        List<Aggregate> values = new ArrayList<>();
        for (AggregateMessage value : message.getValuesList()) {
            WireQueries.refuseUnknown("query: aggregate", value);
            WireQueries.atMost("arguments of an aggregate", value.getArgumentsCount(), MAX_FIELDS);
            WireQueries.atMost(
                    "characters in the name of a function", value.getFunction().length(), WireQueries.MAX_NAME);
            values.add(new Aggregate(
                    AggregateFunctions.of(value.getFunction()),
                    value.getArgumentsList().stream()
                            .map(Expression::parsePrinted)
                            .toList(),
                    condition(value.getFilter()),
                    value.getName()));
        }
        List<NamedExpression> groups = new ArrayList<>();
        for (NamedExpressionMessage group : message.getGroupByList()) {
            WireQueries.refuseUnknown("query: group_by", group);
            groups.add(new NamedExpression(Expression.parsePrinted(group.getExpression()), group.getName()));
        }
        return new ResultSpec.Aggregates(
                values,
                groups,
                bucket == 0 ? null : new ResultSpec.Bucket(bucket, message.getBucketOriginMillis()),
                fill(message.getFill()),
                condition(message.getHaving()),
                readOrders(message.getOrderByList()),
                message.hasLimit() ? message.getLimit() : Query.NO_LIMIT);
    }

    private static ResultSpec.@Nullable Fill fill(Fill fill) {
        return switch (fill) {
            case FILL_NONE -> null;
            case FILL_NULL -> ResultSpec.Fill.NULL;
            case FILL_PREVIOUS -> ResultSpec.Fill.PREVIOUS;
            case FILL_LINEAR -> ResultSpec.Fill.LINEAR;
            case UNRECOGNIZED -> throw new IllegalArgumentException("query: aggregates: a fill that is not known");
        };
    }

    private static @Nullable Expression condition(String text) {
        return text.isEmpty() ? null : Expression.parsePrinted(text);
    }
}
