package io.waterwheel.topology.sql;

import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.LostRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The verdict of a statement from those of its queries. Not thread-safe. */
final class Verdicts {
    private final List<String> missing = new ArrayList<>();
    private final List<String> stale = new ArrayList<>();
    /** By stream; two queries of one tell the same. */
    private final Map<String, Set<LostRange>> lost = new TreeMap<>();

    private final Map<String, Long> horizons = new HashMap<>();
    private final Map<String, SessionPositions> seen = new HashMap<>();
    private boolean complete = true;
    private long edit = Long.MAX_VALUE;
    private int indexersAsked;
    private int chunksRead;
    private Statistics statistics = Statistics.NONE;

    /** Takes the verdict on a query of a stream. */
    void add(String stream, Verdict verdict) {
        complete &= verdict.complete();
        verdict.missing().forEach(one -> missing.add(stream + ": " + one));
        verdict.stale().forEach(one -> stale.add(stream + ": " + one));
        lost.computeIfAbsent(stream, name -> new LinkedHashSet<>()).addAll(verdict.lost());
        // Two queries of one stream: all of the answer is of what both have seen.
        seen.merge(stream, verdict.seen(), Verdicts::both);
        horizons.merge(stream, verdict.horizon(), Math::max);
        edit = Math.min(edit, verdict.edit());
        indexersAsked += verdict.indexersAsked();
        chunksRead += verdict.chunksRead();
        statistics = statistics.plus(verdict.statistics());
    }

    /** Takes what a system table lacks. */
    void lacks(List<String> sentences) {
        complete &= sentences.isEmpty();
        missing.addAll(sentences);
    }

    private static SessionPositions both(SessionPositions one, SessionPositions other) {
        if (one.streamId() != other.streamId()) {
            return SessionPositions.NOTHING;
        }
        Map<Integer, Long> least = new HashMap<>();
        one.positions().forEach((partition, offset) -> {
            Long others = other.positions().get(partition);
            if (others != null) {
                least.put(partition, Math.min(offset, others));
            }
        });
        // One has seen below its positions, of every indexer, what is above those of the other. Who was ahead of them
        // stays told by indexer: a session that demanded it of all would wait for the slowest.
        SessionPositions all = one.and(other);
        Map<Integer, Long> every = new HashMap<>(all.positions());
        every.putAll(all.ahead().getOrDefault(SessionPositions.EVERY_INDEXER, Map.of()));
        Map<Integer, Map<Integer, Long>> ahead = new HashMap<>(all.ahead());
        ahead.put(SessionPositions.EVERY_INDEXER, every);
        return new SessionPositions(all.streamId(), least, all.edit(), ahead);
    }

    /** What is lost of all streams; of several each range says whose. */
    private List<LostRange> lost(boolean single) {
        List<LostRange> all = new ArrayList<>();
        lost.forEach((stream, ranges) -> ranges.forEach(one -> all.add(
                single ? one : new LostRange(one.partition(), one.from(), one.to(), stream + ": " + one.reason()))));
        return all;
    }

    /** Before it the tuples of all streams have expired. */
    private long horizon() {
        return horizons.values().stream().mapToLong(Long::longValue).min().orElse(Retention.NO_HORIZON);
    }

    /**
     * The verdict on the statement.
     *
     * @param rows of its answer
     */
    Verdict merged(long rows) {
        boolean single = seen.size() == 1;
        return new Verdict(
                new Verdict.Completeness(complete, missing, stale),
                single ? seen.values().iterator().next() : SessionPositions.NOTHING,
                new Verdict.Gone(lost(single), horizon()),
                seen.isEmpty() ? 0 : edit,
                rows,
                new Verdict.Effort(indexersAsked, chunksRead, statistics),
                null,
                null,
                single ? Map.of() : seen);
    }
}
