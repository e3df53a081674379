package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.IntegerEncoder;
import io.waterwheel.chunk.encoding.LeafSets;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The text index of one field of a chunk that is being written: gathers the trigrams of its values leaf by leaf, a
 * trigram being three bytes in a row, and then lists the leaves of each. To take less, it says of the trigrams that
 * most leaves have that all have them, as these rule out least. Holds 20 bytes for each of at most
 * {@value TextIndex#MOST_TRIGRAMS} trigrams and 4 for each of their leaves, of which all fields of a chunk together
 * note {@value #MOST_PLACES}, and as much again while it is written; gives that back behind each chunk. One thread.
 */
final class TextIndexWriter {
    /** Trigrams times leaves that are noted; of more, those of the trigrams with most leaves are dropped. */
    static final int MOST_PLACES = 1 << 22;

    /** In place of the number of leaves of a trigram that counts as being in all of them. */
    private static final int EVERYWHERE = Integer.MAX_VALUE;

    /**
     * An odd factor, so that trigrams cannot be made to have one slot. Which slot one has changes nothing of the file.
     */
    private static final int FACTOR = new SplittableRandom().nextInt() | 1;

    private static final int KEPT_SLOTS = 1 << 12;
    private static final int KEPT_BYTES = 1 << 16;

    /** Estimated bits of a trigram that is listed, and of the number of its leaves. */
    private static final int TRIGRAM_BITS = 10;

    private static final int COUNT_BITS = 6;

    /** Up to this number each attempt is made by what the one before took; later ones halve what is listed. */
    private static final int MOST_MEASURED = 3;

    /** Whether trigrams are still noted. */
    private boolean open;

    private int leaf;
    private int trigrams;
    /** By slot, the number of a trigram and 1; 0 where there is none. */
    private int[] slots = new int[KEPT_SLOTS];
    /** By number, in order of first use. */
    private long[] codes = new long[KEPT_SLOTS / 2];

    private int[] lastLeaves = new int[KEPT_SLOTS / 2];
    private int[] leafCounts = new int[KEPT_SLOTS / 2];
    /** Numbers of the trigrams of each leaf, and by leaf where they end. */
    private int[] places = new int[KEPT_SLOTS];

    private int placesSize;
    private int[] placeEnds = new int[64];

    private int mostPlaces;

    private ChunkBuffer content = new ChunkBuffer();

    /**
     * Begins a chunk.
     *
     * @param places trigrams times leaves that may be noted
     */
    void begin(int places) {
        mostPlaces = places;
        open = true;
        leaf = 0;
        content.clear();
        forget();
    }

    private void forget() {
        trigrams = 0;
        placesSize = 0;
        if (slots.length > KEPT_SLOTS) {
            slots = new int[KEPT_SLOTS];
            codes = new long[KEPT_SLOTS / 2];
            lastLeaves = new int[KEPT_SLOTS / 2];
            leafCounts = new int[KEPT_SLOTS / 2];
        }
        places = places.length > KEPT_SLOTS ? new int[KEPT_SLOTS] : places;
        Arrays.fill(slots, 0);
    }

    /** Adds a value that is not null. */
    void add(byte[] slab, int from, int length) {
        if (length < TextIndex.BYTES) {
            return;
        }
        int code = (slab[from] & 0xFF) << 8 | (slab[from + 1] & 0xFF);
        for (int at = from + 2; open && at < from + length; at++) {
            code = (code << 8 | (slab[at] & 0xFF)) & TextIndex.MOST_CODE;
            note(code);
        }
    }

    private void note(int code) {
        int slot = slot(code);
        int number;
        while ((number = slots[slot] - 1) >= 0) {
            if (codes[number] == code) {
                if (lastLeaves[number] != leaf) {
                    inLeaf(number);
                }
                return;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        if (trigrams == TextIndex.MOST_TRIGRAMS) {
            // Text of more is as good as random: hardly a leaf would be ruled out.
            open = false;
            forget();
            return;
        }
        slots[slot] = trigrams + 1;
        if (trigrams == codes.length) {
            codes = Arrays.copyOf(codes, trigrams * 2);
            lastLeaves = Arrays.copyOf(lastLeaves, trigrams * 2);
            leafCounts = Arrays.copyOf(leafCounts, trigrams * 2);
        }
        codes[trigrams] = code;
        leafCounts[trigrams] = 0;
        inLeaf(trigrams++);
        if (trigrams * 2 > slots.length) {
            growSlots();
        }
    }

    private void inLeaf(int number) {
        lastLeaves[number] = leaf;
        if (leafCounts[number] == EVERYWHERE) {
            return;
        }
        if (placesSize >= mostPlaces) {
            dropMostCommon();
            if (leafCounts[number] == EVERYWHERE) {
                return;
            }
        }
        leafCounts[number]++;
        if (placesSize == places.length) {
            places = Arrays.copyOf(places, placesSize * 2);
        }
        places[placesSize++] = number;
    }

    private int slot(int code) {
        return ((code * FACTOR) >>> 8) & (slots.length - 1);
    }

    private void growSlots() {
        slots = new int[slots.length * 2];
        for (int number = 0; number < trigrams; number++) {
            int slot = slot((int) codes[number]);
            while (slots[slot] != 0) {
                slot = (slot + 1) & (slots.length - 1);
            }
            slots[slot] = number + 1;
        }
    }

    /** Makes room: drops the leaves of the trigrams that have most, at least half of all. */
    private void dropMostCommon() {
        int[] ofCount = new int[leaf + 2];
        for (int number = 0; number < trigrams; number++) {
            ofCount[leafCounts[number] == EVERYWHERE ? 0 : leafCounts[number]]++;
        }
        int limit = leaf + 1;
        for (long dropped = 0; dropped < placesSize / 2; limit--) {
            dropped += (long) ofCount[limit] * limit;
        }
        for (int number = 0; number < trigrams; number++) {
            leafCounts[number] = leafCounts[number] > limit ? EVERYWHERE : leafCounts[number];
        }
        int kept = 0;
        int at = 0;
        for (int each = 0; each <= leaf; each++) {
            int end = each < leaf ? placeEnds[each] : placesSize;
            for (; at < end; at++) {
                if (leafCounts[places[at]] != EVERYWHERE) {
                    places[kept++] = places[at];
                }
            }
            if (each < leaf) {
                placeEnds[each] = kept;
            }
        }
        placesSize = kept;
    }

    /** Ends a leaf. */
    void endLeaf() {
        if (leaf == placeEnds.length) {
            placeEnds = Arrays.copyOf(placeEnds, leaf * 2);
        }
        placeEnds[leaf++] = placesSize;
    }

    /**
     * Makes the index, if it can take at most this many bytes.
     *
     * @return whether there is one: {@link #content}
     */
    boolean make(IntegerEncoder integers, long most) {
        content.clear();
        if (!open || trigrams == 0 || leaf > Character.MAX_VALUE) {
            return false;
        }
        int[] order = FieldOrder.ofCodes(trigrams, codes);
        int[] starts = new int[trigrams + 1];
        int[] leaves = leaves(order, starts);
        // By number of leaves, the bits of the sets, and how many there are.
        long[] setBits = new long[leaf];
        int[] sets = new int[leaf];
        for (int rank = 0; rank < trigrams; rank++) {
            int count = starts[rank + 1] - starts[rank];
            if (count > 0 && count < leaf) {
                setBits[count] += LeafSets.bits(leaf, leaves, starts[rank], starts[rank + 1]);
                sets[count]++;
            }
        }
        long others = (long) trigrams * TRIGRAM_BITS;
        int ofSet = COUNT_BITS;
        int limit = leaf;
        for (int tries = 1; limit > 0; tries++) {
            limit = Math.min(limit - 1, limit(8 * most - others, setBits, sets, ofSet));
            limit = tries > MOST_MEASURED ? limit / 2 : limit;
            write(order, limit, starts, leaves, integers);
            if (content.size() <= most) {
                return true;
            }
            // What is beside the sets is measured by now; with fewer sets it hardly changes.
            others = 8L * content.size() - sum(setBits, limit);
            ofSet = 0;
        }
        return false;
    }

    /** The most leaves that a listed trigram may have, so that the sets take at most this many bits. */
    private int limit(long most, long[] setBits, int[] sets, int ofSet) {
        long bits = 0;
        int limit = 0;
        for (int count = 1; count < leaf; count++) {
            bits += setBits[count] + (long) sets[count] * ofSet;
            if (bits > most) {
                break;
            }
            limit = count;
        }
        return limit;
    }

    private static long sum(long[] setBits, int limit) {
        long sum = 0;
        for (int count = 1; count <= limit; count++) {
            sum += setBits[count];
        }
        return sum;
    }

    ChunkBuffer content() {
        return content;
    }

    /** Ends a chunk. */
    void end() {
        forget();
        content = content.size() > KEPT_BYTES ? new ChunkBuffer() : content;
    }

    /** Writes sets of the trigrams that are in at most {@code limit} leaves; the others are in all. */
    private void write(int[] order, int limit, int[] starts, int[] leaves, IntegerEncoder integers) {
        content.clear();
        long[] all = new long[trigrams];
        long[] listed = new long[trigrams];
        long[] counts = new long[trigrams];
        int inAll = 0;
        int inSome = 0;
        ChunkBuffer sets = new ChunkBuffer();
        LeafSets.Writer writer = new LeafSets.Writer(leaf, sets);
        for (int rank = 0; rank < trigrams; rank++) {
            int number = order[rank];
            if (leafCounts[number] > limit) {
                all[inAll++] = codes[number];
                continue;
            }
            listed[inSome] = codes[number];
            counts[inSome++] = leafCounts[number];
            writer.begin(leafCounts[number]);
            for (int i = starts[rank]; i < starts[rank + 1]; i++) {
                writer.add(leaves[i]);
            }
        }
        writer.end();
        content.putInt(inAll);
        LeafDictionary.writeNumbers(all, inAll, integers, content);
        content.putInt(inSome);
        LeafDictionary.writeNumbers(listed, inSome, integers, content);
        LeafDictionary.writeNumbers(counts, inSome, integers, content);
        content.putInt(sets.size());
        content.putBytes(sets.array(), 0, sets.size());
    }

    /**
     * The leaves of each trigram, ascending, trigram by trigram in order; none of those that count as being in all.
     *
     * @param starts gets where those of each begin, and at last where the last ones end
     */
    private int[] leaves(int[] order, int[] starts) {
        int[] ranks = new int[trigrams];
        for (int rank = 0; rank < trigrams; rank++) {
            int number = order[rank];
            boolean everywhere = leafCounts[number] == EVERYWHERE;
            ranks[number] = everywhere ? -1 : rank;
            starts[rank + 1] = starts[rank] + (everywhere ? 0 : leafCounts[number]);
        }
        int[] next = Arrays.copyOf(starts, trigrams);
        int[] leaves = new int[starts[trigrams]];
        int at = 0;
        for (int each = 0; each < leaf; each++) {
            for (; at < placeEnds[each]; at++) {
                int rank = ranks[places[at]];
                if (rank >= 0) {
                    leaves[next[rank]++] = each;
                }
            }
        }
        return leaves;
    }
}
