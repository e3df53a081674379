package io.waterwheel.index;

import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/**
 * Lets equal values of one variable column have the same bytes in an {@link Arena}, and so the same reference: the
 * station of a thousand rows lies there once. Who reads the tree may then tell values apart by their references, but
 * for some that are equal and have two: it remembers up to {@link #MOST_SLOTS} values in 128 KiB, and of three with the
 * same two slots the first and the last. Where few values come again it looks at some only, and copies the others. One
 * thread: the one that inserts.
 */
/*
 * A slot has the reference and the value's first and last eight bytes: up to 16 bytes these are all of it, so that the
 * arena is not looked at. What a slot says is compared in full, so values that were made to have one slot are copied as
 * they would be without it. The slots of a value lie beside each other.
 */
final class SharedValues {
    static final int MOST_SLOTS = 4096;

    private static final int LEAST_SLOTS = 64;
    /** As many it gets at once where there are values for them; more where sharing pays. */
    private static final int FEW_SLOTS = 512;

    /** Longs of a slot: the reference, the first and the last eight bytes. */
    private static final int SLOT_SHIFT = 2;

    private static final int FIRST = 1;
    private static final int LAST = 2;
    /** Values after which it is judged whether sharing pays: at least one in {@link #LEAST_SHARE} was there. */
    private static final int TRIAL = 4096;

    private static final int LEAST_SHARE = 8;
    /** Values that are copied without a look when it does not. */
    private static final int SKIPPED = 16 * TRIAL;

    private static final int WORD = Long.BYTES;

    private final Arena arena;
    private long[] slots = new long[LEAST_SLOTS << SLOT_SHIFT];
    private int filled;
    /** Since the last judgement: values, and those that were not remembered. */
    private int looked;

    private int missed;
    /** Values that are to be copied without a look. */
    private int skip;

    SharedValues(Arena arena) {
        this.arena = arena;
    }

    /** The reference to a value in the arena, which is copied there unless it is remembered; 0 for an empty value. */
    long add(byte[] source, int offset, int length) {
        if (length == 0 || skip > 0) {
            return arena.add(source, offset, length);
        }
        long first;
        long last = 0;
        if (length >= WORD) {
            first = LittleEndian.getLong(source, offset);
            last = LittleEndian.getLong(source, offset + length - WORD);
        } else {
            first = few(source, offset, length);
        }
        int slot = slot(first, last, length);
        if (isHere(slot, first, last, source, offset, length)) {
            return slots[slot];
        }
        int second = slot + (1 << SLOT_SHIFT);
        if (isHere(second, first, last, source, offset, length)) {
            return slots[second];
        }
        long added = arena.add(source, offset, length);
        remember(slots[slot] == 0 ? slot : second, added, first, last);
        return added;
    }

    private boolean isHere(int slot, long first, long last, byte[] source, int offset, int length) {
        long reference = slots[slot];
        return slots[slot + FIRST] == first
                && slots[slot + LAST] == last
                && TupleBlock.referenceLength(reference) == length
                && (length <= 2 * WORD || isSame(reference, source, offset, length));
    }

    /**
     * Notes that a batch of values was added, and judges whether sharing pays.
     *
     * @param mostBytes that it may take to remember values, beyond what it takes already
     */
    void endBatch(int values, long mostBytes) {
        if (skip > 0) {
            skip = Math.max(0, skip - values);
            return;
        }
        looked += values;
        if (looked < TRIAL) {
            return;
        }
        if (looked - missed < looked / LEAST_SHARE) {
            forget();
            skip = SKIPPED;
        } else if (isCrowded()
                && slots.length < MOST_SLOTS << SLOT_SHIFT
                && 2L * Long.BYTES * slots.length <= mostBytes) {
            grow();
        }
        looked = 0;
        missed = 0;
    }

    /** Remembers nothing any longer: gives its memory back. */
    void forget() {
        slots = new long[LEAST_SLOTS << SLOT_SHIFT];
        filled = 0;
    }

    private void remember(int slot, long reference, long first, long last) {
        missed++;
        filled += slots[slot] == 0 ? 1 : 0;
        slots[slot] = reference;
        slots[slot + FIRST] = first;
        slots[slot + LAST] = last;
        if (isCrowded() && slots.length < FEW_SLOTS << SLOT_SHIFT) {
            grow();
        }
    }

    private boolean isCrowded() {
        return filled > slots.length >> (SLOT_SHIFT + 2);
    }

    /** Fewer than eight bytes as a number. */
    private static long few(byte[] source, int offset, int length) {
        if (offset + WORD <= source.length) {
            // One load, of bytes behind them too, which are cut off.
            return LittleEndian.getLong(source, offset) & (-1L >>> (Byte.SIZE * (WORD - length)));
        }
        long word = 0;
        for (int i = 0; i < length; i++) {
            word |= (source[offset + i] & 0xFFL) << (Byte.SIZE * i);
        }
        return word;
    }

    /** The first of a value's two slots, which lie beside each other. */
    private int slot(long first, long last, int length) {
        long mixed = (first ^ Long.rotateLeft(last, 29) ^ length) * 0x9e3779b97f4a7c15L;
        mixed ^= mixed >>> 32;
        return ((int) ((mixed * 0xbf58476d1ce4e5b9L) >>> 40) << (SLOT_SHIFT + 1)) & (slots.length - 1);
    }

    private boolean isSame(long reference, byte[] source, int offset, int length) {
        int at = TupleBlock.referenceOffset(reference);
        byte[] slab = arena.slabs()[at >>> Integer.numberOfTrailingZeros(PagePool.SLAB_BYTES)];
        int from = at & (PagePool.SLAB_BYTES - 1);
        return Arrays.equals(slab, from, from + length, source, offset, offset + length);
    }

    private void grow() {
        long[] before = slots;
        slots = new long[before.length * 2];
        filled = 0;
        for (int at = 0; at < before.length; at += 1 << SLOT_SHIFT) {
            long reference = before[at];
            if (reference != 0) {
                int slot = slot(before[at + FIRST], before[at + LAST], TupleBlock.referenceLength(reference));
                slot += slots[slot] == 0 ? 0 : 1 << SLOT_SHIFT;
                filled += slots[slot] == 0 ? 1 : 0;
                System.arraycopy(before, at, slots, slot, LAST + 1);
            }
        }
    }
}
