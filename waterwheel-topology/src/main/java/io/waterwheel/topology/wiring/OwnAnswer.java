package io.waterwheel.topology.wiring;

import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.topology.rpc.ColumnSink;
import java.util.List;

/** The answer to a question of the server's own, which does not count. */
final class OwnAnswer extends ForwardingSink implements ColumnSink {
    private final AnswerSink to;

    OwnAnswer(AnswerSink to) {
        super(to);
        this.to = to;
    }

    @Override
    public boolean counts() {
        return false;
    }

    @Override
    public void show(List<Column> columns) {
        if (to instanceof ColumnSink shown) {
            shown.show(columns);
        }
    }
}
