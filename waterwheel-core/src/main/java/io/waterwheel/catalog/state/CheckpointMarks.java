package io.waterwheel.catalog.state;

import java.util.ArrayList;
import java.util.List;

/**
 * Some of the checkpoints that an indexer has had, oldest first: the one it began with, and one at regular numbers of
 * flushes. A function of the edits alone, and bounded, however long an indexer lives. Immutable.
 *
 * @param stride a flush is kept when its number is a multiple of this; a power of two
 */
public record CheckpointMarks(long stride, List<IndexerCheckpoint> checkpoints) {
    /** Most that are kept; one more, and every second goes. */
    static final int MAX = 32;

    public CheckpointMarks {
        checkpoints = List.copyOf(checkpoints);
    }

    /** Of an indexer that begins, with no flush. */
    static CheckpointMarks beginning(IndexerCheckpoint first) {
        return new CheckpointMarks(1, List.of(first));
    }

    CheckpointMarks flushed(IndexerCheckpoint next) {
        if (next.flushed() % stride != 0) {
            return this;
        }
        List<IndexerCheckpoint> more = new ArrayList<>(checkpoints);
        more.add(next);
        if (more.size() <= MAX) {
            return new CheckpointMarks(stride, more);
        }
        long wider = stride * 2;
        more.removeIf(checkpoint -> checkpoint.flushed() % wider != 0);
        return new CheckpointMarks(wider, more);
    }

    /** With new partitions. Earlier flushes hold nothing of them, so the checkpoints stand at their starts. */
    CheckpointMarks with(long[] starts) {
        return new CheckpointMarks(
                stride,
                checkpoints.stream().map(checkpoint -> checkpoint.with(starts)).toList());
    }

    /** As an older release had it, whose extensions raised the epoch. */
    CheckpointMarks extended(long[] starts) {
        return new CheckpointMarks(
                stride,
                checkpoints.stream()
                        .map(checkpoint -> checkpoint.extended(starts))
                        .toList());
    }
}
