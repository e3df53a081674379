package io.waterwheel.topology.flightsql;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Field;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Takes the answer of a change while it is made: one row. One thread at a time. */
final class UpdateSink implements ColumnSink {
    private final BooleanSupplier gone;

    private final String client;
    private int fields;
    private List<Expression.Literal> row = List.of();

    /**
     * For one driver.
     *
     * @param gone whether it has given up
     * @param client host and port of its connection
     */
    UpdateSink(BooleanSupplier gone, String client) {
        this.gone = gone;
        this.client = client;
    }

    @Override
    public String client() {
        return client;
    }

    @Override
    public void show(List<Column> columns) {
        // They follow from what is changed.
    }

    @Override
    public void start(List<Field> fields) {
        this.fields = fields.size();
    }

    @Override
    public void rows(TupleBlock block) {
        List<Expression.Literal> values = new ArrayList<>();
        for (int field = 0; field < fields; field++) {
            Object value = Objects.requireNonNull(block.value(field, 0));
            values.add(
                    value instanceof Long number ? new Expression.Whole(number) : new Expression.Text((String) value));
        }
        row = values;
    }

    /** The values of the row; none before the change was made. */
    List<Expression.Literal> row() {
        return row;
    }

    @Override
    public void finish(Verdict verdict) {
        // The row says all.
    }

    @Override
    public void fail(WaterwheelException failure) {
        throw failure;
    }

    @Override
    public boolean cancelled() {
        return gone.getAsBoolean();
    }
}
