package io.waterwheel.topology.config;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes the declarations out for people: {@code conf/waterwheel.yaml} and {@code docs/configuration.md}. Both are
 * committed; {@code ConfigDocsTest} fails when they differ and says how to write them again.
 */
final class ConfigDocs {
    private static final int WIDTH = 110;

    private ConfigDocs() {}

    /** A complete configuration at the defaults, each key under its sentence. */
    static String yaml() {
        StringBuilder out = new StringBuilder();
        comment(
                out,
                "Generated from the declarations in waterwheel-topology: do not edit this copy, take another name.");
        comment(out, "Every key with its default. Leave out what stays as it is. Dots may be written as nesting.");
        comment(out, "Sizes: B, KiB, MiB, GiB, TiB. Durations: ms, s, min, h, d.");
        for (Key<?> key : Keys.ALL) {
            out.append('\n');
            comment(out, key.doc() + (key.bounds().isEmpty() ? "" : " [" + key.type() + ", " + key.bounds() + "]"));
            out.append(key.name()).append(": ").append(yamlValue(key)).append('\n');
        }
        out.append('\n');
        comment(
                out,
                "Storm's own keys, handed on as they are, such as topology.worker.childopts. They mean nothing to the server in one process.");
        out.append("storm: {}\n");
        return out.toString();
    }

    private static String yamlValue(Key<?> key) {
        return key.defaultValue() instanceof List<?> ? "[" + key.defaultText() + "]" : key.defaultText();
    }

    /** One table row a key. */
    static String markdown() {
        StringBuilder out = new StringBuilder();
        out.append("""
                # Configuration

                Generated from the declarations in `Keys.java`; `conf/waterwheel.yaml` is the same as a file to start
                from. A key that is not listed, or a value out of its bounds, stops the start with a message that names
                it. On the command line and in YAML the names are the same; in YAML dots may be written as nesting.

                Sizes are a whole number and `B`, `KiB`, `MiB`, `GiB` or `TiB`; durations a whole number and `ms`, `s`,
                `min`, `h` or `d`. The section `storm` is handed to Storm as it is;
                to the server in one process, which runs without Storm, it means nothing.

                """);
        out.append("| key | default | takes | meaning |\n|---|---|---|---|\n");
        for (Key<?> key : Keys.ALL) {
            String takes = key.bounds().isEmpty() ? key.type() : key.type() + ", " + key.bounds();
            out.append("| `")
                    .append(key.name())
                    .append("` | `")
                    .append(key.defaultText())
                    .append("` | ")
                    .append(escape(takes))
                    .append(" | ")
                    .append(escape(key.doc()))
                    .append(" |\n");
        }
        return out.toString();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("*", "\\*")
                .replace("_", "\\_");
    }

    private static void comment(StringBuilder out, String text) {
        List<String> line = new ArrayList<>();
        int length = 0;
        for (String word : text.split(" ", -1)) {
            if (length + word.length() + 1 > WIDTH) {
                out.append("# ").append(String.join(" ", line)).append('\n');
                line.clear();
                length = 0;
            }
            line.add(word);
            length += word.length() + 1;
        }
        out.append("# ").append(String.join(" ", line)).append('\n');
    }
}
