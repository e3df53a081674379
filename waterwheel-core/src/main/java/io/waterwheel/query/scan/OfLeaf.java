package io.waterwheel.query.scan;

/** What is known of a leaf of the chunk that is scanned, by its number. */
interface OfLeaf {
    boolean test(int leaf);
}
