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

    /** Bytes that the search for a trigram counts as. */
    private static final int LOOK_UP = 64;

    private final int leaves;
    private final int[] inAll;
    private final LeafDictionary others;

    private TextIndex(int leaves, int[] inAll, LeafDictionary others) {
        this.leaves = leaves;
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

    /** About how many bytes {@link #leaves} has to look at. */
    public long work(byte[] text) {
        return (long) Math.min(text.length, MOST_LOOKED_UP) * (LOOK_UP + leaves / Byte.SIZE);
    }

    /** The leaves that may have these bytes in a row, in one value; null for all. No other has them. */
    public @Nullable BitSet leaves(byte[] text) {
        BitSet found = null;
        int trigrams = Math.min(text.length - BYTES + 1, MOST_LOOKED_UP);
        for (int at = 0; at < trigrams; at++) {
            int code = (text[at] & 0xFF) << 16 | (text[at + 1] & 0xFF) << 8 | (text[at + 2] & 0xFF);
            if (isInAll(code)) {
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

    /** Whether a trigram may be in every leaf; its code is that of {@link #MOST_CODE}. */
    boolean isInAll(int code) {
        return Arrays.binarySearch(inAll, code) >= 0;
    }

    /** Whether a leaf has a trigram by the set of it. */
    boolean names(int code, int leaf) {
        BitSet having = new BitSet();
        others.leaves(others.firstFrom(code), others.firstAbove(code), having);
        return having.get(leaf);
    }

    /** By leaf, how many trigrams it has of those that have sets. */
    int[] counts(int leaves) {
        int[] counts = new int[leaves];
        BitSet having = new BitSet();
        for (int number = 0; number < others.size(); number++) {
            having.clear();
            others.leaves(number, number + 1, having);
            for (int leaf = having.nextSetBit(0); leaf >= 0; leaf = having.nextSetBit(leaf + 1)) {
                counts[leaf]++;
            }
        }
        return counts;
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
        return new TextIndex(leaves, inAll, LeafDictionary.read(in, integers, leaves, false));
    }
}
