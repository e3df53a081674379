package io.waterwheel.schema;

import io.waterwheel.schema.Document.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a key of dimensions from the members of a definition's object {@code key}. Stateless. */
final class DimensionsReader {
    private static final Set<String> DIMENSION = Set.of("field", "bits", "bytes", "range", "cuts");

    private DimensionsReader() {}

    /** The key; null when its errors have been reported. */
    static @Nullable KeySpec read(Members key) {
        List<Dimension> dimensions = new ArrayList<>();
        Node list = key.get("dimensions");
        if (list == null || list.items() == null) {
            key.error(
                    "dimensions",
                    "dimensions: expected a list of names, or of {field, bits, range or cuts}, got "
                            + (list == null ? "nothing" : list.describe()));
            return null;
        }
        for (Node item : list.items()) {
            Dimension dimension = item.scalar() == null
                    ? dimension(key.of(item, "a dimension", DIMENSION))
                    : new Dimension(item.scalar(), 0, List.of(), List.of());
            if (dimension == null) {
                return null;
            }
            dimensions.add(dimension);
        }
        List<String> schedule = texts(key, "schedule");
        List<String> position = texts(key, "position");
        return schedule == null || position == null ? null : new KeySpec.Dimensions(dimensions, schedule, position);
    }

    private static @Nullable Dimension dimension(Members members) {
        String field = members.text("field");
        int bits = members.has("bits") ? number(members, "bits", 1, Dimension.MAX_BITS) : 0;
        int bytes = members.has("bytes") ? number(members, "bytes", Dimension.LEAST_BYTES, Dimension.MAX_BYTES) : 0;
        List<String> range = texts(members, "range");
        List<String> cuts = texts(members, "cuts");
        return field.isEmpty() || bits < 0 || bytes < 0 || range == null || cuts == null
                ? null
                : new Dimension(field, bits, range, cuts, bytes);
    }

    /** -1, and an error, when it is no such number. */
    private static int number(Members members, String name, int least, int most) {
        String text = members.text(name);
        if (text.isEmpty()) {
            return -1;
        }
        if (!text.matches("[1-9]\\d?") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            members.error(name, name + ": expected " + least + " to " + most + ", got '" + text + "'");
            return -1;
        }
        return Integer.parseInt(text);
    }

    /** The texts of a list; none when there is no such member; null, and an error, when it is no list of texts. */
    private static @Nullable List<String> texts(Members members, String name) {
        Node list = members.get(name);
        if (list == null) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        if (list.items() == null || list.items().isEmpty()) {
            members.error(name, name + ": expected a list of values, got " + list.describe());
            return null;
        }
        for (Node item : list.items()) {
            if (item.scalar() == null) {
                members.error(name, name + ": expected a list of values, got " + item.describe() + " in it");
                return null;
            }
            texts.add(item.scalar());
        }
        return texts;
    }
}
