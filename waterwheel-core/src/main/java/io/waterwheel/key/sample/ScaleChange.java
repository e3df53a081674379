package io.waterwheel.key.sample;

import io.waterwheel.key.DerivedKeys;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Other scales for the dimensions of a key, and what they gain on some rows.
 *
 * @param scales the dimensions, divided otherwise, with the bits that they have
 * @param before by dimension, the cells that the rows make use of by the newest scales there are; none where the rows
 *     are fewer than {@link CellUse#LEAST_KEYS}
 * @param after the same by the new scales
 * @param keys of the rows by the new scales, ascending
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record ScaleChange(List<Dimension> scales, List<CellUse> before, List<CellUse> after, long[] keys) {
    public ScaleChange {
        scales = List.copyOf(scales);
        before = List.copyOf(before);
        after = List.copyOf(after);
    }

    /**
     * Learns scales from rows, as {@link #scales} does, and says what they gain.
     *
     * @param schema with every version of the scales
     * @param rows of its newest tuples, of any layout that has the schema's first fields, the dimensions among them, as
     *     columns
     * @throws IllegalArgumentException when the key has no dimensions, there are too few rows, or what is learned is
     *     what there is; says why
     */
    public static ScaleChange learn(Schema schema, TupleBlock rows) {
        dimensions(schema);
        if (rows.size() < CellUse.LEAST_KEYS) {
            throw new IllegalArgumentException(
                    "expected at least " + CellUse.LEAST_KEYS + " rows to learn from, got " + rows.size());
        }
        return of(schema, scales(schema, rows), rows);
    }

    /**
     * Learns scales from rows: cells of about as many rows, as many as there is room for. A dimension keeps the scale
     * that it has where it is a boolean, where rows have one value or none in it, and where the rows would not use more
     * of other cells. So does a range of whose cells the rows use more than few. Where the rows are fewer than
     * {@link CellUse#LEAST_KEYS}, every range stays, and all else is divided by them.
     *
     * @param rows as of {@link #learn}
     * @return the dimensions, with the bits that they have
     * @throws IllegalArgumentException when the key has no dimensions; says so
     */
    public static List<Dimension> scales(Schema schema, TupleBlock rows) {
        KeySpec.Dimensions key = dimensions(schema);
        List<CellUse> before = CellUse.of(schema, keys(schema, rows));
        List<Dimension> present = key.dimensions(key.scales());
        DimensionSample[] samples = new DimensionSample[present.size()];
        boolean[] stays = new boolean[samples.length];
        int[] bits = key.bits(schema.byName());
        for (int d = 0; d < samples.length; d++) {
            Dimension old = present.get(d);
            int index = schema.indexOf(old.field());
            Field field = schema.fields().get(index);
            samples[d] = new DimensionSample(field, index, rows.layout());
            stays[d] = field.type().physical() == PhysicalType.BOOLEAN
                    || (!old.range().isEmpty()
                            && (before.isEmpty() || !before.get(d).isOfFewCells()));
            for (int row = 0; row < rows.size() && !stays[d]; row++) {
                samples[d].add(rows, row);
            }
            samples[d].sort(0, bits[d]);
        }
        List<Dimension> learned;
        boolean settled;
        do {
            learned = learned(schema, key, samples, stays);
            Schema next = schema.withKey(new KeySpec.Dimensions(learned, key.schedule(), key.position()));
            List<CellUse> after = CellUse.of(next, keys(next, rows));
            settled = true;
            // What stays takes room for cuts, so that the others are learned again.
            for (int d = 0; d < samples.length && !after.isEmpty(); d++) {
                if (!stays[d] && after.get(d).used() <= before.get(d).used()) {
                    stays[d] = true;
                    settled = false;
                }
            }
        } while (!settled);
        return learned;
    }

    private static List<Dimension> learned(
            Schema schema, KeySpec.Dimensions key, DimensionSample[] samples, boolean[] stays) {
        int[] bits = key.bits(schema.byName());
        List<Dimension> open = new ArrayList<>();
        int[] wanted = new int[bits.length];
        for (int d = 0; d < bits.length; d++) {
            Dimension old = key.dimensions(key.scales()).get(d);
            wanted[d] = stays[d] ? 0 : samples[d].cuts(bits[d]);
            open.add(
                    wanted[d] == 0
                            ? new Dimension(old.field(), bits[d], old.range(), old.cuts(), old.bytes())
                            : new Dimension(old.field(), bits[d], List.of(), List.of()));
        }
        int room = new KeySpec.Dimensions(open, key.schedule(), key.position()).roomForCuts(schema.byName());
        List<Dimension> learned;
        do {
            int[] cuts = DimensionSample.shared(wanted, room);
            learned = new ArrayList<>();
            for (int d = 0; d < bits.length; d++) {
                learned.add(wanted[d] == 0 ? open.get(d) : samples[d].divided(bits[d], cuts[d]));
            }
            room -= room / 4 + 1;
        } while (room > bits.length && !key.hasRoomFor(learned, schema.byName()));
        return learned;
    }

    /**
     * What given scales gain.
     *
     * @param scales the same dimensions with the same bits
     * @param rows as of {@link #learn}; may be empty
     * @throws IllegalArgumentException when they do not fit the key, or are those there are; says why
     */
    public static ScaleChange of(Schema schema, List<Dimension> scales, TupleBlock rows) {
        KeySpec.Dimensions key = dimensions(schema);
        Schema next = schema.withKey(key.withScales(scales));
        if (isSame(key.dimensions(key.scales()), scales)) {
            throw new IllegalArgumentException("the scales are those in force: nothing would change");
        }
        List<CellUse> before = CellUse.of(schema, keys(schema, rows));
        long[] keys = keys(next, rows);
        List<CellUse> after = CellUse.of(next, keys);
        Arrays.sort(keys);
        return new ScaleChange(scales, before, after, keys);
    }

    /**
     * Boundaries that divide the keys of the rows evenly.
     *
     * @param slots at least 1
     * @return one fewer; none ascending ones could be told from the keys where there are few: then the next ones follow
     */
    public long[] boundaries(int slots) {
        long[] boundaries = new long[slots - 1];
        long least = keys.length == 0 ? Long.MIN_VALUE + 1 : keys[0] + 1;
        for (int slot = 1; slot < slots; slot++) {
            long wanted = keys.length == 0 ? least : keys[(int) ((long) slot * keys.length / slots)];
            boundaries[slot - 1] = Math.max(wanted, least);
            least = boundaries[slot - 1] + 1;
        }
        return boundaries;
    }

    private static KeySpec.Dimensions dimensions(Schema schema) {
        KeySpec.Dimensions key = schema.key().dimensional();
        if (key == null) {
            throw new IllegalArgumentException("the key has no dimensions, whose scales could be others");
        }
        return key;
    }

    private static boolean isSame(List<Dimension> present, List<Dimension> others) {
        boolean same = true;
        for (int d = 0; d < present.size(); d++) {
            same &= present.get(d).range().equals(others.get(d).range())
                    && present.get(d).cuts().equals(others.get(d).cuts())
                    && present.get(d).bytes() == others.get(d).bytes();
        }
        return same;
    }

    /** By the newest scales of a schema. */
    private static long[] keys(Schema schema, TupleBlock rows) {
        KeyScheme scheme = KeyScheme.of(schema);
        DerivedKeys keys = Objects.requireNonNull(
                scheme.derived(rows.layout(), ScaleVersion.prefix(scheme.scales())), "a key of dimensions");
        byte[][] values = new byte[keys.columns()][];
        byte[][] arenas = new byte[values.length][];
        for (int i = 0; i < values.length; i++) {
            values[i] = rows.column(keys.column(i));
            arenas[i] = rows.arena();
        }
        return keys.keys(values, arenas, rows.size());
    }
}
