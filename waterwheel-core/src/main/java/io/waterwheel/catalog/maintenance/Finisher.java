package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;

/**
 * Finishes changes of the catalog that somebody has begun and not finished, since he died or the catalog was away:
 * routing tables that not every partition has adopted, indexers that have not been told of new partitions. Any number
 * may do so at once, also beside the process that began it. No threads, no clock.
 */
public final class Finisher {
    private final StreamSnapshots snapshots;

    public Finisher(StreamSnapshots snapshots) {
        this.snapshots = snapshots;
    }

    /** Whether a snapshot shows that there is something to do. */
    public static boolean isDue(StreamSnapshot snapshot) {
        return snapshot.announced().isPresent() || !snapshot.narrow().isEmpty();
    }

    /**
     * Looks at one stream; blocks.
     *
     * @return whether there was anything to do
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when the catalog is away or busy; the next call goes on
     */
    public boolean finish(StreamInfo stream) {
        StreamSnapshot snapshot = snapshots.advance(stream);
        return new StreamCatalog(snapshots.catalog(), snapshot.stream()).finish(snapshot);
    }
}
