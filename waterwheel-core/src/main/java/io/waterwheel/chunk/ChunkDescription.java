package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Describes a chunk file for people: {@code waterwheel chunk inspect}. */
public final class ChunkDescription {
    private static final List<String> FORMS =
            List.of("raw", "integers", "decimals", "values", "dictionary", "follows", "numbers");
    private static final List<String> CODES = List.of("constant", "packed", "patched", "delta", "dictionary", "runs");

    private ChunkDescription() {}

    /**
     * Lines about a file: version, layout, rows, region, leaves, and what each column takes. Reads the directory and
     * the first bytes of each part. The input stays open.
     *
     * @throws CorruptChunkException when the directory, or what is read of a part, is damaged
     */
    public static List<String> of(ChunkStore.Input input) throws IOException {
        @SuppressWarnings("resource") // the input is the caller's
        ChunkDirectory directory = ChunkReader.open(input).directory();
        RowLayout layout = directory.layout();
        Region region = directory.region();
        long size = input.size();
        long directoryBytes = size
                - directory.offset(directory.leaves() - 1, directory.parts() - 1)
                - directory.length(directory.leaves() - 1, directory.parts() - 1)
                - FOOTER_BYTES;
        List<String> lines = new ArrayList<>();
        lines.add("file        " + input.name() + ", " + size + " bytes, version " + VERSION);
        lines.add("layout      fingerprint " + Integer.toHexString(layout.fingerprint()) + ", "
                + layout.fields().size() + " fields, " + layout.rowWidth() + " bytes a row without text");
        lines.add(format(
                "rows        %d in %d leaves, %.2f bytes each",
                directory.rows(), directory.leaves(), (double) size / directory.rows()));
        int unsorted = 0;
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            unsorted += directory.isSorted(leaf) ? 0 : 1;
        }
        if (unsorted > 0) {
            lines.add("order       not that of keys within " + unsorted + " leaves");
        }
        lines.add("keys        " + region.keys().low() + " to " + region.keys().high());
        lines.add(
                "times       " + region.times().from() + " to " + region.times().to());
        lines.add(format(
                "directory   %d bytes, %.2f a row; sketches of %d leaves",
                directoryBytes, (double) directoryBytes / directory.rows(), sketches(directory)));
        lines.add(format("%-24s %-10s %10s %8s %7s  %s", "part", "type", "bytes", "a row", "ratio", "forms"));
        for (int part = 0; part < directory.parts(); part++) {
            lines.add(part(input, directory, part));
        }
        for (int field = 0; field < layout.fields().size(); field++) {
            if (layout.columnOf(field) >= 0 && layout.fields().get(field).indexed()) {
                lines.add("index       " + layout.fields().get(field).name() + ": " + index(directory, field));
            }
            TextIndex text = directory.text(field);
            if (text != null) {
                lines.add("text index  " + layout.fields().get(field).name() + ": " + text.size()
                        + " trigrams, of which " + text.inAll() + " count as being in all leaves");
            }
        }
        return lines;
    }

    private static String index(ChunkDirectory directory, int field) {
        LeafDictionary dictionary = directory.dictionary(field);
        if (dictionary != null) {
            return "dictionary of " + dictionary.size() + " values";
        }
        return directory.hasFilters(field)
                ? format("Bloom filters, %d bytes", directory.filterBytes(field))
                : "left out, as it would take more than 3 % of the file";
    }

    private static int sketches(ChunkDirectory directory) {
        int sketches = 0;
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            sketches += directory.sketchShift(leaf) != NO_SKETCH ? 1 : 0;
        }
        return sketches;
    }

    private static String part(ChunkStore.Input input, ChunkDirectory directory, int part) throws IOException {
        Map<String, Integer> forms = new TreeMap<>();
        long bytes = 0;
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            bytes += directory.length(leaf, part);
            forms.merge(form(input, directory, leaf, part), 1, Integer::sum);
        }
        RowLayout layout = directory.layout();
        int column = part - FIRST_COLUMN;
        int width = column < 0 ? 8 : layout.width(column);
        String ratio = column >= 0 && layout.variable(column)
                ? ""
                : format("%.2f", bytes == 0 ? 0 : (double) directory.rows() * width / bytes);
        return format(
                "%-24s %-10s %10d %8.2f %7s  %s",
                name(layout, part), type(layout, part), bytes, (double) bytes / directory.rows(), ratio, forms);
    }

    /** The field that lies in the part, or -1. */
    private static int field(RowLayout layout, int part) {
        int column =
                switch (part) {
                    case KEYS -> RowLayout.KEY;
                    case TIMES -> RowLayout.TIME;
                    default -> part - FIRST_COLUMN;
                };
        for (int f = 0; f < layout.fields().size(); f++) {
            if (layout.columnOf(f) == column) {
                return f;
            }
        }
        return -1;
    }

    private static String name(RowLayout layout, int part) {
        int field = field(layout, part);
        String name = field < 0 ? "" : layout.fields().get(field).name();
        return switch (part) {
            case KEYS -> field < 0 ? "keys" : "keys: " + name;
            case TIMES -> field < 0 ? "times" : "times: " + name;
            default -> field < 0 ? "nulls" : name;
        };
    }

    private static String type(RowLayout layout, int part) {
        int field = field(layout, part);
        if (field < 0) {
            return part < FIRST_COLUMN ? "long" : "mask";
        }
        Field known = layout.fields().get(field);
        return known.type().schemaName() + (known.nullable() ? "?" : "");
    }

    private static String form(ChunkStore.Input input, ChunkDirectory directory, int leaf, int part)
            throws IOException {
        int length = Math.min(3, directory.length(leaf, part));
        if (length == 0) {
            return "made of the columns";
        } else if (directory.follows(leaf, part)) {
            return "follows " + name(directory.layout(), directory.source(part));
        }
        byte[] start = new byte[3];
        input.read(directory.offset(leaf, part), start, 0, length);
        int form = start[0] & 0xFF;
        if ((form & FORM_COMPRESSED) != 0) {
            return "zstd of " + named(FORMS, form & ~FORM_COMPRESSED);
        }
        return switch (form) {
            case FORM_INTEGERS -> named(CODES, start[1]);
            case FORM_DECIMALS -> "decimals 1e-" + start[1] + " " + named(CODES, start[2]);
            default -> named(FORMS, form);
        };
    }

    private static String named(List<String> names, int code) {
        return code >= 0 && code < names.size() ? names.get(code) : "code " + code;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
