package io.waterwheel.sql.duckdb;

import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of a leaf that a join may keep: those whose value another table has, of more values than narrow the leaf's
 * query. The others need not go to DuckDB. One thread.
 */
final class KeptRows {
    private final List<Test> tests;
    private int[] selected = {};

    /**
     * Whether a whole number is among some; null is not.
     *
     * @param field of the rows
     */
    private record Test(int field, ColumnValues values) {}

    private KeptRows(List<Test> tests) {
        this.tests = tests;
    }

    /** Keeps all rows. */
    static KeptRows all() {
        return new KeptRows(List.of());
    }

    /** The same with one test more, where the rows have its value. */
    KeptRows and(ResidualPlan.Leaf leaf, ResidualPlan.Narrowing narrowing, ColumnValues values) {
        int field = field(leaf.query(), narrowing.value());
        if (field < 0 || !ColumnValues.gathers(leaf.fields().get(field).type())) {
            return this;
        }
        List<Test> more = new ArrayList<>(tests);
        more.add(new Test(field, values));
        return new KeptRows(List.copyOf(more));
    }

    /** The field of a query's answer that is a value; -1 when there is none. */
    private static int field(Query query, Expression value) {
        if (query.result() instanceof ResultSpec.Rows rows) {
            for (int field = 0; field < rows.select().size(); field++) {
                if (rows.select().get(field).expression().equals(value)) {
                    return field;
                }
            }
        }
        return -1;
    }

    /** The rows that are kept; the block itself where these are all. */
    TupleBlock of(TupleBlock block) {
        if (tests.isEmpty()) {
            return block;
        }
        int count = block.size();
        if (selected.length < count) {
            selected = new int[count];
        }
        for (int row = 0; row < count; row++) {
            selected[row] = row;
        }
        for (Test test : tests) {
            count = test.values().keep(block, test.field(), selected, count);
        }
        return count == block.size() ? block : copied(block, count);
    }

    private TupleBlock copied(TupleBlock block, int count) {
        RowLayout layout = block.layout();
        TupleBlock kept = new TupleBlock(layout, count);
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            byte[] from = block.column(c);
            byte[] into = kept.column(c);
            for (int i = 0; i < count; i++) {
                System.arraycopy(from, selected[i] * width, into, i * width, width);
            }
            for (int i = 0; i < count && layout.variable(c); i++) {
                long reference = LittleEndian.getLong(into, i * width);
                long moved = kept.addToArena(
                        block.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
                LittleEndian.putLong(into, i * width, moved);
            }
        }
        kept.setSize(count);
        return kept;
    }
}
