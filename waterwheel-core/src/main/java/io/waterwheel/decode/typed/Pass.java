package io.waterwheel.decode.typed;

/** What a reader looks for when it goes through a record. */
public enum Pass {
    /** The fields outside of the array whose elements are tuples; of a record that is one tuple: all. */
    OUTER,
    /** The elements of that array, and nothing else. */
    ROWS
}
