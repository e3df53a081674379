package io.waterwheel.status;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a server.
 *
 * @param troubles what is wrong with all streams, in sentences for people
 * @param streams by name
 * @param collector what was done about files without an owner; null when this server's coordinator does not do that
 * @param rollUps what has become of the catalog's edits; null as above
 */
public record ServerReport(
        List<String> troubles,
        List<StreamReport> streams,
        @Nullable Collector collector,
        @Nullable RollUps rollUps) {
    public ServerReport {
        troubles = List.copyOf(troubles);
        streams = List.copyOf(streams);
    }

    /**
     * Removal of files without an owner since the coordinator started.
     *
     * @param removed files
     * @param removedBytes of those files
     * @param last what the last look at the store found, or null before the first
     */
    public record Collector(
            long removed, long removedBytes, @Nullable Found last) {}

    /**
     * Files of the store.
     *
     * @param files all of them
     * @param waiting those without an owner that will be removed after the grace time
     * @param foreign those that are not of this catalog
     */
    public record Found(long files, long waiting, long foreign) {}

    /**
     * Rolling up edits into manifests since the coordinator started.
     *
     * @param manifests written
     * @param failure why edits cannot be rolled up; empty when they can
     */
    public record RollUps(long manifests, String failure) {}
}
