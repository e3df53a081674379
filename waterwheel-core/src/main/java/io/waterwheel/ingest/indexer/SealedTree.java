package io.waterwheel.ingest.indexer;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.index.TemplateTree;
import java.util.List;

/**
 * Trees that take no more tuples, on their way to the chunks of one flush.
 *
 * @param streamId the stream
 * @param indexer the logical indexer
 * @param flush its flush sequence number
 * @param parts its tuples, possibly none
 * @param next the checkpoint once it is committed; fixed when the trees were sealed (protocol rule 7)
 * @param reason why they were sealed
 */
public record SealedTree(
        int streamId, int indexer, long flush, List<Part> parts, IndexerCheckpoint next, Reason reason) {
    /**
     * One tree of the flush.
     *
     * @param number of its chunk in the flush: 0 the main tree, which there is always, 1 late tuples, 2 those ahead
     */
    public record Part(int number, TemplateTree tree) {}

    /** Tuples of all parts. */
    public long tuples() {
        return parts.stream().mapToLong(part -> part.tree().tuples()).sum();
    }

    /** Takes a reader's lease on all trees; false, and none is taken, when one was discarded. */
    public boolean tryRetain() {
        for (int i = 0; i < parts.size(); i++) {
            if (!parts.get(i).tree().tryRetain()) {
                parts.subList(0, i).forEach(part -> part.tree().release());
                return false;
            }
        }
        return true;
    }

    /** Ends a lease that {@link #tryRetain} gave. */
    public void release() {
        parts.forEach(part -> part.tree().release());
    }

    /** Whether the indexer has let go of it before it was committed: it has stopped, and nothing is to be written. */
    public boolean isAbandoned() {
        return parts.get(TreeGroup.MAIN).tree().isDiscarded();
    }

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
