package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.BloomBits;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.ColumnKind;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.index.TimeSketch;
import io.waterwheel.key.DerivedKeys;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.Region;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a chunk: its leaves, their key and time ranges, the extents and checksums of their parts, and hints
 * that spare reading a leaf: zones, which are exact and answer some queries, time sketches, dictionaries and filters.
 * Checked as a whole when it is read. Immutable; any thread. Parts are numbered as {@link #KEYS}, {@link #TIMES},
 * {@link #part}.
 */
public final class ChunkDirectory {
    /** The part that holds a leaf's keys: see {@link #isSorted}. */
    public static final int KEYS = ChunkFormat.KEYS;
    /** The part that holds a leaf's times. */
    public static final int TIMES = ChunkFormat.TIMES;

    /** What the sections say; filled by {@link DirectoryReader}, then never changed. */
    static final class Content {
        long rows;
        long tupleBytes;
        int leafRows;
        Region region = Region.of(0, 0, 0, 0);
        long[] lowKeys = {};
        long[] highKeys = {};
        long[] fromTimes = {};
        long[] toTimes = {};
        /** Where each part begins, leaf by leaf, and at last where the last one ends. */
        long[] partOffsets = {};

        int[] checksums = {};

        @Nullable
        DerivedKeys key;
        /** By field: least codes, greatest codes, nulls, NaNs by leaf; null for a field without zones. */
        long[][][] zones = {};

        /** By leaf, 255 where there is none, and where its words begin; empty when there are none at all. */
        int[] sketchShifts = {};

        int[] sketchStarts = {};
        long[] sketchWords = {};
        /** By field, where the words of each leaf's filter begin, and at last where they end; null for none. */
        int[][] bloomStarts = {};

        long[][] bloomWords = {};
        /** By field; null for none. */
        @Nullable
        LeafDictionary[] dictionaries = {};
        /** By field; null for none. */
        @Nullable
        TextIndex[] texts = {};

        Dependencies dependencies = Dependencies.NONE;
        /** Whether parts may have numbers of the dependencies' values. */
        boolean isNumbered;
        /** Leaves whose rows are not sorted. */
        BitSet unsorted = new BitSet();
    }

    private final String file;
    private final RowLayout layout;
    private final int parts;
    private final Content content;
    /** Columns of whole numbers of 8 bytes. */
    private final BitSet whole = new BitSet();

    private final int nullable;
    private final int bytes;
    private final int weight;

    ChunkDirectory(String file, RowLayout layout, Content content, int bytes) {
        this.file = file;
        this.layout = layout;
        this.parts = ChunkFormat.parts(layout);
        this.content = content;
        this.bytes = bytes;
        this.nullable = (int) layout.fields().stream().filter(Field::nullable).count();
        for (int field = 0; field < layout.fields().size(); field++) {
            if (layout.columnOf(field) >= 0 && layout.fields().get(field).type().physical() == PhysicalType.INT64) {
                whole.set(layout.columnOf(field));
            }
        }
        // Numbers are unfolded into longs.
        int leaves = content.lowKeys.length;
        int numbers = leaves * (4 + parts + parts / 2 + 4 * layout.fields().size()) + content.sketchWords.length;
        int words = Arrays.stream(content.bloomWords)
                .mapToInt(field -> field == null ? 0 : field.length)
                .sum();
        int dictionaries = 0;
        for (LeafDictionary dictionary : content.dictionaries) {
            dictionaries += dictionary == null ? 0 : dictionary.weight();
        }
        for (TextIndex text : content.texts) {
            dictionaries += text == null ? 0 : text.weight();
        }
        dictionaries += content.dependencies.weight();
        this.weight = 8 * (numbers + words) + dictionaries + bytes / 8 + 500;
    }

    /** Bytes that the tuples took in the tree that was written, as the writer says. */
    public long tupleBytes() {
        return content.tupleBytes;
    }

    /** The file's name in the chunk store. */
    public String file() {
        return file;
    }

    public RowLayout layout() {
        return layout;
    }

    /** Rows in all. */
    public long rows() {
        return content.rows;
    }

    /** The region that the tuples span. */
    public Region region() {
        return content.region;
    }

    /** Number of leaves. */
    public int leaves() {
        return content.lowKeys.length;
    }

    /** Rows of a leaf. */
    public int rows(int leaf) {
        return (int) Math.min(content.leafRows, content.rows - (long) leaf * content.leafRows);
    }

    /** Whether a leaf's rows stand by key, then time. Where they do not, they stand in any order. */
    public boolean isSorted(int leaf) {
        return !content.unsorted.get(leaf);
    }

    public long lowKey(int leaf) {
        return content.lowKeys[leaf];
    }

    public long highKey(int leaf) {
        return content.highKeys[leaf];
    }

    public long fromTime(int leaf) {
        return content.fromTimes[leaf];
    }

    public long toTime(int leaf) {
        return content.toTimes[leaf];
    }

    /** The first leaf whose highest key is not below the key; {@link #leaves} when there is none. */
    public int firstLeaf(long key) {
        int low = 0;
        int high = leaves();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (content.highKeys[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether the leaf may have a tuple of a time in [from, to]: by its range, and by its sketch. False is certain. */
    public boolean mayHoldTime(int leaf, long from, long to) {
        return meetsTimes(leaf, from, to) && sketchMayHoldTime(leaf, from, to);
    }

    /** Whether the leaf's range of time meets [from, to]. */
    public boolean meetsTimes(int leaf, long from, long to) {
        return from <= content.toTimes[leaf] && content.fromTimes[leaf] <= to;
    }

    /** Of a leaf whose range of time meets [from, to]: whether it may have a tuple there, by its time sketch. */
    public boolean sketchMayHoldTime(int leaf, long from, long to) {
        if (content.sketchShifts.length == 0 || content.sketchShifts[leaf] == ChunkFormat.NO_SKETCH) {
            return true;
        }
        long first = Math.max(from, content.fromTimes[leaf]);
        long last = Math.min(to, content.toTimes[leaf]);
        return TimeSketch.mayMeet(
                content.sketchWords, content.sketchStarts[leaf], content.sketchShifts[leaf], first, last);
    }

    /** Whether {@link #low}, {@link #high}, {@link #nulls} and {@link #nans} of the field are known. */
    public boolean isZoned(int field) {
        return layout.columnOf(field) < 0 || zones(field) != null;
    }

    private long @Nullable [] @Nullable [] zones(int field) {
        return field < content.zones.length ? content.zones[field] : null;
    }

    private long zone(int leaf, int field, int which) {
        long[][] zones = zones(field);
        if (zones == null) {
            throw new IllegalArgumentException("chunk " + file + " has no zones of field " + field);
        }
        return zones[which][leaf];
    }

    /**
     * The least code of the field's values in the leaf, nulls and NaNs left out: its key by {@link KeyCodec}, but for a
     * float the key of the same double. Exact: a value with it is there. Greater than {@link #high} when no value is
     * left. Only for a zoned field.
     */
    public long low(int leaf, int field) {
        return switch (layout.columnOf(field)) {
            case RowLayout.KEY -> content.lowKeys[leaf];
            case RowLayout.TIME -> content.fromTimes[leaf];
            default -> zone(leaf, field, 0);
        };
    }

    /** The greatest code; see {@link #low}. */
    public long high(int leaf, int field) {
        return switch (layout.columnOf(field)) {
            case RowLayout.KEY -> content.highKeys[leaf];
            case RowLayout.TIME -> content.toTimes[leaf];
            default -> zone(leaf, field, 1);
        };
    }

    /** Rows of the leaf where the field is null. Only for a zoned field. */
    public int nulls(int leaf, int field) {
        return layout.columnOf(field) < 0 ? 0 : (int) zone(leaf, field, 2);
    }

    /** Rows of the leaf where the field is NaN. Only for a zoned field. */
    public int nans(int leaf, int field) {
        return layout.columnOf(field) < 0 ? 0 : (int) zone(leaf, field, 3);
    }

    /**
     * Whether the leaf may have a value of the field from one to another, given by their codes; NaNs are in no such
     * range. False is certain.
     */
    public boolean mayHold(int leaf, int field, long lowCode, long highCode) {
        return !isZoned(field) || (lowCode <= high(leaf, field) && highCode >= low(leaf, field));
    }

    /**
     * Whether the leaf may have a value of this code: by its zone, and its Bloom filter if the field has one. False is
     * certain. Not for strings and bytes.
     */
    public boolean mayHold(int leaf, int field, long code) {
        return zoneMayHold(leaf, field, code) && filterMayHold(leaf, field, code);
    }

    /** The same by the field's zone alone. */
    public boolean zoneMayHold(int leaf, int field, long code) {
        if (isFloating(field) && ColumnKind.isNaN(code)) {
            return !isZoned(field) || nans(leaf, field) > 0;
        }
        return mayHold(leaf, field, code, code);
    }

    /** The same by the field's Bloom filter alone, if it has one. */
    public boolean filterMayHold(int leaf, int field, long code) {
        boolean floating = isFloating(field);
        // No filter holds NaN.
        return (floating && ColumnKind.isNaN(code))
                || !hasFilters(field)
                || hashMayBeIn(leaf, field, BloomBits.hash(code, floating));
    }

    /** Whether the leaf may have this string or these bytes; see {@link #mayHold(int, int, long)}. */
    public boolean mayHold(int leaf, int field, byte[] value, int offset, int length) {
        long code = KeyCodec.ofBytes(value, offset, length);
        return mayHold(leaf, field, code, code) && filterMayHold(leaf, field, value, offset, length);
    }

    /** The same by the field's Bloom filter alone, if it has one. */
    public boolean filterMayHold(int leaf, int field, byte[] value, int offset, int length) {
        return !hasFilters(field) || hashMayBeIn(leaf, field, BloomBits.hash(value, offset, length));
    }

    private boolean isFloating(int field) {
        return ColumnKind.of(layout.fields().get(field).type()).floating();
    }

    /** All values of the field and their leaves; null when the chunk has no dictionary of it. */
    public @Nullable LeafDictionary dictionary(int field) {
        return field < content.dictionaries.length ? content.dictionaries[field] : null;
    }

    /** The trigrams of the field's text and their leaves; null when the chunk has no text index of it. */
    public @Nullable TextIndex text(int field) {
        return field < content.texts.length ? content.texts[field] : null;
    }

    /** Whether the field has Bloom filters. */
    public boolean hasFilters(int field) {
        return field < content.bloomStarts.length && content.bloomStarts[field] != null;
    }

    /** Bytes of the field's Bloom filters; only for a field that has some. */
    int filterBytes(int field) {
        return 8 * content.bloomWords[field].length;
    }

    private boolean hashMayBeIn(int leaf, int field, long hash) {
        int start = content.bloomStarts[field][leaf];
        int words = content.bloomStarts[field][leaf + 1] - start;
        return words == 0 || BloomBits.mayContain(content.bloomWords[field], start, words, hash);
    }

    /** The same directory without zones, sketches and indexes: every question has the same answer then. */
    public ChunkDirectory withoutHints() {
        Content bare = new Content();
        bare.rows = content.rows;
        bare.leafRows = content.leafRows;
        bare.region = content.region;
        bare.lowKeys = content.lowKeys;
        bare.highKeys = content.highKeys;
        bare.fromTimes = content.fromTimes;
        bare.toTimes = content.toTimes;
        bare.partOffsets = content.partOffsets;
        bare.checksums = content.checksums;
        bare.key = content.key;
        bare.unsorted = content.unsorted;
        bare.dependencies = content.dependencies;
        bare.isNumbered = content.isNumbered;
        return new ChunkDirectory(file, layout, bare, 0);
    }

    /** Shift of the leaf's time sketch, or 255 when it has none. */
    int sketchShift(int leaf) {
        return content.sketchShifts.length == 0 ? ChunkFormat.NO_SKETCH : content.sketchShifts[leaf];
    }

    /** The part that holds a payload column. */
    public int part(int column) {
        return ChunkFormat.FIRST_COLUMN + column;
    }

    /** Number of parts of a leaf. */
    public int parts() {
        return parts;
    }

    /**
     * Whether a column's part of the leaf has no values, and is made by {@link DependentColumns} from the part that
     * {@link #source} names.
     */
    public boolean follows(int leaf, int part) {
        return part >= ChunkFormat.FIRST_COLUMN && length(leaf, part) == ChunkFormat.FOLLOWING_BYTES;
    }

    /** Whether a part of a leaf is made of others, and not read: see {@link #makesKeys} and {@link #follows}. */
    public boolean isMade(int leaf, int part) {
        return part == KEYS ? makesKeys(leaf) : follows(leaf, part);
    }

    /** The part that another follows from in some leaves, which itself is stored in each of them; -1 for none. */
    public int source(int part) {
        int column =
                part < ChunkFormat.FIRST_COLUMN ? -1 : content.dependencies.source(part - ChunkFormat.FIRST_COLUMN);
        return column < 0 ? -1 : part(column);
    }

    /**
     * Adds to some parts of a leaf those that they are made of, where they are not stored.
     *
     * @param wanted by part number
     */
    void addSources(int leaf, boolean[] wanted) {
        boolean makesKeys = wanted[KEYS] && makesKeys(leaf);
        for (int part = ChunkFormat.FIRST_COLUMN; makesKeys && part < parts; part++) {
            wanted[part] |= givesKeys(part);
        }
        for (int part = ChunkFormat.FIRST_COLUMN; part < parts; part++) {
            if (wanted[part] && follows(leaf, part)) {
                wanted[source(part)] = true;
            }
        }
    }

    /** Fields that may be null. */
    int nullable() {
        return nullable;
    }

    /** Whether a column has whole numbers of 8 bytes. */
    boolean isWhole(int column) {
        return whole.get(column);
    }

    /** How many values a column has that its parts may name by their numbers; 0 where they may not. */
    int numbered(int column) {
        return content.isNumbered ? content.dependencies.sizeOfSource(column) : 0;
    }

    Dependencies dependencies() {
        return content.dependencies;
    }

    /** Whether the leaf's keys are not stored but made by {@link #keys} from columns. Their part has no bytes then. */
    public boolean makesKeys(int leaf) {
        return length(leaf, KEYS) == 0;
    }

    /** Whether keys that are not stored are made from the part. */
    public boolean givesKeys(int part) {
        DerivedKeys key = content.key;
        for (int i = 0; key != null && i < key.columns(); i++) {
            if (part(key.column(i)) == part) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes a leaf's keys; only for a leaf that makes keys.
     *
     * @param parts gives, by number, the leaf's parts that {@link #givesKeys give keys}
     * @throws CorruptChunkException when they are not those of the leaf
     */
    public LeafPart keys(int leaf, IntFunction<LeafPart> parts) {
        DerivedKeys key = content.key;
        if (key == null) {
            throw new IllegalStateException("chunk " + file + " makes no keys");
        }
        byte[][] values = new byte[key.columns()][];
        byte[][] arenas = new byte[key.columns()][];
        for (int i = 0; i < values.length; i++) {
            LeafPart part = parts.apply(part(key.column(i)));
            values[i] = part.asInBlock();
            arenas[i] = part.arena();
        }
        long[] keys = key.keys(values, arenas, rows(leaf));
        long low = keys[0];
        long high = keys[keys.length - 1];
        for (int row = 0; row < keys.length && !isSorted(leaf); row++) {
            low = Math.min(low, keys[row]);
            high = Math.max(high, keys[row]);
        }
        if (low != lowKey(leaf) || high != highKey(leaf)) {
            throw new CorruptChunkException(
                    file,
                    ChunkFormat.name(leaf, KEYS),
                    offset(leaf, KEYS),
                    "columns that make keys from " + lowKey(leaf) + " to " + highKey(leaf),
                    low + " to " + high);
        }
        return LeafPart.ofLongs(keys);
    }

    /** Length of a part in the file. */
    public int length(int leaf, int part) {
        int number = leaf * parts + part;
        return (int) (content.partOffsets[number + 1] - content.partOffsets[number]);
    }

    /** Offset of a part in the file. */
    public long offset(int leaf, int part) {
        return content.partOffsets[leaf * parts + part];
    }

    int checksum(int leaf, int part) {
        return content.checksums[leaf * parts + part];
    }

    /** Bytes of the directory in the file. */
    public int bytes() {
        return bytes;
    }

    /** Bytes that keeping this takes. */
    public int weight() {
        return weight;
    }
}
