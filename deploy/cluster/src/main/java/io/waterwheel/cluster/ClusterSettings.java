package io.waterwheel.cluster;

import java.nio.file.Path;
import java.util.Map;

/**
 * How a cluster is set up.
 *
 * @param dist folder that the build fills: {@code NAME/lib} for each kind of process
 * @param folder where everything of this cluster is kept; emptied at the start
 * @param slots workers that the Supervisor may run, at least 1
 * @param storm further entries of {@code storm.yaml}, which win
 */
public record ClusterSettings(Path dist, Path folder, int slots, Map<String, String> storm) {
    public ClusterSettings {
        if (slots < 1) {
            throw new IllegalArgumentException("slots: expected at least 1, got " + slots);
        }
        dist = dist.toAbsolutePath().normalize();
        folder = folder.toAbsolutePath().normalize();
        storm = Map.copyOf(storm);
    }

    /** Three slots, Storm as it comes. */
    public static ClusterSettings of(Path dist, Path folder) {
        return new ClusterSettings(dist, folder, 3, Map.of());
    }
}
