package io.waterwheel.trino;

import io.trino.spi.predicate.TupleDomain;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The question that a split is.
 *
 * @param table the scan
 * @param split what of it
 * @param columns wanted, in this order; none: only the number of rows
 * @param timeout of the whole answer
 */
record SplitQuery(StreamTable table, StreamSplit split, List<StreamColumn> columns, Duration timeout) {
    /** Whether the answer is one number, of rows without columns. */
    boolean counts() {
        return columns.isEmpty() && table.aggregates().isEmpty();
    }

    /** Whether no row can match, so that it need not be asked; an aggregate has a row all the same. */
    boolean isOfNothing(TupleDomain<StreamColumn> more) {
        return table.aggregates().isEmpty()
                && PushedConditions.narrowed(table.constraint(), more).isNone();
    }

    /**
     * The question.
     *
     * @param more what the other side of a join has said meanwhile
     */
    Query query(TupleDomain<StreamColumn> more) {
        TupleDomain<StreamColumn> constraint = PushedConditions.narrowed(table.constraint(), more);
        return Query.builder(table.stream())
                .keys(List.of(new KeyInterval(split.lowKey(), split.highKey())))
                .times(new TimeInterval(split.from(), split.to()))
                .where(
                        constraint.isNone()
                                ? new Expression.Truth(false)
                                : PushedConditions.of(constraint).where())
                .result(result())
                // Not at_least: what the stream has given up since is named by the verdict, and no failure.
                .seen(new SessionPositions(table.streamId(), table.positions()))
                .timeout(timeout)
                .build();
    }

    private ResultSpec result() {
        if (!table.aggregates().isEmpty()) {
            return new ResultSpec.Aggregates(
                    table.aggregates().stream()
                            .map(column -> Aggregate.parse(column.aggregate() + " AS " + column.name()))
                            .toList(),
                    List.of(),
                    null);
        }
        if (counts()) {
            return ResultSpec.Aggregates.COUNT;
        }
        return new ResultSpec.Rows(
                columns.stream()
                        .map(column -> NamedExpression.parse(new Expression.FieldValue(column.field()).toString()))
                        .toList(),
                table.order().stream()
                        .map(by -> new Order(by.column().field(), by.descending()))
                        .toList(),
                table.limit().orElse(Query.NO_LIMIT),
                null);
    }

    /**
     * Checks that the answer is the whole of the split, and of the stream and the positions of the scan.
     *
     * @throws io.trino.spi.TrinoException when it is not
     */
    void requireWhole(Verdict verdict) {
        if (verdict.streamId() != table.streamId()) {
            throw Failures.split(
                    "stream " + table.stream() + " was dropped and made anew while the statement ran: run it again");
        }
        if (!verdict.complete()) {
            throw Failures.split("INCOMPLETE: " + String.join("; ", verdict.missing()));
        }
        for (Map.Entry<Integer, Long> position : table.positions().entrySet()) {
            Long seen = verdict.positions().get(position.getKey());
            // Without any indexer that could hold something of it there is no position, and nothing is missing.
            if (seen != null && seen < position.getValue()) {
                throw Failures.split("INCOMPLETE: partition " + position.getKey() + " was seen up to " + seen + ", not "
                        + position.getValue() + ", as the scan demands");
            }
        }
    }
}
