package io.waterwheel.trino;

import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A scan of a stream, as far as it is planned.
 *
 * @param name as Trino knows it
 * @param stream as it is called in Waterwheel
 * @param streamId what tells it from others of its name
 * @param positions by partition of the topic, the offset below which every split holds everything: those that one
 *     question had seen when the statement was planned, and what the session demands
 * @param constraint what the server is asked for, and no less; Trino tests again what {@link PushedConditions} does not
 *     call exact
 * @param limit most rows of a split; absent: all
 * @param order of a split's rows, with a limit only
 * @param aggregates what the answer has in place of tuples, one row; empty: tuples
 */
public record StreamTable(
        SchemaTableName name,
        String stream,
        int streamId,
        Map<Integer, Long> positions,
        TupleDomain<StreamColumn> constraint,
        OptionalLong limit,
        List<SortedBy> order,
        List<StreamColumn> aggregates)
        implements ConnectorTableHandle {
    public StreamTable {
        positions = Map.copyOf(positions);
        order = List.copyOf(order);
        aggregates = List.copyOf(aggregates);
    }

    /**
     * A column of an order.
     *
     * @param descending whether the greatest is first
     */
    public record SortedBy(StreamColumn column, boolean descending) {
        @Override
        public String toString() {
            return column + (descending ? " DESC" : "");
        }
    }

    /** All tuples of a stream. */
    static StreamTable of(SchemaTableName name, String stream, int streamId, Map<Integer, Long> positions) {
        return new StreamTable(
                name, stream, streamId, positions, TupleDomain.all(), OptionalLong.empty(), List.of(), List.of());
    }

    StreamTable withConstraint(TupleDomain<StreamColumn> narrower) {
        return new StreamTable(name, stream, streamId, positions, narrower, limit, order, aggregates);
    }

    StreamTable withLimit(long most, List<SortedBy> by) {
        return new StreamTable(name, stream, streamId, positions, constraint, OptionalLong.of(most), by, aggregates);
    }

    StreamTable withAggregates(List<StreamColumn> values) {
        return new StreamTable(name, stream, streamId, positions, constraint, limit, order, values);
    }

    /** What EXPLAIN prints of it: that which the server is asked for. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name.toString());
        if (constraint.isNone()) {
            text.append(" constraint=FALSE");
        } else if (!constraint.isAll()) {
            text.append(" constraint=").append(PushedConditions.of(constraint).text());
        }
        if (!order.isEmpty()) {
            text.append(" order=").append(order);
        }
        if (limit.isPresent()) {
            text.append(" limit=").append(limit.getAsLong());
        }
        if (!aggregates.isEmpty()) {
            text.append(" aggregates=").append(aggregates);
        }
        return text.toString();
    }
}
