package io.waterwheel.client;

import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import java.util.HashMap;
import java.util.Map;

/**
 * What a client has seen of each stream: by partition the highest position of any verdict, the highest edit, and how
 * far indexers were ahead of the positions. Queries demand at least that, so that answers never go back in time,
 * whichever coordinator gives them (protocol rule 10). Where a name comes to mean another stream, by whichever client,
 * what was seen of the one before is forgotten. Thread-safe.
 */
final class Session {
    /** Guarded by this. By stream. */
    private final Map<String, SessionPositions> seen = new HashMap<>();

    /** The query, demanding what has been seen; one that says itself what was seen of a name is taken at its word. */
    synchronized Query demanding(Query query) {
        SessionPositions before = seen.get(query.stream());
        SessionPositions own = query.seen();
        boolean ofAny =
                own.streamId() == SessionPositions.ANY && !own.positions().isEmpty();
        return before == null || ofAny ? query : query.withSeen(before.and(own));
    }

    /** An answer to a query that demanded this. */
    synchronized void saw(String stream, SessionPositions demanded, Verdict verdict) {
        seen.merge(stream, verdict.seen(), (before, told) -> {
            // Who demands what was seen of a later stream is not answered by one before it, unless the catalog was
            // restored to a time when there was no later one.
            boolean restored = before.isLaterThan(told.streamId()) && demanded.streamId() == before.streamId();
            return restored ? told : before.and(told);
        });
    }

    /** The name means this stream from now on. */
    synchronized void created(String stream, int id) {
        seen.put(stream, new SessionPositions(id, Map.of()));
    }

    synchronized void dropped(String stream) {
        seen.remove(stream);
    }
}
