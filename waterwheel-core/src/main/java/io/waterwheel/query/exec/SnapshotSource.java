package io.waterwheel.query.exec;

import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Control;
import java.util.Map;
import java.util.Optional;

/** What a coordinator knows of the streams: snapshots and reports. Thread-safe. */
public interface SnapshotSource {
    /** The present snapshot of a stream; cheap. Empty when there is no such stream. */
    Optional<StreamSnapshot> snapshot(String stream);

    /** A snapshot that holds every edit committed before the call. Empty when there is no such stream. */
    Optional<StreamSnapshot> refreshed(String stream);

    /** The latest report of each indexer of a stream. */
    Map<Integer, Control.Report> reports(int streamId);
}
