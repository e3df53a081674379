package io.waterwheel.topology.rpc;

import io.waterwheel.query.run.AnswerSink;
import java.util.List;

/** Where an answer goes whose fields are shown in another order, under other names. */
public interface ColumnSink extends AnswerSink {
    /**
     * A column.
     *
     * @param label its name; any text
     * @param field index of the field of the answer that it shows
     */
    record Column(String label, int field) {}

    /** The columns to show, before the answer starts; without it they are the fields. */
    void show(List<Column> columns);
}
