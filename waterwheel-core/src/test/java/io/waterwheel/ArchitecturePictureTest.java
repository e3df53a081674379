package io.waterwheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.ArchitectureTest.Room;
import io.waterwheel.docs.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The picture of the core's packages in ARCHITECTURE.md is that of {@link ArchitectureTest}. To draw it anew:
 * {@code ./waterwheel test ArchitecturePictureTest -Dwaterwheel.regenerate=true}.
 */
final class ArchitecturePictureTest {
    private static final String BEGIN = "```mermaid\n";
    private static final String END = "```\n";

    private final Map<String, Room> rooms = new LinkedHashMap<>();

    ArchitecturePictureTest() {
        ArchitectureTest.ROOMS.forEach(room -> rooms.put(room.name(), room));
    }

    @Test
    void thePictureIsThatOfTheTable() throws IOException {
        Path file = ProjectFiles.ROOT.resolve("ARCHITECTURE.md");
        String page = Files.readString(file);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END, begin);
        if (Boolean.getBoolean("waterwheel.regenerate")) {
            page = page.substring(0, begin) + picture() + page.substring(end);
            Files.writeString(file, page);
            end = page.indexOf(END, begin);
        }
        assertThat(page.substring(begin, end))
                .as("the picture in ARCHITECTURE.md; -Dwaterwheel.regenerate=true draws it anew")
                .isEqualTo(picture());
    }

    /** Packages of one name stand in one frame; an arrow that a longer way implies is left out. */
    private String picture() {
        StringBuilder out = new StringBuilder("flowchart BT\n");
        Map<String, List<String>> frames = rooms.keySet().stream()
                .collect(Collectors.groupingBy(
                        name -> name.split("\\.", 2)[0], LinkedHashMap::new, Collectors.toList()));
        frames.forEach((frame, names) -> {
            if (names.size() > 1) {
                out.append("  subgraph ")
                        .append(frame)
                        .append("s [")
                        .append(frame)
                        .append("]\n");
                names.forEach(name -> out.append("    ").append(node(name)).append('\n'));
                out.append("  end\n");
            } else {
                out.append("  ").append(node(names.get(0))).append('\n');
            }
        });
        for (Room room : rooms.values()) {
            Set<String> implied = new HashSet<>();
            room.mayUse().forEach(used -> implied.addAll(reach(used)));
            List<String> straight = room.mayUse().stream()
                    .filter(used -> !implied.contains(used))
                    .sorted()
                    .toList();
            if (!straight.isEmpty()) {
                out.append("  ")
                        .append(id(room.name()))
                        .append(" --> ")
                        .append(straight.stream()
                                .map(ArchitecturePictureTest::id)
                                .collect(Collectors.joining(" & ")))
                        .append('\n');
            }
        }
        return out.toString();
    }

    /** What a room may use, be it by others. */
    private Set<String> reach(String name) {
        Map<String, Boolean> seen = new TreeMap<>();
        rooms.get(name).mayUse().forEach(used -> {
            seen.put(used, true);
            reach(used).forEach(further -> seen.put(further, true));
        });
        return seen.keySet();
    }

    private static String node(String name) {
        return id(name) + "[" + name + "]";
    }

    private static String id(String name) {
        return name.replace('.', '_');
    }
}
