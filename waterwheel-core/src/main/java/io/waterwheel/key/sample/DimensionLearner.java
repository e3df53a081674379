package io.waterwheel.key.sample;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Completes the dimensions of a key by rows: cuts where a definition says neither range nor cuts, so that each cell
 * holds about as many rows, and bits where it says none. One thread.
 */
public final class DimensionLearner {
    /** More rows tell little more. */
    public static final int ROWS = 1 << 16;

    /** A text of few values that come again and again is asked for one of them; at most this number. */
    private static final int KINDS = 64;

    private static final int BITS_OF_KINDS = 4;
    private static final int BITS_OF_VALUES = 6;

    private final Schema draft;
    private final KeySpec.Dimensions key;
    private final DimensionSample[] samples;
    /** By dimension, whether rows are to tell its cells. */
    private final boolean[] open;

    private int rows;

    /**
     * Completes a draft.
     *
     * @throws IllegalArgumentException when its key has no dimensions
     */
    public DimensionLearner(Schema draft) {
        KeySpec.Dimensions dimensions = draft.key().dimensional();
        if (dimensions == null) {
            throw new IllegalArgumentException("the key has no dimensions that rows could tell of");
        }
        this.draft = draft;
        this.key = dimensions;
        RowLayout layout = RowLayout.of(draft);
        this.samples = new DimensionSample[key.dimensions().size()];
        this.open = new boolean[samples.length];
        for (int d = 0; d < samples.length; d++) {
            int index = draft.indexOf(key.dimensions().get(d).field());
            Field field = draft.fields().get(index);
            open[d] = key.dimensions().get(d).isOpen(field);
            samples[d] = new DimensionSample(field, index, layout);
        }
    }

    /** Takes rows; those beyond {@link #ROWS} are left. */
    public void add(TupleBlock block) {
        for (int row = 0; row < block.size() && rows < ROWS; row++, rows++) {
            for (DimensionSample sample : samples) {
                sample.add(block, row);
            }
        }
    }

    /**
     * The draft, completed.
     *
     * @throws IllegalArgumentException when rows do not tell the cells of a dimension; says of which, and why
     */
    public Schema learned() {
        int[] bits = new int[samples.length];
        int[] wanted = new int[samples.length];
        for (int d = 0; d < samples.length; d++) {
            Dimension dimension = key.dimensions().get(d);
            int said = Math.max(dimension.bits(), Collections.frequency(key.schedule(), dimension.field()));
            samples[d].sort(
                    open[d] ? dimension.bytes() : Math.max(Dimension.LEAST_BYTES, dimension.bytes()),
                    said > 0 ? said : BITS_OF_VALUES);
            bits[d] = said > 0 ? said : bits(samples[d], field(dimension).nullable());
            wanted[d] = open[d] ? samples[d].cuts(bits[d]) : 0;
        }
        int room = key.roomForCuts(draft.byName());
        List<Dimension> dimensions = dimensions(bits, DimensionSample.shared(wanted, room));
        while (room > samples.length && !key.hasRoomFor(dimensions, draft.byName())) {
            room -= room / 4 + 1;
            dimensions = dimensions(bits, DimensionSample.shared(wanted, room));
        }
        List<String> schedule = key.schedule().isEmpty() ? schedule(dimensions) : key.schedule();
        return draft.withKey(new KeySpec.Dimensions(dimensions, schedule, key.position()));
    }

    private List<Dimension> dimensions(int[] bits, int[] cuts) {
        List<Dimension> dimensions = new ArrayList<>();
        for (int d = 0; d < samples.length; d++) {
            dimensions.add(
                    open[d]
                            ? samples[d].divided(bits[d], cuts[d])
                            : key.dimensions().get(d));
        }
        return dimensions;
    }

    private Field field(Dimension dimension) {
        return draft.fields().get(draft.indexOf(dimension.field()));
    }

    private static int bits(DimensionSample sample, boolean nullable) {
        int needed = Dimension.bitsOf(sample.distinct() + (nullable ? 1 : 0));
        return Math.min(needed, sample.isOfKinds(KINDS) ? BITS_OF_KINDS : BITS_OF_VALUES);
    }

    /**
     * First the bits of the dimensions that name kinds, whose questions ask for one of them; then those of all others
     * in turn. Numbers name none, however few they are: questions ask for ranges of them.
     */
    private List<String> schedule(List<Dimension> dimensions) {
        int[] bits = new int[dimensions.size()];
        boolean[] kinds = new boolean[bits.length];
        for (int d = 0; d < bits.length; d++) {
            Field field = field(dimensions.get(d));
            bits[d] = dimensions.get(d).bits(field, 0);
            kinds[d] = field.type().physical() == PhysicalType.BOOLEAN
                    || (field.type().variable() && samples[d].isOfKinds(KINDS));
        }
        List<String> schedule = new ArrayList<>();
        for (boolean first : new boolean[] {true, false}) {
            int[] of = bits.clone();
            for (int d = 0; d < of.length; d++) {
                of[d] = kinds[d] == first ? of[d] : 0;
            }
            Arrays.stream(Dimension.inTurn(of))
                    .mapToObj(d -> dimensions.get(d).field())
                    .forEach(schedule::add);
        }
        return schedule;
    }
}
