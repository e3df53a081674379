package io.waterwheel.chunk.encoding;

import java.util.Arrays;

/**
 * The parts of one column as numbers of its values, of the leaves where they are shorter so: as long as the column at
 * most. One thread.
 */
public final class NumberedParts {
    /** Numbers take the place of a column where they save one byte in this number. */
    private static final int LEAST_SAVING = 8;

    private ChunkBuffer parts = new ChunkBuffer();
    private int[] starts = new int[64];
    private int leaves;
    private long saved;
    /** Of the parts as they are. */
    private long whole;

    /** Begins a chunk. */
    public void begin() {
        parts.clear();
        leaves = 0;
        saved = 0;
        whole = 0;
    }

    /** Lets go of the parts. */
    public void end() {
        parts = new ChunkBuffer();
        leaves = 0;
    }

    /** Bytes that it saves; 0 where that is not much. */
    public long saved() {
        return saved * LEAST_SAVING >= whole ? saved : 0;
    }

    /**
     * Takes a leaf.
     *
     * @param part that the encoder knows the column by
     * @param length of the part by its values
     */
    public void add(int leaf, int part, long[] numbers, int rows, int length, PartEncoder encoder) {
        skipTo(leaf);
        whole += length;
        int start = starts[leaf];
        boolean written = encoder.numbers(part, numbers, rows, parts);
        if (written && parts.size() - start < length) {
            saved += length - (parts.size() - start);
        } else {
            parts.setSize(start);
        }
        skipTo(leaf + 1);
    }

    /** Leaves without numbers have none of the bytes. */
    private void skipTo(int leaf) {
        if (starts.length <= leaf) {
            starts = Arrays.copyOf(starts, 2 * leaf);
        }
        while (leaves < leaf) {
            starts[++leaves] = parts.size();
        }
        starts[leaf] = parts.size();
    }

    /** Bytes of the part in a leaf; 0 where it stays as it is. */
    public int length(int leaf) {
        return leaf < leaves ? starts[leaf + 1] - starts[leaf] : 0;
    }

    /** Puts the part of a leaf where it is to be. */
    public void copy(int leaf, byte[] target, int at) {
        System.arraycopy(parts.array(), starts[leaf], target, at, length(leaf));
    }
}
