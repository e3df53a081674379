package io.waterwheel.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * For each planted bug that none of the first seeds finds, one that does: so that a build need not search. A seed below
 * 0 is that one of the log with an even mix ({@link LogSimulation.Mix}).
 */
final class PlantedSeeds {
    private static final Path FILE =
            Path.of("src", "test", "resources", "io", "waterwheel", "sim", "planted-seeds.txt");
    /** Trying so many is no search. */
    static final int FEW = 3;

    private final List<String> head = new ArrayList<>();
    private final Map<String, Long> seeds = new TreeMap<>();

    /** Those of the file. */
    PlantedSeeds() throws IOException {
        for (String line : Files.readAllLines(FILE)) {
            if (line.startsWith("#")) {
                head.add(line);
                continue;
            }
            int space = line.indexOf(' ');
            seeds.put(line.substring(space + 1), Long.valueOf(line.substring(0, space)));
        }
    }

    /** 0 when it is among the first. */
    long of(PlantedBug bug) {
        return seeds.getOrDefault(bug.name(), 0L);
    }

    /** Takes the seed that found a bug. */
    void found(PlantedBug bug, long seed) {
        if (seed > 0 && seed <= FEW) {
            seeds.remove(bug.name());
        } else if (seed != 0) {
            seeds.put(bug.name(), seed);
        }
    }

    void retain(List<PlantedBug> bugs) {
        seeds.keySet().retainAll(bugs.stream().map(PlantedBug::name).toList());
    }

    void write() throws IOException {
        List<String> lines = new ArrayList<>(head);
        seeds.forEach((name, seed) -> lines.add(seed + " " + name));
        Files.write(FILE, lines);
    }
}
