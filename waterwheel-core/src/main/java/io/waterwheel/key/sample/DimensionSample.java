package io.waterwheel.key.sample;

import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.Cuts;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values that some rows have in one field, and how to divide them into cells of about as many rows. One thread. */
final class DimensionSample {
    private final Field field;
    private final int index;
    private final int column;
    /** Order-keeping codes, in the order of the rows until {@link #sort}. */
    private long[] codes = new long[1024];

    private int values;
    /** Of texts and bytes: the first value, and whether there is another, which may have the same code. */
    private byte @Nullable [] first;

    private boolean differ;

    /** By distinct value, ascending: its code, and how many rows have it. */
    private long[] distinct = {};

    private long[] rows = {};

    DimensionSample(Field field, int index, RowLayout layout) {
        this.field = field;
        this.index = index;
        this.column = layout.columnOf(index);
    }

    void add(TupleBlock block, int row) {
        if (block.isNull(index, row)) {
            return;
        }
        byte[] bytes = block.column(column);
        long code =
                switch (field.type().physical()) {
                    case INT32 -> LittleEndian.getInt(bytes, row * 4);
                    case UINT32 -> LittleEndian.getInt(bytes, row * 4) & 0xFFFF_FFFFL;
                    case INT64 -> LittleEndian.getLong(bytes, row * 8);
                    case BOOLEAN -> bytes[row];
                    case FLOAT32 -> KeyCodec.ofDouble(LittleEndian.getFloat(bytes, row * 4));
                    case FLOAT64 -> KeyCodec.ofDouble(LittleEndian.getDouble(bytes, row * 8));
                    case VARIABLE -> {
                        long reference = LittleEndian.getLong(bytes, row * 8);
                        int offset = TupleBlock.referenceOffset(reference);
                        int length = TupleBlock.referenceLength(reference);
                        differ = differ || isAnother(block.arena(), offset, length);
                        yield KeyCodec.ofBytes(block.arena(), offset, length);
                    }
                };
        if (isFloating() && !Double.isFinite(number(code))) {
            // No value can be told in numbers that is no number: it lies in an outer cell.
            return;
        }
        if (values == codes.length) {
            codes = Arrays.copyOf(codes, values * 2);
        }
        codes[values++] = code;
    }

    private boolean isAnother(byte[] bytes, int offset, int length) {
        if (first == null) {
            first = Arrays.copyOfRange(bytes, offset, offset + length);
        }
        return !Arrays.equals(first, 0, first.length, bytes, offset, offset + length);
    }

    private boolean isFloating() {
        PhysicalType type = field.type().physical();
        return type == PhysicalType.FLOAT64 || type == PhysicalType.FLOAT32;
    }

    private static double number(long code) {
        return Double.longBitsToDouble(code ^ (code >> 63 & Long.MAX_VALUE));
    }

    /** Counts the distinct values; no more are added then. */
    void sort() {
        Arrays.sort(codes, 0, values);
        distinct = new long[values];
        rows = new long[values];
        int count = 0;
        for (int i = 0; i < values; i++) {
            if (count == 0 || codes[i] != distinct[count - 1]) {
                distinct[count++] = codes[i];
            }
            rows[count - 1]++;
        }
        distinct = Arrays.copyOf(distinct, count);
        rows = Arrays.copyOf(rows, count);
    }

    /** Distinct values, nulls left out. */
    int distinct() {
        return distinct.length;
    }

    /** Whether its values are names of kinds: texts, truths, or a few numbers that come again and again. */
    boolean isOfKinds(int most) {
        return distinct.length <= most && values >= 8L * distinct.length;
    }

    /**
     * Cuts that divide its values into as many cells as some bits number, or one of each value where these are fewer.
     */
    int cuts(int bits) {
        return Math.max(0, Math.min((1 << bits) - (field.nullable() ? 1 : 0), distinct.length) - 1);
    }

    /**
     * Shares what room there is for cuts: those that want more than the others get fewer, all of these the same number.
     *
     * @param wanted by dimension
     * @param room for all of them; each gets 1 where there is less
     * @return by dimension, at most what is wanted
     */
    static int[] shared(int[] wanted, int room) {
        int most = Arrays.stream(wanted).max().orElse(0);
        while (most > 1 && sum(wanted, most) > room) {
            most--;
        }
        int share = most;
        return Arrays.stream(wanted).map(cuts -> Math.min(cuts, share)).toArray();
    }

    private static int sum(int[] wanted, int most) {
        return Arrays.stream(wanted).map(cuts -> Math.min(cuts, most)).sum();
    }

    /**
     * The dimension with cuts at which cells begin that hold about as many rows each; a value that many rows have gets
     * a cell of its own.
     *
     * @param bits that number its cells
     * @param most cuts, at least 1
     * @throws IllegalArgumentException when all rows have the same value, or values that begin alike; says which
     */
    Dimension divided(int bits, int most) {
        if (distinct.length < 2) {
            throw new IllegalArgumentException("dimension '" + field.name() + "': " + undivided());
        }
        int cells = Math.min(most, cuts(bits)) + 1;
        long rest = values;
        long inCell = rows[0];
        List<String> cuts = new ArrayList<>();
        for (int d = 1; d < distinct.length && cuts.size() + 1 < cells; d++) {
            // Of the cells that are left, this one included.
            long fair = rest / (cells - cuts.size());
            boolean allHaveRoom = distinct.length - d < cells - cuts.size();
            if (allHaveRoom || inCell + rows[d] / 2 >= Math.max(1, fair)) {
                rest -= inCell;
                inCell = 0;
                cuts.add(text(distinct[d]));
            }
            inCell += rows[d];
        }
        return new Dimension(field.name(), bits, List.of(), ascending(cuts));
    }

    private String undivided() {
        if (differ) {
            return "all values have the same first 8 bytes, '" + text(distinct[0])
                    + "', and no more of a value is in a key, so no cuts divide them: leave it out, or say 'indexed:"
                    + " true' of the field";
        }
        return (distinct.length == 0
                        ? "no row has a value"
                        : "all rows have the same value, '" + text(distinct[0]) + "'")
                + ", so it divides nothing: leave it out, or give "
                + (field.type().variable() ? "cuts: [VALUE, ...]" : "range: [LO, HI]");
    }

    /** Texts may end within a character of the value's first bytes, and be the same then. */
    private List<String> ascending(List<String> cuts) {
        List<String> kept = new ArrayList<>();
        for (String cut : cuts) {
            List<String> more = new ArrayList<>(kept);
            more.add(cut);
            if (isAscending(more.subList(Math.max(0, more.size() - 2), more.size()))) {
                kept = more;
            }
        }
        return kept;
    }

    private boolean isAscending(List<String> two) {
        try {
            new Cuts(field).of(new Dimension(field.name(), Dimension.MAX_BITS, List.of(), two), Dimension.MAX_BITS);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private String text(long code) {
        if (field.type().physical() == PhysicalType.FLOAT32) {
            return Float.toString((float) number(code));
        }
        return KeyCodec.toText(field, code);
    }
}
