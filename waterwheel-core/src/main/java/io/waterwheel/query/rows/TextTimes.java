package io.waterwheel.query.rows;

import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/**
 * A table from text (or bytes) to a time, both those of rows of a block: open addressing, linear probing, at most half
 * full. Holds numbers of rows only; the block's rows must stay where they are. One thread.
 */
final class TextTimes {
    private TupleBlock block;
    private final int textColumn;
    private final int timeColumn;
    /** Numbers of rows and one; 0 where there is none. */
    private int[] slots = {};

    private int size;

    private final SeededHash hash = new SeededHash();
    private final Reservation memory;

    /**
     * @param block of the table's layout, without rows
     * @param textColumn column of the texts
     * @param timeColumn column of the times, longs
     * @param memory what its slots are reserved from
     */
    TextTimes(TupleBlock block, int textColumn, int timeColumn, Reservation memory) {
        this.memory = memory;
        this.block = block;
        this.textColumn = textColumn;
        this.timeColumn = timeColumn;
    }

    int size() {
        return size;
    }

    /** Holds these rows of a block and no others; no two have the same text. */
    void set(TupleBlock of, int[] rows, int count) {
        block = of;
        size = count;
        int needed = Math.max(16, Integer.highestOneBit(Math.max(1, count)) * 4);
        if (slots.length < needed) {
            memory.reserve(4L * (needed - slots.length));
            slots = new int[needed];
        } else {
            Arrays.fill(slots, 0);
        }
        for (int i = 0; i < count; i++) {
            long reference = reference(rows[i]);
            int at = slot(of.arena(), TupleBlock.referenceOffset(reference), TupleBlock.referenceLength(reference));
            slots[at] = rows[i] + 1;
        }
    }

    /** The time of the row of this text, or the default. */
    long get(byte[] bytes, int offset, int length, long otherwise) {
        if (size == 0) {
            return otherwise;
        }
        int row = slots[slot(bytes, offset, length)] - 1;
        return row < 0 ? otherwise : LittleEndian.getLong(block.column(timeColumn), row * 8);
    }

    private long reference(int row) {
        return LittleEndian.getLong(block.column(textColumn), row * 8);
    }

    /** Where the text is, or should be. */
    private int slot(byte[] bytes, int offset, int length) {
        int mask = slots.length - 1;
        int at = hash.of(bytes, offset, length) & mask;
        while (slots[at] != 0 && !isText(slots[at] - 1, bytes, offset, length)) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private boolean isText(int row, byte[] bytes, int offset, int length) {
        long reference = reference(row);
        int from = TupleBlock.referenceOffset(reference);
        return Arrays.equals(
                block.arena(), from, from + TupleBlock.referenceLength(reference), bytes, offset, offset + length);
    }
}
