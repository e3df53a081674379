package io.waterwheel.query.result;

import io.waterwheel.query.Downsampling;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.Downsampler;
import io.waterwheel.query.rows.LargestTriangles;
import io.waterwheel.query.rows.LeastAndGreatest;
import io.waterwheel.query.rows.NumberColumn;
import io.waterwheel.query.rows.PickedRows;
import io.waterwheel.query.rows.ResultRows;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.rows.TimeSteps;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the answer of rows that come in the order of their series and times, block by block: what is computed of each
 * row alone, then what is computed of it and the one before, then which rows are kept. Holds one block and one row, and
 * what the choice holds. One thread.
 */
final class SeriesRows implements RowSink {
    private final SeriesFields fields;
    private final Workspace workspace;
    private final ProjectedRows projected;
    private final RowCopy selected;
    private final NeighbourColumn[] neighbours;
    private final ResultRows answer;
    private final @Nullable Downsampler downsampler;
    private final PickedRows picked;
    /** The last row of the block before, if there was one. */
    private final TupleBlock last;

    private final RowCopy whole;
    private int[] all = {};

    /**
     * @param times of all rows, in milliseconds
     * @param limit most rows to hand over
     * @param sink takes the rows of the answer
     */
    SeriesRows(SeriesFields fields, TimeInterval times, long limit, RowSink sink, Workspace workspace) {
        this.fields = fields;
        this.workspace = workspace;
        this.projected = new ProjectedRows(fields.projection(), workspace, this::take);
        this.selected = fields.selected();
        this.neighbours = new NeighbourColumn[fields.values().size()];
        for (int n = 0; n < neighbours.length; n++) {
            neighbours[n] = new NeighbourColumn(fields, n);
        }
        this.answer = new ResultRows(fields.answer(), RowCopy.identity(fields.answer()), fields.answer(), limit, sink);
        this.picked = new PickedRows(answer, workspace);
        Downsampling wanted = fields.downsampling();
        this.downsampler = wanted == null
                ? null
                : switch (wanted.method()) {
                    case MINMAX ->
                        new LeastAndGreatest(fields.unit(), TimeSteps.of(times, wanted.points() / 2), picked);
                    case LTTB -> new LargestTriangles(wanted.points(), picked, workspace);
                };
        this.last = new TupleBlock(fields.projection().layout(), 1);
        this.whole = new RowCopy(
                fields.projection().layout(),
                RowCopy.identity(fields.projection().layout()),
                fields.projection().layout());
    }

    @Override
    public boolean accept(TupleBlock rows) {
        projected.add(RowView.of(rows, workspace), all(rows.size()), rows.size());
        return !answer.done();
    }

    /** Hands over what is left; returns the number of rows of the answer. */
    long finish() {
        if (downsampler != null) {
            downsampler.end();
            picked.flush();
        }
        answer.finish();
        return answer.found();
    }

    private int[] all(int rows) {
        if (all.length < rows) {
            all = new int[Math.max(rows, 2048)];
            for (int row = 0; row < all.length; row++) {
                all[row] = row;
            }
        }
        return all;
    }

    private boolean take(TupleBlock computed) {
        int rows = computed.size();
        RowView view = RowView.of(computed, workspace);
        TupleBlock made = new TupleBlock(fields.answer(), rows);
        selected.copy(view, all(rows), 0, rows, made);
        for (int row = 0; row < rows; row++) {
            TupleBlock before = row == 0 ? last : computed;
            int previous = row == 0 ? 0 : row - 1;
            boolean first = before.size() == 0 || fields.bySeries().compare(before, previous, computed, row) != 0;
            for (NeighbourColumn neighbour : neighbours) {
                if (first) {
                    neighbour.writeFirst(made, row);
                } else {
                    neighbour.write(before, previous, computed, row, made);
                }
            }
            if (downsampler != null) {
                plot(downsampler, first, computed, made, row);
            }
        }
        workspace.spend((long) rows * (1 + neighbours.length));
        last.clear();
        whole.copy(view, new int[] {rows - 1}, 0, 1, last);
        if (downsampler == null) {
            answer.add(RowView.of(made, workspace), all, rows);
        }
        return !answer.done();
    }

    private void plot(Downsampler chooser, boolean first, TupleBlock computed, TupleBlock made, int row) {
        if (first) {
            chooser.end();
        }
        NumberColumn plotted = Objects.requireNonNull(fields.plotted());
        TupleBlock of = fields.plotsAnswer() ? made : computed;
        if (plotted.isFinite(of, row)) {
            chooser.add(
                    made, row, fields.times().whole(computed, row), plotted.ordered(of, row), plotted.number(of, row));
        }
    }
}
