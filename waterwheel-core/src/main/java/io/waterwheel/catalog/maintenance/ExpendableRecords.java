package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.MadeTopic.Mark;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which records of a topic no indexer reads again, for their rows are in chunks: those below the checkpoint of every
 * indexer of every stream of the topic, and that were so some time ago already. Pure functions. Offsets here are the
 * log's.
 */
public final class ExpendableRecords {
    /** There are at most one more than this, and the one that is due, within the delay. */
    private static final int MARKS_A_DELAY = 4;

    private ExpendableRecords() {}

    /**
     * What one stream has of its topic in chunks.
     *
     * @param covered by partition the position that every checkpoint of it has reached
     * @param routes of its partitions, read <em>after</em> that: a position of a log that follows, taken for one of the
     *     log before, would lie beyond its end
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record Reader(long[] covered, List<PartitionRoute> routes) {
        public Reader {
            routes = List.copyOf(routes);
        }
    }

    /**
     * What is to be done.
     *
     * @param before by partition the offset below which records may be deleted now; 0: none
     * @param marks to be remembered, oldest first
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record Step(long[] before, List<Mark> marks) {}

    /**
     * By partition of a topic, the offset below which every stream has all in chunks; 0 where one may need the first
     * record.
     *
     * @param topicId of the topic as it is now
     * @param readers all streams that read a topic of this name
     */
    public static long[] inChunks(String topicId, int partitions, List<Reader> readers) {
        long[] least = new long[partitions];
        if (readers.isEmpty()) {
            return least;
        }
        Arrays.fill(least, Long.MAX_VALUE);
        for (Reader reader : readers) {
            for (int p = 0; p < partitions; p++) {
                least[p] = Math.min(least[p], p < reader.routes().size() ? inChunks(topicId, reader, p) : 0);
            }
        }
        return least;
    }

    private static long inChunks(String topicId, Reader reader, int partition) {
        LogIdentity log = reader.routes().get(partition).log();
        long covered = reader.covered()[partition];
        // Of another log, or one not known: the stream may read this one from its beginning yet.
        return !log.topicId().equals(topicId) || covered < log.since() ? 0 : Math.max(0, covered - log.base());
    }

    /**
     * What of a topic may be deleted now.
     *
     * @param marks that were remembered, oldest first
     * @param inChunks what {@link #inChunks(String, int, List)} says now
     * @param delayMillis for which records stay after their rows came into chunks
     */
    public static Step step(List<Mark> marks, long[] inChunks, long nowMillis, long delayMillis) {
        List<Mark> kept = new ArrayList<>(marks);
        // The clock was set back: they would stand for a time that is not over.
        kept.removeIf(mark -> mark.millis() > nowMillis);
        Mark last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
        if (last == null
                || (nowMillis - last.millis() >= delayMillis / MARKS_A_DELAY
                        && !Arrays.equals(last.offsets(), inChunks))) {
            kept.add(new Mark(nowMillis, inChunks.clone()));
        }
        long[] before = new long[inChunks.length];
        while (!kept.isEmpty() && kept.get(0).millis() <= nowMillis - delayMillis) {
            long[] due = kept.get(0).offsets();
            for (int p = 0; p < before.length; p++) {
                // A stream that came since may need more than was needed then.
                before[p] = p < due.length ? Math.min(due[p], inChunks[p]) : 0;
            }
            if (kept.size() == 1 || kept.get(1).millis() > nowMillis - delayMillis) {
                // It stays, for a process that ends before it has deleted.
                break;
            }
            kept.remove(0);
        }
        return new Step(before, List.copyOf(kept));
    }
}
