package io.waterwheel.index;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * All that an indexer holds of one stream, as one object that readers take at once (protocol rule 9): the trees above
 * the floor, the watermarks, what is committed. Leaf sizes are published before the view that carries their watermarks,
 * so a reader that takes the view first and scans then sees every tuple below the watermarks. It may see later ones:
 * trees go on to grow. How far up these may lie is told by {@code taking}, read after the scan, since that is raised
 * before a block is inserted.
 *
 * <p>Owner: the indexer's thread, a new view per block. Readers: any. Published by: a volatile write of the reference.
 *
 * @param epoch the indexer's epoch
 * @param flushed last committed flush sequence number
 * @param floor last forgotten one: trees above it are all here
 * @param trees ascending in sequence, those of the last one active; a sequence has one to three
 * @param watermarks per partition, first offset not covered; not changed by anyone
 * @param targets per partition, the recovery target
 * @param version highest routing version seen in a block
 * @param recovering whether a watermark is below its target
 * @param heardNanos per partition, when its channel last said anything
 * @param taking per partition, an offset above every tuple of the trees, at any time; the same object for all views of
 *     an instance
 */
@SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
public record FreshView(
        int epoch,
        long flushed,
        long floor,
        List<SequencedTree> trees,
        long[] watermarks,
        long[] targets,
        int version,
        boolean recovering,
        long[] heardNanos,
        AtomicLongArray taking) {
    /** A tree and the flush sequence number under which it is, or will be, committed. */
    public record SequencedTree(long sequence, TemplateTree tree) {}
}
