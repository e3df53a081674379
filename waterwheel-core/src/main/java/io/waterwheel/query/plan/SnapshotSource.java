package io.waterwheel.query.plan;

import io.waterwheel.catalog.state.StreamSnapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/** What a coordinator knows of the streams: snapshots and reports. Thread-safe. */
public interface SnapshotSource {
    /** The present snapshot of a stream; cheap. Empty when there is no such stream. */
    Optional<StreamSnapshot> snapshot(String stream);

    /** A snapshot that holds every edit committed before the call. Empty when there is no such stream. */
    Optional<StreamSnapshot> refreshed(String stream);

    /** The reports of a stream's indexers. */
    Map<Integer, IndexerReports> reports(int streamId);

    /**
     * An answer shows tuples of an indexer from above the answer's own positions: all later ones demand these
     * watermarks of the indexer. Clients that keep a session demand them themselves, of other coordinators too
     * (protocol rule 10).
     */
    void shown(int streamId, int indexer, long[] watermarks);

    /**
     * Which partitions of a stream stand still, why, and what to do: a sentence for each of the first few. None where
     * nothing is known of partitions.
     *
     * @param stream its name, for the sentences
     * @param of the partitions that matter
     */
    default List<String> standing(int streamId, String stream, IntPredicate of) {
        return List.of();
    }
}
