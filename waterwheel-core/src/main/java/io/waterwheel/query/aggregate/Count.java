package io.waterwheel.query.aggregate;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.column.Values;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;

/** Number of tuples, or of those whose argument is not null; 0 without any. */
final class Count extends CountFunction {
    @Override
    public String name() {
        return "count";
    }

    @Override
    public boolean ofRows() {
        return true;
    }

    @Override
    public AggregateState state(List<Argument> arguments, String about) {
        return new State();
    }

    private static final class State extends AggregateState {
        private static final List<Column> COLUMNS = List.of(new Column(FieldType.LONG, false));

        private long[] counts = {};

        @Override
        public void groups(int count) {
            counts = grown(counts, count);
        }

        @Override
        public void add(Values values, int[] selected, int count, int[] groupOf) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                counts[groupOf[row]] += values.anyNull && values.nulls[row] ? 0 : 1;
            }
        }

        @Override
        public void addRows(int[] selected, int count, int[] groupOf) {
            for (int i = 0; i < count; i++) {
                counts[groupOf[selected[i]]]++;
            }
        }

        @Override
        public void addToGroup(Values values, int[] selected, int count, int[] groupOf, int group) {
            counts[group] += present(values, selected, count);
        }

        @Override
        public void addRowsToGroup(int[] selected, int count, int[] groupOf, int group) {
            counts[group] += count;
        }

        @Override
        public boolean takesSummaries() {
            return true;
        }

        @Override
        public void addSummary(RowSummary.OfField summary, int group) {
            counts[group] += summary.rows() - summary.nulls();
        }

        @Override
        public void merge(TupleBlock part, int field, int[] groupOf) {
            for (int r = 0; r < part.size(); r++) {
                counts[groupOf[r]] += getLong(part, field, r);
            }
        }

        @Override
        public List<Column> columns() {
            return COLUMNS;
        }

        @Override
        public void writePart(TupleBlock part, int row, int field, int group) {
            putLong(part, field, row, counts[group]);
        }

        @Override
        public boolean writeAnswer(TupleBlock answer, int row, int field, int group) {
            putLong(answer, field, row, counts[group]);
            return true;
        }

        @Override
        public long bytes() {
            return 8L * counts.length;
        }
    }
}
