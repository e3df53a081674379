package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.BloomBits;
import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.ColumnKind;
import io.waterwheel.chunk.encoding.DistinctLongs;
import io.waterwheel.chunk.encoding.IntegerEncoder;
import io.waterwheel.chunk.encoding.ValueEncoder;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Zones and, where it is indexed, the index of one field, gathered leaf by leaf. Keeps scratch; one thread. */
final class FieldHints {
    private final LeafList lows = new LeafList();
    private final LeafList highs = new LeafList();
    private final LeafList nulls = new LeafList();
    private final LeafList nans = new LeafList();
    /** Of a field that was indexed once. */
    private @Nullable FieldIndex index;

    private @Nullable TextIndexWriter text;

    /** Of distinct values, by number: whether a row has it that is not null. */
    private boolean[] used = {};

    private long[] codes = new long[0];

    void clear() {
        lows.clear();
        highs.clear();
        nulls.clear();
        nans.clear();
    }

    /** The index of a field that is indexed, empty at first. */
    FieldIndex index() {
        FieldIndex kept = index;
        if (kept == null) {
            kept = new FieldIndex();
            index = kept;
        }
        return kept;
    }

    /** The text index of a field that has one, empty at first. */
    TextIndexWriter text() {
        TextIndexWriter kept = text;
        if (kept == null) {
            kept = new TextIndexWriter();
            text = kept;
        }
        return kept;
    }

    /**
     * Adds a leaf's column of fixed width.
     *
     * @param column where a row is null, any value that another row has
     * @param nullRows whether a row is null; null when none is
     * @param nullCount how many are
     */
    void addFixed(
            long[] column,
            int rows,
            ColumnKind kind,
            boolean @Nullable [] nullRows,
            int nullCount,
            @Nullable DistinctLongs distinct) {
        long[] ordered = column;
        if (kind.floating()) {
            if (codes.length < rows) {
                codes = new long[rows];
            }
            ordered = codes;
            for (int i = 0; i < rows; i++) {
                ordered[i] = KeyCodec.ofDouble(
                        kind == ColumnKind.DOUBLE
                                ? Double.longBitsToDouble(column[i])
                                : Float.intBitsToFloat((int) column[i]));
            }
        }
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        for (int i = 0; i < rows; i++) {
            low = Math.min(low, ordered[i]);
            high = Math.max(high, ordered[i]);
        }
        if (kind.floating() && (ColumnKind.isNaN(low) || ColumnKind.isNaN(high))) {
            addWithNaNs(ordered, rows, nullRows, nullCount);
        } else {
            add(low, high, nullCount, 0, rows);
        }
        if (distinct != null) {
            FieldIndex values = index();
            boolean mayBeNaN = kind.floating();
            for (int i = 0; i < rows; i++) {
                if (nullRows == null || !nullRows[i]) {
                    values.add(mayBeNaN && ColumnKind.isNaN(ordered[i]) ? BloomBits.NAN : ordered[i]);
                }
            }
            values.endLeaf(distinct);
        }
    }

    private void add(long low, long high, int nullCount, int nanCount, int rows) {
        boolean none = nullCount + nanCount == rows;
        lows.add(none ? 1 : low);
        highs.add(none ? 0 : high);
        nulls.add(nullCount);
        nans.add(nanCount);
    }

    private void addWithNaNs(long[] ordered, int rows, boolean @Nullable [] nullRows, int nullCount) {
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        int nanCount = 0;
        for (int i = 0; i < rows; i++) {
            if (nullRows != null && nullRows[i]) {
                continue;
            }
            if (ColumnKind.isNaN(ordered[i])) {
                nanCount++;
            } else {
                low = Math.min(low, ordered[i]);
                high = Math.max(high, ordered[i]);
            }
        }
        add(low, high, nullCount, nanCount, rows);
    }

    /**
     * Adds a leaf's column of variable values, that the tree's references point to.
     *
     * @param encoded what wrote the column: where it told its values apart, each is looked at once
     * @param distinct null for a field that is not indexed
     */
    void addVariable(
            long[] references,
            int rows,
            byte[][] slabs,
            ValueEncoder encoded,
            boolean @Nullable [] nullRows,
            int nullCount,
            @Nullable DistinctLongs distinct) {
        if (encoded.distinct() > 0) {
            addDistinct(encoded, rows, nullRows, nullCount, distinct);
        } else {
            addRows(references, rows, slabs, nullRows, nullCount, distinct);
        }
    }

    private void addDistinct(
            ValueEncoder encoded,
            int rows,
            boolean @Nullable [] nullRows,
            int nullCount,
            @Nullable DistinctLongs distinct) {
        int count = encoded.distinct();
        if (used.length < count) {
            used = new boolean[Math.max(count, rows)];
        }
        Arrays.fill(used, 0, count, nullRows == null);
        long[] numbers = encoded.numbers();
        for (int i = 0; nullRows != null && i < rows; i++) {
            used[(int) numbers[i]] |= !nullRows[i];
        }
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        FieldIndex values = distinct == null ? null : index();
        byte[] text = encoded.text();
        for (int number = 0; number < count; number++) {
            if (!used[number]) {
                continue;
            }
            int from = encoded.start(number);
            int length = encoded.length(number);
            long code = KeyCodec.ofBytes(text, from, length);
            low = Math.min(low, code);
            high = Math.max(high, code);
            if (values != null) {
                values.add(text, from, length, encoded.hash(number));
            }
        }
        add(low, high, nullCount, 0, rows);
        if (values != null && distinct != null) {
            values.endLeaf(distinct);
        }
    }

    private void addRows(
            long[] references,
            int rows,
            byte[][] slabs,
            boolean @Nullable [] nullRows,
            int nullCount,
            @Nullable DistinctLongs distinct) {
        long low = Long.MAX_VALUE;
        long high = Long.MIN_VALUE;
        FieldIndex values = distinct == null ? null : index();
        for (int i = 0; i < rows; i++) {
            if (nullRows != null && nullRows[i]) {
                continue;
            }
            int length = TupleBlock.referenceLength(references[i]);
            byte[] slab = length == 0 ? EMPTY : ValueEncoder.slab(slabs, references[i]);
            int from = length == 0 ? 0 : ValueEncoder.offset(references[i]);
            long code = KeyCodec.ofBytes(slab, from, length);
            low = Math.min(low, code);
            high = Math.max(high, code);
            if (values != null) {
                values.add(slab, from, length);
            }
        }
        add(low, high, nullCount, 0, rows);
        if (values != null && distinct != null) {
            values.endLeaf(distinct);
        }
    }

    private static final byte[] EMPTY = {};

    void writeZones(IntegerEncoder integers, ChunkBuffer out) {
        integers.write(lows.values(), lows.size(), out);
        integers.write(highs.values(), highs.size(), out);
        integers.write(nulls.values(), nulls.size(), out);
        integers.write(nans.values(), nans.size(), out);
    }
}
