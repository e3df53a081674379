package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.ColumnKind;
import io.waterwheel.chunk.encoding.NumberedParts;
import io.waterwheel.chunk.encoding.NumberedValues;
import io.waterwheel.chunk.encoding.PartEncoder;
import io.waterwheel.chunk.encoding.SourceMaps;
import io.waterwheel.chunk.encoding.ValueEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds columns that follow from others while the leaves of a chunk are written: a station gives its longitude. Leaf by
 * leaf, every row that is not null must agree with one map of the chunk, from the source's value to the dependent's. At
 * the end it chooses those that save more bytes than their maps take, and writes the maps. Keeps its buffers; one
 * thread.
 */
/*
 * The first leaves are written whole, and the chosen parts are cut out at the end. So what is saved is known and not
 * guessed, a leaf that disagrees costs nothing but itself, and no row is looked at before its leaf is at hand. A pair
 * of columns that have nothing to do with each other disagrees within a few rows of its first leaves, and is dropped.
 *
 * A part of the source itself may be numbers of its values in the map: where they are ascending within rows of one key
 * and time, as stations are by day, a step takes few bits. These are kept beside the part, and at the end the shorter
 * of both is taken, where the map is written.
 *
 * Once a dependent has followed in a few leaves, and is likely to be chosen, it is written in one leaf of sixteen only:
 * to encode a column takes longer than to compare it with a map. Where it is not chosen after all, the chunk is encoded
 * again, with every leaf whole. Of a source that stands behind the dependent in the schema nothing is known yet when the
 * dependent's turn comes: then it is encoded, and cut.
 */
final class DependencyWriter {
    /** With {@link io.waterwheel.chunk.encoding.ChunkFormat#MOST_SOURCES} 256 pairs; one with values has 72 KiB. */
    private static final int MOST_DEPENDENTS = 32;
    /** A shorter part stays: reading it alone is cheap. */
    private static final int LEAST_PART = 64;
    /** A query of the dependent alone has to read the source instead, which is at most this many times as long. */
    private static final int MOST_RATIO = 8;
    /** Leaves that may disagree before a pair is dropped, and how many more for each that agrees. */
    private static final int MISSES = 4;
    /** Rows of each value of a source, on average: with fewer the map is about as long as the column. */
    private static final int LEAST_ROWS_OF_VALUE = 4;
    /** Every query reads the maps: what is left out must be this many times as long. */
    private static final int LEAST_SAVING = 4;
    /** Leaves that agree before a dependent is left out at once, and of how many it is then written in one. */
    private static final int SETTLING_LEAVES = 8;

    private static final int WRITTEN_LEAF = 16;
    /** About what a map takes for each value beside the text and the dependent's value. */
    private static final int BYTES_OF_VALUE = 2;
    /** What the section takes beside its maps. */
    private static final int SECTION_BYTES = SECTION_CONTENT + 2;

    private final SourceMaps maps = new SourceMaps();
    private final PartEncoder numberEncoder = new PartEncoder();
    private final boolean numbersSources;
    private final ChunkBuffer content = new ChunkBuffer();
    private final long[] numbers = new long[LEAF_ROWS];
    private final int[] added = new int[LEAF_ROWS];
    private final List<Source> sources = new ArrayList<>();
    private final List<Dependent> dependents = new ArrayList<>();
    private byte[][] slabs = {};
    private int leaf;
    private int leafCount;
    private boolean leavesOut;
    private int leftOutBytes;
    private int leftOutParts;
    private int sourceCount;
    private int dependentCount;

    /** What was chosen: how many sources the content has, and by part the leaves that lack it. */
    private int written;

    private boolean hasNumbers;

    private BitSet[] cut = {};
    /** By part, what takes the place of it in some leaves; null for none. */
    private @Nullable NumberedParts[] replaced = {};

    /** @param numbersSources whether parts may be numbers of the map's values */
    DependencyWriter(boolean numbersSources) {
        this.numbersSources = numbersSources;
    }

    /**
     * Begins a chunk.
     *
     * @param leaves it will have
     * @param whole whether each leaf is to be written whole
     */
    void begin(int parts, byte[][] treeSlabs, int leaves, boolean whole) {
        slabs = treeSlabs;
        leaf = 0;
        leafCount = leaves;
        leavesOut = !whole;
        leftOutBytes = 0;
        leftOutParts = 0;
        sourceCount = 0;
        dependentCount = 0;
        written = 0;
        content.clear();
        cut = new BitSet[parts];
        replaced = new NumberedParts[parts];
        numberEncoder.begin(MOST_SOURCES);
    }

    /** Lets go of the tree's slabs, and of the maps. */
    void end() {
        slabs = new byte[0][];
        dependents.forEach(Dependent::end);
        sources.forEach(source -> source.numbered.end());
        cut = new BitSet[0];
        replaced = new NumberedParts[0];
    }

    private @Nullable Source source(int column) {
        int s = 0;
        while (s < sourceCount && sources.get(s).column != column) {
            s++;
        }
        return s < sourceCount ? sources.get(s) : null;
    }

    private @Nullable Dependent dependent(int column) {
        int d = 0;
        while (d < dependentCount && dependents.get(d).column != column) {
            d++;
        }
        return d < dependentCount ? dependents.get(d) : null;
    }

    /**
     * Takes a variable column of the leaf that was just encoded.
     *
     * @param references of its rows
     * @param values what encoded them
     * @param length of the part
     */
    void addSource(int column, long[] references, int rows, ValueEncoder values, int length) {
        Source source = source(column);
        if (source == null) {
            if (leaf > 0 || sourceCount == MOST_SOURCES) {
                return;
            }
            if (sourceCount == sources.size()) {
                sources.add(new Source());
            }
            source = sources.get(sourceCount++);
            source.begin(column);
        }
        source.length = length;
        source.lastLeaf = leaf;
        source.present = source.hopeful && source.values.number(references, rows, values, slabs);
        if (source.present && numbersSources) {
            int[] codes = source.values.codes();
            for (int i = 0; i < rows; i++) {
                numbers[i] = codes[i];
            }
            source.numbered.add(leaf, sources.indexOf(source), numbers, rows, length, numberEncoder);
        }
    }

    /** The column by whose numbers rows of one key and time had better stand; -1 for none. */
    int numberedColumn() {
        Source best = null;
        for (int s = 0; s < sourceCount; s++) {
            Source source = sources.get(s);
            if (source.numbered.saved() > (best == null ? 0 : best.numbered.saved()) && hasFollower(s)) {
                best = source;
            }
        }
        return best == null ? -1 : best.column;
    }

    /** Whether a column has followed from a source in most leaves so far: then the map is likely to be written. */
    private boolean hasFollower(int s) {
        for (int d = 0; d < dependentCount; d++) {
            Pair pair = dependents.get(d).pair(s);
            if (pair.leaves.cardinality() > 2 * pair.misses && best(dependents.get(d)) == s) {
                return true;
            }
        }
        return false;
    }

    /** By row, the numbers of the values of {@link #numberedColumn}; null where they are too many. */
    int @Nullable [] numbersOf(int column, long[] references, int rows) {
        Source source = source(column);
        return source != null && source.values.numberRows(references, rows, slabs) ? source.values.codes() : null;
    }

    /**
     * Whether a column of fixed width need not be encoded in the leaf at hand: it follows from a source that was taken
     * before it, as in the leaves before. Then the leaf has one byte of it, and it is not to be taken.
     *
     * @param nulls of its rows; null for none
     */
    boolean leavesOut(int column, long[] values, int rows, boolean @Nullable [] nulls) {
        Dependent dependent = dependent(column);
        if (dependent == null || dependent.settled < 0 || leaf % WRITTEN_LEAF == 0) {
            return false;
        }
        Source source = sources.get(dependent.settled);
        if (source.lastLeaf != leaf
                || !source.present
                || source.length > (long) MOST_RATIO * dependent.length
                || isConstant(values, rows)) {
            return false;
        }
        dependent.take(values, rows, nulls);
        Pair pair = dependent.pair(dependent.settled);
        if (!pair.addLeaf(source, dependent, rows, leaf, added)) {
            pair.miss();
            dependent.settled = -1;
        }
        dependent.lastLeaf = leaf;
        boolean agrees = pair.leaves.get(leaf);
        if (agrees) {
            dependent.leftOut.set(leaf);
            leftOutBytes += dependent.length - FOLLOWING_BYTES;
            leftOutParts++;
        }
        return agrees;
    }

    /** Then the part is short: to read the source in its place would be dear. */
    private static boolean isConstant(long[] values, int rows) {
        int row = 1;
        while (row < rows && values[row] == values[0]) {
            row++;
        }
        return row >= rows;
    }

    /** Bytes that the columns would about take that {@link #leavesOut} was told of. */
    int leftOutBytes() {
        return leftOutBytes;
    }

    /** Parts that were left out at once. */
    int partsLeftOut() {
        return leftOutParts;
    }

    /** Whether a column was left out of a leaf, and is not to be cut there: the leaves must be written whole. */
    boolean lacksColumns() {
        for (int d = 0; d < dependentCount; d++) {
            Dependent dependent = dependents.get(d);
            BitSet kept = (BitSet) dependent.leftOut.clone();
            BitSet cutLeaves = cut[FIRST_COLUMN + dependent.column];
            if (cutLeaves != null) {
                kept.andNot(cutLeaves);
            }
            if (!kept.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes a column of fixed width of the leaf that was just encoded.
     *
     * @param nulls of its rows; null for none
     * @param length of the part
     */
    void addDependent(
            int column, ColumnKind kind, int width, long[] values, int rows, boolean @Nullable [] nulls, int length) {
        Dependent dependent = dependent(column);
        if (dependent == null) {
            if (leaf > 0 || dependentCount == MOST_DEPENDENTS) {
                return;
            }
            if (dependentCount == dependents.size()) {
                dependents.add(new Dependent());
            }
            dependent = dependents.get(dependentCount++);
            dependent.begin(column, kind, width);
        }
        dependent.length = length;
        if (length >= LEAST_PART && dependent.hopeful) {
            dependent.take(values, rows, nulls);
        }
    }

    /** Compares the columns of the leaf that was added. */
    void endLeaf(int rows) {
        for (int d = 0; d < dependentCount; d++) {
            Dependent dependent = dependents.get(d);
            if (dependent.lastLeaf == leaf) {
                dependent.settled = dependent.settled < 0 ? -1 : settled(dependent);
                continue;
            }
            for (int s = 0; s < sourceCount && dependent.hopeful; s++) {
                Source source = sources.get(s);
                Pair pair = dependent.pair(s);
                boolean pays = dependent.length >= LEAST_PART
                        && source.present
                        && source.length <= (long) MOST_RATIO * dependent.length;
                if (!pair.dropped && !(pays && pair.addLeaf(source, dependent, rows, leaf, added))) {
                    pair.miss();
                }
            }
            dependent.hopeful = dependent.hasHope(sourceCount);
            dependent.settled = leavesOut ? settled(dependent) : -1;
        }
        for (int s = 0; s < sourceCount; s++) {
            Source source = sources.get(s);
            source.hopeful = false;
            for (int d = 0; d < dependentCount; d++) {
                source.hopeful |= !dependents.get(d).pair(s).dropped;
            }
        }
        leaf++;
    }

    /** The source that a dependent has followed so far, if that is likely to pay; else -1. */
    private int settled(Dependent dependent) {
        int s = best(dependent);
        if (s < 0 || dependent.length < LEAST_PART) {
            return -1;
        }
        Pair pair = dependent.pair(s);
        int agreeing = pair.leaves.cardinality();
        Source source = sources.get(s);
        // As many new values as in the last leaf may come in each of the others.
        long values = pair.used.cardinality() + (long) pair.lastAdded * (leafCount - leaf);
        long map = values * (source.values.bytes() / source.values.count() + dependent.width + BYTES_OF_VALUE);
        boolean pays = values <= MOST_SOURCE_VALUES && pair.saved / agreeing * leafCount > LEAST_SAVING * map;
        return pays && pair.misses == 0 && agreeing >= SETTLING_LEAVES ? s : -1;
    }

    /** Chooses what to cut, and encodes its maps; whether there is any. */
    boolean choose() {
        hasNumbers = false;
        for (int s = 0; s < sourceCount; s++) {
            List<Dependent> chosen = new ArrayList<>();
            for (int d = 0; d < dependentCount; d++) {
                if (best(dependents.get(d)) == s) {
                    chosen.add(dependents.get(d));
                }
            }
            write(s, chosen);
            Source source = sources.get(s);
            replaced[FIRST_COLUMN + source.column] =
                    chosen.isEmpty() || source.numbered.saved() == 0 ? null : source.numbered;
            hasNumbers |= replaced[FIRST_COLUMN + source.column] != null;
            for (Dependent dependent : chosen) {
                cut[FIRST_COLUMN + dependent.column] = dependent.pair(s).leaves;
            }
            written += chosen.isEmpty() ? 0 : 1;
        }
        return written > 0;
    }

    /** The source that saves most of a dependent; -1 for none. */
    private int best(Dependent dependent) {
        int best = -1;
        for (int s = 0; s < sourceCount; s++) {
            Pair pair = dependent.pair(s);
            if (pair.rows >= LEAST_ROWS_OF_VALUE * pair.used.cardinality()
                    && pair.saved > (best < 0 ? 0 : dependent.pair(best).saved)) {
                best = s;
            }
        }
        return best;
    }

    /**
     * Writes a source and its dependents; takes out of these what does not pay, which changes the values that are
     * written.
     */
    private void write(int s, List<Dependent> chosen) {
        int start = content.size();
        boolean all = false;
        while (!all && !chosen.isEmpty()) {
            content.setSize(start);
            all = writeAll(s, chosen);
        }
        long saved = sources.get(s).numbered.saved();
        for (Dependent dependent : chosen) {
            saved += dependent.pair(s).saved;
        }
        // Numbers may save enough by themselves, but are written only beside what follows.
        if (chosen.isEmpty() || saved < LEAST_SAVING * (long) (content.size() - start + SECTION_BYTES)) {
            content.setSize(start);
            chosen.clear();
        }
    }

    /** Writes them with the values that they have together; false where one did not pay, which is taken out. */
    private boolean writeAll(int s, List<Dependent> chosen) {
        BitSet used = new BitSet();
        for (Dependent dependent : chosen) {
            used.or(dependent.pair(s).used);
        }
        if (sources.get(s).numbered.saved() > 0) {
            // Parts have the numbers of all values, of which none may be left out.
            used.set(0, sources.get(s).values.count());
        }
        maps.source(sources.get(s).column, sources.get(s).values, used, slabs, content);
        content.putShort(chosen.size());
        return !chosen.removeIf(dependent -> {
            int start = content.size();
            Pair pair = dependent.pair(s);
            content.putShort(dependent.column);
            maps.dependent(pair.values, pair.known, used, dependent.width, dependent.kind, content);
            return content.size() - start >= dependent.pair(s).saved;
        });
    }

    /** By part, the leaves that are to lack it; null for none. After {@link #choose}. */
    @Nullable
    BitSet cut(int part) {
        return cut[part];
    }

    /** What takes the place of a part in some leaves; null for none. After {@link #choose}. */
    @Nullable
    NumberedParts replaced(int part) {
        return replaced[part];
    }

    /** Whether any part is numbers of the section's values. */
    boolean hasNumbers() {
        return hasNumbers;
    }

    /** Whether there is a section to write. */
    boolean hasContent() {
        return written > 0;
    }

    /** Writes the content of the section. */
    void write(ChunkBuffer out) {
        out.putShort(written);
        out.putBytes(content.array(), 0, content.size());
    }

    /** A variable column, and its distinct values. */
    private static final class Source {
        final NumberedValues values = new NumberedValues();
        final NumberedParts numbered = new NumberedParts();
        int column;
        boolean hopeful;
        /** Of the leaf at hand: whether its values are numbered, and the part's length. */
        boolean present;

        int length;
        int lastLeaf;

        void begin(int newColumn) {
            column = newColumn;
            hopeful = true;
            lastLeaf = -1;
            values.begin();
            numbered.begin();
        }
    }

    /** A column of fixed width, and what each source has to do with it. */
    private static final class Dependent {
        int column;
        ColumnKind kind = ColumnKind.INTEGER;
        int width;
        boolean hopeful;
        /** The source it has followed for so long that it is left out; -1 for none. */
        int settled;
        /** The last leaf of which it was found out whether it is left out. */
        int lastLeaf;

        final BitSet leftOut = new BitSet();
        /** Of the leaf at hand, or of the last one in which it was encoded. */
        int length;

        final long[] values = new long[LEAF_ROWS];
        final boolean[] nulls = new boolean[LEAF_ROWS];
        boolean hasNulls;
        /** By source; null before the first look at it. */
        private final @Nullable Pair[] pairs = new Pair[MOST_SOURCES];

        void begin(int newColumn, ColumnKind newKind, int newWidth) {
            column = newColumn;
            kind = newKind;
            width = newWidth;
            hopeful = true;
            settled = -1;
            lastLeaf = -1;
            leftOut.clear();
            // Of another chunk, or of the same one that is encoded again: the source's values get other numbers.
            end();
        }

        void take(long[] column, int rows, boolean @Nullable [] nullRows) {
            System.arraycopy(column, 0, values, 0, rows);
            hasNulls = nullRows != null;
            if (nullRows != null) {
                System.arraycopy(nullRows, 0, nulls, 0, rows);
            }
        }

        /** Lets go of the maps. */
        void end() {
            Arrays.fill(pairs, null);
        }

        /** Whether there is a source of which more leaves are looked at. */
        boolean hasHope(int sourceCount) {
            boolean hope = false;
            for (int s = 0; s < sourceCount; s++) {
                hope |= !pair(s).dropped;
            }
            return hope;
        }

        Pair pair(int source) {
            Pair pair = pairs[source];
            if (pair == null) {
                pair = new Pair();
                pairs[source] = pair;
            }
            return pair;
        }
    }

    /** The map of a source and a dependent, and the leaves that agree with it. */
    private static final class Pair {
        final BitSet leaves = new BitSet();
        /** Numbers of the source that those leaves have. */
        final BitSet used = new BitSet();

        long[] values = {};
        /** False where the number is new, or the dependent was null with it. */
        boolean[] known = {};

        long saved;
        /** Rows of those leaves. */
        int rows;

        int misses;
        /** New values of the source in the last leaf that agreed. */
        int lastAdded;

        boolean dropped;

        /** Takes the leaf if it agrees; false where it does not, or makes the map about as long as the column. */
        boolean addLeaf(Source source, Dependent dependent, int rows, int leaf, int[] added) {
            int numbers = source.values.count();
            if (values.length < numbers) {
                values = Arrays.copyOf(values, Math.min(MOST_SOURCE_VALUES, Math.max(numbers, values.length * 2)));
                known = Arrays.copyOf(known, values.length);
            }
            int[] codes = source.values.codes();
            int count = 0;
            for (int i = 0; i < rows; i++) {
                int code = codes[i];
                if (dependent.hasNulls && dependent.nulls[i]) {
                    continue;
                }
                if (!known[code]) {
                    known[code] = true;
                    values[code] = dependent.values[i];
                    added[count++] = code;
                } else if (values[code] != dependent.values[i]) {
                    for (int a = 0; a < count; a++) {
                        known[added[a]] = false;
                    }
                    return false;
                }
            }
            source.values.addCodes(rows, used);
            leaves.set(leaf);
            lastAdded = count;
            saved += dependent.length - FOLLOWING_BYTES;
            this.rows += rows;
            return count <= rows / LEAST_ROWS_OF_VALUE;
        }

        void miss() {
            misses++;
            dropped = misses > MISSES * (1L + leaves.cardinality());
        }
    }
}
