package io.waterwheel.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How a cluster is set up.
 *
 * @param dist folder that the build fills: {@code NAME/lib} for each kind of process
 * @param folder where everything of this cluster is kept
 * @param pairs DataNodes, and as many Supervisors; 1 to 9. A single pair is on 127.0.0.1; of several, pair n is on
 *     127.0.0.(n+1), so that each is a host of its own to HDFS and to Storm
 * @param slots workers that each Supervisor may run, at least 1
 * @param replication copies that HDFS keeps of a block, 1 to {@code pairs}. Fewer than there are DataNodes, or every
 *     host would hold everything and locality would mean nothing
 * @param basePort first of the ports, which follow one another; 0: free ones, wherever they are
 * @param storm further entries of {@code storm.yaml}, which win
 * @param places by a daemon's name where it runs instead of on loopback; none for those that are not named
 * @param jvm further options of every JVM, workers included
 */
public record ClusterSettings(
        Path dist,
        Path folder,
        int pairs,
        int slots,
        int replication,
        int basePort,
        Map<String, String> storm,
        Map<String, Place> places,
        List<String> jvm) {
    /**
     * Where a daemon runs.
     *
     * @param host the address where it listens and is known
     * @param prefix words before its command, {@code ip netns exec NAME} for instance; they must become the daemon, not
     *     start it beside themselves
     */
    public record Place(String host, List<String> prefix) {
        public Place {
            prefix = List.copyOf(prefix);
        }
    }

    private static final int MOST_PAIRS = 9;
    private static final int MOST_PORT = 65_000;

    public ClusterSettings {
        require("pairs", pairs, 1, MOST_PAIRS);
        require("slots", slots, 1, 100);
        require("replication", replication, 1, pairs);
        if (basePort != 0) {
            require("base port", basePort, 1024, MOST_PORT);
        }
        dist = dist.toAbsolutePath().normalize();
        folder = folder.toAbsolutePath().normalize();
        storm = Map.copyOf(storm);
        places = Map.copyOf(places);
        jvm = List.copyOf(jvm);
        if (folder.toString().matches(".*[\\s:%\"'].*")) {
            throw new IllegalArgumentException(
                    "the cluster's folder: " + folder + " has a blank, colon, per cent sign or"
                            + " quote in its name, which Storm and Java cannot have in options; take another");
        }
    }

    private static void require(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + ": expected " + least + " to " + most + ", got " + value);
        }
    }

    /** One DataNode, one Supervisor with three slots, free ports, Storm as it comes: the smallest cluster. */
    public static ClusterSettings of(Path dist, Path folder) {
        return new ClusterSettings(dist, folder, 1, 3, 1, 0, Map.of(), Map.of(), List.of());
    }

    /** Three DataNodes and three Supervisors with two slots each, two copies of a block, free ports. */
    public static ClusterSettings ofThree(Path dist, Path folder) {
        return new ClusterSettings(dist, folder, 3, 2, 2, 0, Map.of(), Map.of(), List.of());
    }

    /** The same with these entries of {@code storm.yaml}. */
    public ClusterSettings withStorm(Map<String, String> entries) {
        return new ClusterSettings(dist, folder, pairs, slots, replication, basePort, entries, places, jvm);
    }

    /** The same with a number of copies of each block. */
    public ClusterSettings withReplication(int copies) {
        return new ClusterSettings(dist, folder, pairs, slots, copies, basePort, storm, places, jvm);
    }

    /** The same with these daemons elsewhere than on loopback, each by its name. */
    public ClusterSettings withPlaces(Map<String, Place> elsewhere) {
        return new ClusterSettings(dist, folder, pairs, slots, replication, basePort, storm, elsewhere, jvm);
    }

    /** The same with further options of every JVM. */
    public ClusterSettings withJvm(List<String> options) {
        return new ClusterSettings(dist, folder, pairs, slots, replication, basePort, storm, places, options);
    }
}
