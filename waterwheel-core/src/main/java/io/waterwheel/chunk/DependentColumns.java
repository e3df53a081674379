package io.waterwheel.chunk;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import org.jspecify.annotations.Nullable;

/**
 * Makes parts of leaves that have no values, as their columns follow from others: see {@link ChunkDirectory#follows}.
 * Remembers the last source, as several columns may follow from it. One thread.
 */
public final class DependentColumns {
    private final ChunkDirectory directory;
    private @Nullable LeafPart lastSource;
    private int[] lastNumbers = {};

    public DependentColumns(ChunkDirectory directory) {
        this.directory = directory;
    }

    /**
     * Makes a part of a leaf.
     *
     * @param part one that {@link ChunkDirectory#follows follows} in the leaf
     * @param source the leaf's part that {@link ChunkDirectory#source} names
     * @throws CorruptChunkException where the source is not as the writer would have had it
     */
    public LeafPart make(int leaf, int part, LeafPart source) {
        int column = part - ChunkFormat.FIRST_COLUMN;
        Dependencies dependencies = directory.dependencies();
        if (lastSource != source) {
            int[] numbers = dependencies.numbers(column, source, directory.rows(leaf));
            if (numbers == null) {
                throw damaged(
                        leaf,
                        part,
                        "only values of column " + dependencies.source(column) + " that section 10 or 12 has",
                        "another");
            }
            lastNumbers = numbers;
            lastSource = source;
        }
        return LeafPart.ofFixed(
                dependencies.values(column, lastNumbers, directory.layout().width(column)));
    }

    private CorruptChunkException damaged(int leaf, int part, String expected, String actual) {
        return new CorruptChunkException(
                directory.file(), ChunkFormat.name(leaf, part), directory.offset(leaf, part), expected, actual);
    }
}
