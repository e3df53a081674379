package io.waterwheel.chunk;

/**
 * One part of a leaf, decoded: what scans read and the cache keeps. Immutable by agreement: its arrays are shared and
 * must not be changed.
 */
public final class LeafPart {
    private static final long[] NO_LONGS = {};
    private static final byte[] NO_BYTES = {};
    /** Headers of this and its arrays. */
    private static final int OVERHEAD = 80;

    private final long[] longs;
    private final byte[] bytes;
    private final byte[] arena;

    private LeafPart(long[] longs, byte[] bytes, byte[] arena) {
        this.longs = longs;
        this.bytes = bytes;
        this.arena = arena;
    }

    static LeafPart ofLongs(long[] longs) {
        return new LeafPart(longs, NO_BYTES, NO_BYTES);
    }

    static LeafPart ofFixed(byte[] values) {
        return new LeafPart(NO_LONGS, values, NO_BYTES);
    }

    static LeafPart ofVariable(byte[] references, byte[] arena) {
        return new LeafPart(NO_LONGS, references, arena);
    }

    /** Keys or times by row; empty for columns. */
    public long[] longs() {
        return longs;
    }

    /** A column's values as in a tuple block, or its references into {@link #arena}; empty for keys and times. */
    public byte[] bytes() {
        return bytes;
    }

    /** What the references of a variable column refer to. Values that are equal may share their bytes. */
    public byte[] arena() {
        return arena;
    }

    /** Bytes of memory it takes. */
    public int weight() {
        return longs.length * 8 + bytes.length + arena.length + OVERHEAD;
    }
}
