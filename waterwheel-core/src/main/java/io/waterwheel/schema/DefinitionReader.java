package io.waterwheel.schema;

import com.fasterxml.jackson.core.JsonParser;
import io.waterwheel.geo.Box;
import io.waterwheel.schema.Document.Node;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads schemas and stream definitions from JSON or YAML; finds all errors in one go and names their lines. */
final class DefinitionReader {
    private static final Set<String> SCHEMA = Set.of("fields", "key", "time");
    private static final Set<String> STREAM = Set.of(
            "name",
            "topic",
            "format",
            "partitions",
            "dead-letters",
            "log-loss",
            "balancing",
            "retention",
            "fields",
            "key",
            "time");
    private static final Set<String> FIELD = Set.of("name", "type", "nullable", "unit", "indexed");
    private static final Set<String> KEY = Set.of("field", "longitude", "latitude", "box");
    private static final Map<String, FieldType> TYPES =
            Arrays.stream(FieldType.values()).collect(Collectors.toMap(FieldType::schemaName, type -> type));
    private static final Map<String, TimestampUnit> UNITS =
            Arrays.stream(TimestampUnit.values()).collect(Collectors.toMap(TimestampUnit::schemaName, unit -> unit));
    private static final Map<String, RecordFormat> FORMATS =
            new TreeMap<>(Map.of("csv", RecordFormat.CSV, "json", RecordFormat.JSON, "block", RecordFormat.BLOCK));

    private final Document document;
    /** Names of fields whose declaration is wrong. */
    private final Set<String> misdeclared = new HashSet<>();

    private DefinitionReader(Document document) {
        this.document = document;
    }

    static Schema schema(String source, JsonParser parser) {
        Document document = new Document(source);
        Node root = document.read(parser);
        DefinitionReader reader = new DefinitionReader(document);
        Map<String, Node> members = reader.members(root, "the schema", SCHEMA);
        @Nullable Schema schema = reader.schema(root.line(), members);
        document.check();
        return Optional.ofNullable(schema).orElseThrow();
    }

    static StreamDefinition stream(String source, JsonParser parser) {
        Document document = new Document(source);
        Node root = document.read(parser);
        DefinitionReader reader = new DefinitionReader(document);
        @Nullable StreamDefinition definition = reader.stream(root);
        document.check();
        return Optional.ofNullable(definition).orElseThrow();
    }

    private @Nullable StreamDefinition stream(Node root) {
        Map<String, Node> members = members(root, "the stream", STREAM);
        String name = text(members, root.line(), "the stream", "name");
        Node topic = members.get("topic");
        String topicName = topic == null ? name : text(members, root.line(), "the stream", "topic");
        String format = text(members, root.line(), "the stream", "format");
        RecordFormat recordFormat = FORMATS.get(format);
        if (!format.isEmpty() && recordFormat == null) {
            document.error(
                    line(members, "format", root.line()),
                    "format: expected one of " + FORMATS.keySet() + ", got '" + format + "'");
        }
        int partitions = StreamDefinition.DEFAULT_PARTITIONS;
        if (members.containsKey("partitions")) {
            String number = text(members, root.line(), "the stream", "partitions");
            try {
                partitions = Integer.parseInt(number);
            } catch (NumberFormatException e) {
                document.error(
                        line(members, "partitions", root.line()),
                        "partitions: expected a whole number, got '" + number + "'");
            }
        }
        StreamPolicy policy = policy(root.line(), members);
        Schema schema = schema(root.line(), members);
        // Names and numbers are the record's to check, also when other parts are wrong: all errors at once.
        Schema any = schema != null ? schema : PLACEHOLDER;
        RecordFormat anyFormat = recordFormat != null ? recordFormat : RecordFormat.CSV;
        StreamDefinition definition = null;
        if (!name.isEmpty()) {
            try {
                definition = new StreamDefinition(name, topicName, anyFormat, partitions, any, policy);
            } catch (IllegalArgumentException e) {
                document.error(line(members, "name", root.line()), String.valueOf(e.getMessage()));
            }
        }
        return definition;
    }

    private StreamPolicy policy(int line, Map<String, Node> members) {
        StreamPolicy policy = StreamPolicy.DEFAULT;
        String member = "dead-letters";
        try {
            if (members.containsKey(member)) {
                policy = policy.withBadRecords(BadRecords.parse(text(members, line, "the stream", member)));
            }
            member = "log-loss";
            if (members.containsKey(member)) {
                policy = policy.withLogLoss(LogLoss.parse(text(members, line, "the stream", member)));
            }
            member = "balancing";
            if (members.containsKey(member)) {
                policy = policy.withBalancing(Balancing.parse(text(members, line, "the stream", member)));
            }
            member = "retention";
            if (members.containsKey(member)) {
                policy = policy.withRetention(Retention.parse(text(members, line, "the stream", member)));
            }
        } catch (IllegalArgumentException e) {
            document.error(line(members, member, line), String.valueOf(e.getMessage()));
        }
        return policy;
    }

    /** Stands in for a schema that is wrong while the other parts are checked; never returned. */
    private static final Schema PLACEHOLDER =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private @Nullable Schema schema(int line, Map<String, Node> members) {
        int errorsBefore = document.errorCount();
        Map<String, Field> fields = fields(line, members);
        KeySpec key = key(line, members);
        String time = text(members, line, "the schema", "time");
        if (!time.isEmpty()) {
            role(line(members, "time", line), "time", time, fields, Schema.TIMES);
        }
        if (key != null) {
            int keyLine = line(members, "key", line);
            if (key instanceof KeySpec.Ordered ordered) {
                role(keyLine, "key", ordered.field(), fields, Schema.ANY);
            } else if (key instanceof KeySpec.Position position) {
                role(keyLine, "longitude", position.longitude(), fields, Schema.DEGREES);
                role(keyLine, "latitude", position.latitude(), fields, Schema.DEGREES);
                error(keyLine, Schema.domainProblem(position.domain()));
            }
        }
        if (key == null || time.isEmpty() || document.errorCount() > errorsBefore) {
            return null;
        }
        try {
            return new Schema(List.copyOf(fields.values()), key, time);
        } catch (IllegalArgumentException e) {
            document.error(line, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void error(int line, @Nullable String problem) {
        if (problem != null) {
            document.error(line, problem);
        }
    }

    /** A field that was declared with errors has had its line: what it is good for is not known. */
    private void role(int line, String role, String name, Map<String, Field> fields, Set<FieldType> types) {
        if (!misdeclared.contains(name)) {
            error(line, Schema.roleProblem(role, name, fields.get(name), types));
        }
    }

    /** The fields that are right, by name, in order. */
    private Map<String, Field> fields(int line, Map<String, Node> members) {
        Map<String, Field> fields = new LinkedHashMap<>();
        Node list = members.get("fields");
        if (list == null || list.items() == null || list.items().isEmpty()) {
            document.error(
                    list == null ? line : list.line(),
                    "fields: expected a list of {name, type, nullable, unit, indexed}, got "
                            + (list == null ? "nothing" : list.describe()));
            return fields;
        }
        if (list.items().size() > Schema.MAX_FIELDS) {
            document.error(
                    list.line(),
                    "fields: expected at most " + Schema.MAX_FIELDS + ", got "
                            + list.items().size());
        }
        for (Node item : list.items()) {
            Map<String, Node> parts = members(item, "a field", FIELD);
            String name = text(parts, item.line(), "a field", "name");
            int errorsBefore = document.errorCount();
            Field field = field(item, parts, name);
            if (field == null || document.errorCount() > errorsBefore) {
                misdeclared.add(name);
            } else if (fields.putIfAbsent(name, field) != null) {
                document.error(item.line(), "field " + name + " is declared twice");
            }
        }
        return fields;
    }

    private @Nullable Field field(Node item, Map<String, Node> parts, String name) {
        String typeName = text(parts, item.line(), "a field", "type");
        FieldType type = TYPES.get(typeName);
        if (!typeName.isEmpty() && type == null) {
            document.error(
                    line(parts, "type", item.line()),
                    "field " + name + ": type: expected one of "
                            + TYPES.keySet().stream().sorted().toList() + ", got '" + typeName + "'");
        }
        boolean nullable = parts.containsKey("nullable") && bool(parts, item, "nullable");
        boolean indexed = parts.containsKey("indexed") && bool(parts, item, "indexed");
        TimestampUnit unit = unit(item, parts, name, type);
        if (name.isEmpty() || type == null || unit == null) {
            return null;
        }
        try {
            return new Field(name, type, nullable, unit, indexed);
        } catch (IllegalArgumentException e) {
            document.error(item.line(), String.valueOf(e.getMessage()));
            return null;
        }
    }

    private @Nullable TimestampUnit unit(Node item, Map<String, Node> parts, String name, @Nullable FieldType type) {
        if (!parts.containsKey("unit")) {
            return type != null && type.isTimestamp() ? type.resolution() : TimestampUnit.NANOSECONDS;
        }
        int line = line(parts, "unit", item.line());
        if (type != null && !type.isTimestamp()) {
            document.error(line, "field " + name + ": only a timestamp has a unit");
            return null;
        }
        String unitName = text(parts, item.line(), "a field", "unit");
        TimestampUnit unit = UNITS.get(unitName);
        if (!unitName.isEmpty() && unit == null) {
            document.error(line, "field " + name + ": unit: expected s, ms, us or ns, got '" + unitName + "'");
        }
        return unit;
    }

    private @Nullable KeySpec key(int line, Map<String, Node> members) {
        Node node = members.get("key");
        if (node == null) {
            document.error(line, "key is missing: expected {field: NAME} or {longitude: NAME, latitude: NAME}");
            return null;
        }
        Map<String, Node> parts = members(node, "the key", KEY);
        if (parts.containsKey("field")) {
            if (parts.size() > 1) {
                document.error(node.line(), "key: expected either field, or longitude, latitude and box");
            }
            String field = text(parts, node.line(), "the key", "field");
            return field.isEmpty() ? null : new KeySpec.Ordered(field);
        }
        String longitude = text(parts, node.line(), "the key", "longitude");
        String latitude = text(parts, node.line(), "the key", "latitude");
        Box box = parts.containsKey("box") ? box(parts.get("box")) : Box.WORLD;
        return longitude.isEmpty() || latitude.isEmpty() || box == null
                ? null
                : new KeySpec.Position(longitude, latitude, box);
    }

    private @Nullable Box box(Node node) {
        if (node.items() == null || node.items().size() != 4) {
            document.error(node.line(), "box: expected [LON1, LAT1, LON2, LAT2], got " + node.describe());
            return null;
        }
        double[] bounds = new double[4];
        for (int i = 0; i < 4; i++) {
            String text = node.items().get(i).scalar();
            try {
                bounds[i] = Double.parseDouble(text == null ? "" : text);
            } catch (NumberFormatException e) {
                document.error(
                        node.line(),
                        "box: expected a number of degrees, got "
                                + node.items().get(i).describe());
                return null;
            }
        }
        try {
            return new Box(bounds[0], bounds[1], bounds[2], bounds[3]);
        } catch (IllegalArgumentException e) {
            document.error(node.line(), String.valueOf(e.getMessage()));
            return null;
        }
    }

    private Map<String, Node> members(Node node, String what, Set<String> known) {
        if (node.members() == null) {
            document.error(node.line(), what + ": expected an object, got " + node.describe());
            return Map.of();
        }
        for (Map.Entry<String, Node> member : node.members().entrySet()) {
            if (!known.contains(member.getKey())) {
                document.error(
                        member.getValue().line(),
                        "unknown member '" + member.getKey() + "' of " + what + ": expected "
                                + known.stream().sorted().toList());
            }
        }
        return node.members();
    }

    /** The member's text; empty, and an error, when it has none. */
    private String text(Map<String, Node> members, int line, String what, String name) {
        Node node = members.get(name);
        if (node == null) {
            document.error(line, name + " of " + what + " is missing");
            return "";
        }
        if (node.scalar() == null || node.scalar().isEmpty()) {
            document.error(node.line(), name + " of " + what + ": expected a value, got " + node.describe());
            return "";
        }
        return node.scalar();
    }

    private boolean bool(Map<String, Node> members, Node parent, String name) {
        String text = text(members, parent.line(), "a field", name);
        if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
            document.error(line(members, name, parent.line()), name + ": expected true or false, got '" + text + "'");
        }
        return text.equals("true");
    }

    private static int line(Map<String, Node> members, String name, int parentLine) {
        Node node = members.get(name);
        return node == null ? parentLine : node.line();
    }
}
