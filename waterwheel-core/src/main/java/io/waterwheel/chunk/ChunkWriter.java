package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.ColumnKind;
import io.waterwheel.chunk.encoding.DistinctLongs;
import io.waterwheel.chunk.encoding.PartEncoder;
import io.waterwheel.chunk.encoding.ValueEncoder;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.DerivedKeys;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes sealed trees as chunk files. Keeps its buffers from tree to tree: one writer for each thread that flushes.
 * Not thread-safe.
 */
public final class ChunkWriter {
    private static final byte[] NOTHING = {};
    /** Chunks that are encoded with all columns at once, behind one that had to be encoded twice. */
    private static final int WHOLE_CHUNKS = 64;

    private static final int DEPENDENCIES_SECTION = TAG_DEPENDENCIES & ~TAG_NEEDED;
    private static final int UNSORTED_SECTION = TAG_UNSORTED & ~TAG_NEEDED;
    private static final int NUMBERED_SECTION = TAG_NUMBERED & ~TAG_NEEDED;

    private final SortedRows sorted = new SortedRows();
    private final LeafOrder order;
    private final PartEncoder parts = new PartEncoder();
    private final DependencyWriter dependencies;
    private final boolean findsDependencies;
    private final boolean ordersLeaves;
    private final boolean numbersSources;
    private final DirectoryWriter directory = new DirectoryWriter();
    private final DistinctLongs distinct = new DistinctLongs();
    private final ChunkBuffer out = new ChunkBuffer();
    private final long[] keys = new long[LEAF_ROWS];
    private final long[] masks = new long[LEAF_ROWS];
    private final boolean[] nullRows = new boolean[LEAF_ROWS];
    /** The column at hand. */
    private final long[] values = new long[LEAF_ROWS];
    /** The columns that the leaf's keys follow from, kept until their turn. */
    private long[][] sources = {};

    /** Chunks that are to be encoded with all columns, as one had to be encoded twice. */
    private int wholeChunks;

    private int secondEncodings;
    /** Of the keys written so far; null when there is none, and where keys have no dimensions. */
    private @Nullable KeyBox box;

    /** One that leaves out columns that follow from others: see {@code docs/chunk-format.md}. */
    public ChunkWriter() {
        this(NUMBERED_SECTION, new Orders());
    }

    /** One that knows the orders within leaves that others have found. */
    public ChunkWriter(Orders orders) {
        this(NUMBERED_SECTION, orders);
    }

    /**
     * One for files that earlier readers can read.
     *
     * @param lastSection that they know, by number: without 10 all columns are stored, without 11 all rows are sorted,
     *     without 12 no part is numbers of another section's values
     */
    public ChunkWriter(int lastSection) {
        this(lastSection, new Orders());
    }

    private ChunkWriter(int lastSection, Orders orders) {
        this.order = new LeafOrder(orders.memory);
        this.findsDependencies = lastSection >= DEPENDENCIES_SECTION;
        this.ordersLeaves = lastSection >= UNSORTED_SECTION;
        this.numbersSources = lastSection >= NUMBERED_SECTION;
        this.dependencies = new DependencyWriter(numbersSources);
    }

    /** Encodes a tree of which nothing but the layout is known: keys are stored, and no field is indexed. */
    public EncodedChunk encode(TemplateTree tree) {
        return encode(tree, null, KeyDimensions.NONE, new BitSet(), new BitSet());
    }

    /**
     * Encodes all tuples of a tree that no thread inserts into.
     *
     * @param schema whose tuples they are. Where the key has dimensions, it knows the version of the scales by which
     *     the lowest key was made; keys by others, and all where it does not, are stored
     * @throws IllegalArgumentException for a tree without tuples
     * @throws IllegalStateException for a discarded tree
     */
    public EncodedChunk encode(TemplateTree tree, Schema schema) {
        BitSet indexed = new BitSet();
        BitSet texts = new BitSet();
        for (int f = 0; f < schema.fields().size(); f++) {
            indexed.set(f, schema.fields().get(f).indexed());
            texts.set(f, schema.fields().get(f).index() == Field.Index.TEXT);
        }
        Region region = tree.region();
        DerivedKeys key = region == null
                ? null
                : KeyScheme.of(schema).derived(tree.layout(), region.keys().low());
        return encode(tree, key, KeyDimensions.of(schema), indexed, texts);
    }

    /** @param indexed fields that get an index */
    EncodedChunk encode(TemplateTree tree, @Nullable DerivedKeys key, BitSet indexed) {
        return encode(tree, key, KeyDimensions.NONE, indexed, new BitSet());
    }

    private EncodedChunk encode(
            TemplateTree tree, @Nullable DerivedKeys key, KeyDimensions dimensions, BitSet indexed, BitSet texts) {
        if (!tree.tryRetain()) {
            throw new IllegalStateException("encode of a discarded tree");
        }
        try {
            if (tree.tuples() == 0) {
                throw new IllegalArgumentException("encode of a tree without tuples");
            }
            return encodeRetained(tree, key, dimensions, indexed, texts, false);
        } finally {
            sorted.clear();
            dependencies.end();
            tree.release();
        }
    }

    /** @param again whether columns were left out that must be there: now each leaf is encoded with all of them */
    private EncodedChunk encodeRetained(
            TemplateTree tree,
            @Nullable DerivedKeys key,
            KeyDimensions dimensions,
            BitSet indexed,
            BitSet texts,
            boolean again) {
        box = null;
        RowLayout layout = tree.layout();
        int rows = Math.toIntExact(tree.tuples());
        sorted.sort(tree, rows);
        parts.begin(ChunkFormat.parts(layout));
        dependencies.begin(
                ChunkFormat.parts(layout), tree.slabs(), (rows + LEAF_ROWS - 1) / LEAF_ROWS, again || wholeChunks > 0);
        LeafSource source = new LeafSource(layout, tree.slabs(), key, indexed);
        if (!again) {
            // Keys that are stored stay in order: so they take fewest bytes, and are found fastest.
            order.choose(sorted, source, ordersLeaves && key != null ? rows : 0);
        }
        directory.begin(layout, source.indexed, texts);
        out.clear();
        out.putLong(MAGIC);
        out.putInt(VERSION);
        out.putInt(0);
        Template.Divider divider =
                new Template.Divider(rows, rows < TemplateTree.LEARN_TUPLES ? 1 : TemplateTree.LEAVES);
        for (int from = 0; from < rows; from += LEAF_ROWS) {
            int inLeaf = Math.min(LEAF_ROWS, rows - from);
            leaf(source, from, inLeaf, divider);
            if (dimensions.count() > 0) {
                box = dimensions.around(box, keys, inLeaf);
            }
        }
        boolean cuts = dependencies.choose();
        wholeChunks = Math.max(0, wholeChunks - 1);
        if (dependencies.lacksColumns()) {
            secondEncodings++;
            wholeChunks = WHOLE_CHUNKS;
            return encodeRetained(tree, key, dimensions, indexed, texts, true);
        }
        if (cuts) {
            directory.cut(dependencies, HEADER_BYTES, out);
        }
        int start = out.size();
        directory.write(layout, rows, tree.bytes(), source.indexed, texts, key, parts.integers(), dependencies, out);
        footer(start, out.size() - start);
        Region region = directory.region();
        return new EncodedChunk(
                List.of(ByteBuffer.wrap(out.array(), 0, out.size())),
                rows,
                out.size(),
                region,
                box,
                divider.template());
    }

    /** Chunks that had to be encoded twice, as columns were left out that did not pay in the end. */
    int secondEncodings() {
        return secondEncodings;
    }

    /** Parts of the last chunk that were not encoded. */
    int partsLeftOut() {
        return dependencies.partsLeftOut();
    }

    /** The orders within leaves that were found last, of at most 256 streams. One writer at a time has it. */
    public static final class Orders {
        private final LeafOrder.Memory memory = new LeafOrder.Memory();
    }

    /** What the leaves of one tree have in common. */
    static final class LeafSource {
        final RowLayout layout;
        final int[] pageOffsets;
        final byte[][] slabs;
        final @Nullable DerivedKeys key;
        final BitSet indexed;
        /** By column, the field in it; -1 for the null mask. */
        final int[] fieldOf;
        /** By column; the null mask's is not used. */
        final ColumnKind[] kinds;

        LeafSource(RowLayout layout, byte[][] slabs, @Nullable DerivedKeys key, BitSet indexed) {
            this.layout = layout;
            this.pageOffsets = TemplateTree.pageOffsets(layout);
            this.slabs = slabs;
            this.key = key;
            this.indexed = (BitSet) indexed.clone();
            this.fieldOf = new int[layout.columns()];
            this.kinds = new ColumnKind[layout.columns()];
            Arrays.fill(fieldOf, -1);
            Arrays.fill(kinds, ColumnKind.INTEGER);
            for (int f = 0; f < layout.fields().size(); f++) {
                int column = layout.columnOf(f);
                if (column >= 0) {
                    fieldOf[column] = f;
                    kinds[column] = ColumnKind.of(layout.fields().get(f).type());
                } else {
                    this.indexed.clear(f); // the leaf's own range of keys or times says as much
                }
            }
        }
    }

    private void leaf(LeafSource source, int from, int rows, Template.Divider divider) {
        RowLayout layout = source.layout;
        sorted.gatherKeys(from, rows, keys);
        for (int i = 0; i < rows; i++) {
            divider.next(keys[i]);
        }
        directory.lowKeys.add(keys[0]);
        directory.highKeys.add(keys[rows - 1]);
        boolean isArranged = order.arrange(sorted, source, from, rows);
        if (isArranged) {
            sorted.gatherKeys(from, rows, keys);
        }
        if (numbersSources && !isArranged) {
            order.arrangeTies(sorted, source, from, rows, keys, dependencies);
        }
        int start = out.size();
        boolean follow = keysFollow(source, from, rows);
        if (isArranged && !follow) {
            // Keys that are stored take fewest bytes where they ascend. What they would follow from is gathered anew.
            sorted.restore(from, rows);
            sorted.gatherKeys(from, rows, keys);
            isArranged = false;
            follow = keysFollow(source, from, rows);
        }
        if (!follow) {
            parts.fixed(KEYS, keys, rows, 8, ColumnKind.INTEGER, out);
        }
        directory.addPart(KEYS, out, start);
        directory.unsorted.set(directory.lowKeys.size() - 1, isArranged && !isSorted(from, rows));
        times(from, rows);
        for (int c = 0; c < layout.columns(); c++) {
            gather(source, c, from, rows);
            start = out.size();
            if (c == layout.nullMaskColumn()) {
                System.arraycopy(values, 0, masks, 0, rows);
                parts.fixed(FIRST_COLUMN + c, values, rows, layout.width(c), ColumnKind.INTEGER, out);
            } else {
                column(source, c, rows);
            }
            directory.addPart(FIRST_COLUMN + c, out, start);
        }
        if (findsDependencies) {
            dependencies.endLeaf(rows);
        }
    }

    /** Whether the rows of a leaf, whose keys are at hand, stand by key and time. */
    private boolean isSorted(int from, int rows) {
        sorted.gatherTimes(from, rows, values);
        int row = 1;
        while (row < rows
                && (keys[row - 1] < keys[row] || (keys[row - 1] == keys[row] && values[row - 1] <= values[row]))) {
            row++;
        }
        return row >= rows;
    }

    /** Gathers a column into {@link #values}; those that keys follow from have been gathered with the keys. */
    private void gather(LeafSource source, int column, int from, int rows) {
        DerivedKeys key = source.key;
        for (int i = 0; key != null && i < key.columns(); i++) {
            // Of text the codes are kept, not the references.
            if (key.column(i) == column && !source.layout.variable(column)) {
                System.arraycopy(sources[i], 0, values, 0, rows);
                return;
            }
        }
        sorted.gather(source.pageOffsets[column], source.layout.width(column), from, rows, values);
    }

    /** Whether the keys need not be stored because columns give them. */
    private boolean keysFollow(LeafSource source, int from, int rows) {
        DerivedKeys key = source.key;
        if (key == null) {
            return false;
        }
        if (sources.length != key.columns()) {
            sources = new long[key.columns()][LEAF_ROWS];
        }
        for (int i = 0; i < key.columns(); i++) {
            int column = key.column(i);
            sorted.gather(source.pageOffsets[column], source.layout.width(column), from, rows, sources[i]);
            if (source.layout.variable(column)) {
                codes(key, i, sources[i], rows, source.slabs);
            }
        }
        return key.makes(keys, sources, rows);
    }

    /** Puts the code of each text or bytes in the place of its reference. */
    private static void codes(DerivedKeys key, int index, long[] references, int rows, byte[][] slabs) {
        long last = references[0];
        long code = code(key, index, last, slabs);
        for (int i = 0; i < rows; i++) {
            if (references[i] != last) {
                last = references[i];
                code = code(key, index, last, slabs);
            }
            references[i] = code;
        }
    }

    private static long code(DerivedKeys key, int index, long reference, byte[][] slabs) {
        int length = TupleBlock.referenceLength(reference);
        return length == 0
                ? key.code(index, NOTHING, 0, 0)
                : key.code(index, ValueEncoder.slab(slabs, reference), ValueEncoder.offset(reference), length);
    }

    private void times(int from, int rows) {
        sorted.gatherTimes(from, rows, values);
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int i = 0; i < rows; i++) {
            min = Math.min(min, values[i]);
            max = Math.max(max, values[i]);
        }
        directory.fromTimes.add(min);
        directory.toTimes.add(max);
        directory.sketches.add(values, rows, min, max);
        int start = out.size();
        parts.fixed(TIMES, values, rows, 8, ColumnKind.INTEGER, out);
        directory.addPart(TIMES, out, start);
    }

    private void column(LeafSource source, int column, int rows) {
        int start = out.size();
        int field = source.fieldOf[column];
        int nulls = nulls(source.layout.nullBit(field), rows);
        boolean[] nullsOrNone = nulls == 0 ? null : nullRows;
        FieldHints hints = directory.hints[field];
        DistinctLongs filter = source.indexed.get(field) ? distinct : null;
        ColumnKind kind = source.kinds[column];
        if (kind == ColumnKind.VARIABLE) {
            parts.variable(FIRST_COLUMN + column, values, rows, source.slabs, out);
            hints.addVariable(values, rows, source.slabs, parts.values(), nullsOrNone, nulls, filter);
            if (findsDependencies) {
                dependencies.addSource(column, values, rows, parts.values(), out.size() - start);
            }
        } else {
            if (nulls > 0) {
                fillNulls(rows);
            }
            if (kind == ColumnKind.UNSIGNED) {
                for (int i = 0; i < rows; i++) {
                    values[i] &= 0xFFFF_FFFFL;
                }
            }
            hints.addFixed(values, rows, kind, nullsOrNone, nulls, filter);
            if (findsDependencies && dependencies.leavesOut(column, values, rows, nullsOrNone)) {
                out.putByte(FORM_FOLLOWS);
                return;
            }
            int width = source.layout.width(column);
            parts.fixed(FIRST_COLUMN + column, values, rows, width, kind, out);
            if (findsDependencies) {
                dependencies.addDependent(column, kind, width, values, rows, nullsOrNone, out.size() - start);
            }
        }
    }

    /** Marks the rows where the field is null; returns how many. */
    private int nulls(int bit, int rows) {
        int count = 0;
        if (bit >= 0) {
            for (int i = 0; i < rows; i++) {
                boolean isNull = ((masks[i] >>> bit) & 1) != 0;
                nullRows[i] = isNull;
                count += isNull ? 1 : 0;
            }
        }
        return count;
    }

    /** The value where a field is null means nothing, so a neighbour is repeated, which costs least. */
    private void fillNulls(int rows) {
        int first = 0;
        while (first < rows && nullRows[first]) {
            first++;
        }
        long value = first == rows ? 0 : values[first];
        for (int i = 0; i < rows; i++) {
            value = nullRows[i] ? value : values[i];
            values[i] = value;
        }
    }

    private void footer(int directoryStart, int directoryLength) {
        int checksum = checksum(out.array(), directoryStart, directoryLength);
        int start = out.size();
        out.putLong(directoryStart);
        out.putInt(directoryLength);
        out.putInt(checksum);
        out.putLong((long) start + FOOTER_BYTES);
        out.putInt(VERSION);
        out.putInt(checksum(out.array(), start, FOOTER_CHECKSUM));
        out.putLong(END_MAGIC);
    }
}
