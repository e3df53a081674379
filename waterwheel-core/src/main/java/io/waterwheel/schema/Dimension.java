package io.waterwheel.schema;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One of the dimensions of a key: a field, and the values that divide it into cells. A cell begins at each cut and at
 * the bottom, so a value's cell is the number of cuts that are not above it. Values beyond the outer cuts lie in the
 * outer cells, so every value has one.
 *
 * @param field the field's name
 * @param bits that the number of a cell takes in the key, 1 to {@link #MAX_BITS}; 0 where nothing is said
 * @param range the least and the greatest value of an even division, as text; empty where there is none
 * @param cuts values at which cells begin, ascending, as text; empty where there are none
 * @param bytes of a text, or of bytes, by which cells are told apart, {@link #LEAST_BYTES} to {@link #MAX_BYTES}; 0
 *     where nothing is said, as {@link #LEAST_BYTES}
 */
public record Dimension(String field, int bits, List<String> range, List<String> cuts, int bytes) {
    /** A table has at most 2^14 cells. */
    public static final int MAX_BITS = 14;
    /** Those that are told apart by this number of bytes are told apart by codes. */
    public static final int LEAST_BYTES = 8;

    public static final int MAX_BYTES = 64;
    /** Bits of an even division that says none. What is stored was made by it: never to be changed. */
    static final int DEFAULT_BITS = 6;

    public Dimension {
        range = List.copyOf(range);
        cuts = List.copyOf(cuts);
    }

    /** Of numbers, or of texts that are told apart by their first {@link #LEAST_BYTES} bytes. */
    public Dimension(String field, int bits, List<String> range, List<String> cuts) {
        this(field, bits, range, cuts, 0);
    }

    /** Whether more bytes of a text tell its cells apart than a code has. */
    public boolean isLong() {
        return bytes > LEAST_BYTES;
    }

    /** Whether nothing says what the cells are: a definition that is to be completed by rows. */
    public boolean isOpen(Field of) {
        return range.isEmpty() && cuts.isEmpty() && of.type().physical() != PhysicalType.BOOLEAN;
    }

    /**
     * Bits that the number of a cell takes in the key.
     *
     * @param of the field
     * @param scheduled how often a schedule names the dimension; 0 where there is no schedule
     */
    public int bits(Field of, int scheduled) {
        if (bits > 0 || scheduled > 0) {
            return bits > 0 ? bits : scheduled;
        }
        return cuts.isEmpty() && of.type().physical() != PhysicalType.BOOLEAN ? DEFAULT_BITS : bitsOf(listedCells(of));
    }

    /** Bits that number this many cells; at least 1. */
    public static int bitsOf(int cells) {
        return Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(cells - 1));
    }

    /** Cells of listed cuts, and one for null. */
    private int listedCells(Field of) {
        int cutCount = of.type().physical() == PhysicalType.BOOLEAN ? 1 : cuts.size();
        return cutCount + 1 + (of.nullable() ? 1 : 0);
    }

    /** What its listed cuts take in the catalog: bytes of JSON in UTF-8, at most. */
    public int cutBytes() {
        int all = 0;
        for (String cut : cuts) {
            // Two quotes and a comma.
            all += 3;
            for (int i = 0; i < cut.length(); i++) {
                all += jsonBytes(cut.charAt(i));
            }
        }
        return all;
    }

    /** At most; of each half of a pair of surrogates, half of what the pair takes. */
    private static int jsonBytes(char character) {
        if (character < 0x20) {
            return 6;
        }
        if (character < 0x80) {
            return character == '"' || character == '\\' ? 2 : 1;
        }
        return character < 0x800 || Character.isSurrogate(character) ? 2 : 3;
    }

    /** What is wrong with it, or null; it may be open. */
    @Nullable
    String problem(Field of, int scheduled) {
        try {
            check(of, scheduled);
            return null;
        } catch (IllegalArgumentException e) {
            return "dimension '" + field + "': " + e.getMessage();
        }
    }

    private void check(Field of, int scheduled) {
        boolean truth = of.type().physical() == PhysicalType.BOOLEAN;
        if (truth && !(range.isEmpty() && cuts.isEmpty())) {
            throw new IllegalArgumentException("a boolean has two cells by itself; leave out range and cuts");
        }
        if (!range.isEmpty() && !cuts.isEmpty()) {
            throw new IllegalArgumentException("expected range or cuts, got both");
        }
        if (bytes != 0 && !of.type().variable()) {
            throw new IllegalArgumentException(
                    "bytes: only texts, and values as long, are told apart by their first bytes; leave it out");
        }
        if (bytes != 0 && (bytes < LEAST_BYTES || bytes > MAX_BYTES)) {
            throw new IllegalArgumentException(
                    "bytes: expected " + LEAST_BYTES + " to " + MAX_BYTES + ", got " + bytes);
        }
        if (bits > 0 && scheduled > 0 && bits != scheduled) {
            throw new IllegalArgumentException(
                    "expected as many bits as the schedule names it, " + scheduled + ", got " + bits);
        }
        int most = bits(of, scheduled);
        if (most > MAX_BITS) {
            throw new IllegalArgumentException("expected 1 to " + MAX_BITS + " bits, got " + most);
        }
        if (!isOpen(of) && range.isEmpty() && listedCells(of) > 1 << most) {
            throw new IllegalArgumentException(listedCells(of) + " cells"
                    + (of.nullable() ? ", with one for null," : "") + " do not fit into " + most
                    + (most == 1 ? " bit" : " bits") + ", expected at most " + (1 << most));
        }
        if (!truth && of.nullable() && most == 1) {
            throw new IllegalArgumentException("1 bit tells null from all values: expected 2 or more");
        }
        if (!isOpen(of)) {
            new Cuts(of).of(this, most);
        }
    }

    /** The members of the object that a definition has for it. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("field", field);
        if (bits > 0) {
            members.put("bits", Integer.toString(bits));
        }
        if (bytes > 0) {
            members.put("bytes", Integer.toString(bytes));
        }
        if (!range.isEmpty()) {
            members.put("range", range);
        }
        if (!cuts.isEmpty()) {
            members.put("cuts", cuts);
        }
        return members;
    }

    /**
     * The dimensions by which bits follow each other in a key, from the highest bit on, where no schedule says it: each
     * dimension that has bits left in turn. What is stored was made by it: never to be changed.
     *
     * @param bits of each dimension
     */
    public static int[] inTurn(int[] bits) {
        int[] order = new int[Arrays.stream(bits).sum()];
        int[] left = bits.clone();
        for (int at = 0; at < order.length; ) {
            for (int d = 0; d < left.length; d++) {
                if (left[d] > 0) {
                    left[d]--;
                    order[at++] = d;
                }
            }
        }
        return order;
    }
}
