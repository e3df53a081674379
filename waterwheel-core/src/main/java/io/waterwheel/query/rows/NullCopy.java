package io.waterwheel.query.rows;

import io.waterwheel.query.column.RowView;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NullBits;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/** Copies null masks of selected rows into result blocks, and takes no memory for it. Immutable; any thread. */
final class NullCopy {
    /** Nulls of a square of 8 rows and 8 fields that are set one by one in less time than the square is turned. */
    private static final int FEW = 8;

    private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;

    /** The column of the stored masks; -1 without one. */
    private final int from;
    /** Bytes of a stored mask. */
    private final int storedWidth;
    /** The column of the result's masks; -1 without one. */
    private final int to;
    /** Bytes of a mask of the result. */
    private final int width;
    /** By pair of a stored field and one of the result that may both be null: the bits in their masks. */
    private final int[] sources;

    private final int[] targets;
    /** By byte of a mask of the result, a bit for each pair whose target it has: they are at most 64. */
    private final long[] pairs;

    /** @param fields by field of the result the index of a stored one; below 0 what is never null */
    NullCopy(RowLayout stored, int[] fields, RowLayout result) {
        this.from = stored.nullMaskColumn();
        this.storedWidth = from < 0 ? 0 : stored.width(from);
        this.to = result.nullMaskColumn();
        this.width = to < 0 ? 0 : result.width(to);
        int[] sourceBits = new int[fields.length];
        int[] targetBits = new int[fields.length];
        this.pairs = new long[width];
        int count = 0;
        for (int r = 0; r < fields.length; r++) {
            int source = fields[r] < 0 ? -1 : stored.nullBit(fields[r]);
            int target = result.nullBit(r);
            if (source >= 0 && target >= 0) {
                pairs[target >>> 3] |= 1L << count;
                sourceBits[count] = source;
                targetBits[count++] = target;
            }
        }
        this.sources = Arrays.copyOf(sourceBits, count);
        this.targets = Arrays.copyOf(targetBits, count);
    }

    /** Copies the masks of selected rows into those of a block from a row on. Without stored masks they stay. */
    void copy(RowView view, int[] selected, int start, int rows, TupleBlock into, int first) {
        if (from < 0 || to < 0) {
            return;
        }
        byte[] out = into.column(to);
        Arrays.fill(out, first * width, (first + rows) * width, (byte) 0);
        if (sources.length == 0) {
            return;
        }
        NullBits byField = view.nulls;
        if (byField == null) {
            copyMasks(view.columns[from], view.bases[from], selected, start, rows, into, first);
        } else {
            copyBits(byField, selected, start, rows, out, first);
        }
    }

    private void copyMasks(byte[] masks, int base, int[] selected, int start, int rows, TupleBlock into, int first) {
        for (int i = 0; i < rows; i++) {
            int at = base + selected[start + i] * storedWidth;
            long mask =
                    switch (storedWidth) {
                        case 1 -> masks[at];
                        case 2 -> LittleEndian.getShort(masks, at);
                        case 4 -> LittleEndian.getInt(masks, at);
                        default -> LittleEndian.getLong(masks, at);
                    };
            if (mask != 0) {
                long translated = 0;
                for (int pair = 0; pair < sources.length; pair++) {
                    translated |= (mask >>> sources[pair] & 1) << targets[pair];
                }
                into.setNullMask(first + i, translated);
            }
        }
    }

    /** Copies rows that lie in one word of 64, and ascend, together. */
    private void copyBits(NullBits nulls, int[] selected, int start, int rows, byte[] out, int first) {
        long active = 0;
        for (int pair = 0; pair < sources.length; pair++) {
            active |= (nulls.some() >>> sources[pair] & 1) << pair;
        }
        if (active == 0) {
            return;
        }
        int i = 0;
        while (i < rows) {
            int row = selected[start + i];
            int word = row >>> 6;
            int end = (word + 1) << 6;
            long chosen = 1L << row;
            int next = i + 1;
            while (next < rows && selected[start + next] > row && selected[start + next] < end) {
                row = selected[start + next++];
                chosen |= 1L << row;
            }
            copyWord(nulls, active, word * Long.BYTES, chosen, out, (first + i) * width);
            i = next;
        }
    }

    /** Copies the chosen of 64 rows, whose masks in the result follow each other. */
    private void copyWord(NullBits nulls, long active, int word, long chosen, byte[] out, int at) {
        // Of squares that have a row: a byte that is not 0 has its highest bit then.
        int few = FEW * Long.bitCount((((chosen & LOW_BITS) + LOW_BITS) | chosen) & ~LOW_BITS);
        boolean mayBeMany = Long.bitCount(chosen) * 8 > few;
        for (int b = 0; b < width; b++) {
            long some = active & pairs[b];
            if (mayBeMany && count(nulls, some, word, chosen) > few) {
                turn(nulls, some, word, chosen, out, at + b);
            } else {
                set(nulls, some, word, chosen, out, at + b);
            }
        }
    }

    private int count(NullBits nulls, long some, int word, long chosen) {
        int count = 0;
        for (long left = some; left != 0; left &= left - 1) {
            int field = sources[Long.numberOfTrailingZeros(left)];
            count += Long.bitCount(LittleEndian.getLong(nulls.bits(), nulls.start(field) + word) & chosen);
        }
        return count;
    }

    /** Sets bit by bit. */
    private void set(NullBits nulls, long some, int word, long chosen, byte[] out, int at) {
        for (long left = some; left != 0; left &= left - 1) {
            int pair = Long.numberOfTrailingZeros(left);
            long of = LittleEndian.getLong(nulls.bits(), nulls.start(sources[pair]) + word) & chosen;
            int bit = 1 << (targets[pair] & 7);
            for (; of != 0; of &= of - 1) {
                int before = Long.bitCount(chosen & (Long.lowestOneBit(of) - 1));
                out[at + before * width] |= (byte) bit;
            }
        }
    }

    /** Turns the bits of at most 8 fields, 8 rows at a time. */
    private void turn(NullBits nulls, long some, int word, long chosen, byte[] out, int at) {
        byte[] bits = nulls.bits();
        int to = at;
        for (int block = 0; block < Long.BYTES; block++) {
            int rows = (int) (chosen >>> (block << 3)) & 0xFF;
            if (rows == 0) {
                continue;
            }
            long square = 0;
            for (long left = some; left != 0; left &= left - 1) {
                int pair = Long.numberOfTrailingZeros(left);
                square |= (bits[nulls.start(sources[pair]) + word + block] & 0xFFL) << ((targets[pair] & 7) << 3);
            }
            long masks = NullBits.transposed(square);
            for (; rows != 0; rows &= rows - 1) {
                out[to] = (byte) (masks >>> (Integer.numberOfTrailingZeros(rows) << 3));
                to += width;
            }
        }
    }
}
