package io.waterwheel.client;

import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import java.util.HashMap;
import java.util.Map;

/**
 * What a client has seen of each stream: by partition the highest position of any verdict. Queries demand at least
 * that, so that answers never go back in time (protocol rule 10). Thread-safe.
 */
final class Session {
    /** Guarded by this. By stream, by partition. */
    private final Map<String, Map<Integer, Long>> seen = new HashMap<>();

    /** The query, demanding what has been seen besides what it demands itself. */
    synchronized Query demanding(Query query) {
        Map<Integer, Long> positions = seen.get(query.stream());
        if (positions == null) {
            return query;
        }
        Map<Integer, Long> all = new HashMap<>(positions);
        query.seen().forEach((partition, offset) -> all.merge(partition, offset, Math::max));
        return query.withSeen(all);
    }

    synchronized void saw(String stream, Verdict verdict) {
        Map<Integer, Long> positions = seen.computeIfAbsent(stream, name -> new HashMap<>());
        verdict.positions().forEach((partition, offset) -> positions.merge(partition, offset, Math::max));
    }

    /** For when the stream's name comes to mean another stream, whose positions have nothing to do with the old. */
    synchronized void forget(String stream) {
        seen.remove(stream);
    }
}
