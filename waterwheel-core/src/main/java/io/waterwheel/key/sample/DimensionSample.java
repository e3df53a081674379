package io.waterwheel.key.sample;

import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.Cuts;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.PhysicalType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The values that some rows have in one field, and how to divide them into cells of about as many rows. One thread. */
final class DimensionSample {
    private static final byte[] NOTHING = {};
    /** Of a character of four bytes, behind the first. */
    private static final int FURTHER_BYTES = 3;
    /** More bytes of texts are worth it where fewer make use of less than this part of the cells. */
    private static final double ENOUGH = 0.9;

    private final Field field;
    private final int index;
    private final int column;
    /** Order-keeping codes, in the order of the rows until {@link #sort}; of numbers. */
    private long[] codes = {};
    /** Likewise the first bytes of texts and bytes, to the end of any character that begins among those that count. */
    private byte[][] texts = {};

    private int values;
    private int nulls;
    /** Whether there are texts of which not all is kept. */
    private boolean cut;

    /** Distinct values; of texts, as {@link Dimension#MAX_BYTES} tell them apart. */
    private int distinct;
    /** Of texts, by how many bytes they are told apart. */
    private int bytes;

    /** By distinct value, ascending: the row that has it first in their order, and how many rows have it. */
    private int[] firsts = {};

    private long[] rows = {};

    DimensionSample(Field field, int index, RowLayout layout) {
        this.field = field;
        this.index = index;
        this.column = layout.columnOf(index);
    }

    void add(TupleBlock block, int row) {
        if (block.isNull(index, row)) {
            nulls++;
            return;
        }
        byte[] column = block.column(this.column);
        switch (field.type().physical()) {
            case INT32 -> addCode(LittleEndian.getInt(column, row * 4));
            case UINT32 -> addCode(LittleEndian.getInt(column, row * 4) & 0xFFFF_FFFFL);
            case INT64 -> addCode(LittleEndian.getLong(column, row * 8));
            case BOOLEAN -> addCode(column[row]);
            case FLOAT32 -> addNumber(LittleEndian.getFloat(column, row * 4));
            case FLOAT64 -> addNumber(LittleEndian.getDouble(column, row * 8));
            case VARIABLE -> {
                long reference = LittleEndian.getLong(column, row * 8);
                int offset = TupleBlock.referenceOffset(reference);
                int length = TupleBlock.referenceLength(reference);
                cut |= length > Dimension.MAX_BYTES;
                addText(block.arena(), offset, Math.min(length, Dimension.MAX_BYTES + FURTHER_BYTES));
            }
        }
    }

    private void addNumber(double number) {
        // No value can be told in numbers that is no number: it lies in an outer cell.
        if (Double.isFinite(number)) {
            addCode(KeyCodec.ofDouble(number));
        }
    }

    private void addCode(long code) {
        if (values == codes.length) {
            codes = Arrays.copyOf(codes, Math.max(1024, values * 2));
        }
        codes[values++] = code;
    }

    private void addText(byte[] arena, int offset, int length) {
        if (values == texts.length) {
            texts = Arrays.copyOf(texts, Math.max(1024, values * 2));
        }
        byte[] last = values == 0 ? NOTHING : texts[values - 1];
        boolean same = Arrays.equals(last, 0, last.length, arena, offset, offset + length);
        texts[values++] = same ? last : Arrays.copyOfRange(arena, offset, offset + length);
    }

    private boolean isText() {
        return field.type().variable();
    }

    private boolean isString() {
        return field.type().kind() == FieldType.Kind.STRING;
    }

    private static double number(long code) {
        return Double.longBitsToDouble(code ^ (code >> 63 & Long.MAX_VALUE));
    }

    /**
     * Counts the distinct values; no more are added then.
     *
     * @param told bytes by which texts are told apart; 0: as few as divide them nearly as well as all do
     * @param bits that number the cells which texts are divided into
     */
    void sort(int told, int bits) {
        if (!isText()) {
            Arrays.sort(codes, 0, values);
            count();
            distinct = rows.length;
            return;
        }
        Arrays.sort(texts, 0, values, Arrays::compareUnsigned);
        bytes = Dimension.MAX_BYTES;
        count();
        distinct = rows.length;
        if (told > 0) {
            bytes = told;
            count();
        }
        double best = used(bits);
        boolean mayBeFewer = told == 0 && rows.length > 1;
        for (int fewer = Dimension.LEAST_BYTES; mayBeFewer && fewer < bytes; fewer += Long.BYTES) {
            int most = bytes;
            bytes = fewer;
            count();
            if (used(bits) < ENOUGH * best) {
                bytes = most;
            }
        }
        count();
    }

    private void count() {
        firsts = new int[values];
        rows = new long[values];
        int count = 0;
        for (int i = 0; i < values; i++) {
            if (count == 0 || !isSame(firsts[count - 1], i)) {
                firsts[count++] = i;
            }
            rows[count - 1]++;
        }
        firsts = Arrays.copyOf(firsts, count);
        rows = Arrays.copyOf(rows, count);
    }

    private boolean isSame(int one, int other) {
        return isText()
                ? Arrays.equals(Arrays.copyOf(texts[one], bytes), Arrays.copyOf(texts[other], bytes))
                : codes[one] == codes[other];
    }

    /** How many cells the values make use of: 2 to the entropy of the rows over them. */
    private double used(int bits) {
        return used(starts(cuts(bits) + 1));
    }

    private double used(int[] starts) {
        double entropy = 0;
        for (int cell = 0; cell <= starts.length; cell++) {
            long in = 0;
            int end = cell < starts.length ? starts[cell] : rows.length;
            for (int d = cell == 0 ? 0 : starts[cell - 1]; d < end; d++) {
                in += rows[d];
            }
            entropy -= in == 0 ? 0 : (double) in / values * Math.log((double) in / values);
        }
        return Math.exp(entropy);
    }

    /** Values that are told apart, nulls left out. */
    int toldApart() {
        return rows.length;
    }

    /**
     * Whether its values are names of kinds: texts, truths, or a few numbers that come again and again. Values of which
     * a few beginnings come again and again, as of pages of some hosts, are not.
     */
    boolean isOfKinds(int most) {
        return distinct <= most && values >= 8L * distinct;
    }

    /**
     * Cuts that divide its values into as many cells as some bits number, or one of each value where these are fewer.
     */
    int cuts(int bits) {
        return Math.max(0, Math.min((1 << bits) - (field.nullable() ? 1 : 0), rows.length) - 1);
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
        if (rows.length < 2) {
            throw new IllegalArgumentException("dimension '" + field.name() + "': " + undivided());
        }
        int[] starts = starts(Math.min(most, cuts(bits)) + 1);
        List<String> cuts = Arrays.stream(starts).mapToObj(this::text).toList();
        int told = bytes > Dimension.LEAST_BYTES ? bytes : 0;
        return new Dimension(field.name(), bits, List.of(), isText() ? ascending(cuts, told) : cuts, told);
    }

    /**
     * The distinct values at which cells begin, but for the first. Heavy values are set apart before the others are
     * divided: where one that is high had a part in what a cell should hold, those before it would hold too much. Where
     * cells are too few for that, all are divided alike.
     */
    private int[] starts(int cells) {
        boolean[] none = new boolean[rows.length];
        boolean[] heavy = heavy(cells);
        int[] alike = starts(cells, none);
        if (Arrays.equals(heavy, none)) {
            return alike;
        }
        int[] apart = starts(cells, heavy);
        return used(apart) >= used(alike) ? apart : alike;
    }

    private int[] starts(int cells, boolean[] heavy) {
        // Heavy values, and runs of others between them, from a value on.
        int runs = rows.length == 0 ? 0 : 1;
        // Of the cells that heavy values leave, those that have not ended; and what they hold.
        int left = cells;
        long light = values;
        for (int d = 0; d < rows.length; d++) {
            runs += d > 0 && (heavy[d] || heavy[d - 1]) ? 1 : 0;
            left -= heavy[d] ? 1 : 0;
            light -= heavy[d] ? rows[d] : 0;
        }
        int[] starts = new int[cells - 1];
        int count = 0;
        long inCell = rows.length == 0 || heavy[0] ? 0 : rows[0];
        for (int d = 1; d < rows.length && count + 1 < cells; d++) {
            boolean ends = heavy[d] || heavy[d - 1];
            runs -= ends ? 1 : 0;
            boolean allHaveRoom = rows.length - d < cells - count;
            boolean runsHaveRoom = cells - count > runs;
            boolean begins;
            if (heavy[d]) {
                // Few others go with it where room is short.
                begins = heavy[d - 1] || runsHaveRoom || isFair(2 * inCell, left, light);
            } else {
                begins = heavy[d - 1] || (runsHaveRoom && isFair(2 * inCell + rows[d], left, 2 * light));
            }
            if (begins || allHaveRoom) {
                starts[count++] = d;
                light -= inCell;
                left -= heavy[d - 1] ? 0 : 1;
                inCell = 0;
            }
            inCell += heavy[d] ? 0 : rows[d];
        }
        return Arrays.copyOf(starts, count);
    }

    /** Whether some rows are at least as many as each of the cells that are left would hold. */
    private static boolean isFair(long rows, int left, long all) {
        return rows * Math.max(1, left) >= all;
    }

    /** The distinct values that have more rows than a cell of all others. */
    private boolean[] heavy(int cells) {
        boolean[] heavy = new boolean[rows.length];
        long light = values;
        int left = cells;
        boolean found = true;
        while (found) {
            found = false;
            long all = light;
            int among = left;
            for (int d = 0; d < rows.length && left > 1; d++) {
                if (!heavy[d] && rows[d] * among > all) {
                    heavy[d] = true;
                    light -= rows[d];
                    left--;
                    found = true;
                }
            }
        }
        return heavy;
    }

    private String undivided() {
        if (values > 0 && isText() && (cut || !Arrays.equals(texts[0], texts[values - 1]))) {
            return "all values have the same first " + bytes + " bytes, '"
                    + KeyCodec.toText(field, Arrays.copyOf(texts[0], Math.min(bytes, texts[0].length)))
                    + "', and no more of a value is in a key, so no cuts divide them: leave it out, or say 'indexed:"
                    + " true' of the field";
        }
        PhysicalType type = field.type().physical();
        boolean floats = type == PhysicalType.FLOAT32 || type == PhysicalType.FLOAT64;
        return (values == 0
                        ? "no row has a " + (floats ? "finite value" : "value")
                        : "all rows have the same value, '" + text(0) + "'")
                + ", so it divides nothing: leave it out, or give "
                + (isText() ? "cuts: [VALUE, ...]" : "range: [LO, HI]");
    }

    /** Texts with bytes that are no characters end before these, and may be the same then. */
    private List<String> ascending(List<String> cuts, int told) {
        List<String> kept = new ArrayList<>();
        for (String cut : cuts) {
            List<String> two = kept.isEmpty() ? List.of(cut) : List.of(kept.get(kept.size() - 1), cut);
            if (isAscending(two, told)) {
                kept.add(cut);
            }
        }
        return kept;
    }

    private boolean isAscending(List<String> two, int told) {
        try {
            new Cuts(field)
                    .of(new Dimension(field.name(), Dimension.MAX_BITS, List.of(), two, told), Dimension.MAX_BITS);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private String text(int distinct) {
        int first = firsts[distinct];
        if (isText()) {
            byte[] text = texts[first];
            int length = Math.min(bytes, text.length);
            // Who reads a cut shortens it to its bytes: the last character is whole, so that all of them are there.
            while (isString() && length < text.length && (text[length] & 0xC0) == 0x80) {
                length++;
            }
            while (length > 0 && text[length - 1] == 0) {
                length--;
            }
            return KeyCodec.toText(field, Arrays.copyOf(text, length));
        }
        return field.type().physical() == PhysicalType.FLOAT32
                ? Float.toString((float) number(codes[first]))
                : KeyCodec.toText(field, codes[first]);
    }

    /**
     * How many rows lie in each cell of a dimension, that of null first where there is one.
     *
     * @param dimension of these values, complete
     */
    long[] cells(Dimension dimension, int bits) {
        int nullCells = field.nullable() ? 1 : 0;
        List<Object> cuts = new Cuts(field).of(dimension, bits);
        long[] cells = new long[cuts.size() + 1 + nullCells];
        cells[0] = nulls;
        int cell = 0;
        for (int d = 0; d < rows.length; d++) {
            while (cell < cuts.size() && isNotAbove(cuts.get(cell), firsts[d])) {
                cell++;
            }
            cells[cell + nullCells] += rows[d];
        }
        return cells;
    }

    private boolean isNotAbove(Object cut, int row) {
        return cut instanceof byte[] text
                ? Arrays.compareUnsigned(text, Arrays.copyOf(texts[row], text.length)) <= 0
                : KeyCodec.ofCut(cut) <= codes[row];
    }

    /** What the cells of rows tell apart, in bits. */
    static double entropy(long[] rows) {
        double all = Arrays.stream(rows).sum();
        double entropy = 0;
        for (long of : rows) {
            entropy -= of == 0 ? 0 : of / all * Math.log(of / all);
        }
        return entropy / Math.log(2);
    }
}
