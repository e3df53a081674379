package io.waterwheel.ingest;

import io.waterwheel.catalog.IndexerCheckpoint;
import io.waterwheel.index.TemplateTree;

/**
 * A tree that takes no more tuples, on its way to a chunk.
 *
 * @param streamId the stream
 * @param indexer the logical indexer
 * @param flush its flush sequence number
 * @param tree its tuples, possibly none
 * @param next the checkpoint once it is committed; fixed when the tree was sealed (protocol rule 7)
 * @param reason why it was sealed
 */
public record SealedTree(
        int streamId, int indexer, long flush, TemplateTree tree, IndexerCheckpoint next, Reason reason) {
    /** Why a tree was sealed. */
    public enum Reason {
        /** It reached its full size. */
        SIZE,
        /** Its oldest tuple, or the checkpoint, reached the age limit. */
        AGE,
        /** Somebody asked. */
        REQUEST,
        /** The memory pool could not grant another block. */
        MEMORY
    }
}
