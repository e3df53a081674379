package io.waterwheel.query.run;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.plan.SnapshotSource;
import java.util.HashMap;
import java.util.Map;

/** How far an answer has seen its stream, and how far it shows it (protocol rule 10). One thread. */
final class AnswerPositions {
    private final StreamSnapshot snapshot;
    /** By partition, the least watermark of the indexers that take part. */
    private final Map<Integer, Long> positions = new HashMap<>();
    /** By indexer that had tuples of the answer, offsets above all of them. */
    private final Map<Integer, long[]> fresh = new HashMap<>();

    AnswerPositions(StreamSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** An indexer takes part with all that it has below these watermarks. */
    void lower(long[] watermarks) {
        for (int p = 0; p < watermarks.length; p++) {
            positions.merge(p, watermarks[p], Math::min);
        }
    }

    /** An indexer had tuples of the answer, all below these offsets. */
    void shows(int indexer, long[] watermarks) {
        fresh.put(indexer, watermarks);
    }

    Map<Integer, Long> positions() {
        return positions;
    }

    /** Tells which indexers had tuples above the positions. */
    void tell(SnapshotSource snapshots) {
        fresh.forEach((indexer, watermarks) -> {
            if (isAbove(watermarks)) {
                snapshots.shown(snapshot.stream().id(), indexer, watermarks);
            }
        });
    }

    /**
     * What a session has seen that gets the answer.
     *
     * @param ofChunks whether it has tuples of chunks
     */
    SessionPositions seen(boolean ofChunks) {
        Map<Integer, Map<Integer, Long>> ahead = new HashMap<>();
        fresh.forEach((indexer, watermarks) -> ahead(ahead, indexer, watermarks));
        if (ofChunks) {
            highestCheckpoints(ahead);
        }
        return new SessionPositions(snapshot.stream().id(), positions, snapshot.edit(), ahead);
    }

    /** Of each partition the highest, which its indexer has reached: chunks come with the edit, and need no more. */
    private void highestCheckpoints(Map<Integer, Map<Integer, Long>> ahead) {
        long[] left = snapshot.highestCheckpoints().clone();
        for (Map.Entry<Integer, IndexerCheckpoint> one : snapshot.checkpoints().entrySet()) {
            long[] watermarks = one.getValue().watermarks();
            for (int p = 0; p < left.length; p++) {
                if (watermarks[p] == left[p] && isAbove(left, p)) {
                    ahead.computeIfAbsent(one.getKey(), unused -> new HashMap<>())
                            .merge(p, left[p], Math::max);
                    left[p] = Long.MIN_VALUE;
                }
            }
        }
    }

    private void ahead(Map<Integer, Map<Integer, Long>> ahead, int indexer, long[] watermarks) {
        if (isAbove(watermarks)) {
            Map<Integer, Long> own = ahead.computeIfAbsent(indexer, unused -> new HashMap<>());
            for (int p = 0; p < watermarks.length; p++) {
                if (isAbove(watermarks, p)) {
                    own.merge(p, watermarks[p], Math::max);
                }
            }
        }
    }

    private boolean isAbove(long[] watermarks) {
        for (int p = 0; p < watermarks.length; p++) {
            if (isAbove(watermarks, p)) {
                return true;
            }
        }
        return false;
    }

    /** Without indexers, the answer says nothing of positions. */
    private boolean isAbove(long[] watermarks, int partition) {
        return watermarks[partition] > positions.getOrDefault(partition, Long.MAX_VALUE);
    }
}
