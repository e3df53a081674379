package io.waterwheel.sql.change;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.schema.FieldType;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * {@code CREATE STREAM}, from its name on, as a stream's definition. What the values may be says the definition's
 * reader.
 */
final class CreateReader {
    private static final JsonFactory JSON = new JsonFactory();
    /** What {@code WITH} sets. */
    private static final List<String> OPTIONS = List.of(
            "balancing", "dead-letters", "format", "indexed-records", "log-loss", "partitions", "retention", "topic");
    /** SQL's names of types; all others are those of definitions. */
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("bigint", "long"),
            Map.entry("integer", "int"),
            Map.entry("real", "float"),
            Map.entry("bool", "boolean"),
            Map.entry("varchar", "string"),
            Map.entry("text", "string"),
            Map.entry("varbinary", "bytes"),
            Map.entry("blob", "bytes"));
    /** By the digits behind the second. */
    private static final Map<String, String> TIMESTAMPS =
            Map.of("3", "timestamp", "6", "timestamp_us", "9", "timestamp_ns");

    /** Types whose values cannot be divided evenly. */
    private static final Set<String> WITHOUT_RANGE = Set.of("string", "bytes", "uuid", "ipv6");

    private final Words words;
    /** By name. */
    private final Map<String, Map<String, Object>> fields = new LinkedHashMap<>();
    /** Fields that say whether they may be null. */
    private final Set<String> told = new TreeSet<>();
    /** Dimensions of the key without cells. */
    private final Set<String> open = new LinkedHashSet<>();

    private CreateReader(Words words) {
        this.words = words;
    }

    static Change read(Words words) {
        return new CreateReader(words).create();
    }

    private Change create() {
        boolean ifNotExists = words.takes("IF");
        if (ifNotExists) {
            words.require("NOT", "EXISTS");
        }
        String stream = ChangeParser.stream(words);
        words.require("(");
        do {
            field();
        } while (words.takes(","));
        words.require(")");
        Map<String, Object> definition = new LinkedHashMap<>();
        definition.put("name", stream);
        definition.put("format", "block");
        definition.put("fields", List.copyOf(fields.values()));
        while (words.next().kind() == Words.Kind.NAME) {
            if (!definition.containsKey("key") && words.takes("KEY")) {
                definition.put("key", key());
            } else if (!definition.containsKey("time") && words.takes("TIME")) {
                words.require("(");
                definition.put("time", fieldOf("the time", true));
                words.require(")");
            } else if (words.takes("WITH")) {
                words.require("(");
                definition.putAll(ChangeParser.options(words, OPTIONS));
                words.require(")");
                break;
            } else {
                break;
            }
        }
        if (!definition.containsKey("key")) {
            throw words.expected("KEY (column)");
        }
        if (!definition.containsKey("time")) {
            throw words.expected("TIME (column)");
        }
        words.requireEnd();
        open.remove(String.valueOf(definition.get("time")));
        // Of a type that there is not, the definition's reader says so.
        open.removeIf(name -> FieldType.named(type(name)) == null);
        if (!open.isEmpty()) {
            String name = open.iterator().next();
            boolean even = !WITHOUT_RANGE.contains(type(name));
            throw words.wrong("column '" + name + "' of the key: expected "
                    + (even ? "RANGE (least, greatest) or " : "") + "CUTS (value, ...)");
        }
        if ("json".equals(definition.get("format"))) {
            // As in schema files: a member that is no field is passed over.
            definition.put("records", Map.of("unknown", "skip"));
        }
        return new Change.Create(stream, ifNotExists, json(definition));
    }

    private void field() {
        if (fields.containsKey(words.next().text())) {
            throw words.wrong("column " + words.next().text() + " is declared twice");
        }
        String name = words.name("a column");
        Map<String, Object> field = new LinkedHashMap<>();
        fields.put(name, field);
        field.put("name", name);
        field.put("type", type());
        field.put("nullable", true);
        while (true) {
            if (words.takes("NOT")) {
                words.require("NULL");
                field.put("nullable", false);
                told.add(name);
            } else if (words.takes("NULL")) {
                told.add(name);
            } else if (words.takes("INDEXED")) {
                field.put("indexed", words.takes("TEXT") ? "text" : true);
            } else if (words.takes("UNIT")) {
                field.put("unit", words.value("a unit"));
            } else if (words.takes("FROM")) {
                field.put("from", words.value("the name of a column or member of records"));
            } else {
                return;
            }
        }
    }

    private String type() {
        String written = Words.lower(words.name("a type"));
        if (written.equals("double")) {
            words.takes("PRECISION");
        }
        if (written.equals("timestamp") && words.takes("(")) {
            String digits = words.next().text();
            String type = TIMESTAMPS.get(digits);
            if (type == null) {
                throw words.expected("3, 6 or 9 digits of a second");
            }
            words.take();
            words.require(")");
            return type;
        }
        if (written.equals("decimal") || written.equals("numeric")) {
            return decimal();
        }
        return TYPES.getOrDefault(written, written);
    }

    /** As {@code decimal(18, 2)}; without digits the systems that take it mean different ones. */
    private String decimal() {
        if (!words.takes("(")) {
            throw words.expected("how many digits, and how many of them behind the point, such as DECIMAL(18, 2)");
        }
        String digits = words.value("a number of digits");
        String places = words.takes(",") ? words.value("a number of places") : "0";
        words.require(")");
        return "decimal(" + digits + ", " + places + ")";
    }

    /** Name of a column that was declared; of a key or a time it is not null, unless it says that it may be. */
    private String fieldOf(String what, boolean notNull) {
        Words.Word at = words.next();
        if (at.kind() != Words.Kind.NAME && at.kind() != Words.Kind.QUOTED) {
            throw words.expected("the column of " + what);
        }
        Map<String, Object> field = fields.get(at.text());
        if (field == null) {
            throw words.wrong("there is no column '" + at.text() + "' for " + what + "; there are "
                    + String.join(", ", fields.keySet()));
        }
        words.take();
        if (notNull && !told.contains(at.text())) {
            field.put("nullable", false);
        }
        return at.text();
    }

    private Map<String, Object> key() {
        if (words.takes("POSITION")) {
            return position();
        }
        words.require("(");
        List<Map<String, Object>> dimensions = new ArrayList<>();
        do {
            dimensions.add(dimension());
        } while (words.takes(","));
        words.require(")");
        Map<String, Object> first = dimensions.get(0);
        boolean placed = words.takes("POSITION");
        if (dimensions.size() == 1 && first.size() == 1 && !placed) {
            return first;
        }
        for (Map<String, Object> dimension : dimensions) {
            String field = String.valueOf(dimension.get("field"));
            // A boolean has cells by itself.
            if (!dimension.containsKey("range")
                    && !dimension.containsKey("cuts")
                    && !type(field).equals("boolean")) {
                open.add(field);
            }
        }
        Map<String, Object> key = new LinkedHashMap<>();
        key.put("dimensions", dimensions);
        if (placed) {
            key.put("position", place());
        }
        return key;
    }

    private String type(String field) {
        return String.valueOf(fields.getOrDefault(field, Map.of()).get("type"));
    }

    /** The columns of the longitude and the latitude. */
    private List<String> place() {
        words.require("(");
        String longitude = fieldOf("the longitude", true);
        words.require(",");
        String latitude = fieldOf("the latitude", true);
        words.require(")");
        return List.of(longitude, latitude);
    }

    private Map<String, Object> dimension() {
        Map<String, Object> dimension = new LinkedHashMap<>();
        dimension.put("field", fieldOf("the key", true));
        while (true) {
            if (words.takes("BITS")) {
                dimension.put("bits", words.value("a number of bits"));
            } else if (words.takes("BYTES")) {
                dimension.put("bytes", words.value("a number of bytes"));
            } else if (words.takes("RANGE")) {
                dimension.put("range", values("a bound"));
            } else if (words.takes("CUTS")) {
                dimension.put("cuts", values("a cut"));
            } else {
                return dimension;
            }
        }
    }

    private List<String> values(String of) {
        List<String> values = new ArrayList<>();
        words.require("(");
        do {
            values.add(words.takes("TIMESTAMP") ? moment(words.text(of + ", a time in quotes")) : words.value(of));
        } while (words.takes(","));
        words.require(")");
        return values;
    }

    /** A definition's times have a zone; SQL's without one are in UTC. */
    private static String moment(String text) {
        String zoned = text + "Z";
        try {
            OffsetDateTime.parse(zoned.replace(' ', 'T'));
            return zoned;
        } catch (DateTimeParseException e) {
            // It has a zone or is a day; or the definition's reader says that it is no time.
            return text;
        }
    }

    private Map<String, Object> position() {
        Map<String, Object> key = new LinkedHashMap<>();
        List<String> place = place();
        key.put("longitude", place.get(0));
        key.put("latitude", place.get(1));
        if (words.takes("BOX")) {
            key.put("box", values("a number of degrees"));
        }
        return key;
    }

    private static String json(Map<String, Object> definition) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            write(generator, definition);
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> members) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> member : members.entrySet()) {
                generator.writeFieldName(String.valueOf(member.getKey()));
                write(generator, member.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof List<?> items) {
            generator.writeStartArray();
            for (Object item : items) {
                write(generator, item);
            }
            generator.writeEndArray();
        } else if (value instanceof Boolean truth) {
            generator.writeBoolean(truth);
        } else {
            generator.writeString(String.valueOf(value));
        }
    }
}
