package io.waterwheel.index;

import io.waterwheel.tuple.LittleEndian;

/**
 * Where each row of a batch goes: scratch of the thread that inserts, used again for each batch. For rows that come in
 * any order; {@link LeafGroups} is for those of which many go to the same leaf.
 */
final class RowPlacement {
    /* Grouping such rows by leaf first was a third slower: four rows of a thousand go to the same of 256 leaves, and
     * loops so short cost more than looking up the page again. */

    /** Most rows of a batch: few enough that the batch stays in the nearest cache. */
    static final int ROWS = 1024;

    final int[] leaf = new int[ROWS];
    final int[] slot = new int[ROWS];
    final Page[] page = new Page[ROWS];

    /** Copies one column of placed rows; row i of them lies at {@code sourceFrom + i * width}. */
    void copyColumn(byte[] source, int sourceFrom, int width, int pageOffset, int count) {
        switch (width) {
            case 1 -> {
                for (int i = 0; i < count; i++) {
                    page[i].payload()[pageOffset + slot[i]] = source[sourceFrom + i];
                }
            }
            case 2 -> {
                for (int i = 0; i < count; i++) {
                    short value = LittleEndian.getShort(source, sourceFrom + i * 2);
                    LittleEndian.putShort(page[i].payload(), pageOffset + slot[i] * 2, value);
                }
            }
            case 4 -> {
                for (int i = 0; i < count; i++) {
                    int value = LittleEndian.getInt(source, sourceFrom + i * 4);
                    LittleEndian.putInt(page[i].payload(), pageOffset + slot[i] * 4, value);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    long value = LittleEndian.getLong(source, sourceFrom + i * 8);
                    LittleEndian.putLong(page[i].payload(), pageOffset + slot[i] * 8, value);
                }
            }
        }
    }
}
