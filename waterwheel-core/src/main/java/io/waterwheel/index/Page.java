package io.waterwheel.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Storage of {@link #ROWS} rows of one leaf, in columns. Which rows are filled is known to the leaf, not to the page.
 *
 * <p>Owner: the thread that inserts into the tree that took the page. Readers: threads with a lease of that tree; they
 * read only rows below the leaf's published size, and change nothing. Published by: the leaf's size.
 */
public final class Page {
    /** Rows a page holds; a power of two. */
    public static final int ROWS = 256;
    /** Page number of a row is {@code row >>> SHIFT}. */
    public static final int SHIFT = 8;
    /** Row within its page is {@code row & MASK}. */
    public static final int MASK = ROWS - 1;

    /** What a page takes beside its rows: object headers. */
    private static final int OVERHEAD = 96;

    private static final VarHandle MIN_TIME;
    private static final VarHandle MAX_TIME;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MIN_TIME = lookup.findVarHandle(Page.class, "minTime", long.class);
            MAX_TIME = lookup.findVarHandle(Page.class, "maxTime", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] keys = new long[ROWS];
    private final long[] times = new long[ROWS];
    private final byte[] payload;
    private long minTime;
    private long maxTime;

    Page(int payloadWidth) {
        this.payload = new byte[ROWS * payloadWidth];
        reset();
    }

    void reset() {
        minTime = Long.MAX_VALUE;
        maxTime = Long.MIN_VALUE;
    }

    /** Keys by row within the page. */
    public long[] keys() {
        return keys;
    }

    /** Times by row within the page. */
    public long[] times() {
        return times;
    }

    /** Payload columns one after the other; column c begins at {@link #ROWS} times the width of those before it. */
    public byte[] payload() {
        return payload;
    }

    /** Widens the page's time range. Writer, before it publishes the rows. */
    void addTimes(long from, long to) {
        if (from < minTime) {
            MIN_TIME.setOpaque(this, from);
        }
        if (to > maxTime) {
            MAX_TIME.setOpaque(this, to);
        }
    }

    /** No published row is earlier. Read after the leaf's size. */
    public long minTime() {
        return (long) MIN_TIME.getOpaque(this);
    }

    /** No published row is later. Read after the leaf's size. */
    public long maxTime() {
        return (long) MAX_TIME.getOpaque(this);
    }

    static long bytes(int payloadWidth) {
        return (long) ROWS * (16 + payloadWidth) + OVERHEAD;
    }
}
