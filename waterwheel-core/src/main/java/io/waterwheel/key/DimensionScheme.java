package io.waterwheel.key;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.waterwheel.geo.Box;
import io.waterwheel.schema.Cuts;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WantedCells;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Keys that interleave the cells of several fields (see {@link Scale} and {@link Interleaving}). */
final class DimensionScheme extends KeyScheme {
    /** Most intervals that a condition is cut into: each is looked up in the index of chunks, and in every chunk. */
    private static final int INTERVALS = 64;

    /** Tables take some tenths of a millisecond to make: a schema's are kept as long as the schema is. */
    private static final Cache<Schema, DimensionScheme> KNOWN =
            Caffeine.newBuilder().weakKeys().build();

    /** All chunks of a stream have the same tables. */
    private static final Cache<Parameters, DimensionKeys> READ =
            Caffeine.newBuilder().weakValues().build();

    /** What a chunk says of its keys. */
    private record Parameters(RowLayout layout, ByteBuffer bytes) {}

    private final String names;
    private final int[] fields;
    private final Scale[] scales;
    /** By dimension, 1 where null has a cell below all others. */
    private final int[] nulls;

    /** By dimension, with that of null. */
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
        this.scales = new Scale[fields.length];
        this.nulls = new int[fields.length];
        this.cellCounts = new int[fields.length];
        for (int d = 0; d < fields.length; d++) {
            Field field = schema.fields().get(fields[d]);
            scales[d] = new Scale(
                    new Cuts(field)
                            .of(dimensions.get(d), bits[d]).stream()
                                    .mapToLong(DimensionScheme::code)
                                    .toArray(),
                    DimensionKeys.isFloating(field));
            nulls[d] = field.nullable() ? 1 : 0;
            cellCounts[d] = scales[d].cuts().length + 1 + nulls[d];
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

    private static long code(Object cut) {
        if (cut instanceof Long number) {
            return number;
        }
        return cut instanceof Double number
                ? KeyCodec.ofDouble(number)
                : KeyCodec.ofBytes((byte[]) cut, 0, ((byte[]) cut).length);
    }

    @Override
    public KeyInterval domain() {
        return new KeyInterval(0, interleaving.greatest());
    }

    @Override
    public KeyMaker maker(RowLayout layout) {
        KeyMaker keys = new DimensionKeys(layout, fields, scales, interleaving);
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
        return new OfCells(layout);
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
        return new DimensionKeys(layout, fields, scales, interleaving);
    }

    /** @throws IllegalArgumentException when they do not fit */
    static DerivedKeys derived(RowLayout layout, ByteBuffer parameters) {
        byte[] bytes = new byte[parameters.remaining()];
        parameters.duplicate().get(bytes);
        return READ.get(
                new Parameters(layout, ByteBuffer.wrap(bytes)),
                read -> DimensionKeys.read(read.layout(), read.bytes().duplicate()));
    }

    /** Bounds of a dimension's values are bounds of its cells. */
    private final class OfCells implements KeyNarrowing {
        private final int[] columns;
        /** By dimension, the cells that can match; null where all can. */
        private final @Nullable BitSet[] wanted = new @Nullable BitSet[fields.length];

        OfCells(RowLayout layout) {
            this.columns = Arrays.stream(fields).map(layout::columnOf).toArray();
        }

        /** The dimension whose values lie in a column; -1 when none do. */
        private int dimension(int column) {
            int d = 0;
            while (d < columns.length && columns[d] != column) {
                d++;
            }
            return d < columns.length ? d : -1;
        }

        private void narrow(int dimension, BitSet cells) {
            BitSet known = wanted[dimension];
            if (known == null) {
                wanted[dimension] = cells;
            } else {
                known.and(cells);
            }
        }

        private BitSet between(int dimension, long low, long high) {
            BitSet cells = new BitSet();
            if (low <= high) {
                int first = nulls[dimension] + scales[dimension].search(low);
                cells.set(first, nulls[dimension] + scales[dimension].search(high) + 1);
            }
            return cells;
        }

        @Override
        public void within(int column, long low, long high) {
            int dimension = dimension(column);
            if (dimension >= 0) {
                narrow(dimension, between(dimension, low, high));
            }
        }

        @Override
        public void among(int column, long[] values) {
            int dimension = dimension(column);
            if (dimension >= 0) {
                BitSet cells = new BitSet();
                for (long value : values) {
                    cells.set(nulls[dimension] + scales[dimension].search(value));
                }
                narrow(dimension, cells);
            }
        }

        @Override
        public void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high) {
            int dimension = dimension(column);
            if (dimension >= 0) {
                narrow(
                        dimension,
                        between(
                                dimension,
                                low == null ? Long.MIN_VALUE : KeyCodec.ofBytes(low, 0, low.length),
                                high == null ? Long.MAX_VALUE : KeyCodec.ofBytes(high, 0, high.length)));
            }
        }

        @Override
        public void amongBytes(int column, byte[][] values) {
            int dimension = dimension(column);
            if (dimension >= 0) {
                BitSet cells = new BitSet();
                for (byte[] value : values) {
                    cells.set(nulls[dimension] + scales[dimension].search(KeyCodec.ofBytes(value, 0, value.length)));
                }
                narrow(dimension, cells);
            }
        }

        @Override
        public void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
            int dimension = dimension(column);
            if (dimension >= 0) {
                BitSet cells = new BitSet();
                for (int range = 0; range < lows.length; range++) {
                    byte[] end = ends[range];
                    cells.or(between(
                            dimension,
                            KeyCodec.ofBytes(lows[range], 0, lows[range].length),
                            end == null ? Long.MAX_VALUE : KeyCodec.ofBytes(end, 0, end.length)));
                }
                narrow(dimension, cells);
            }
        }

        /** By dimension, so what is left may be more: the corners of several boxes. */
        @Override
        public void any(List<KeyNarrowing> alternatives) {
            for (int d = 0; d < wanted.length; d++) {
                BitSet cells = new BitSet();
                for (KeyNarrowing alternative : alternatives) {
                    BitSet of = ((OfCells) alternative).wanted[d];
                    if (of == null) {
                        cells.set(0, 1 << interleaving.bits(d));
                    } else if (!((OfCells) alternative).isOfNone()) {
                        cells.or(of);
                    }
                }
                if (cells.cardinality() < 1 << interleaving.bits(d)) {
                    narrow(d, cells);
                }
            }
        }

        /** Whether no row can match. */
        private boolean isOfNone() {
            boolean none = false;
            for (BitSet cells : wanted) {
                none |= cells != null && cells.isEmpty();
            }
            return none;
        }

        private boolean isNarrowed() {
            boolean narrowed = false;
            for (BitSet cells : wanted) {
                narrowed |= cells != null;
            }
            return narrowed;
        }

        @Override
        public @Nullable WantedCells cells() {
            return isNarrowed() ? new WantedCells(keyDimensions, fields, cellCounts, wanted) : null;
        }

        @Override
        public List<KeyInterval> keys() {
            return isNarrowed() ? DimensionIntervals.of(interleaving, wanted, INTERVALS) : List.of(KeyInterval.ALL);
        }
    }
}
