package io.waterwheel.query.result;

import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Rows with computed fields: each scan computes them, and gathers the rows that it made as others gather stored ones.
 */
final class GatherComputed extends Gather {
    /** Of a block; as no collector changes a selection, all threads share it. */
    private static final int[] ALL_ROWS =
            IntStream.range(0, ProjectedRows.BLOCK_ROWS).toArray();

    private final Projection projection;
    private final Gather rows;

    /** @param rows gathers rows of the projection's layout */
    GatherComputed(Projection projection, Gather rows) {
        this.projection = projection;
        this.rows = rows;
    }

    @Override
    public List<Field> fields() {
        return rows.fields();
    }

    @Override
    public RowLayout partLayout() {
        return rows.partLayout();
    }

    @Override
    public void needs(BitSet needed) {
        projection.needs(needed);
    }

    @Override
    public boolean handsOutAtOnce() {
        return rows.handsOutAtOnce();
    }

    @Override
    public long limit() {
        return rows.limit();
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        RowCollector made = rows.collector(sink, workspace);
        ProjectedRows projected = new ProjectedRows(projection, workspace, block -> {
            made.add(RowView.of(block, workspace), ALL_ROWS, block.size());
            return !made.done();
        });
        return new RowCollector() {
            @Override
            public void add(RowView view, int[] selected, int count) {
                long before = made.found();
                projected.add(view, selected, count);
                found(made.found() - before);
            }

            @Override
            public boolean done() {
                return made.done();
            }

            @Override
            public void finish() {
                made.finish();
            }
        };
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        return rows.merge(workspace);
    }
}
