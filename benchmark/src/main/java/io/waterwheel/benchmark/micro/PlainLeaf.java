package io.waterwheel.benchmark.micro;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;

/** Rows in columns as a page has them, for the baselines: what a tree adds to it is what is compared. */
final class PlainLeaf {
    final long[] keys;
    final long[] times;
    final byte[] payload;
    int size;

    PlainLeaf(int rows) {
        keys = new long[rows];
        times = new long[rows];
        payload = new byte[rows * TaxiBlocks.LAYOUT.payloadWidth()];
    }

    int capacity() {
        return keys.length;
    }

    /** Copies a block's row to a row of this leaf. */
    void set(int at, TupleBlock block, int row) {
        keys[at] = block.keys()[row];
        times[at] = block.times()[row];
        RowLayout layout = TaxiBlocks.LAYOUT;
        int before = 0;
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            System.arraycopy(block.column(c), row * width, payload, before * capacity() + at * width, width);
            before += width;
        }
    }

    /** Moves rows [from, from + count) to places from {@code to} of a leaf of the same capacity, perhaps this one. */
    void move(int from, int count, PlainLeaf target, int to) {
        System.arraycopy(keys, from, target.keys, to, count);
        System.arraycopy(times, from, target.times, to, count);
        RowLayout layout = TaxiBlocks.LAYOUT;
        int before = 0;
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            int base = before * capacity();
            System.arraycopy(payload, base + from * width, target.payload, base + to * width, count * width);
            before += width;
        }
    }

    static long count(long[] keys, long[] times, int rows, long lowKey, long highKey, long fromTime, long toTime) {
        long count = 0;
        for (int i = 0; i < rows; i++) {
            count += (keys[i] >= lowKey ? 1 : 0)
                    & (keys[i] <= highKey ? 1 : 0)
                    & (times[i] >= fromTime ? 1 : 0)
                    & (times[i] <= toTime ? 1 : 0);
        }
        return count;
    }
}
