package io.waterwheel.query.exec;

import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.exec.column.RowView;
import io.waterwheel.query.exec.column.Workspace;
import java.util.BitSet;
import java.util.List;

/** The number of matching rows: parts are numbers, no blocks. */
final class GatherCount extends Gather {
    private static final List<Field> FIELDS = List.of(new Field("count", FieldType.LONG, false));
    private static final RowLayout LAYOUT = RowLayout.ofFields(FIELDS);

    @Override
    List<Field> fields() {
        return FIELDS;
    }

    @Override
    RowLayout partLayout() {
        return LAYOUT;
    }

    @Override
    void needs(BitSet fields) {
        // None: whether a row matches is all that counts.
    }

    @Override
    Collector collector(RowSink sink, Workspace workspace) {
        return new Collector() {
            @Override
            void add(RowView view, int[] selected, int count) {
                found(count);
            }

            @Override
            void finish() {
                // The number found is the part.
            }
        };
    }

    @Override
    PartsMerge merge(Workspace workspace) {
        return new PartsMerge() {
            private long sum;

            @Override
            boolean accept(TupleBlock part, RowSink sink) {
                throw new IllegalStateException("a count has no blocks");
            }

            @Override
            void found(long rows) {
                sum += rows;
            }

            @Override
            long finish(RowSink sink) {
                TupleBlock block = new TupleBlock(LAYOUT, 1);
                LittleEndian.putLong(block.column(0), 0, sum);
                block.setSize(1);
                sink.accept(block);
                return sum;
            }
        };
    }
}
