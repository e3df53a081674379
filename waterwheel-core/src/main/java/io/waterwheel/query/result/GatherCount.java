package io.waterwheel.query.result;

import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.BitSet;
import java.util.List;

/** The number of matching rows: parts are numbers, no blocks. */
public final class GatherCount extends Gather {
    private static final List<Field> FIELDS = List.of(new Field("count", FieldType.LONG, false));
    private static final RowLayout LAYOUT = RowLayout.ofFields(FIELDS);

    @Override
    public List<Field> fields() {
        return FIELDS;
    }

    @Override
    public boolean isAggregate() {
        return true;
    }

    @Override
    public RowLayout partLayout() {
        return LAYOUT;
    }

    @Override
    public void needs(BitSet fields) {
        // None: whether a row matches is all that counts.
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        return new RowCollector() {
            @Override
            public void add(RowView view, int[] selected, int count) {
                found(count);
            }

            @Override
            public boolean addSummary(RowSummary rows) {
                found(rows.rows());
                return true;
            }

            @Override
            public void finish() {
                // The number found is the part.
            }
        };
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        return new PartialMerge() {
            private long sum;

            @Override
            public boolean accept(TupleBlock part, RowSink sink) {
                throw new IllegalStateException("a count has no blocks");
            }

            @Override
            public void found(long rows) {
                sum += rows;
            }

            @Override
            public long finish(RowSink sink) {
                TupleBlock block = new TupleBlock(LAYOUT, 1);
                LittleEndian.putLong(block.column(0), 0, sum);
                block.setSize(1);
                sink.accept(block);
                return sum;
            }
        };
    }
}
