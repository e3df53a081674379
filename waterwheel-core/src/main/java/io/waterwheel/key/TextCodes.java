package io.waterwheel.key;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Codes of texts that their first 8 bytes do not tell apart, such as addresses of pages: a text's code is the number of
 * cuts that are not above it. So codes keep the order of texts, and each cut begins a cell. Texts are compared by their
 * bytes, unsigned, shorter ones as if filled up with zeros.
 *
 * <p>What all cuts begin with is compared once. The 8 bytes behind it are a number, which a {@link Scale} finds among
 * those of the cuts. Cuts that have the same number are told apart by what follows, in the same way. Immutable; any
 * thread.
 */
final class TextCodes {
    /** Ascending, no two equal, of the same length. */
    private final byte[][] cuts;

    private final int from;
    /** How many bytes from there on all cuts have in common. */
    private final int common;

    /** The numbers behind what is common. */
    private final Scale heads;
    /** By number of heads that are not above: how many cuts have these heads. */
    private final int[] counts;
    /** By head, what tells its cuts apart; null where nothing follows in its only cut. */
    private final @Nullable TextCodes[] deeper;

    /**
     * Codes by cuts.
     *
     * @param cuts ascending, no two equal, at least one, all of the same length, filled up with zeros
     */
    TextCodes(byte[][] cuts) {
        this(cuts, 0);
    }

    private TextCodes(byte[][] cuts, int from) {
        this.cuts = cuts;
        this.from = from;
        int length = cuts[0].length;
        byte[] last = cuts[cuts.length - 1];
        int most = Math.max(0, length - from - KeyCodec.PREFIX_BYTES);
        int same = 0;
        while (same < most && cuts[0][from + same] == last[from + same]) {
            same++;
        }
        this.common = same;
        long[] numbers = new long[cuts.length];
        int[] ends = new int[cuts.length + 1];
        int found = 0;
        for (int cut = 0; cut < cuts.length; cut++) {
            long number = number(cuts[cut], from + common, length);
            if (found == 0 || number != numbers[found - 1]) {
                numbers[found++] = number;
            }
            ends[found] = cut + 1;
        }
        this.heads = Scale.of(Arrays.copyOf(numbers, found), false);
        this.counts = Arrays.copyOf(ends, found + 1);
        this.deeper = new TextCodes[found];
        int next = from + common + KeyCodec.PREFIX_BYTES;
        for (int head = 0; head < found; head++) {
            byte[][] of = Arrays.copyOfRange(cuts, counts[head], counts[head + 1]);
            if (of.length > 1 || !isZero(of[0], next)) {
                deeper[head] = new TextCodes(of, next);
            }
        }
    }

    private static boolean isZero(byte[] bytes, int from) {
        boolean zero = true;
        for (int i = from; i < bytes.length; i++) {
            zero &= bytes[i] == 0;
        }
        return zero;
    }

    private static long number(byte[] bytes, int from, int end) {
        return from >= end ? Long.MIN_VALUE : KeyCodec.ofBytes(bytes, from, end - from);
    }

    /** The cuts, ascending. Not to be changed. */
    byte[][] cuts() {
        return cuts;
    }

    /** The code of a text: how many cuts are not above it. */
    int code(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int begin = offset + from;
        for (int i = 0; i < common; i++) {
            int expected = cuts[0][from + i] & 0xFF;
            int got = begin + i < end ? bytes[begin + i] & 0xFF : 0;
            if (got != expected) {
                return got < expected ? 0 : cuts.length;
            }
        }
        long number = number(bytes, begin + common, end);
        int head = heads.cellOfText(number);
        if (head > 0 && heads.cuts()[head - 1] == number) {
            TextCodes of = deeper[head - 1];
            return of == null ? counts[head] : counts[head - 1] + of.code(bytes, offset, length);
        }
        return counts[head];
    }
}
