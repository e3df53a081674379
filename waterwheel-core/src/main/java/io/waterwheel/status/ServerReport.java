package io.waterwheel.status;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a server.
 *
 * @param troubles what is wrong with all streams, in sentences for people
 * @param streams by name
 * @param collector what was done about files without an owner; null when this server's coordinator does not do that
 * @param rollUps what has become of the catalog's edits; null as above
 * @param gateways in front of the server, by place
 */
public record ServerReport(
        List<String> troubles,
        List<StreamReport> streams,
        @Nullable Collector collector,
        @Nullable RollUps rollUps,
        List<Gateway> gateways) {
    public ServerReport {
        troubles = List.copyOf(troubles);
        streams = List.copyOf(streams);
        gateways = List.copyOf(gateways);
    }

    /** The same of one stream, or of none where it has no such stream; what is wrong with all of them stays. */
    public ServerReport only(String stream) {
        return new ServerReport(
                troubles,
                streams.stream().filter(one -> one.name().equals(stream)).toList(),
                collector,
                rollUps,
                List.of());
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

    /**
     * A gateway that has said in the last 90 seconds that it is there.
     *
     * @param place {@code HOST:PORT}
     * @param version as {@link #version} has it; empty when it does not say, as those of earlier releases
     * @param startedMillis since 1970; 0 when it does not say
     */
    public record Gateway(String place, String version, long startedMillis) {
        /** For people. */
        public String sentence() {
            return "gateway " + place
                    + (version.isEmpty() ? "" : ", version " + version)
                    + (startedMillis == 0
                            ? ""
                            : ", since " + Instant.ofEpochMilli(startedMillis).truncatedTo(ChronoUnit.SECONDS));
        }
    }

    /** The version of the jar that a class is in. */
    public static String version(Class<?> of) {
        String version = of.getPackage().getImplementationVersion();
        return version == null ? "(built from sources)" : version;
    }
}
