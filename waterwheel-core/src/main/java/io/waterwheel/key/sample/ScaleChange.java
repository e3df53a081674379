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
     * {@link CellUse#LEAST_KEYS}, every range stays, and all else is divided by them. Where the catalog has no room,
     * those with the longest cuts have fewer of them, also where they keep what they have.
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
            // Of one value.
            stays[d] |= samples[d].cuts(bits[d]) == 0;
        }
        List<Dimension> learned;
        boolean settled;
        boolean changes;
        do {
            learned = learned(schema, key, samples, stays);
            Schema next = schema.withKey(new KeySpec.Dimensions(learned, key.schedule(), key.position()));
            List<CellUse> after = CellUse.of(next, keys(next, rows));
            settled = true;
            changes = false;
            // What stays takes room for cuts, so that the others are learned again.
            for (int d = 0; d < samples.length && !after.isEmpty(); d++) {
                if (!stays[d] && after.get(d).used() <= before.get(d).used()) {
                    stays[d] = true;
                    settled = false;
                }
            }
            for (boolean stay : stays) {
                changes |= !stay;
            }
        } while (!settled && changes);
        return changes ? learned : present;
    }

    private static List<Dimension> learned(
            Schema schema, KeySpec.Dimensions key, DimensionSample[] samples, boolean[] stays) {
        int[] bits = key.bits(schema.byName());
        List<Dimension> open = new ArrayList<>();
        int[] wanted = new int[bits.length];
        for (int d = 0; d < bits.length; d++) {
            wanted[d] = stays[d] ? 0 : samples[d].cuts(bits[d]);
            Dimension old = present(key, d, bits[d]);
            open.add(wanted[d] == 0 ? old : new Dimension(old.field(), bits[d], List.of(), List.of()));
        }
        int room = roomForCuts(schema, key, open);
        List<Dimension> learned;
        do {
            int[] cuts = DimensionSample.shared(wanted, room);
            learned = new ArrayList<>();
            for (int d = 0; d < bits.length; d++) {
                learned.add(wanted[d] == 0 ? open.get(d) : samples[d].divided(bits[d], cuts[d]));
            }
            room -= room / 4 + 1;
        } while (room > bits.length && roomForCuts(schema, key, learned) < 0);
        for (int d = 0; d < bits.length && roomForCuts(schema, key, learned) < 0; d++) {
            // A cut of a long text takes the room of several, and may not even find that.
            if (learned.get(d).isLong() && wanted[d] > 0) {
                learned.set(d, present(key, d, bits[d]));
                wanted[d] = 0;
            }
        }
        for (int longest = longest(learned); longest >= 0 && !key.hasRoomFor(learned); longest = longest(learned)) {
            Dimension old = learned.get(longest);
            learned.set(
                    longest,
                    wanted[longest] == 0
                            ? halved(old)
                            : samples[longest].divided(bits[longest], old.cuts().size() / 2));
        }
        return learned;
    }

    /** A dimension by the newest scales, with its bits. */
    private static Dimension present(KeySpec.Dimensions key, int d, int bits) {
        Dimension of = key.dimensions(key.scales()).get(d);
        return new Dimension(of.field(), bits, of.range(), of.cuts(), of.bytes());
    }

    private static int roomForCuts(Schema schema, KeySpec.Dimensions key, List<Dimension> dimensions) {
        return new KeySpec.Dimensions(dimensions, key.schedule(), key.position()).roomForCuts(schema.byName());
    }

    /** Of those that could have fewer cuts, the one whose cuts take most in the catalog; -1: there is none. */
    private static int longest(List<Dimension> dimensions) {
        int longest = -1;
        for (int d = 0; d < dimensions.size(); d++) {
            Dimension of = dimensions.get(d);
            if (of.cuts().size() > 1
                    && (longest < 0 || of.cutBytes() > dimensions.get(longest).cutBytes())) {
                longest = d;
            }
        }
        return longest;
    }

    /** With every second of its cuts. */
    private static Dimension halved(Dimension dimension) {
        List<String> cuts = new ArrayList<>();
        for (int cut = 1; cut < dimension.cuts().size(); cut += 2) {
            cuts.add(dimension.cuts().get(cut));
        }
        return new Dimension(dimension.field(), dimension.bits(), dimension.range(), cuts, dimension.bytes());
    }

    /**
     * Scales with as many of their cuts as the catalog has room for: those with the longest have every second of them,
     * as often as it takes. Those in force stay as they are.
     *
     * @param schema with every version of the scales
     * @param scales its dimensions, divided otherwise
     * @throws IllegalArgumentException when the key has no dimensions; says so
     */
    public static List<Dimension> fitting(Schema schema, List<Dimension> scales) {
        KeySpec.Dimensions key = dimensions(schema);
        if (isSame(key.dimensions(key.scales()), scales)) {
            return scales;
        }
        List<Dimension> fitting = new ArrayList<>(scales);
        for (int longest = longest(fitting); longest >= 0 && !key.hasRoomFor(fitting); longest = longest(fitting)) {
            fitting.set(longest, halved(fitting.get(longest)));
        }
        return fitting;
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
        boolean same = present.size() == others.size();
        for (int d = 0; same && d < present.size(); d++) {
            same = present.get(d).range().equals(others.get(d).range())
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
