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
            return restored ? told : withEdit(before.and(told), before, demanded, told);
        });
    }

    /**
     * All of it, of the edit to demand: the highest, unless the answer to who demanded that is of an earlier one. A
     * coordinator gives such an answer only after it has read on, so the catalog was restored, and would have to read
     * on for each query to come.
     */
    private static SessionPositions withEdit(
            SessionPositions all, SessionPositions before, SessionPositions demanded, SessionPositions told) {
        boolean sameStream = before.streamId() == told.streamId() && demanded.streamId() == told.streamId();
        // One of a server that tells no edit, or that is late and answers a query from before the highest, lowers none.
        boolean restored =
                sameStream && 0 < told.edit() && told.edit() < before.edit() && demanded.edit() >= before.edit();
        return restored ? new SessionPositions(all.streamId(), all.positions(), told.edit(), all.ahead()) : all;
    }

    /** The name means this stream from now on. */
    synchronized void created(String stream, int id) {
        seen.put(stream, new SessionPositions(id, Map.of()));
    }

    synchronized void dropped(String stream) {
        seen.remove(stream);
    }
}
