package io.waterwheel.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * For each planted bug that none of the first seeds finds, one that does: so that a build need not search. A seed below
 * 0 is that one of the log with an even mix ({@link LogSimulation.Mix}).
 */
final class PlantedSeeds {
    private static final Path FILE =
            Path.of("src", "test", "resources", "io", "waterwheel", "sim", "planted-seeds.txt");
    /** Trying so many is no search. */
    static final int FEW = 3;

    private static final Pattern LINE = Pattern.compile("(-?\\d{1,18}) (\\S.*)");
    static final boolean REGENERATE = Boolean.getBoolean("waterwheel.regenerate");

    private final List<String> head = new ArrayList<>();
    private final Map<String, Long> seeds = new TreeMap<>();

    /** Those of the file. */
    PlantedSeeds() throws IOException {
        List<String> lines = Files.readAllLines(FILE);
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            if (line.startsWith("#")) {
                head.add(line);
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            boolean good = matcher.matches() && seeds.put(matcher.group(2), Long.valueOf(matcher.group(1))) == null;
            // As a merge may leave them; what writes the file anew passes over them.
            if (!good && !REGENERATE) {
                throw new IOException(FILE + ":" + number + ": \"" + line
                        + "\" is no seed and name of a planted bug, or the name stands twice; write the file anew with"
                        + " ./waterwheel test PlantedBugTest -Dwaterwheel.regenerate=true");
            }
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

    /** Names in the file that none of these bugs has. */
    List<String> withoutBug(List<PlantedBug> bugs) {
        List<String> names = new ArrayList<>(seeds.keySet());
        names.removeAll(bugs.stream().map(PlantedBug::name).toList());
        return names;
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
