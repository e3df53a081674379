package io.waterwheel.schema;

import io.waterwheel.schema.Document.Node;
import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.schema.text.WriterTypes;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the member {@code records} of a definition: how the text of records is written. */
final class RecordTextReader {
    private static final Set<String> MEMBERS = Set.of(
            "delimiter",
            "decimal",
            "thousands",
            "nulls",
            "quote",
            "escape",
            "zone",
            "times",
            "unknown",
            "numbers",
            "encoding",
            "schema",
            "schema-file",
            "registry",
            "descriptor",
            "descriptor-file",
            "message",
            "blocks",
            "negative",
            "comment",
            "skip-lines",
            "spaces");
    private static final String TAB = "tab";

    private RecordTextReader() {}

    /**
     * Reads it.
     *
     * @param members of the stream
     * @param from by field the column or member that holds it
     * @param fields what fields say: times of day, and units
     * @param unknown what holds where nothing is said of unknown members
     * @param files reads a file that is named
     */
    static RecordText read(
            Members members,
            Map<String, String> from,
            RecordText.Export fields,
            RecordText.Unknown unknown,
            Function<String, byte[]> files) {
        RecordText.Json json = new RecordText.Json(unknown, false);
        Members parts = members.object("records", "records", MEMBERS);
        try {
            if (parts == null) {
                return RecordText.DEFAULT.withJson(json).withFrom(from).withExport(fields);
            }
            ZoneId zone = zone(parts);
            RecordText.Csv csv = new RecordText.Csv(
                    sign(parts, "delimiter", RecordText.Csv.DEFAULT.delimiter()),
                    sign(parts, "decimal", RecordText.Csv.DEFAULT.decimal()),
                    sign(parts, "thousands", RecordText.Csv.DEFAULT.thousands()),
                    words(parts, "nulls"),
                    mark(parts, "quote", RecordText.Csv.DEFAULT.quote()),
                    mark(parts, "escape", RecordText.Csv.DEFAULT.escape()));
            json = json(parts, unknown);
            return new RecordText(
                    csv,
                    json,
                    zone,
                    parts.has("times") ? parts.text("times") : "",
                    from,
                    parts.has("encoding") ? TextEncoding.parse(parts.text("encoding")) : TextEncoding.UTF_8,
                    types(parts, files),
                    parts.flag("blocks"),
                    new RecordText.Export(
                            fields.clocks(),
                            fields.units(),
                            parts.has("negative") && choice(parts, "negative", RecordText.Csv.PARENTHESES, "minus"),
                            skipLines(parts),
                            sign(parts, "comment", '\0'),
                            parts.has("spaces") && choice(parts, "spaces", RecordText.Csv.TRIM, "keep")));
        } catch (IllegalArgumentException e) {
            members.error("records", String.valueOf(e.getMessage()));
            return RecordText.DEFAULT;
        }
    }

    private static int skipLines(Members parts) {
        if (!parts.has("skip-lines")) {
            return 0;
        }
        String number = parts.text("skip-lines");
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException e) {
            parts.error("skip-lines", "skip-lines: expected a number of lines, got '" + number + "'");
            return 0;
        }
    }

    private static WriterTypes types(Members parts, Function<String, byte[]> files) {
        return new WriterTypes(
                fileOr(parts, "schema", "schema-file", files, bytes -> new String(bytes, StandardCharsets.UTF_8)),
                parts.has("registry") ? parts.text("registry") : "",
                fileOr(parts, "descriptor", "descriptor-file", files, Base64.getEncoder()::encodeToString),
                parts.has("message") ? parts.text("message") : "");
    }

    /** What a member says, or the file that another names. */
    private static String fileOr(
            Members parts,
            String member,
            String fileMember,
            Function<String, byte[]> files,
            Function<byte[], String> form) {
        String itself = parts.has(member) ? parts.text(member) : "";
        if (!parts.has(fileMember)) {
            return itself;
        }
        String file = parts.text(fileMember);
        if (!itself.isEmpty()) {
            parts.error(fileMember, "records: expected " + member + " or " + fileMember + ", got both");
            return itself;
        }
        return file.isEmpty() ? "" : form.apply(files.apply(file));
    }

    private static RecordText.Json json(Members parts, RecordText.Unknown otherwise) {
        RecordText.Unknown unknown = otherwise;
        String rest = "";
        if (parts.has("unknown")) {
            String word = parts.text("unknown");
            switch (word) {
                case "skip" -> unknown = RecordText.Unknown.SKIP;
                case "reject" -> unknown = RecordText.Unknown.REJECT;
                default -> {
                    if (word.startsWith(RecordText.INTO) && word.length() > RecordText.INTO.length()) {
                        unknown = RecordText.Unknown.KEEP;
                        rest = word.substring(RecordText.INTO.length()).strip();
                    } else if (!word.isEmpty()) {
                        parts.error("unknown", "unknown: expected skip, reject or into FIELD, got '" + word + "'");
                    }
                }
            }
        }
        return new RecordText.Json(unknown, rest, parts.has("numbers") && choice(parts, "numbers", "text", "strict"));
    }

    private static char sign(Members parts, String name, char otherwise) {
        if (!parts.has(name)) {
            return otherwise;
        }
        String text = parts.text(name);
        if (text.equals(TAB)) {
            return '\t';
        }
        if (text.length() > 1) {
            parts.error(name, name + ": expected one sign, got '" + text + "'");
        }
        return text.length() == 1 ? text.charAt(0) : otherwise;
    }

    /** A sign that there may be none of. */
    private static char mark(Members parts, String name, char otherwise) {
        return parts.has(name) && parts.text(name).equals(RecordText.Csv.NO_SIGN) ? '\0' : sign(parts, name, otherwise);
    }

    private static List<String> words(Members parts, String name) {
        List<String> words = new ArrayList<>();
        Node list = parts.get(name);
        if (list == null) {
            return words;
        }
        List<Node> items = list.items();
        if (items == null) {
            parts.error(name, name + ": expected a list of words such as [NA, 'null'], got " + list.describe());
            return words;
        }
        for (Node item : items) {
            String word = item.scalar();
            if (word == null) {
                parts.error(name, name + ": expected words, in quotes where YAML reads null, got " + item.describe());
            } else {
                words.add(word);
            }
        }
        return words;
    }

    /** Whether it is the first of two words. */
    private static boolean choice(Members parts, String name, String first, String second) {
        String word = parts.text(name);
        if (!word.isEmpty() && !word.equals(first) && !word.equals(second)) {
            parts.error(name, name + ": expected " + first + " or " + second + ", got '" + word + "'");
        }
        return word.equals(first);
    }

    private static @Nullable ZoneId zone(Members parts) {
        if (!parts.has("zone")) {
            return null;
        }
        String name = parts.text("zone");
        try {
            return name.isEmpty() ? null : ZoneId.of(name);
        } catch (DateTimeException e) {
            parts.error("zone", "zone: expected a zone such as UTC, Europe/Berlin or +05:30, got '" + name + "'");
            return null;
        }
    }
}
