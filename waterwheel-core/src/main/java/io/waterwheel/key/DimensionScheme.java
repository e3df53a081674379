package io.waterwheel.key;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.waterwheel.geo.Box;
import io.waterwheel.key.curve.DimensionIntervals;
import io.waterwheel.key.curve.Interleaving;
import io.waterwheel.schema.Cuts;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WantedCells;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Keys that interleave the cells of several fields (see {@link Scale} and {@link Interleaving}). */
final class DimensionScheme extends KeyScheme {
    /** Tables take some tenths of a millisecond to make: a schema's are kept as long as the schema is. */
    private static final Cache<Schema, DimensionScheme> KNOWN =
            Caffeine.newBuilder().weakKeys().build();

    /** All chunks of a stream have the same tables. */
    private static final Cache<Parameters, DimensionKeys> READ =
            Caffeine.newBuilder().weakValues().build();

    /** What a chunk says of its keys. */
    private record Parameters(RowLayout layout, int kind, ByteBuffer bytes) {}

    private final String names;
    private final int[] fields;
    /** By version of the scales, from 1 on, by dimension. */
    private final Division[][] scales;
    /** By dimension, 1 where null has a cell below all others. */
    private final int[] nulls;

    /** By dimension, with that of null, by the newest scales. */
    private final int[] cellCounts;

    private final Interleaving interleaving;
    private final KeyDimensions keyDimensions;
    private final @Nullable PositionIndex positions;

    static DimensionScheme of(Schema schema, KeySpec.Dimensions key) {
        return KNOWN.get(schema, made -> new DimensionScheme(made, key));
    }

    private DimensionScheme(Schema schema, KeySpec.Dimensions key) {
        Map<String, Field> byName = schema.byName();
        String missing = key.missing(byName);
        if (missing != null) {
            throw new IllegalArgumentException(missing);
        }
        List<Dimension> dimensions = key.dimensions();
        int[] bits = key.bits(byName);
        this.names = String.join(", ", dimensions.stream().map(Dimension::field).toList());
        this.fields = dimensions.stream()
                .mapToInt(dimension -> schema.indexOf(dimension.field()))
                .toArray();
        this.scales = new Division[key.scales()][];
        for (int version = 1; version <= scales.length; version++) {
            scales[version - 1] = scales(schema, key.dimensions(version), bits);
        }
        this.nulls = new int[fields.length];
        this.cellCounts = new int[fields.length];
        for (int d = 0; d < fields.length; d++) {
            nulls[d] = schema.fields().get(fields[d]).nullable() ? 1 : 0;
            cellCounts[d] = scales[scales.length - 1][d].cuts() + 1 + nulls[d];
        }
        int[] order = key.order(byName);
        this.interleaving = new Interleaving(order, fields.length);
        this.keyDimensions = new KeyDimensions(order);
        this.positions = key.position().isEmpty()
                ? null
                : new Placed(
                        schema.indexOf(key.position().get(0)),
                        schema.indexOf(key.position().get(1)));
    }

    private Division[] scales(Schema schema, List<Dimension> dimensions, int[] bits) {
        Division[] of = new Division[fields.length];
        for (int d = 0; d < fields.length; d++) {
            Field field = schema.fields().get(fields[d]);
            List<Object> cuts = new Cuts(field).of(dimensions.get(d), bits[d]);
            of[d] = dimensions.get(d).isLong()
                    ? Division.of(new TextCodes(cuts.toArray(new byte[0][])))
                    : Division.of(Scale.of(
                            cuts.stream().mapToLong(KeyCodec::ofCut).toArray(), DimensionKeys.isFloating(field)));
        }
        return of;
    }

    @Override
    public KeyInterval domain() {
        return new KeyInterval(scales.length == 1 ? 0 : ScaleVersion.prefix(2), interleaving.greatest());
    }

    @Override
    public KeyInterval domain(int version) {
        long prefix = ScaleVersion.prefix(version);
        return new KeyInterval(prefix, prefix | interleaving.greatest());
    }

    @Override
    public int scales() {
        return scales.length;
    }

    @Override
    public KeyMaker maker(RowLayout layout) {
        return maker(layout, 1);
    }

    @Override
    public KeyMaker maker(RowLayout layout, int version) {
        KeyMaker keys = keys(layout, version);
        return positions == null
                ? keys
                : new OnGlobe(layout, positions.longitudeField(), positions.latitudeField(), keys);
    }

    /** Refuses positions that are not on the globe, as keys do that are positions: no shape has one. */
    private static final class OnGlobe extends KeyMaker {
        private final Field longitude;
        private final Field latitude;
        private final int longitudeColumn;
        private final int latitudeColumn;
        private final KeyMaker keys;

        OnGlobe(RowLayout layout, int longitudeField, int latitudeField, KeyMaker keys) {
            this.longitude = layout.fields().get(longitudeField);
            this.latitude = layout.fields().get(latitudeField);
            this.longitudeColumn = layout.columnOf(longitudeField);
            this.latitudeColumn = layout.columnOf(latitudeField);
            this.keys = keys;
        }

        @Override
        public int fill(TupleBlock block, int fromRow, RowRejects rejects) {
            byte[] longitudes = block.column(longitudeColumn);
            byte[] latitudes = block.column(latitudeColumn);
            int size = block.size();
            int kept = fromRow;
            for (int row = fromRow; row < size; row++) {
                double x = LittleEndian.getDouble(longitudes, row * 8);
                double y = LittleEndian.getDouble(latitudes, row * 8);
                if (!Box.WORLD.contains(x, y)) {
                    boolean tooFar = !(x >= Box.WORLD.west() && x <= Box.WORLD.east());
                    rejects.reject(row - fromRow, tooFar ? reason(longitude, x, 180) : reason(latitude, y, 90));
                    continue;
                }
                if (kept != row) {
                    moveRow(block, row, kept);
                }
                kept++;
            }
            block.setSize(kept);
            return size - kept + keys.fill(block, fromRow, rejects);
        }

        private static String reason(Field field, double value, int most) {
            return "field '" + field.name() + "': expected a number from -" + most + " to " + most
                    + " (the key has a position), got " + value;
        }
    }

    @Override
    public long parse(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "expected FIELD=LO..HI, or the number of a key, for the key has dimensions (" + names + "), got '"
                            + text + "'",
                    e);
        }
    }

    @Override
    public String format(long key) {
        return Long.toString(key);
    }

    @Override
    public KeyNarrowing narrowing(RowLayout layout) {
        return new CellNarrowing(layout, fields, scales, nulls, cellCounts, interleaving, keyDimensions);
    }

    @Override
    public @Nullable PositionIndex positions() {
        return positions;
    }

    /** What is known of places by bounds of two dimensions. */
    private record Placed(int longitudeField, int latitudeField) implements PositionIndex {
        @Override
        public boolean narrowsByConditions() {
            return true;
        }

        @Override
        public List<KeyInterval> intervals(Area area, int limit, LongConsumer spend) {
            return List.of(KeyInterval.ALL);
        }
    }

    /** A key is a cell of each dimension. */
    @Override
    public boolean tellsTuplesApart() {
        return false;
    }

    @Override
    public DerivedKeys derived(RowLayout layout) {
        return keys(layout, 1);
    }

    @Override
    public @Nullable DerivedKeys derived(RowLayout layout, long key) {
        int version = ScaleVersion.of(key);
        return version > scales.length ? null : keys(layout, version);
    }

    private DimensionKeys keys(RowLayout layout, int version) {
        if (version < 1 || version > scales.length) {
            throw new IllegalArgumentException(
                    "expected a version of scales from 1 to " + scales.length + ", got " + version);
        }
        return new DimensionKeys(layout, fields, scales[version - 1], interleaving, version);
    }

    /** @throws IllegalArgumentException when they do not fit */
    static DerivedKeys derived(RowLayout layout, int kind, ByteBuffer parameters) {
        byte[] bytes = new byte[parameters.remaining()];
        parameters.duplicate().get(bytes);
        return READ.get(
                new Parameters(layout, kind, ByteBuffer.wrap(bytes)),
                read -> DimensionKeys.read(
                        read.layout(), read.kind(), read.bytes().duplicate()));
    }

    /** Bounds of a dimension's values are bounds of its cells, by each version of the scales. One thread. */
    private static final class CellNarrowing implements KeyNarrowing {
        /**
         * Most intervals that a condition is cut into: each is looked up in the index of chunks, and in every chunk.
         */
        private static final int INTERVALS = 64;

        /** At least this number for each version, however many versions there are. */
        private static final int LEAST_INTERVALS = 16;

        private final int[] fields;
        /** By version from 1 on, by dimension. */
        private final Division[][] scales;

        private final int[] nulls;
        private final int[] cellCounts;
        private final Interleaving interleaving;
        private final KeyDimensions keyDimensions;
        private final int[] columns;
        /** By version from 1 on, by dimension, the cells that can match; null where all can. */
        private final List<@Nullable BitSet[]> wanted = new ArrayList<>();

        CellNarrowing(
                RowLayout layout,
                int[] fields,
                Division[][] scales,
                int[] nulls,
                int[] cellCounts,
                Interleaving interleaving,
                KeyDimensions keyDimensions) {
            this.fields = fields;
            this.scales = scales;
            this.nulls = nulls;
            this.cellCounts = cellCounts;
            this.interleaving = interleaving;
            this.keyDimensions = keyDimensions;
            this.columns = Arrays.stream(fields).map(layout::columnOf).toArray();
            for (int version = 0; version < scales.length; version++) {
                wanted.add(new @Nullable BitSet[fields.length]);
            }
        }

        /** The dimension whose values lie in a column; -1 when none do. */
        private int dimension(int column) {
            int d = 0;
            while (d < columns.length && columns[d] != column) {
                d++;
            }
            return d < columns.length ? d : -1;
        }

        private static void narrow(@Nullable BitSet[] of, int dimension, BitSet cells) {
            BitSet known = of[dimension];
            if (known == null) {
                of[dimension] = cells;
            } else {
                known.and(cells);
            }
        }

        /** The cells of codes from low to high. */
        private BitSet between(int version, int dimension, long low, long high) {
            BitSet cells = new BitSet();
            if (low <= high) {
                Scale scale = scales[version][dimension].scale();
                cells.set(nulls[dimension] + scale.search(low), nulls[dimension] + scale.search(high) + 1);
            }
            return cells;
        }

        @Override
        public void within(int column, long low, long high) {
            int dimension = dimension(column);
            for (int version = 0; dimension >= 0 && version < scales.length; version++) {
                narrow(wanted.get(version), dimension, between(version, dimension, low, high));
            }
        }

        @Override
        public void among(int column, long[] values) {
            int dimension = dimension(column);
            for (int version = 0; dimension >= 0 && version < scales.length; version++) {
                BitSet cells = new BitSet();
                for (long value : values) {
                    cells.set(nulls[dimension]
                            + scales[version][dimension].scale().search(value));
                }
                narrow(wanted.get(version), dimension, cells);
            }
        }

        @Override
        public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
            int dimension = dimension(column);
            for (int version = 0; dimension >= 0 && version < scales.length; version++) {
                narrow(wanted.get(version), dimension, between(version, dimension, low, high));
            }
        }

        private BitSet between(int version, int dimension, byte @Nullable [] low, byte @Nullable [] high) {
            Division division = scales[version][dimension];
            return between(
                    version,
                    dimension,
                    low == null ? Long.MIN_VALUE : division.code(low),
                    high == null ? Long.MAX_VALUE : division.code(high));
        }

        @Override
        public void amongBytes(int column, byte[][] values) {
            int dimension = dimension(column);
            for (int version = 0; dimension >= 0 && version < scales.length; version++) {
                BitSet cells = new BitSet();
                for (byte[] value : values) {
                    cells.or(between(version, dimension, value, value));
                }
                narrow(wanted.get(version), dimension, cells);
            }
        }

        @Override
        public void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
            int dimension = dimension(column);
            for (int version = 0; dimension >= 0 && version < scales.length; version++) {
                BitSet cells = new BitSet();
                for (int range = 0; range < lows.length; range++) {
                    cells.or(between(version, dimension, lows[range], ends[range]));
                }
                narrow(wanted.get(version), dimension, cells);
            }
        }

        /** All but one of the cells are no range: they would be many intervals, which leave out next to nothing. */
        @Override
        public void isNull(int column, boolean negated) {
            int dimension = negated ? -1 : dimension(column);
            for (int version = 0; dimension >= 0 && version < scales.length; version++) {
                BitSet cells = new BitSet();
                cells.set(0, nulls[dimension]);
                narrow(wanted.get(version), dimension, cells);
            }
        }

        /** By dimension, so what is left may be more: the corners of several boxes. */
        @Override
        public void any(List<KeyNarrowing> alternatives) {
            for (int version = 0; version < scales.length; version++) {
                for (int d = 0; d < columns.length; d++) {
                    BitSet cells = new BitSet();
                    for (KeyNarrowing alternative : alternatives) {
                        @Nullable BitSet[] other = ((CellNarrowing) alternative).wanted.get(version);
                        BitSet of = other[d];
                        if (of == null) {
                            cells.set(0, 1 << interleaving.bits(d));
                        } else if (!isOfNone(other)) {
                            cells.or(of);
                        }
                    }
                    if (cells.cardinality() < 1 << interleaving.bits(d)) {
                        narrow(wanted.get(version), d, cells);
                    }
                }
            }
        }

        /** Whether no row can match. */
        private static boolean isOfNone(@Nullable BitSet[] of) {
            boolean none = false;
            for (BitSet cells : of) {
                none |= cells != null && cells.isEmpty();
            }
            return none;
        }

        private boolean isNarrowed() {
            boolean narrowed = false;
            for (@Nullable BitSet[] of : wanted) {
                for (BitSet cells : of) {
                    narrowed |= cells != null;
                }
            }
            return narrowed;
        }

        @Override
        public @Nullable WantedCells cells() {
            return isNarrowed() ? new WantedCells(keyDimensions, fields, cellCounts, wanted) : null;
        }

        @Override
        public List<KeyInterval> keys() {
            if (!isNarrowed()) {
                return List.of(KeyInterval.ALL);
            }
            int most = Math.max(LEAST_INTERVALS, INTERVALS / scales.length);
            List<KeyInterval> keys = new ArrayList<>();
            // Keys of version 2 are the lowest, then those of 3 and so on; those of 1 are above all.
            for (int version = 2; version <= scales.length; version++) {
                long prefix = ScaleVersion.prefix(version);
                for (KeyInterval of : DimensionIntervals.of(interleaving, wanted.get(version - 1), most)) {
                    keys.add(new KeyInterval(prefix | of.low(), prefix | of.high()));
                }
            }
            keys.addAll(DimensionIntervals.of(interleaving, wanted.get(0), most));
            return keys;
        }
    }
}
