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
import java.util.Comparator;
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
    /** Of what a bit tells apart that half of the rows have. */
    private static final double LEAST_GAIN = 0.5;
    /** A place has its fourth bit before others have their third: its dimensions are asked for together. */
    private static final double TURN_OF_PLACE = 0.74;

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
     * in turn, those of a place a little more often; and last those that tell little apart, and what follows them.
     * Numbers name no kinds, however few they are: questions ask for ranges of them.
     */
    private List<String> schedule(List<Dimension> dimensions) {
        int[][] bits = new int[Place.values().length][dimensions.size()];
        for (int d = 0; d < dimensions.size(); d++) {
            Dimension dimension = dimensions.get(d);
            Field field = field(dimension);
            boolean kinds = field.type().physical() == PhysicalType.BOOLEAN
                    || (field.type().variable() && samples[d].isOfKinds(KINDS));
            Place place = kinds ? Place.FIRST : Place.IN_TURN;
            int all = dimension.bits(field, 0);
            double[] gains = samples[d].gains(dimension, all);
            // Bits that no cell has order nothing, and take no turns.
            bits[Place.FIRST.ordinal()][d] = all - gains.length;
            for (double gain : gains) {
                place = place == Place.IN_TURN && gain < LEAST_GAIN ? Place.LAST : place;
                bits[place.ordinal()][d]++;
            }
        }
        return Arrays.stream(bits)
                .flatMap(of -> inTurn(dimensions, of).stream())
                .toList();
    }

    private List<String> inTurn(List<Dimension> dimensions, int[] bits) {
        record Bit(String field, double turn) {}
        List<Bit> all = new ArrayList<>();
        for (int d = 0; d < bits.length; d++) {
            String field = dimensions.get(d).field();
            for (int bit = 1; bit <= bits[d]; bit++) {
                all.add(new Bit(field, key.position().contains(field) ? bit * TURN_OF_PLACE : bit));
            }
        }
        all.sort(Comparator.comparingDouble(Bit::turn));
        return all.stream().map(Bit::field).toList();
    }

    /** Where a bit lies in a schedule. */
    private enum Place {
        FIRST,
        IN_TURN,
        LAST
    }
}
