package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.BloomBits;
import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.DistinctLongs;
import io.waterwheel.chunk.encoding.IntegerEncoder;
import io.waterwheel.chunk.encoding.LeafSets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The index of one field of a chunk that is being written: gathers its values leaf by leaf, then takes a form. It has a
 * Bloom filter for each leaf, and the distinct values with their leaves until these are too many. Holds 4 bytes a value
 * of each leaf, 28 for each distinct value and its text, and as much again while a dictionary is made; gives that back
 * when values are too many, and behind each chunk. One thread.
 */
final class FieldIndex {
    /** Up to this number of values a dictionary is kept even where filters are smaller: it names no leaf in vain. */
    private static final int FEW_VALUES = 4096;

    /** By how much filters may be folded. */
    private static final int MOST_FOLDED = 4;

    /** Of texts that were made to have one hash no dictionary is made: to find one would mean to look at all. */
    private static final int MOST_PROBES = 256;

    /** So that numbers cannot be made to have one slot. Which slot a value has changes nothing of the file. */
    private static final long SEED = new SplittableRandom().nextLong();

    /** Indexed fields that may each have as many values as a dictionary may; of more, each has fewer. */
    private static final int SHARED = 8;

    private static final int KEPT_SLOTS = 1024;
    private static final int KEPT_BYTES = 1 << 16;
    private static final byte[] NO_TEXT = {};

    private boolean variable;
    /** Has the values of all leaves once they are no longer told apart. */
    private @Nullable TextIndexWriter trigrams;

    /** Distinct values that are told apart. */
    private int mostValues;
    /** Whether values are still told apart. */
    private boolean open;

    private int leaf;
    private int values;
    /** By slot, the number of a value and 1; 0 where there is none. */
    private int[] slots = new int[KEPT_SLOTS];
    /** By number, in order of first use: the code, or the hash of the text. */
    private long[] keys = new long[KEPT_SLOTS / 2];

    private int[] lastLeaves = new int[KEPT_SLOTS / 2];
    private int[] leafCounts = new int[KEPT_SLOTS / 2];
    private int[] textEnds = new int[KEPT_SLOTS / 2];
    private byte[] text = NO_TEXT;
    private int textSize;
    /** Numbers of the values of each leaf, and by leaf where they end. */
    private int[] found = new int[KEPT_SLOTS];

    private int foundSize;
    private final LeafList foundEnds = new LeafList();
    /** Of the leaf at hand. */
    private long[] hashes = new long[256];

    private int hashCount;
    /** Bloom filters: words by leaf, and all words. */
    private final LeafList wordCounts = new LeafList();

    private final LeafList words = new LeafList();
    private long[] filter = new long[0];

    private ChunkBuffer dictionary = new ChunkBuffer();
    private boolean isDictionary;
    /** By how much filters are folded, 1 for not; 0 for no filters. */
    private int fold;

    /**
     * Begins a chunk.
     *
     * @param isVariable whether the values are text or bytes
     * @param indexed fields of the chunk that are indexed: they share what may be held
     * @param cutInto the text index that gets the values where they are too many for a dictionary; null for none
     */
    void begin(boolean isVariable, int indexed, @Nullable TextIndexWriter cutInto) {
        variable = isVariable;
        trigrams = cutInto;
        mostValues = Math.max(FEW_VALUES, LeafDictionary.MOST_VALUES * SHARED / Math.max(SHARED, indexed));
        open = true;
        leaf = 0;
        hashCount = 0;
        isDictionary = false;
        fold = 1;
        forget();
        foundEnds.clear();
        wordCounts.clear();
        words.clear();
        dictionary.clear();
    }

    /** Gives back what tells values apart. */
    private void forget() {
        values = 0;
        textSize = 0;
        foundSize = 0;
        if (slots.length > KEPT_SLOTS) {
            slots = new int[KEPT_SLOTS];
            keys = new long[KEPT_SLOTS / 2];
            lastLeaves = new int[KEPT_SLOTS / 2];
            leafCounts = new int[KEPT_SLOTS / 2];
            textEnds = new int[KEPT_SLOTS / 2];
        }
        text = text.length > KEPT_BYTES ? NO_TEXT : text;
        found = found.length > KEPT_BYTES ? new int[KEPT_SLOTS] : found;
        Arrays.fill(slots, 0);
    }

    /** Ends a chunk: gives back what a chunk of few values does not need. */
    void end() {
        forget();
        trigrams = null;
        if (dictionary.size() > KEPT_BYTES) {
            dictionary = new ChunkBuffer();
        }
    }

    /** Adds the code of a value that is not null; every NaN has the same. */
    void add(long code) {
        if (!open || !note(code, NO_TEXT, 0, 0)) {
            hash(BloomBits.hash(code, false));
        }
    }

    /** Adds text or bytes. */
    void add(byte[] slab, int from, int length) {
        add(slab, from, length, BloomBits.hash(slab, from, length));
    }

    /** The same where the {@link BloomBits#hash(byte[], int, int) hash} is known. */
    void add(byte[] slab, int from, int length, long hash) {
        if (!open || !note(hash, slab, from, length)) {
            hash(hash);
            if (trigrams != null) {
                trigrams.add(slab, from, length);
            }
        }
    }

    /**
     * Hands the different values of each leaf so far to the text index. As long as they are told apart they may get a
     * dictionary, which can be searched for parts of values: then to cut them would be in vain.
     */
    void cut() {
        TextIndexWriter into = trigrams;
        if (into == null || !open) {
            return;
        }
        int at = 0;
        for (int each = 0; each <= leaf; each++) {
            int end = each < leaf ? (int) foundEnds.get(each) : foundSize;
            for (; at < end; at++) {
                int start = textStart(found[at]);
                into.add(text, start, textEnds[found[at]] - start);
            }
            if (each < leaf) {
                into.endLeaf();
            }
        }
    }

    private void hash(long hash) {
        if (hashCount == hashes.length) {
            hashes = Arrays.copyOf(hashes, hashCount * 2);
        }
        hashes[hashCount++] = hash;
    }

    /** Notes that the leaf has the value; false when it is one too many. */
    private boolean note(long key, byte[] slab, int from, int length) {
        int mask = slots.length - 1;
        int slot = slot(key);
        int number;
        int probes = 0;
        while ((number = slots[slot] - 1) >= 0) {
            if (keys[number] == key && (!variable || isText(number, slab, from, length))) {
                if (lastLeaves[number] != leaf) {
                    inLeaf(number);
                }
                return true;
            }
            slot = (slot + 1) & mask;
            probes++;
        }
        if (probes > MOST_PROBES || values == mostValues || length > LeafDictionary.MOST_TEXT - textSize) {
            cut();
            open = false;
            forget();
            return false;
        }
        slots[slot] = values + 1;
        if (values == keys.length) {
            keys = Arrays.copyOf(keys, values * 2);
            lastLeaves = Arrays.copyOf(lastLeaves, values * 2);
            leafCounts = Arrays.copyOf(leafCounts, values * 2);
            textEnds = Arrays.copyOf(textEnds, values * 2);
        }
        keys[values] = key;
        leafCounts[values] = 0;
        if (variable) {
            if (text.length < textSize + length) {
                text = Arrays.copyOf(text, Math.max(textSize + length, Math.max(1024, 2 * textSize)));
            }
            System.arraycopy(slab, from, text, textSize, length);
            textSize += length;
            textEnds[values] = textSize;
        }
        inLeaf(values++);
        if (values * 2 > slots.length) {
            growSlots();
        }
        return true;
    }

    private void inLeaf(int number) {
        lastLeaves[number] = leaf;
        leafCounts[number]++;
        if (foundSize == found.length) {
            found = Arrays.copyOf(found, foundSize * 2);
        }
        found[foundSize++] = number;
        hash(variable ? keys[number] : BloomBits.hash(keys[number], false));
    }

    private boolean isText(int number, byte[] slab, int from, int length) {
        return Arrays.equals(text, textStart(number), textEnds[number], slab, from, from + length);
    }

    private int textStart(int number) {
        return number == 0 ? 0 : textEnds[number - 1];
    }

    private int slot(long key) {
        return (int) BloomBits.hash(key ^ SEED, false) & (slots.length - 1);
    }

    private void growSlots() {
        slots = new int[slots.length * 2];
        int mask = slots.length - 1;
        for (int number = 0; number < values; number++) {
            int slot = slot(keys[number]);
            while (slots[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = number + 1;
        }
    }

    /** Ends a leaf: makes its filter. */
    void endLeaf(DistinctLongs distinct) {
        int different = hashCount;
        long[] each = hashes;
        if (!open) {
            different = distinct.find(hashes, hashCount, hashCount);
            each = distinct.found();
        }
        int count = BloomBits.words(different);
        if (filter.length < count) {
            filter = new long[count * 2];
        }
        Arrays.fill(filter, 0, count, 0);
        for (int i = 0; i < different; i++) {
            BloomBits.add(filter, 0, count, each[i]);
        }
        wordCounts.add(count);
        for (int w = 0; w < count; w++) {
            words.add(filter[w]);
        }
        foundEnds.add(foundSize);
        if (trigrams != null && !open) {
            trigrams.endLeaf();
        }
        hashCount = 0;
        leaf++;
    }

    /**
     * Takes the form that serves best.
     *
     * @param most bytes that it may take; what it takes may be more: {@link #shrink}
     */
    void choose(IntegerEncoder integers, long most) {
        fold = 1;
        isDictionary = false;
        if (!open || leaf > Character.MAX_VALUE) {
            return;
        }
        long bits = 8L * values;
        for (int number = 0; number < values; number++) {
            bits += LeafSets.estimate(leaf, leafCounts[number]);
        }
        long limit = values <= FEW_VALUES ? most : Math.min(most, filterBytes(1));
        // An estimate: a value and its number of leaves count as a byte. To sort many in vain takes time.
        if (bits / 16 > limit) {
            return;
        }
        writeDictionary(integers);
        isDictionary = values <= FEW_VALUES || dictionary.size() < filterBytes(1);
    }

    /** Bytes of the form at hand, or a few more. */
    long bytes() {
        return isDictionary ? dictionary.size() : fold == 0 ? 0 : filterBytes(fold);
    }

    /** Takes a smaller form, at last none. */
    void shrink() {
        long before = bytes();
        if (isDictionary) {
            isDictionary = false;
            fold = 1;
        } else {
            fold = fold >= MOST_FOLDED ? 0 : fold * 2;
        }
        while (fold > 0 && bytes() >= before) {
            fold = fold >= MOST_FOLDED ? 0 : fold * 2;
        }
    }

    boolean isDictionary() {
        return isDictionary;
    }

    boolean isFilters() {
        return !isDictionary && fold > 0;
    }

    private long filterBytes(int folded) {
        long sum = 0;
        for (int i = 0; i < wordCounts.size(); i++) {
            sum += 8L * folded((int) wordCounts.get(i), folded) + 2;
        }
        return sum + 16;
    }

    private static int folded(int count, int by) {
        return count == 0 ? 0 : Math.max(1, count / by);
    }

    void writeDictionary(ChunkBuffer out) {
        out.putBytes(dictionary.array(), 0, dictionary.size());
    }

    void writeFilters(IntegerEncoder integers, ChunkBuffer out) {
        LeafList counts = new LeafList();
        for (int i = 0; i < wordCounts.size(); i++) {
            counts.add(folded((int) wordCounts.get(i), fold));
        }
        integers.write(counts.values(), counts.size(), out);
        int from = 0;
        for (int i = 0; i < wordCounts.size(); i++) {
            int count = (int) wordCounts.get(i);
            int kept = (int) counts.get(i);
            // A value's word is a share of the count: neighbours fold onto one, as counts can be divided.
            for (int w = 0; w < kept; w++) {
                long word = 0;
                for (int each = w * count / kept; each < (w + 1) * count / kept; each++) {
                    word |= words.get(from + each);
                }
                out.putLong(word);
            }
            from += count;
        }
    }

    private void writeDictionary(IntegerEncoder integers) {
        int[] order = variable ? FieldOrder.ofText(values, text, textEnds) : FieldOrder.ofCodes(values, keys);
        dictionary.clear();
        dictionary.putInt(values);
        long[] numbers = new long[values];
        if (variable) {
            writeText(order, numbers, integers);
        } else {
            for (int value = 0; value < values; value++) {
                numbers[value] = keys[order[value]];
            }
            LeafDictionary.writeNumbers(numbers, values, integers, dictionary);
        }
        int[] starts = new int[values + 1];
        for (int value = 0; value < values; value++) {
            numbers[value] = leafCounts[order[value]];
            starts[value + 1] = starts[value] + leafCounts[order[value]];
        }
        LeafDictionary.writeNumbers(numbers, values, integers, dictionary);
        ChunkBuffer sets = new ChunkBuffer();
        writeSets(order, starts, sets);
        dictionary.putInt(sets.size());
        dictionary.putBytes(sets.array(), 0, sets.size());
    }

    private void writeText(int[] order, long[] numbers, IntegerEncoder integers) {
        ChunkBuffer ends = new ChunkBuffer();
        long[] further = new long[values];
        for (int value = 0; value < values; value++) {
            int from = textStart(order[value]);
            int to = textEnds[order[value]];
            int shared = 0;
            if (value > 0) {
                int before = order[value - 1];
                int differs = Arrays.mismatch(text, textStart(before), textEnds[before], text, from, to);
                // Values differ: where there is no mismatch within the shorter, it is the shorter's length.
                shared = Math.min(differs, to - from);
            }
            numbers[value] = shared;
            further[value] = (long) to - from - shared;
            ends.putBytes(text, from + shared, to - from - shared);
        }
        LeafDictionary.writeNumbers(numbers, values, integers, dictionary);
        LeafDictionary.writeNumbers(further, values, integers, dictionary);
        dictionary.putBytes(ends.array(), 0, ends.size());
    }

    private void writeSets(int[] order, int[] starts, ChunkBuffer sets) {
        int[] ranks = new int[values];
        for (int value = 0; value < values; value++) {
            ranks[order[value]] = value;
        }
        int[] next = Arrays.copyOf(starts, values);
        int[] leaves = new int[foundSize];
        int at = 0;
        for (int each = 0; each < leaf; each++) {
            for (; at < foundEnds.get(each); at++) {
                leaves[next[ranks[found[at]]]++] = each;
            }
        }
        LeafSets.Writer writer = new LeafSets.Writer(leaf, sets);
        for (int value = 0; value < values; value++) {
            writer.begin(starts[value + 1] - starts[value]);
            for (int i = starts[value]; i < starts[value + 1]; i++) {
                writer.add(leaves[i]);
            }
        }
        writer.end();
    }
}
