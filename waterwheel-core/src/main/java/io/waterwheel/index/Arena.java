package io.waterwheel.index;

import io.waterwheel.tuple.TupleBlock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The variable-length values of a tree, in slabs of {@link PagePool#SLAB_BYTES}; a value never crosses a slab's end.
 * The offset of a reference is the slab's number times the slab size plus the offset within, unsigned.
 *
 * <p>Owner: the thread that inserts. Readers: threads that hold a lease of the tree. Published by: the size of the leaf
 * that holds the reference; the list of slabs by release, because it is replaced when it grows.
 */
final class Arena {
    private static final VarHandle SLABS;

    static {
        try {
            SLABS = MethodHandles.lookup().findVarHandle(Arena.class, "slabs", byte[][].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PagePool pool;
    private byte[][] slabs = new byte[8][];
    private int slabCount;
    private int filled = PagePool.SLAB_BYTES;

    Arena(PagePool pool) {
        this.pool = pool;
    }

    /** Copies a value and returns the reference to it; 0 for an empty value. */
    long add(byte[] source, int offset, int length) {
        if (length == 0) {
            return 0;
        }
        if (length > TupleBlock.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("a value of " + length + " bytes reached a tree; expected at most "
                    + TupleBlock.MAX_VALUE_BYTES + ", as decoders hold");
        }
        if (length > PagePool.SLAB_BYTES - filled) {
            nextSlab();
        }
        int slab = slabCount - 1;
        System.arraycopy(source, offset, slabs[slab], filled, length);
        // The offset may exceed the range of a positive int; it is read back unsigned.
        long reference = ((long) length << 32) | ((long) slab * PagePool.SLAB_BYTES + filled);
        filled += length;
        return reference;
    }

    private void nextSlab() {
        if (slabCount == 1 << 16) {
            throw new IllegalStateException("a tree's arena is full at 4 GiB: it should have been sealed long before");
        }
        byte[] slab = pool.takeSlab();
        if (slabCount == slabs.length) {
            byte[][] grown = Arrays.copyOf(slabs, slabCount * 2);
            grown[slabCount] = slab;
            SLABS.setRelease(this, grown);
        } else {
            slabs[slabCount] = slab;
        }
        slabCount++;
        filled = 0;
    }

    /** At least the slabs that published references refer to. */
    byte[][] slabs() {
        return (byte[][]) SLABS.getAcquire(this);
    }

    /** Slabs taken from the pool. Writer only. */
    int slabsTaken() {
        return slabCount;
    }

    /** Gives all slabs back. No thread may read or write them afterwards. */
    void recycle() {
        pool.giveSlabs(slabs, slabCount);
        SLABS.setRelease(this, new byte[0][]);
    }
}
