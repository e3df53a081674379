package io.waterwheel.key;

import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;

/** Fills the keys of a block's rows as the schema says. Immutable; any thread. Allocates only for refused rows. */
public abstract class KeyMaker {
    KeyMaker() {}

    /**
     * The key maker of a stream.
     *
     * @param layout the stored layout of the schema
     */
    public static KeyMaker of(RowLayout layout, Schema schema) {
        return KeyScheme.of(schema).maker(layout);
    }

    /**
     * Sets the keys of rows [fromRow, size), the rows of one record. A row whose key cannot be made is reported and
     * removed: the rows behind it move up and the size falls. The key of a field of whole numbers is already in place.
     *
     * @return number of rows removed
     */
    public abstract int fill(TupleBlock block, int fromRow, RowRejects rejects);

    /** Moves all but the key. The arena keeps the bytes of removed rows: they are few and the block is short-lived. */
    static void moveRow(TupleBlock block, int from, int to) {
        block.times()[to] = block.times()[from];
        RowLayout layout = block.layout();
        for (int c = 0; c < layout.columns(); c++) {
            int width = layout.width(c);
            System.arraycopy(block.column(c), from * width, block.column(c), to * width, width);
        }
    }
}
