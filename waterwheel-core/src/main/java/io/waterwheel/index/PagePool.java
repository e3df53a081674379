package io.waterwheel.index;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory of all trees of a task: pages and arena slabs, used again from tree to tree, so that inserting produces no
 * garbage. Counts what trees hold; it refuses nothing, because what credit has granted must be taken. The indexer seals
 * before the pool is used up.
 *
 * <p>Free storage is kept up to {@code maxBytes} less what is used; beyond that it is left to the garbage collector.
 * Thread-safe: one short lock, taken about once in 256 tuples.
 */
public final class PagePool {
    /** Bytes of an arena slab; a value never crosses the end of one. */
    public static final int SLAB_BYTES = 64 * 1024;

    /** What a slab takes, its header included. */
    static final int SLAB_COST = SLAB_BYTES + 16;

    /** Free pages of one payload width. */
    private static final class FreePages {
        final int payloadWidth;
        Page[] pages = new Page[64];
        int count;

        FreePages(int payloadWidth) {
            this.payloadWidth = payloadWidth;
        }
    }

    private final long maxBytes;
    // All below: guarded by this.
    private FreePages[] freePages = new FreePages[0];
    private byte[][] freeSlabs = new byte[16][];
    private int freeSlabCount;
    private long usedBytes;
    private long freeBytes;
    private @Nullable TemplateRebuild freeRebuild;

    /** @param maxBytes bound of what is used and what is kept free together; used bytes alone may exceed it */
    public PagePool(long maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("page pool: expected at least 1 byte, got " + maxBytes);
        }
        this.maxBytes = maxBytes;
    }

    public long maxBytes() {
        return maxBytes;
    }

    /** Bytes held by trees. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /** Bytes kept for trees to come. */
    public synchronized long freeBytes() {
        return freeBytes;
    }

    synchronized Page takePage(int payloadWidth) {
        long bytes = Page.bytes(payloadWidth);
        usedBytes += bytes;
        FreePages free = freePages(payloadWidth);
        if (free.count == 0) {
            trim();
            return new Page(payloadWidth);
        }
        freeBytes -= bytes;
        Page page = free.pages[--free.count];
        free.pages[free.count] = null;
        page.reset();
        return page;
    }

    synchronized byte[] takeSlab() {
        usedBytes += SLAB_COST;
        if (freeSlabCount == 0) {
            trim();
            return new byte[SLAB_BYTES];
        }
        freeBytes -= SLAB_COST;
        byte[] slab = freeSlabs[--freeSlabCount];
        freeSlabs[freeSlabCount] = null;
        return slab;
    }

    /** Takes back pages that no thread reads or writes. */
    synchronized void givePages(int payloadWidth, Page[] pages, int count) {
        long bytes = Page.bytes(payloadWidth);
        FreePages free = freePages(payloadWidth);
        for (int i = 0; i < count; i++) {
            usedBytes -= bytes;
            if (usedBytes + freeBytes + bytes > maxBytes) {
                continue;
            }
            if (free.count == free.pages.length) {
                free.pages = Arrays.copyOf(free.pages, free.count * 2);
            }
            free.pages[free.count++] = pages[i];
            freeBytes += bytes;
        }
    }

    synchronized void giveSlabs(byte[][] slabs, int count) {
        for (int i = 0; i < count; i++) {
            usedBytes -= SLAB_COST;
            if (usedBytes + freeBytes + SLAB_COST > maxBytes) {
                continue;
            }
            if (freeSlabCount == freeSlabs.length) {
                freeSlabs = Arrays.copyOf(freeSlabs, freeSlabCount * 2);
            }
            freeSlabs[freeSlabCount++] = slabs[i];
            freeBytes += SLAB_COST;
        }
    }

    /** Scratch for a rebuild: room for 32,768 rows, and for up to 4 MiB of keys; not counted. */
    synchronized TemplateRebuild takeRebuild() {
        TemplateRebuild scratch = freeRebuild;
        freeRebuild = null;
        return scratch == null ? new TemplateRebuild() : scratch;
    }

    synchronized void giveRebuild(TemplateRebuild scratch) {
        freeRebuild = scratch;
    }

    /** Lets go of free storage of other kinds while used and free together exceed the bound. */
    private void trim() {
        while (usedBytes + freeBytes > maxBytes && freeBytes > 0) {
            if (freeSlabCount > 0) {
                freeSlabs[--freeSlabCount] = null;
                freeBytes -= SLAB_COST;
                continue;
            }
            for (FreePages free : freePages) {
                if (free.count > 0) {
                    free.pages[--free.count] = null;
                    freeBytes -= Page.bytes(free.payloadWidth);
                    break;
                }
            }
        }
    }

    private FreePages freePages(int payloadWidth) {
        for (FreePages free : freePages) {
            if (free.payloadWidth == payloadWidth) {
                return free;
            }
        }
        FreePages free = new FreePages(payloadWidth);
        freePages = Arrays.copyOf(freePages, freePages.length + 1);
        freePages[freePages.length - 1] = free;
        return free;
    }
}
