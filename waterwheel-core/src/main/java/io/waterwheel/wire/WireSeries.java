package io.waterwheel.wire;

import io.waterwheel.query.Downsampling;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.wire.proto.DownsamplingMessage;
import io.waterwheel.wire.proto.NeighbourValueMessage;
import io.waterwheel.wire.proto.Series;
import java.util.ArrayList;
import java.util.List;

/** The tuples of series as messages. Stateless, thread-safe. */
final class WireSeries {
    private static final int MAX_FIELDS = 256;

    private WireSeries() {}

    static void write(ResultSpec.Series result, io.waterwheel.wire.proto.Query.Builder message) {
        Series.Builder series = Series.newBuilder().addAllBy(result.by());
        for (NeighbourValue value : result.values()) {
            series.addValues(NeighbourValueMessage.newBuilder()
                    .setFunction(value.kind().text())
                    .setArgument(value.argument().toString())
                    .setName(value.name()));
        }
        Downsampling downsampling = result.downsampling();
        if (downsampling != null) {
            series.setDownsampling(DownsamplingMessage.newBuilder()
                    .setMethod(downsampling.method().text())
                    .setField(downsampling.field())
                    .setPoints(downsampling.points()));
        }
        result.select().forEach(one -> message.addSelect(one.toString()));
        if (result.limit() != Query.NO_LIMIT) {
            message.setLimit(result.limit());
        }
        message.setSeries(series);
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException when what it says is out of bounds
     */
    static ResultSpec.Series read(io.waterwheel.wire.proto.Query query) {
        Series message = query.getSeries();
        WireQueries.refuseUnknown("query: series", message);
        WireQueries.atMost("fields that make a series", message.getByCount(), MAX_FIELDS);
        WireQueries.atMost("values of a series", message.getValuesCount(), MAX_FIELDS);
        for (String name : message.getByList()) {
            WireQueries.atMost("characters in the name of a field", name.length(), WireQueries.MAX_NAME);
        }
        List<NeighbourValue> values = new ArrayList<>();
        for (NeighbourValueMessage value : message.getValuesList()) {
            WireQueries.refuseUnknown("query: value of a series", value);
            WireQueries.atMost(
                    "characters in the name of a function", value.getFunction().length(), WireQueries.MAX_NAME);
            values.add(new NeighbourValue(
                    NeighbourValue.Kind.of(value.getFunction()),
                    Expression.parsePrinted(value.getArgument()),
                    value.getName()));
        }
        return new ResultSpec.Series(
                message.getByList(),
                query.getSelectList().stream().map(NamedExpression::parse).toList(),
                values,
                message.hasDownsampling() ? downsampling(message.getDownsampling()) : null,
                query.hasLimit() ? query.getLimit() : Query.NO_LIMIT);
    }

    private static Downsampling downsampling(DownsamplingMessage message) {
        WireQueries.refuseUnknown("query: downsampling", message);
        WireQueries.atMost(
                "characters in the name of a method", message.getMethod().length(), WireQueries.MAX_NAME);
        WireQueries.atMost(
                "characters in the name of a field", message.getField().length(), WireQueries.MAX_NAME);
        return new Downsampling(Downsampling.Method.of(message.getMethod()), message.getField(), message.getPoints());
    }
}
