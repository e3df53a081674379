package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.IntegerDecoder;
import io.waterwheel.chunk.encoding.PartCursor;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Which leaves of a chunk have the trigrams of a text: every three bytes in a row. Of some, which most leaves have, it
 * says that all have them. Immutable; any thread.
 */
public final class TextIndex {
    /** Bytes of a trigram: of shorter text nothing is known. */
    public static final int BYTES = 3;

    static final int MOST_TRIGRAMS = LeafDictionary.MOST_VALUES;
    /** Of a trigram, its bytes as a number, the first one highest. */
    static final int MOST_CODE = (1 << (8 * BYTES)) - 1;

    /** Trigrams of one text that are looked up: its first ones, with which hardly a leaf is left. */
    private static final int MOST_LOOKED_UP = 256;

    private final int[] inAll;
    private final LeafDictionary others;

    private TextIndex(int[] inAll, LeafDictionary others) {
        this.inAll = inAll;
        this.others = others;
    }

    /** Trigrams that the chunk has. */
    public int size() {
        return inAll.length + others.size();
    }

    /** Those of them that may be in every leaf. */
    public int inAll() {
        return inAll.length;
    }

    /** The leaves that may have these bytes in a row, in one value; null for all. No other has them. */
    public @Nullable BitSet leaves(byte[] text) {
        return leaves(text, 0, text.length);
    }

    @Nullable
    BitSet leaves(byte[] text, int from, int length) {
        BitSet found = null;
        int last = Math.min(length - BYTES + 1, MOST_LOOKED_UP);
        for (int at = from; at < from + last; at++) {
            int code = (text[at] & 0xFF) << 16 | (text[at + 1] & 0xFF) << 8 | (text[at + 2] & 0xFF);
            if (Arrays.binarySearch(inAll, code) >= 0) {
                continue;
            }
            BitSet having = new BitSet();
            others.leaves(others.firstFrom(code), others.firstAbove(code), having);
            if (found == null) {
                found = having;
            } else {
                found.and(having);
            }
            if (found.isEmpty()) {
                break;
            }
        }
        return found;
    }

    /** Bytes of memory. */
    int weight() {
        return inAll.length * 4 + others.weight() + 50;
    }

    /** Reads the index of a chunk of a number of leaves. */
    static TextIndex read(PartCursor in, IntegerDecoder integers, int leaves) {
        int size = in.i32();
        if (size < 0 || size > MOST_TRIGRAMS) {
            throw in.damaged("at most " + MOST_TRIGRAMS + " trigrams", Integer.toString(size));
        }
        long[] codes = LeafDictionary.numbers(in, integers, size);
        int[] inAll = new int[size];
        for (int i = 0; i < size; i++) {
            if (codes[i] < 0 || codes[i] > MOST_CODE || (i > 0 && codes[i] <= codes[i - 1])) {
                throw in.damaged("trigrams that ascend", codes[i] + " at " + i);
            }
            inAll[i] = (int) codes[i];
        }
        return new TextIndex(inAll, LeafDictionary.read(in, integers, leaves, false));
    }
}
