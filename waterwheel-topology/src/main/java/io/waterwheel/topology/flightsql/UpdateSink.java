package io.waterwheel.topology.flightsql;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Takes the answer of a statement of which a driver wants the number of rows alone. */
final class UpdateSink implements ColumnSink {
    private final BooleanSupplier gone;

    private final String client;

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
        // The number says all.
    }

    @Override
    public void start(List<Field> fields) {
        // As above.
    }

    @Override
    public void rows(TupleBlock block) {
        // As above.
    }

    @Override
    public void finish(Verdict verdict) {
        // As above.
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
