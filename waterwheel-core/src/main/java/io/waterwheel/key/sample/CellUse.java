package io.waterwheel.key.sample;

import io.waterwheel.schema.Cuts;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.ScaleVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How many of a dimension's cells some keys make use of. A bit of a key halves what is read only where about as many
 * rows have it as have it not: when rows crowd into few cells, most of a dimension's bits tell nothing apart.
 *
 * @param field the dimension's
 * @param cells that it has, with that of null
 * @param used cells that would tell as much apart if all had as many rows: 2 to the entropy of the cells, from 1 to
 *     {@code cells}
 * @param divisible whether the cell of most keys may hold values that other cuts would tell apart, as far as keys say
 */
public record CellUse(String field, int cells, double used, boolean divisible) {
    /** Fewer keys say little about many cells. */
    public static final int LEAST_KEYS = 1024;

    private static final int CROWDED = 8;
    /** From here on an eighth of the cells is more than few values fill. */
    private static final int MANY = 64;
    /** Of fewer than {@link #CROWDED} cells: nearly all keys have one. */
    private static final double ONE = 1.05;

    /** Of cells that may hold several values each. */
    public CellUse(String field, int cells, double used) {
        this(field, cells, used, true);
    }

    /**
     * Whether at most an eighth of the cells is in use. Few values fill fewer than 64 cells: these crowd only where
     * other cuts could tell more apart, when at most the square root is in use, so that half of the bits tell nothing;
     * of fewer than 8, when nearly all keys are in one.
     */
    public boolean crowded() {
        if (cells >= MANY) {
            return used * CROWDED <= cells;
        }
        return divisible && (cells < CROWDED ? used < ONE : used * used <= cells);
    }

    /** Whether at most an eighth of the cells is in use, or at most their square root. */
    boolean isOfFewCells() {
        return used * CROWDED <= cells || used * used <= cells;
    }

    /**
     * By dimension, with the newest scales; none where keys have no dimensions, or fewer than {@link #LEAST_KEYS} of
     * the keys are by these scales. A cell of other scales holds other values: keys by them tell nothing.
     *
     * @param keys of rows, each as good as the others
     */
    public static List<CellUse> of(Schema schema, long[] keys) {
        KeySpec.Dimensions all = schema.key().dimensional();
        if (all == null) {
            return List.of();
        }
        KeySpec.Dimensions key = all.newest();
        long[] newest = Arrays.stream(keys)
                .filter(one -> ScaleVersion.of(one) == all.scales())
                .toArray();
        if (newest.length < LEAST_KEYS) {
            return List.of();
        }
        KeyDimensions dimensions = KeyDimensions.of(schema);
        int[] cells = cells(schema, key);
        List<CellUse> uses = new ArrayList<>();
        for (int d = 0; d < cells.length; d++) {
            int[] rows = new int[1 << Long.bitCount(dimensions.mask(d))];
            for (long one : newest) {
                rows[dimensions.number(d, one)]++;
            }
            double entropy = 0;
            int fullest = 0;
            for (int cell = 0; cell < rows.length; cell++) {
                int of = rows[cell];
                fullest = of > rows[fullest] ? cell : fullest;
                double share = (double) of / newest.length;
                entropy -= of == 0 ? 0 : share * Math.log(share);
            }
            uses.add(new CellUse(
                    key.dimensions().get(d).field(),
                    cells[d],
                    Math.min(cells[d], Math.exp(entropy)),
                    isDivisible(schema, key.dimensions().get(d), rows.length, fullest)));
        }
        return uses;
    }

    /**
     * Whether other cuts could divide a cell. Keys do not say which values there are, but three things tell that there
     * are few: it is the cell of null, or of a boolean; cuts leave numbers of the bits free, since rows that tell them
     * give each value a cell of its own while there is room; or of whole numbers it holds one. An outer cell counts as
     * wide as the one beside it, and that of a single cut as one number, as of a flag, unless a range says more.
     *
     * @param room cells that its bits number
     * @param number of the cell
     */
    private static boolean isDivisible(Schema schema, Dimension dimension, int room, int number) {
        Field field = schema.fields().get(schema.indexOf(dimension.field()));
        int first = field.nullable() ? 1 : 0;
        List<Object> cuts = new Cuts(field).of(dimension, Dimension.bitsOf(room));
        if (field.type().physical() == PhysicalType.BOOLEAN || number < first || cuts.size() + 1 + first < room) {
            return false;
        }
        if (cuts.isEmpty() || !(cuts.get(0) instanceof Long)) {
            return true;
        }
        if (cuts.size() == 1) {
            // The lower half of a range is never the wider one: [0, 1] and [0, 2] are cut at 1.
            List<Object> low = new Cuts(field)
                    .of(
                            new Dimension(
                                    field.name(),
                                    1,
                                    List.of(),
                                    dimension
                                            .range()
                                            .subList(0, dimension.range().size() / 2)),
                            1);
            return !low.isEmpty() && (Long) cuts.get(0) - (Long) low.get(0) != 1;
        }
        int above = Math.min(Math.max(number - first, 1), cuts.size() - 1);
        return (Long) cuts.get(above) - (Long) cuts.get(above - 1) != 1;
    }

    /** How many cells each dimension has, with that of null. */
    static int[] cells(Schema schema, KeySpec.Dimensions key) {
        int[] bits = key.bits(schema.byName());
        int[] cells = new int[bits.length];
        for (int d = 0; d < bits.length; d++) {
            Dimension dimension = key.dimensions().get(d);
            Field field = schema.fields().get(schema.indexOf(dimension.field()));
            cells[d] = new Cuts(field).of(dimension, bits[d]).size() + 1 + (field.nullable() ? 1 : 0);
        }
        return cells;
    }
}
