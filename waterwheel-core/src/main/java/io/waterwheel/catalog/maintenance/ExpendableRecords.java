package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.MadeTopic.Mark;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which records of a topic no indexer reads again, for their rows are in chunks: those below the checkpoint of every
 * indexer of every stream of the topic, and that were so for some time already. Pure functions. Offsets here are the
 * log's.
 *
 * <p>A checkpoint says nothing of a log that was cut and filled up again since: there its offsets are those of other
 * records. So a partition counts only while each stream reads it without trouble, and a mark only while the leader is
 * the one under which it was made, as a log is cut under a new one only, and while no stream follows another log.
 */
public final class ExpendableRecords {
    /** There are at most one more than this, and the one that is due, within the delay. */
    private static final int MARKS_A_DELAY = 4;

    private ExpendableRecords() {}

    /**
     * A topic as it is, looked at <em>after</em> the checkpoints of its streams were read: then they lie below its
     * ends.
     *
     * @param id of this making of it
     * @param ends by partition one after the last record
     * @param epochs by partition of its leader; -1 where not known
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record Topic(String id, long[] ends, int[] epochs) {}

    /**
     * What one stream has of its topic in chunks.
     *
     * @param stream its id
     * @param covered by partition the position that every checkpoint of it has reached
     * @param routes of its partitions, read <em>after</em> that: a position of a log that follows, taken for one of the
     *     log before, would lie beyond its end
     * @param sound by partition whether the stream reads it now, and finds nothing wrong with its log
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    public record Reader(int stream, long[] covered, List<PartitionRoute> routes, boolean[] sound) {
        public Reader {
            routes = List.copyOf(routes);
        }
    }

    /**
     * How far each stream of a topic has everything in chunks: nothing is known of what came later.
     *
     * @param topic the topic
     * @param readers all streams that read a topic of this name
     */
    public static Mark now(Topic topic, List<Reader> readers, long nowMillis) {
        int partitions = topic.ends().length;
        long[] least = new long[partitions];
        long[] bases = new long[partitions];
        for (int p = 0; p < partitions; p++) {
            least[p] = readers.isEmpty() ? 0 : Long.MAX_VALUE;
            for (Reader reader : readers) {
                boolean known = p < reader.routes().size();
                least[p] = Math.min(least[p], known ? inChunks(topic, reader, p) : 0);
                bases[p] += known
                        ? Mark.baseOf(
                                reader.stream(), reader.routes().get(p).log().base())
                        : 0;
            }
        }
        return new Mark(
                nowMillis,
                readers.stream().mapToInt(Reader::stream).sorted().toArray(),
                least,
                topic.epochs().clone(),
                bases);
    }

    private static long inChunks(Topic topic, Reader reader, int partition) {
        LogIdentity log = reader.routes().get(partition).log();
        long covered = reader.covered()[partition];
        // Of another log, or one not known: the stream may read this one from its beginning yet.
        if (!log.topicId().equals(topic.id())
                || covered < log.since()
                || !reader.sound()[partition]
                || topic.epochs()[partition] < 0) {
            return 0;
        }
        long offset = covered - log.base();
        // Beyond its end: it was cut.
        return offset > topic.ends()[partition] ? 0 : Math.max(0, offset);
    }

    /**
     * Marks to remember, oldest first: those that are not due, the last that is, and the present one where the last is
     * old enough.
     *
     * @param marks that were remembered, oldest first
     * @param delayMillis for which records stay after their rows came into chunks
     */
    public static List<Mark> remembered(List<Mark> marks, Mark now, long delayMillis) {
        List<Mark> kept = usable(marks, now);
        Mark last = kept.isEmpty() ? null : kept.get(kept.size() - 1);
        if (last == null || (now.millis() - last.millis() >= delayMillis / MARKS_A_DELAY && !last.says(now))) {
            kept.add(now);
        }
        while (kept.size() > 1 && kept.get(1).millis() <= now.millis() - delayMillis) {
            kept.remove(0);
        }
        return List.copyOf(kept);
    }

    /** By partition the offset below which records may be deleted now; 0: none. */
    public static long[] before(List<Mark> marks, Mark now, long delayMillis) {
        long[] before = new long[now.offsets().length];
        for (Mark mark : usable(marks, now)) {
            if (mark.millis() <= now.millis() - delayMillis) {
                for (int p = 0; p < before.length; p++) {
                    before[p] = mark.isOfSameLog(now, p) ? Math.min(mark.offsets()[p], now.offsets()[p]) : 0;
                }
            }
        }
        return before;
    }

    /**
     * Without those of a clock that was set back since, and those that know nothing of a stream that reads the topic
     * now: its rows came into chunks later.
     */
    private static List<Mark> usable(List<Mark> marks, Mark now) {
        List<Mark> kept = new ArrayList<>(marks);
        kept.removeIf(mark -> mark.millis() > now.millis()
                || !Arrays.stream(now.streams()).allMatch(stream -> Arrays.binarySearch(mark.streams(), stream) >= 0));
        return kept;
    }
}
