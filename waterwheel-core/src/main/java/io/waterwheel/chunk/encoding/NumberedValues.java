package io.waterwheel.chunk.encoding;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The distinct values of a variable column, numbered over all leaves of a chunk as they come. Keeps its buffers; one
 * thread.
 */
public final class NumberedValues {
    private static final byte[] NOTHING = {};

    private final int[] codes = new int[LEAF_ROWS];
    private final int[] byLeafNumber = new int[LEAF_ROWS];
    /** How many distinct values of the leaf at hand {@link #byLeafNumber} has; 0 where it has no dictionary. */
    private int inLeaf;

    private long[] references = new long[256];
    private long[] hashes = new long[256];
    /** By number, the one that came behind it when it came last. */
    private int[] successors = new int[256];

    private int count;
    private long bytes;
    /** Open addressing, of numbers; -1 is free. */
    private int[] table = new int[1024];

    /** Begins a chunk: it has none yet. */
    public void begin() {
        count = 0;
        bytes = 0;
        Arrays.fill(table, -1);
    }

    /** Numbers the values of a leaf; false where there are too many. */
    public boolean number(long[] leafReferences, int rows, ValueEncoder values, byte[][] slabs) {
        inLeaf = 0;
        if (values.distinct() == 0) {
            return numberRows(leafReferences, rows, slabs);
        }
        long[] numbers = values.numbers();
        int known = 0;
        for (int i = 0; i < rows; i++) {
            int number = (int) numbers[i];
            if (number == known) {
                int code = code(leafReferences[i], values.hash(number), slabs);
                if (code < 0) {
                    return false;
                }
                byLeafNumber[known++] = code;
            }
            codes[i] = byLeafNumber[number];
        }
        inLeaf = known;
        return true;
    }

    /** Adds the numbers of the values that the leaf at hand has. */
    public void addCodes(int rows, BitSet used) {
        int[] from = inLeaf > 0 ? byLeafNumber : codes;
        int most = inLeaf > 0 ? inLeaf : rows;
        for (int i = 0; i < most; i++) {
            used.set(from[i]);
        }
    }

    /** By row of the leaf at hand, the number of its value. */
    public int[] codes() {
        return codes;
    }

    /** Where the value of a number lies. */
    public long reference(int code) {
        return references[code];
    }

    /** How many values have a number. */
    public int count() {
        return count;
    }

    /** Bytes of these together. */
    public long bytes() {
        return bytes;
    }

    /** As {@link #number}, where the leaf has no dictionary, or none was made yet. */
    public boolean numberRows(long[] leafReferences, int rows, byte[][] slabs) {
        int next = 0;
        int previous = -1;
        for (int i = 0; i < rows; i++) {
            long reference = leafReferences[i];
            int code = next;
            if (next >= count || !isSame(references[next], reference, slabs)) {
                int length = TupleBlock.referenceLength(reference);
                long hash = length == 0
                        ? BloomBits.hash(NOTHING, 0, 0)
                        : BloomBits.hash(ValueEncoder.slab(slabs, reference), ValueEncoder.offset(reference), length);
                code = code(reference, hash, slabs);
            }
            if (code < 0) {
                return false;
            }
            codes[i] = code;
            // Values often come in the order in which they came before.
            if (previous >= 0) {
                successors[previous] = code;
            }
            previous = code;
            next = successors[code];
        }
        return true;
    }

    /** The number of a value, perhaps a new one; -1 where there are too many. */
    private int code(long reference, long hash, byte[][] slabs) {
        int mask = table.length - 1;
        int slot = (int) hash & mask;
        while (table[slot] >= 0) {
            int code = table[slot];
            if (hashes[code] == hash && isSame(references[code], reference, slabs)) {
                return code;
            }
            slot = (slot + 1) & mask;
        }
        int length = TupleBlock.referenceLength(reference);
        if (count == MOST_SOURCE_VALUES || bytes + length > MOST_SOURCE_BYTES) {
            return -1;
        }
        if (count == references.length) {
            references = Arrays.copyOf(references, count * 2);
            hashes = Arrays.copyOf(hashes, count * 2);
            successors = Arrays.copyOf(successors, count * 2);
        }
        references[count] = reference;
        hashes[count] = hash;
        successors[count] = count + 1;
        bytes += length;
        table[slot] = count++;
        if (count * 2 > table.length) {
            grow();
        }
        return count - 1;
    }

    private void grow() {
        table = new int[table.length * 2];
        Arrays.fill(table, -1);
        int mask = table.length - 1;
        for (int code = 0; code < count; code++) {
            int slot = (int) hashes[code] & mask;
            while (table[slot] >= 0) {
                slot = (slot + 1) & mask;
            }
            table[slot] = code;
        }
    }

    private static boolean isSame(long one, long other, byte[][] slabs) {
        int length = TupleBlock.referenceLength(one);
        if (length != TupleBlock.referenceLength(other)) {
            return false;
        } else if (length == 0) {
            return true;
        }
        int at = ValueEncoder.offset(one);
        int from = ValueEncoder.offset(other);
        return Arrays.equals(
                ValueEncoder.slab(slabs, one), at, at + length, ValueEncoder.slab(slabs, other), from, from + length);
    }
}
