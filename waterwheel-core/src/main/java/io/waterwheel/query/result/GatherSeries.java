package io.waterwheel.query.result;

import io.waterwheel.query.Order;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The rows of each series in the order of their times. They are gathered as any rows that are ordered by series and
 * time; {@link SeriesRows} makes the answer of them when they are in order.
 */
final class GatherSeries extends Gather {
    private final SeriesFields fields;
    private final GatherSorted sorted;
    private final long limit;

    GatherSeries(ResultSpec.Series wanted, RowLayout stored, Schema schema) {
        this.fields = new SeriesFields(wanted, stored, schema);
        this.limit = wanted.limit();
        List<Order> orders = new ArrayList<>();
        fields.by().forEach(name -> orders.add(new Order(name, false)));
        orders.add(new Order(schema.timeField(), false));
        this.sorted = new GatherSorted(stored, fields.held(), orders, limit, null, null);
    }

    @Override
    public List<Field> fields() {
        return fields.answer().fields();
    }

    @Override
    public RowLayout partLayout() {
        return sorted.partLayout();
    }

    @Override
    public void needs(BitSet needed) {
        sorted.needs(needed);
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        return sorted.collector(sink, workspace);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        PartialMerge rows = sorted.merge(workspace);
        return new PartialMerge() {
            @Override
            public boolean accept(TupleBlock part, RowSink sink) {
                return rows.accept(part, sink);
            }

            @Override
            public long finish(RowSink sink) {
                SeriesRows series = new SeriesRows(fields, limit, sink, workspace);
                rows.finish(series);
                return series.finish();
            }
        };
    }
}
