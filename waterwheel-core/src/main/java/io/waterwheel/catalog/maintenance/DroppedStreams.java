package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamEntries;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.WaterwheelException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what is left in the catalog of streams whose drop was not finished: the process died after the stream's entry
 * was gone, or the catalog was away. No clock; not thread-safe.
 *
 * <p>A stream's nodes are made in one transaction with its entry, and ids are not used again: so what was there before
 * the entries were read, and is named by none, was dropped. Whatever a lagging server says, a stream that is alive has
 * routes and indexers, and those go in one transaction with the entry: what has any is never touched.
 */
public final class DroppedStreams {
    private static final Logger LOG = LoggerFactory.getLogger(DroppedStreams.class);

    private final CatalogStore catalog;
    private final long graceNanos;
    /** By id, when it was first seen to be left. */
    private final Map<Integer, Long> leftSince = new HashMap<>();

    /** @param graceNanos for which a drop that is under way is left to the process that does it */
    public DroppedStreams(CatalogStore catalog, long graceNanos) {
        this.catalog = catalog;
        this.graceNanos = graceNanos;
    }

    /**
     * Looks, and removes what has been left for the grace time.
     *
     * @param nowNanos by a clock that never goes back
     * @return number of streams whose remains were removed
     * @throws WaterwheelException TEMPORARY when the catalog is away; the next look tries again
     */
    public int look(long nowNanos) {
        Namespace namespace = new Namespace(catalog);
        Set<Integer> left = new HashSet<>(namespace.dataIds());
        catalog.sync();
        StreamEntries entries = namespace.entries();
        if (!entries.unreadable().isEmpty()) {
            // Which of them these are is not known.
            return 0;
        }
        for (StreamInfo stream : entries.readable()) {
            left.remove(stream.id());
        }
        leftSince.keySet().retainAll(left);
        int removed = 0;
        for (int id : left) {
            long since = leftSince.computeIfAbsent(id, fresh -> nowNanos);
            if (nowNanos - since < graceNanos) {
                continue;
            }
            if (namespace.isLive(id)) {
                LOG.error(
                        "{} is named by no stream's entry, but has routes or indexers: it is left alone",
                        Namespace.dataPath(id));
                continue;
            }
            namespace.removeRemains(id);
            LOG.info("removed {}: left of a stream that was dropped", Namespace.dataPath(id));
            leftSince.remove(id);
            removed++;
        }
        return removed;
    }
}
