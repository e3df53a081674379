package io.waterwheel.client;

import io.waterwheel.query.Query;
import io.waterwheel.query.Seen;
import io.waterwheel.query.Verdict;
import java.util.HashMap;
import java.util.Map;

/**
 * What a client has seen of each stream: by partition the highest position of any verdict. Queries demand at least
 * that, so that answers never go back in time (protocol rule 10). Where a name comes to mean another stream, whoever
 * made it, what was seen of the one before is forgotten. Thread-safe.
 */
final class Session {
    /** Guarded by this. By stream. */
    private final Map<String, Seen> seen = new HashMap<>();

    /** The query, demanding what has been seen besides what it demands itself. */
    synchronized Query demanding(Query query) {
        Seen before = seen.get(query.stream());
        return before == null ? query : query.withSeen(before.and(query.seen()));
    }

    synchronized void saw(String stream, Verdict verdict) {
        seen.merge(stream, verdict.seen(), Seen::and);
    }
}
