package io.waterwheel.key;

import com.github.benmanes.caffeine.cache.Interner;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Divides the values of one dimension into cells: a value's cell is the number of cuts that are not above it. Cells
 * never fall when the value rises, so the values of a range lie in the cells from that of its lower to that of its
 * upper bound. Values are given by their order-keeping codes ({@link KeyCodec}; those of a float are the codes of the
 * same double, NaN has a code above all others).
 *
 * <p>Making keys looks cells up in a table over the values between the outer cuts: one comparison for most values,
 * where a search makes as many as the logarithm of the cuts. Immutable; any thread.
 */
final class Scale {
    private static final int MOST_BUCKETS = 1 << 18;
    /** Buckets for each cut: enough that few hold two. */
    private static final int BUCKETS_PER_CUT = 16;
    /** Versions of a stream's scales, and its chunks, have many a table in common. */
    private static final Interner<Scale> KNOWN = Interner.newWeakInterner();

    private final long[] cuts;
    /** The cuts, and behind them one more, which no cell begins at. */
    private final long[] bounds;
    /** The cuts as numbers, and NaN behind them; empty for dimensions of whole numbers and texts. */
    private final double[] numbers;
    /**
     * By bucket: the cell of a value before all cuts in it; the entry after a bucket's, less its own, is their number.
     */
    private final char[] cells;

    private final int lastBucket;
    // Where the buckets of codes begin and end, and how wide each is.
    private final long low;
    private final long high;
    private final int shift;
    /**
     * By the hash of a code, the number of the cut that it is, and one more; 0 for none. Cuts of texts are values that
     * come again and again, of which many begin alike and share a bucket.
     */
    private final char[] exact;

    private final int exactShift;
    // The same for numbers.
    private final double least;
    private final double perNumber;

    /**
     * Cuts at these codes.
     *
     * @param cuts ascending, no two equal
     * @param floating whether they are the codes of finite doubles
     */
    static Scale of(long[] cuts, boolean floating) {
        return KNOWN.intern(new Scale(cuts, floating));
    }

    private Scale(long[] cuts, boolean floating) {
        this.cuts = cuts.clone();
        this.bounds = Arrays.copyOf(cuts, cuts.length + 1);
        bounds[cuts.length] = Long.MAX_VALUE;
        this.numbers = floating ? numbers(cuts) : new double[0];
        int wanted = Math.min(MOST_BUCKETS, Math.max(1, cuts.length) * BUCKETS_PER_CUT);
        int bits = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(wanted);
        this.lastBucket = (1 << bits) - 1;
        this.low = cuts.length == 0 ? 0 : cuts[0];
        this.high = cuts.length == 0 ? 0 : cuts[cuts.length - 1];
        // The difference is an unsigned number.
        this.shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(high - low) - bits);
        this.least = floating && cuts.length > 0 ? numbers[0] : 0;
        this.perNumber = floating && cuts.length > 0 ? lastBucket / (numbers[cuts.length - 1] - least) : 0;
        this.cells = new char[lastBucket + 2];
        int bucket = 0;
        for (int cut = 0; cut < cuts.length; cut++) {
            int at = floating ? bucket(numbers[cut]) : bucket(cuts[cut]);
            if (at >= bucket) {
                Arrays.fill(cells, bucket, at + 1, (char) cut);
                bucket = at + 1;
            }
        }
        Arrays.fill(cells, bucket, cells.length, (char) cuts.length);
        int exactBits = Integer.SIZE - Integer.numberOfLeadingZeros(cuts.length) + 2;
        this.exactShift = Long.SIZE - exactBits;
        this.exact = new char[floating ? 0 : 1 << exactBits];
        for (int cut = 0; cut < cuts.length && !floating; cut++) {
            exact[slot(cuts[cut])] = (char) (cut + 1);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        // Those of numbers have numbers, others none.
        return other instanceof Scale that && numbers.length == that.numbers.length && Arrays.equals(cuts, that.cuts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(cuts);
    }

    private static double[] numbers(long[] cuts) {
        double[] numbers = new double[cuts.length + 1];
        for (int cut = 0; cut < cuts.length; cut++) {
            numbers[cut] = number(cuts[cut]);
        }
        numbers[cuts.length] = Double.NaN;
        return numbers;
    }

    private static double number(long code) {
        return Double.longBitsToDouble(code ^ (code >> 63 & Long.MAX_VALUE));
    }

    /** The codes of the cuts, ascending. Not to be changed. */
    long[] cuts() {
        return cuts;
    }

    /** The cell of a code, by a search: for a few. */
    int search(long code) {
        int at = Arrays.binarySearch(cuts, code);
        return at < 0 ? -at - 1 : at + 1;
    }

    private int bucket(long code) {
        return (int) ((Math.min(Math.max(code, low), high) - low) >>> shift);
    }

    /** The cell of a whole number, or of a text's code. */
    int cell(long code) {
        int bucket = bucket(code);
        int cell = cells[bucket];
        int next = cells[bucket + 1];
        if (next - cell > 1) {
            int at = Arrays.binarySearch(cuts, cell, next, code);
            return at < 0 ? -at - 1 : at + 1;
        }
        // Where the bucket has no cut, the next one lies above the code. No branch: half of these would be
        // mispredicted.
        return Math.min(cell + (bounds[cell] <= code ? 1 : 0), cuts.length);
    }

    private int slot(long code) {
        return (int) ((code * 0x9e3779b97f4a7c15L) >>> exactShift);
    }

    /** The cell of a text's code, which is often a cut. */
    int cellOfText(long code) {
        int cell = exact[slot(code)];
        return cell > 0 && cuts[cell - 1] == code ? cell : cell(code);
    }

    /**
     * Rounding keeps the order: a number has no lower bucket than a smaller one; what an int cannot hold is its end.
     */
    private int bucket(double number) {
        return Math.max(0, Math.min((int) ((number - least) * perNumber), lastBucket));
    }

    /** The cell of a number; of NaN, the last. */
    int cell(double number) {
        if (Double.isNaN(number)) {
            return cuts.length;
        }
        int bucket = bucket(number);
        int cell = cells[bucket];
        int next = cells[bucket + 1];
        if (next - cell > 1) {
            return search(KeyCodec.ofDouble(number));
        }
        return cell + (numbers[cell] <= number ? 1 : 0);
    }
}
