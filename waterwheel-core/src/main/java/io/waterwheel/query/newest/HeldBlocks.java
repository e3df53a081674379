package io.waterwheel.query.newest;

import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The blocks that rows are in, until they are handed out. The place of a row is the number of its block, and below that
 * its own number there. The caller reserves what the blocks take. One thread.
 */
final class HeldBlocks {
    private final RowOrder order;
    /** Of the text that keys are made from; -1 where there is none. */
    private final int textColumn;

    private List<TupleBlock> blocks = new ArrayList<>();
    private long bytes;

    /**
     * None yet.
     *
     * @param order of the rows; tells which of two of a key and a time comes first
     * @param textColumn of the text that keys are made from, or -1
     */
    HeldBlocks(RowOrder order, int textColumn) {
        this.order = order;
        this.textColumn = textColumn;
    }

    static long place(int number, int row) {
        return (long) number << 32 | row;
    }

    /** The number of the block of a place. */
    static int number(long place) {
        return (int) (place >>> 32);
    }

    /** The row of a place in its block. */
    static int row(long place) {
        return (int) place;
    }

    /** Adds a block; returns its number. */
    int add(TupleBlock block) {
        blocks.add(block);
        bytes += block.allocatedBytes();
        return blocks.size() - 1;
    }

    TupleBlock get(int number) {
        return blocks.get(number);
    }

    int size() {
        return blocks.size();
    }

    /** Bytes of their arrays. */
    long bytes() {
        return bytes;
    }

    /** Of all blocks, also those that no longer count. */
    long rows() {
        long rows = 0;
        for (TupleBlock block : blocks) {
            rows += block.size();
        }
        return rows;
    }

    /**
     * Holds other blocks from now on, and releases what the old ones took.
     *
     * @param next whose bytes are reserved
     * @param run its rows lie in these blocks in their order; their places are written anew
     * @return bytes of the rows of the new blocks
     */
    long replace(List<TupleBlock> next, KeyRun run, Reservation memory) {
        memory.release(bytes);
        blocks = next;
        bytes = 0;
        long rowBytes = 0;
        for (TupleBlock block : next) {
            bytes += block.allocatedBytes();
            rowBytes += block.bytes();
        }
        int number = 0;
        int row = 0;
        for (KeyRun.Segment segment : run.segments) {
            for (int i = 0; i < segment.size; i++) {
                if (row == next.get(number).size()) {
                    number++;
                    row = 0;
                }
                segment.places[i] = place(number, row++);
            }
        }
        return rowBytes;
    }

    /** Compares two rows by key, and by text where keys are made from that. */
    int compareKeys(long key, long place, long otherKey, long otherPlace) {
        if (key != otherKey || textColumn < 0) {
            return Long.compare(key, otherKey);
        }
        return TupleBlock.compareBytes(block(place), row(place), block(otherPlace), row(otherPlace), textColumn);
    }

    /** Whether one of two rows of a key and a time comes first, or both are equal: what is left of the order tells. */
    boolean isFirst(long place, long otherPlace) {
        return order.compare(block(place), row(place), block(otherPlace), row(otherPlace)) <= 0;
    }

    /** Whether a row is of this text. */
    boolean isOfText(long place, byte[] text) {
        TupleBlock block = block(place);
        long reference = LittleEndian.getLong(block.column(textColumn), row(place) * 8);
        int from = TupleBlock.referenceOffset(reference);
        int to = from + TupleBlock.referenceLength(reference);
        return Arrays.equals(block.arena(), from, to, text, 0, text.length);
    }

    private TupleBlock block(long place) {
        return blocks.get(number(place));
    }
}
