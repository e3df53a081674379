package io.waterwheel.key;

/**
 * Makes the keys of a leaf from its columns, so that a chunk need not store them. The parameters travel in the chunk.
 * Immutable; any thread.
 */
public interface DerivedKeys {
    /** Number of columns that keys are made from; at least 1. */
    int columns();

    /** A payload column that keys are made from; the null mask may be one. */
    int column(int index);

    /**
     * Whether each key is the one that its row gives.
     *
     * @param values by column, the bits of each row's value; of text and bytes, their {@link #code}
     */
    boolean makes(long[] keys, long[][] values, int rows);

    /**
     * The code of a text, or of bytes, by which {@link #makes} knows it.
     *
     * @param index of the column, as of {@link #column}
     */
    default long code(int index, byte[] bytes, int offset, int length) {
        return KeyCodec.ofBytes(bytes, offset, length);
    }

    /**
     * The keys of decoded columns.
     *
     * @param values by column, as in a tuple block
     * @param arenas by column, what references refer to; of columns without references, anything
     */
    long[] keys(byte[][] values, byte[][] arenas, int rows);

    /** What kind of derivation this is in chunk files: 1 to 255. */
    int kind();

    /** The parameters as chunk files hold them; the columns are among them. */
    byte[] parameters();
}
