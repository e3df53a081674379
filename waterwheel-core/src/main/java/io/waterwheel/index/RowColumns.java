package io.waterwheel.index;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;

/**
 * Rows of leaves in columns, laid side by side to be moved: much goes through the memory at a stretch, and what is done
 * to single rows is done in the near caches. Scratch of a writer. One thread.
 */
final class RowColumns {
    /** Most rows: enough that each of hundreds of leaves gets a run of them. */
    static final int ROWS = 16 * 1024;

    final long[] keys = new long[ROWS];
    final long[] times = new long[ROWS];
    /** Column c begins at {@link #ROWS} times the width of those before it. */
    byte[] payload = new byte[0];

    /** Takes {@code count} rows from a leaf's pages, from row {@code first} of the leaf on. */
    void read(Page[] pages, int first, int count, RowLayout layout) {
        room(layout);
        for (int row = 0; row < count; ) {
            Page page = pages[(first + row) >>> Page.SHIFT];
            int slot = (first + row) & Page.MASK;
            int rows = Math.min(Page.ROWS - slot, count - row);
            System.arraycopy(page.keys(), slot, keys, row, rows);
            System.arraycopy(page.times(), slot, times, row, rows);
            int before = 0;
            for (int c = 0; c < layout.columns(); c++) {
                int width = layout.width(c);
                System.arraycopy(
                        page.payload(),
                        before * Page.ROWS + slot * width,
                        payload,
                        before * ROWS + row * width,
                        rows * width);
                before += width;
            }
            row += rows;
        }
    }

    /** Takes the rows of another, in the order given: its row {@code order[i]} becomes row i. */
    void arrange(RowColumns from, int[] order, int count, RowLayout layout) {
        room(layout);
        gather(from.keys, keys, order, count);
        gather(from.times, times, order, count);
        int before = 0;
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            int base = before * ROWS;
            switch (width) {
                case 8 -> gatherLongs(from.payload, payload, base, order, count);
                case 4 -> gatherInts(from.payload, payload, base, order, count);
                default -> gatherBytes(from.payload, payload, base, width, order, count);
            }
            before += width;
        }
    }

    private void room(RowLayout layout) {
        if (payload.length < ROWS * layout.payloadWidth()) {
            payload = new byte[ROWS * layout.payloadWidth()];
        }
    }

    private static void gather(long[] from, long[] to, int[] order, int count) {
        for (int i = 0; i < count; i++) {
            to[i] = from[order[i]];
        }
    }

    private static void gatherLongs(byte[] from, byte[] to, int base, int[] order, int count) {
        for (int i = 0; i < count; i++) {
            LittleEndian.putLong(to, base + i * 8, LittleEndian.getLong(from, base + order[i] * 8));
        }
    }

    private static void gatherInts(byte[] from, byte[] to, int base, int[] order, int count) {
        for (int i = 0; i < count; i++) {
            LittleEndian.putInt(to, base + i * 4, LittleEndian.getInt(from, base + order[i] * 4));
        }
    }

    /** Widths 1 and 2. */
    private static void gatherBytes(byte[] from, byte[] to, int base, int width, int[] order, int count) {
        for (int i = 0; i < count; i++) {
            int row = base + order[i] * width;
            to[base + i * width] = from[row];
            to[base + (i + 1) * width - 1] = from[row + width - 1];
        }
    }
}
