package io.waterwheel.tuple;

/**
 * Which version of the scales of its dimensions a key was made by. Scales are the cuts that divide the values of
 * dimensions into cells. They may be learned anew: later tuples are keyed by a new version, and the keys that there are
 * stay. A key of version 1 is made of cells alone, and not below 0. One of a later version V has the sign bit set, and
 * V - 1 in the four bits below it, so the keys of two versions never meet. Keys of other kinds have no version.
 */
public final class ScaleVersion {
    /** Versions that a stream can have. */
    public static final int MOST = 16;

    /** Bits of cells that a key of a later version has room for. */
    public static final int CELL_BITS = 59;

    private ScaleVersion() {}

    /** The version that a key of dimensions was made by, 1 to {@link #MOST}. */
    public static int of(long key) {
        return key >= 0 ? 1 : (int) (key >>> CELL_BITS & MOST - 1) + 1;
    }

    /**
     * The bits that all keys of a version have beside those of their cells.
     *
     * @param version 1 to {@link #MOST}
     */
    public static long prefix(int version) {
        if (version < 1 || version > MOST) {
            throw new IllegalArgumentException("expected a version of scales from 1 to " + MOST + ", got " + version);
        }
        return version == 1 ? 0 : Long.MIN_VALUE | (version - 1L) << CELL_BITS;
    }
}
