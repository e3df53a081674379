package io.waterwheel.query;

/**
 * Why a chunk, or a leaf of one, holds nothing that a query asks for, by what is known of it without reading it. The
 * constants are in the order in which they are looked at: what several rule out counts for the first. A new way to
 * prune takes a constant here, and a line where it prunes; nothing else tells reasons apart.
 */
public enum PruneReason {
    /** The cells of a field that is a dimension of the key. */
    DIMENSION("dimension"),
    /** The least and the greatest key. Of a tree, its empty leaves too. */
    KEY("key"),
    /** The earliest and the latest time. */
    TIME("time"),
    /** The time sketch: within the range of times, but in none of the query's moments. */
    SKETCH("time sketch"),
    /** The zone of a field: its least and greatest value, and the number of nulls and NaNs. */
    ZONE("zone"),
    /** The dictionary of a field, which names the leaves that have a value. */
    DICTIONARY("dictionary"),
    /** The Bloom filter of a field, where its zone does not tell. */
    BLOOM("Bloom filter"),
    /** The text index of a field, which names the leaves that have the three bytes in a row that a text is made of. */
    TEXT("text index"),
    /** The zone of a field by which an order with a limit knows that none of its tuples is among the first. */
    ORDER("order");

    private final String text;

    PruneReason(String text) {
        this.text = text;
    }

    /** As people and messages call it. */
    @Override
    public String toString() {
        return text;
    }
}
