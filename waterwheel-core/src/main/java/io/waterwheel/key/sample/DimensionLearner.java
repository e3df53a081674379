package io.waterwheel.key.sample;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
    /** Of what the bits of a dimension could tell apart, if all cells had as many rows. */
    private static final double LEAST_TOLD = 0.6;
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
        while (room > samples.length && !hasRoomFor(dimensions)) {
            room -= room / 4 + 1;
            dimensions = dimensions(bits, DimensionSample.shared(wanted, room));
        }
        List<String> schedule = key.schedule().isEmpty() ? schedule(dimensions) : key.schedule();
        return draft.withKey(new KeySpec.Dimensions(dimensions, schedule, key.position()));
    }

    private boolean hasRoomFor(List<Dimension> dimensions) {
        List<Dimension> learned = IntStream.range(0, open.length)
                .filter(d -> open[d])
                .mapToObj(dimensions::get)
                .toList();
        return key.hasRoomFor(learned)
                && new KeySpec.Dimensions(dimensions, key.schedule(), key.position()).roomForCuts(draft.byName()) >= 0;
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
        int needed = Dimension.bitsOf(sample.toldApart() + (nullable ? 1 : 0));
        return Math.min(needed, sample.isOfKinds(KINDS) ? BITS_OF_KINDS : BITS_OF_VALUES);
    }

    /**
     * First the bits of the dimensions that name kinds, whose questions ask for one of them; then those of all others
     * in turn, those of a place a little more often; and last those of dimensions that tell little apart. Numbers name
     * no kinds, however few they are: questions ask for ranges of them.
     */
    private List<String> schedule(List<Dimension> dimensions) {
        int[] first = new int[dimensions.size()];
        int[] inTurn = new int[first.length];
        int[] last = new int[first.length];
        for (int d = 0; d < first.length; d++) {
            Dimension dimension = dimensions.get(d);
            Field field = field(dimension);
            boolean kinds = field.type().physical() == PhysicalType.BOOLEAN
                    || (field.type().variable() && samples[d].isOfKinds(KINDS));
            int all = dimension.bits(field, 0);
            long[] rowsOfCells = samples[d].cells(dimension, all);
            int needed = Dimension.bitsOf(rowsOfCells.length);
            // Bits that no cell has take their turns: a later version of the scales may have cells by them.
            first[d] = kinds ? all : 0;
            boolean tells = DimensionSample.entropy(rowsOfCells) >= LEAST_TOLD * needed;
            inTurn[d] = tells ? all - first[d] : 0;
            last[d] = all - first[d] - inTurn[d];
        }
        return Stream.of(first, inTurn, last)
                .flatMap(bits -> inTurn(dimensions, bits).stream())
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
}
