package io.waterwheel.query;

import java.util.HashMap;
import java.util.Map;

/**
 * The positions of a stream that earlier answers of a session have reached.
 *
 * @param streamId id of the stream that the positions are of, as verdicts tell it; {@link #ANY} when they are of
 *     whichever bears the name. A stream's name may come to mean another one, of a higher id
 * @param positions by partition of the topic, the offset below which every tuple has been seen
 */
public record SessionPositions(int streamId, Map<Integer, Long> positions) {
    public static final int ANY = 0;
    public static final SessionPositions NOTHING = new SessionPositions(ANY, Map.of());

    public SessionPositions {
        positions = Map.copyOf(positions);
    }

    /**
     * The positions, if they are of the stream of this id; none otherwise, because positions of another stream mean
     * nothing in it.
     */
    public Map<Integer, Long> of(int id) {
        return streamId == ANY || streamId == id ? positions : Map.of();
    }

    /** Whether a stream of this id has had a successor of its name. */
    public boolean isLaterThan(int id) {
        return streamId > id;
    }

    /** This and what was seen besides; of two streams, that of the later one alone. {@link #ANY} is before all. */
    public SessionPositions and(SessionPositions other) {
        if (streamId != other.streamId) {
            return isLaterThan(other.streamId) ? this : other;
        }
        Map<Integer, Long> all = new HashMap<>(positions);
        other.positions.forEach((partition, offset) -> all.merge(partition, offset, Math::max));
        return new SessionPositions(streamId, all);
    }
}
