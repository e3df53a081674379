package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.ColumnKind;
import io.waterwheel.chunk.encoding.DistinctLongs;
import io.waterwheel.chunk.encoding.PartEncoder;
import io.waterwheel.chunk.encoding.RowSorter;
import io.waterwheel.key.DerivedKeys;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses in which order the rows stand within the leaves of a chunk. Take positions of aircraft: by key, those of all
 * aircraft over a town are mixed; by aircraft and time, each column of a leaf is a few flights. Which rows are in which
 * leaf is settled by the keys. Keeps its buffers; one thread.
 */
/*
 * The orders are tried out on a few leaves, written whole as the first leaf of a chunk is, and measured in bytes: by
 * time, and by each column that has few values in a leaf, rows of one value by time or as they were. All candidates are
 * tried on the first leaf, the best of them on the others, and one is taken only where it saves much. Columns that
 * follow from another in the leaf are not counted, as they will be left out (DependencyWriter) in any order.
 *
 * A trial takes as long as 20 to 50 leaves do. So what was found is used for the next 2,048 leaves of the same columns
 * and kind of key. Every 128 of them one leaf is written both ways, and where the order saves nothing any longer, as
 * what moved is parked, a new trial is made.
 */
final class LeafOrder {
    /** Most leaves that orders are tried out on, and how many the chunk has for each of them. */
    private static final int MOST_SAMPLES = 5;

    private static final int LEAVES_OF_SAMPLE = 8;
    /** A chunk of fewer whole leaves gets the order that is known, if there is one. */
    private static final int LEAST_LEAVES = 4;
    /** Leaves until orders are tried anew, ... */
    private static final int LEAVES_BETWEEN_TRIALS = 2048;
    /** ... and until it is looked whether the order still saves anything. */
    private static final int LEAVES_BETWEEN_LOOKS = 128;
    /** Columns that are tried, those of text first. */
    private static final int MOST_COLUMNS = 4;
    /** Rows of each value in a leaf, on average, of a column that is tried. */
    private static final int LEAST_ROWS_OF_VALUE = 6;
    /** Orders that are tried on the second leaf, ... */
    private static final int SECOND_ROUND = 4;
    /** ... and on the ones behind it. */
    private static final int LAST_ROUNDS = 2;
    /** Streams whose orders are remembered: a writer serves many. */
    private static final int MOST_REMEMBERED = 256;
    /** What the order saves of all bytes is at least one in this number. */
    private static final int LEAST_SAVING = 32;
    /** Measuring an order ends where it takes one byte in this number more than the leaf as it is. */
    private static final int FAR_MORE = 8;

    private static final long[] NO_TIMES = new long[LEAF_ROWS];

    /** An order that is tried. */
    private static final class Candidate {
        /** {@link RowLayout#KEY} to leave them as they are, {@link RowLayout#TIME} for none but the time. */
        final int column;
        /** Whether rows of one value are by time; else they are by key, then time. */
        final boolean byTime;

        /** Of the leaves tried. */
        long bytes;

        /** Leaves for which it is used without a trial, and without a look. */
        int untilTrial = LEAVES_BETWEEN_TRIALS;

        int untilLook = LEAVES_BETWEEN_LOOKS;

        Candidate(int column, boolean byTime) {
            this.column = column;
            this.byTime = byTime;
        }
    }

    /** What tells streams apart. Others with the same share an order: it costs bytes at most. */
    private record Kind(RowLayout layout, int kind, int parameters) {}

    /** The orders that were found last, by stream. One thread at a time. */
    static final class Memory {
        private final Map<Kind, Candidate> orders = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Kind, Candidate> eldest) {
                return size() > MOST_REMEMBERED;
            }
        };
    }

    private static final Candidate AS_IS = new Candidate(RowLayout.KEY, false);

    private final Memory memory;
    private final RowSorter sorter = new RowSorter();
    private final PartEncoder encoder = new PartEncoder();
    private final ChunkBuffer encoded = new ChunkBuffer();
    private final DistinctLongs distinct = new DistinctLongs();
    private final long[] values = new long[LEAF_ROWS];
    private final long[] times = new long[LEAF_ROWS];
    private final long[] masks = new long[LEAF_ROWS];
    /** Of the source at hand: by number, the value that follows. */
    private final long[] following = new long[LEAF_ROWS];

    private final boolean[] isKnown = new boolean[LEAF_ROWS];
    private Candidate chosen = AS_IS;

    LeafOrder(Memory memory) {
        this.memory = memory;
    }

    /**
     * Chooses for a chunk.
     *
     * @param rows all of the chunk's, sorted; 0 to leave them so
     */
    void choose(SortedRows sorted, ChunkWriter.LeafSource source, int rows) {
        chosen = AS_IS;
        DerivedKeys key = source.key;
        int leaves = rows / LEAF_ROWS;
        if (key == null || rows == 0) {
            return;
        }
        Kind kind = new Kind(source.layout, key.kind(), Arrays.hashCode(key.parameters()));
        Candidate known = memory.orders.get(kind);
        boolean mayTry = leaves >= LEAST_LEAVES;
        if (mayTry && (known == null || known.untilTrial <= 0 || !stillSaves(known, sorted, source, leaves))) {
            known = best(sorted, source, leaves);
            memory.orders.put(kind, known);
        }
        if (known != null) {
            known.untilTrial -= leaves;
            known.untilLook -= leaves;
            chosen = known;
        }
    }

    /** Whether an order saves anything on one leaf, where it is time to look. */
    private boolean stillSaves(Candidate known, SortedRows sorted, ChunkWriter.LeafSource source, int leaves) {
        if (known.column == RowLayout.KEY || known.untilLook > 0) {
            return true;
        }
        known.untilLook = LEAVES_BETWEEN_LOOKS;
        int from = leaves / 2 * LEAF_ROWS;
        BitSet dependents = dependents(sorted, source, from);
        long asIs = bytes(sorted, source, from, dependents, Long.MAX_VALUE);
        return bytes(known, sorted, source, from, dependents, asIs) < asIs;
    }

    private Candidate best(SortedRows sorted, ChunkWriter.LeafSource source, int leaves) {
        Candidate asIs = new Candidate(RowLayout.KEY, false);
        List<Candidate> candidates = List.of();
        int samples = Math.max(1, Math.min(MOST_SAMPLES, leaves / LEAVES_OF_SAMPLE));
        for (int sample = 0; sample < samples; sample++) {
            int from = (2 * sample + 1) * leaves / (2 * samples) * LEAF_ROWS;
            if (sample == 0) {
                candidates = candidates(sorted, source, from);
            }
            BitSet dependents = dependents(sorted, source, from);
            asIs.bytes += bytes(sorted, source, from, dependents, Long.MAX_VALUE);
            // What takes so much more is not measured to its end.
            long most = asIs.bytes + asIs.bytes / FAR_MORE;
            for (Candidate candidate : candidates) {
                candidate.bytes += bytes(candidate, sorted, source, from, dependents, most - candidate.bytes);
            }
            candidates = candidates.stream()
                    .sorted(Comparator.comparingLong(candidate -> candidate.bytes))
                    .limit(sample == 0 ? SECOND_ROUND : LAST_ROUNDS)
                    .toList();
        }
        Candidate first = candidates.get(0);
        return first.bytes < asIs.bytes - asIs.bytes / LEAST_SAVING ? first : asIs;
    }

    /** What a leaf takes in an order, up to {@code most}; as it is where the order is not for it. */
    private long bytes(
            Candidate candidate,
            SortedRows sorted,
            ChunkWriter.LeafSource source,
            int from,
            BitSet dependents,
            long most) {
        boolean isArranged = arrange(candidate, sorted, source, from, LEAF_ROWS);
        long bytes = bytes(sorted, source, from, dependents, most);
        if (isArranged) {
            sorted.restore(from, LEAF_ROWS);
        }
        return bytes;
    }

    /** Puts the rows of a leaf into the order that was chosen; false where they stay as they are. */
    boolean arrange(SortedRows sorted, ChunkWriter.LeafSource source, int from, int rows) {
        return chosen.column != RowLayout.KEY && arrange(chosen, sorted, source, from, rows);
    }

    private boolean arrange(Candidate candidate, SortedRows sorted, ChunkWriter.LeafSource source, int from, int rows) {
        long[] first = values;
        int numbers = 0;
        if (candidate.column == RowLayout.TIME) {
            first = NO_TIMES;
        } else {
            gather(sorted, source, candidate.column, from, rows);
            if (source.layout.variable(candidate.column)) {
                numbers = encoder.values().number(values, rows, source.slabs);
                if (numbers == 0) {
                    return false;
                }
                first = encoder.values().numbers();
            }
        }
        if (candidate.byTime) {
            sorted.gatherTimes(from, rows, times);
        }
        long[] second = candidate.byTime ? times : NO_TIMES;
        if (numbers > 0) {
            sorter.sortNumbers(first, numbers, second, rows);
        } else {
            sorter.sort(first, second, rows);
        }
        sorted.arrange(from, rows, sorter);
        return true;
    }

    /**
     * Puts rows of one key and time, which may stand in any order, into that of the numbers that a column of theirs has
     * in the section of dependencies, if it has some.
     *
     * @param keys of the rows
     */
    void arrangeTies(
            SortedRows sorted,
            ChunkWriter.LeafSource source,
            int from,
            int rows,
            long[] keys,
            DependencyWriter dependencies) {
        int column = dependencies.numberedColumn();
        if (column < 0) {
            return;
        }
        sorted.gatherTimes(from, rows, times);
        long[] ties = following;
        boolean any = false;
        for (int row = 0; row < rows; row++) {
            boolean isTie = row > 0 && keys[row] == keys[row - 1] && times[row] == times[row - 1];
            ties[row] = isTie ? ties[row - 1] : row;
            any |= isTie;
        }
        if (!any) {
            return;
        }
        gather(sorted, source, column, from, rows);
        int[] numbers = dependencies.numbersOf(column, values, rows);
        if (numbers != null) {
            for (int row = 0; row < rows; row++) {
                masks[row] = numbers[row];
            }
            sorter.sort(ties, masks, rows);
            sorted.arrange(from, rows, sorter);
        }
    }

    private void gather(SortedRows sorted, ChunkWriter.LeafSource source, int column, int from, int rows) {
        sorted.gather(source.pageOffsets[column], source.layout.width(column), from, rows, values);
    }

    private List<Candidate> candidates(SortedRows sorted, ChunkWriter.LeafSource source, int from) {
        List<Candidate> candidates = new ArrayList<>();
        candidates.add(new Candidate(RowLayout.TIME, true));
        int columns = 0;
        for (boolean ofText : new boolean[] {true, false}) {
            for (int c = 0; c < source.layout.columns() && columns < MOST_COLUMNS; c++) {
                boolean isTried = c != source.layout.nullMaskColumn()
                        && source.layout.variable(c) == ofText
                        && !source.kinds[c].floating();
                if (isTried && hasFewValues(sorted, source, c, from)) {
                    columns++;
                    candidates.add(new Candidate(c, true));
                    candidates.add(new Candidate(c, false));
                }
            }
        }
        return candidates;
    }

    private boolean hasFewValues(SortedRows sorted, ChunkWriter.LeafSource source, int column, int from) {
        int most = LEAF_ROWS / LEAST_ROWS_OF_VALUE;
        gather(sorted, source, column, from, LEAF_ROWS);
        int found = source.layout.variable(column)
                ? encoder.values().number(values, LEAF_ROWS, source.slabs)
                : distinct.find(values, LEAF_ROWS, most);
        return found > 1 && found <= most;
    }

    /** Columns of a leaf that follow from one of text. */
    private BitSet dependents(SortedRows sorted, ChunkWriter.LeafSource source, int from) {
        RowLayout layout = source.layout;
        BitSet dependents = new BitSet();
        int sources = 0;
        for (int s = 0; s < layout.columns() && sources < MOST_COLUMNS; s++) {
            if (!layout.variable(s) || !hasFewValues(sorted, source, s, from)) {
                continue;
            }
            sources++;
            long[] numbers = encoder.values().numbers();
            for (int c = 0; c < layout.columns(); c++) {
                if (c != layout.nullMaskColumn() && !layout.variable(c) && !dependents.get(c)) {
                    gather(sorted, source, c, from, LEAF_ROWS);
                    dependents.set(c, follows(numbers));
                }
            }
        }
        return dependents;
    }

    /** Whether {@link #values} follow from the numbers. */
    private boolean follows(long[] numbers) {
        Arrays.fill(isKnown, false);
        for (int row = 0; row < LEAF_ROWS; row++) {
            int number = (int) numbers[row];
            if (!isKnown[number]) {
                isKnown[number] = true;
                following[number] = values[row];
            } else if (following[number] != values[row]) {
                return false;
            }
        }
        return true;
    }

    /**
     * What the times and columns of a leaf take as its rows stand now, but for those that will be left out; less where
     * that is at least {@code most}.
     */
    private long bytes(SortedRows sorted, ChunkWriter.LeafSource source, int from, BitSet dependents, long most) {
        RowLayout layout = source.layout;
        encoder.begin(parts(layout));
        encoded.clear();
        sorted.gatherTimes(from, LEAF_ROWS, values);
        encoder.fixed(TIMES, values, LEAF_ROWS, 8, ColumnKind.INTEGER, encoded);
        for (int c = 0; c < layout.columns() && encoded.size() < most; c++) {
            if (dependents.get(c)) {
                continue;
            }
            gather(sorted, source, c, from, LEAF_ROWS);
            if (layout.variable(c)) {
                encoder.variable(FIRST_COLUMN + c, values, LEAF_ROWS, source.slabs, encoded);
                continue;
            }
            if (c == layout.nullMaskColumn()) {
                System.arraycopy(values, 0, masks, 0, LEAF_ROWS);
            } else {
                repeatWhereNull(layout.nullBit(source.fieldOf[c]));
            }
            encoder.fixed(FIRST_COLUMN + c, values, LEAF_ROWS, layout.width(c), source.kinds[c], encoded);
        }
        return encoded.size();
    }

    /** About as the writer does. */
    private void repeatWhereNull(int bit) {
        for (int row = 1; bit >= 0 && row < LEAF_ROWS; row++) {
            values[row] = ((masks[row] >>> bit) & 1) != 0 ? values[row - 1] : values[row];
        }
    }
}
