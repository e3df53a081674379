package io.waterwheel.query.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Fields that are stored ones are copied beside those that are computed, as a look at each row says. */
final class ProjectedRowsTest {
    private static final RowLayout STORED = RowLayout.ofFields(List.of(
            new Field("id", FieldType.LONG, false),
            new Field("n", FieldType.LONG, true),
            new Field("i", FieldType.INT, true),
            new Field("d", FieldType.DOUBLE, true)));

    private static List<NamedExpression> parsed(String... wanted) {
        return Arrays.stream(wanted).map(NamedExpression::parse).toList();
    }

    /** The rows, of which the selected are computed in several turns. */
    private static List<List<@Nullable Object>> computed(
            List<NamedExpression> wanted, RowView view, int[][] selections) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        ProjectedRows projected = new ProjectedRows(new Projection(STORED, wanted), Workspace.unhurried(), block -> {
            for (int row = 0; row < block.size(); row++) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int f = 0; f < block.layout().fields().size(); f++) {
                    values.add(block.value(f, row));
                }
                rows.add(values);
            }
            return true;
        });
        for (int[] selected : selections) {
            projected.add(view, selected.clone(), selected.length);
        }
        return rows;
    }

    @Test
    void copiesAndComputes() {
        long seed = Long.getLong("seed", new SplittableRandom().nextLong());
        System.out.println("replay: ./waterwheel test ProjectedRowsTest -Dseed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < Rounds.of(100, 5000); round++) {
            int size = 1 + random.nextInt(200);
            TupleBlock block = new TupleBlock(STORED, size);
            for (int row = 0; row < size; row++) {
                LittleEndian.putLong(block.column(STORED.columnOf(0)), row * 8, random.nextInt(100));
                LittleEndian.putLong(block.column(STORED.columnOf(1)), row * 8, random.nextInt(100));
                LittleEndian.putInt(block.column(STORED.columnOf(2)), row * 4, random.nextInt(100));
                LittleEndian.putLong(
                        block.column(STORED.columnOf(3)), row * 8, Double.doubleToRawLongBits(random.nextInt(100)));
                block.setNullMask(row, random.nextInt(8));
            }
            block.setSize(size);
            int[][] selections = new int[3][];
            List<List<@Nullable Object>> expected = new ArrayList<>();
            for (int s = 0; s < selections.length; s++) {
                selections[s] = IntStream.range(0, size)
                        .filter(row -> random.nextInt(3) > 0)
                        .toArray();
                for (int row : selections[s]) {
                    Object id = block.value(0, row);
                    Object n = block.value(1, row);
                    expected.add(Arrays.asList(
                            n, 1L, id, block.value(2, row), n == null ? null : (Long) n + 1, block.value(3, row), id));
                }
            }
            List<NamedExpression> wanted = parsed("n", "1 AS one", "id", "i", "n + 1 AS more", "d", "id AS again");
            assertThat(computed(wanted, RowView.of(block), selections)).isEqualTo(expected);
        }
    }

    @Test
    void needsNoMasksWhereNoFieldMayBeNull() {
        TupleBlock block = new TupleBlock(STORED, 3);
        for (int row = 0; row < 3; row++) {
            LittleEndian.putLong(block.column(STORED.columnOf(0)), row * 8, 7 + row);
        }
        block.setSize(3);
        RowView view = RowView.of(block);
        view.columns[STORED.nullMaskColumn()] = RowView.NO_BYTES;
        int[][] selections = {{0, 2}, {1}};
        assertThat(computed(parsed("id", "id + 1 AS more"), view, selections))
                .containsExactly(List.of(7L, 8L), List.of(9L, 10L), List.of(8L, 9L));
    }
}
