package io.waterwheel.topology;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind the main class on the command line of {@code storm jar}. Storm's script keeps a {@code --config
 * FILE} for itself, wherever it stands, unless it stands behind {@code --}, and hands it over as a property: the file
 * that Storm is to read instead of {@code storm.yaml}. Who submits a topology of ours and gives one file means ours.
 *
 * @param file Waterwheel's configuration; null for the defaults
 * @param fromStorm whether it is the one that Storm's script kept, so that Storm is to read its {@code storm.yaml}
 * @param settings {@code key=value}, over those of the file
 */
record SubmitArguments(@Nullable Path file, boolean fromStorm, List<String> settings) {
    /**
     * Parses them.
     *
     * @param kept the file that Storm's script kept, empty for none
     * @throws IllegalArgumentException when a word is none of ours
     */
    static SubmitArguments parse(String[] words, String kept) {
        List<String> settings = new ArrayList<>();
        Path file = null;
        for (int i = 0; i < words.length; i++) {
            if (words[i].equals("--config") && i + 1 < words.length) {
                file = Path.of(words[++i]);
            } else if (words[i].contains("=") && !words[i].startsWith("-")) {
                settings.add(words[i]);
            } else {
                throw new IllegalArgumentException("unknown argument '" + words[i]
                        + "'; usage: storm jar JAR io.waterwheel.topology.WaterwheelTopology"
                        + " [-c STORMKEY=VALUE]... [--config FILE] [key=value]...");
            }
        }
        boolean fromStorm = file == null && !kept.isEmpty();
        return new SubmitArguments(fromStorm ? Path.of(kept) : file, fromStorm, List.copyOf(settings));
    }
}
