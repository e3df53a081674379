package io.waterwheel.query;

import java.util.HashMap;
import java.util.Map;

/**
 * What earlier answers of a session have seen of a stream, and shown of it: no later answer lacks it (protocol rule
 * 10). Immutable.
 *
 * @param streamId id of the stream that the positions are of, as verdicts tell it; {@link #ANY} when they are of
 *     whichever bears the name. A stream's name may come to mean another one, of a higher id
 * @param positions by partition of the topic, the offset below which every tuple has been seen
 * @param edit of the catalog, the highest that an answer was planned on; 0 when none is known
 * @param ahead by indexer that was ahead of the positions: by partition, the offset up to which its tuples were shown;
 *     those alone that are above the positions. Under {@link #EVERY_INDEXER} what holds for all of them
 */
public record SessionPositions(
        int streamId, Map<Integer, Long> positions, long edit, Map<Integer, Map<Integer, Long>> ahead) {
    public static final int ANY = 0;
    /** Stands for each of the indexers, where it is not told which one it was; also on the wire. */
    public static final int EVERY_INDEXER = -1;

    public static final SessionPositions NOTHING = new SessionPositions(ANY, Map.of());

    /** Most offsets ahead that are told apart by indexer; of more the highest of each partition holds for all. */
    public static final int MOST_AHEAD = 10_000;

    public SessionPositions {
        positions = Map.copyOf(positions);
        ahead = bounded(above(positions, ahead));
    }

    /** Where no indexer was ahead. */
    public SessionPositions(int streamId, Map<Integer, Long> positions) {
        this(streamId, positions, 0, Map.of());
    }

    /** What is below the positions, every indexer is asked for anyway. */
    private static Map<Integer, Map<Integer, Long>> above(
            Map<Integer, Long> positions, Map<Integer, Map<Integer, Long>> ahead) {
        Map<Integer, Map<Integer, Long>> above = new HashMap<>();
        ahead.forEach((indexer, offsets) -> {
            Map<Integer, Long> own = new HashMap<>();
            offsets.forEach((partition, offset) -> {
                if (offset > positions.getOrDefault(partition, Long.MIN_VALUE)) {
                    own.put(partition, offset);
                }
            });
            if (!own.isEmpty()) {
                above.put(indexer, Map.copyOf(own));
            }
        });
        return Map.copyOf(above);
    }

    private static Map<Integer, Map<Integer, Long>> bounded(Map<Integer, Map<Integer, Long>> ahead) {
        long entries = ahead.values().stream().mapToLong(Map::size).sum();
        return entries <= MOST_AHEAD ? ahead : Map.of(EVERY_INDEXER, highest(ahead, Map.of()));
    }

    private static Map<Integer, Long> highest(Map<Integer, Map<Integer, Long>> ahead, Map<Integer, Long> least) {
        Map<Integer, Long> highest = new HashMap<>(least);
        ahead.values()
                .forEach(
                        offsets -> offsets.forEach((partition, offset) -> highest.merge(partition, offset, Math::max)));
        return Map.copyOf(highest);
    }

    /**
     * This, if it is of the stream of this id; else nothing, because positions of another stream mean nothing in it.
     */
    public SessionPositions of(int id) {
        return streamId == ANY || streamId == id ? this : NOTHING;
    }

    /** Whether a stream of this id has had a successor of its name. */
    public boolean isLaterThan(int id) {
        return streamId > id;
    }

    /** By partition, the offset that this indexer must have reached to have again what it has shown. */
    public Map<Integer, Long> aheadOf(int indexer) {
        Map<Integer, Long> own = ahead.getOrDefault(indexer, Map.of());
        Map<Integer, Long> every = ahead.getOrDefault(EVERY_INDEXER, Map.of());
        if (every.isEmpty()) {
            return own;
        }
        return highest(Map.of(indexer, own), every);
    }

    /** By partition, an offset above every tuple that was shown: who demands these misses none of them. */
    public Map<Integer, Long> shown() {
        return ahead.isEmpty() ? positions : highest(ahead, positions);
    }

    /** This and what was seen besides; of two streams, that of the later one alone. {@link #ANY} is before all. */
    public SessionPositions and(SessionPositions other) {
        if (streamId != other.streamId) {
            return isLaterThan(other.streamId) ? this : other;
        }
        Map<Integer, Long> all = new HashMap<>(positions);
        other.positions.forEach((partition, offset) -> all.merge(partition, offset, Math::max));
        Map<Integer, Map<Integer, Long>> furthest = new HashMap<>(ahead);
        other.ahead.forEach((indexer, offsets) ->
                furthest.merge(indexer, offsets, (one, two) -> highest(Map.of(indexer, one), two)));
        return new SessionPositions(streamId, all, Math.max(edit, other.edit), furthest);
    }
}
