package io.waterwheel.query.result;

import io.waterwheel.query.Downsampling;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.ExtremeRows;
import io.waterwheel.query.rows.NumberColumn;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.rows.TimeSteps;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of each series in the order of their times. They are gathered as any rows that are ordered by series and
 * time; {@link SeriesRows} makes the answer of them when they are in order. Where only the least and the greatest of
 * each step of time are wanted, and the steps are known before all rows are, each scan hands over no more.
 */
final class GatherSeries extends Gather {
    private final RowLayout stored;
    private final SeriesFields fields;
    private final GatherSorted sorted;
    private final @Nullable Extremes extremes;
    private final TimeInterval asked;
    private final long limit;

    /** @param asked times that the query asks for */
    GatherSeries(ResultSpec.Series wanted, RowLayout stored, Schema schema, TimeInterval asked) {
        this.stored = stored;
        this.fields = new SeriesFields(wanted, stored, schema);
        this.asked = asked;
        this.limit = wanted.limit();
        Downsampling downsampling = wanted.downsampling();
        List<Order> orders = new ArrayList<>();
        fields.by().forEach(name -> orders.add(new Order(name, false)));
        orders.add(new Order(schema.timeField(), false));
        long held = downsampling == null ? limit : Query.NO_LIMIT;
        this.sorted = new GatherSorted(stored, fields.held(), orders, held, null, null);
        boolean bounded = asked.from() > Long.MIN_VALUE && asked.to() < Long.MAX_VALUE;
        boolean reduces = downsampling != null
                && downsampling.method() == Downsampling.Method.MINMAX
                && bounded
                && fields.values().isEmpty()
                && fields.plottedHeld() >= 0;
        this.extremes = downsampling != null && reduces ? new Extremes(downsampling.points() / 2) : null;
    }

    /** Of held rows, the least and the greatest of each step. */
    private final class Extremes implements ExtremeRows.Values {
        private final TimeSteps steps;
        private final NumberColumn values;
        private final NumberColumn times;
        private final RowOrder order;
        private final RowOrder bySeries;

        Extremes(int steps) {
            RowLayout part = sorted.partLayout();
            this.steps = TimeSteps.of(asked, steps);
            this.values = new NumberColumn(part, fields.plottedHeld());
            int[] series =
                    fields.by().stream().mapToInt(name -> place(part, name)).toArray();
            int time = timeField(part);
            this.times = new NumberColumn(part, time);
            this.bySeries = new RowOrder(part, series, new boolean[series.length]);
            int all = part.fields().size();
            int[] by = new int[series.length + 1 + all];
            System.arraycopy(series, 0, by, 0, series.length);
            by[series.length] = time;
            for (int f = 0; f < all; f++) {
                by[series.length + 1 + f] = f;
            }
            this.order = new RowOrder(part, by, new boolean[by.length]);
        }

        ExtremeRows rows(RowLayout from, int[] sources, Workspace workspace) {
            return new ExtremeRows(new RowCopy(from, sources, sorted.partLayout()), order, bySeries, this, workspace);
        }

        @Override
        public boolean has(TupleBlock rows, int row) {
            return values.isFinite(rows, row);
        }

        @Override
        public long ordered(TupleBlock rows, int row) {
            return values.ordered(rows, row);
        }

        @Override
        public long step(TupleBlock rows, int row) {
            return steps.step(fields.unit().toMillis(times.whole(rows, row)));
        }
    }

    private static int place(RowLayout layout, String name) {
        for (int f = 0; f < layout.fields().size(); f++) {
            if (layout.fields().get(f).name().equals(name)) {
                return f;
            }
        }
        throw new IllegalStateException(name + " is not held");
    }

    private int timeField(RowLayout part) {
        return place(part, fields.timeField());
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
        return extremes == null
                ? sorted.collector(sink, workspace)
                : extremes.rows(stored, fields.held(), workspace).collector(sink);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        RowLayout part = partLayout();
        PartialMerge rows = extremes == null
                ? sorted.merge(workspace)
                : extremes.rows(part, RowCopy.identity(part), workspace).merge(part);
        return new SeriesMerge(rows, workspace);
    }

    private final class SeriesMerge extends PartialMerge {
        private final PartialMerge rows;
        private final Workspace workspace;
        private final NumberColumn times = new NumberColumn(partLayout(), timeField(partLayout()));
        /** In the units of the time's field; the first is above the last when there are no rows. */
        private long first = Long.MAX_VALUE;

        private long last = Long.MIN_VALUE;

        SeriesMerge(PartialMerge rows, Workspace workspace) {
            this.rows = rows;
            this.workspace = workspace;
        }

        @Override
        public boolean accept(TupleBlock part, RowSink sink) {
            for (int row = 0; row < part.size(); row++) {
                long time = times.whole(part, row);
                first = Math.min(first, time);
                last = Math.max(last, time);
            }
            return rows.accept(part, sink);
        }

        @Override
        public long finish(RowSink sink) {
            long from = asked.from() > Long.MIN_VALUE || first > last
                    ? asked.from()
                    : fields.unit().toMillis(first);
            long to = asked.to() < Long.MAX_VALUE || first > last
                    ? asked.to()
                    : fields.unit().toMillis(last);
            SeriesRows series = new SeriesRows(fields, new TimeInterval(from, to), limit, sink, workspace);
            rows.finish(series);
            return series.finish();
        }
    }
}
