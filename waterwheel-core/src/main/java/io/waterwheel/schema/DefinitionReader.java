package io.waterwheel.schema;

import com.fasterxml.jackson.core.JsonParser;
import io.waterwheel.schema.Document.Node;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads schemas and stream definitions from JSON or YAML; finds all errors in one go and names their lines. */
final class DefinitionReader {
    private static final Set<String> SCHEMA = Set.of("fields", "key", "time", "records");
    private static final Set<String> STREAM = Set.of(
            "name",
            "topic",
            "format",
            "partitions",
            "dead-letters",
            "log-loss",
            "balancing",
            "retention",
            "indexed-records",
            "fields",
            "key",
            "time",
            "records");
    private static final Set<String> FIELD = Set.of("name", "type", "nullable", "unit", "indexed", "from");
    private static final Map<String, TimestampUnit> UNITS =
            Arrays.stream(TimestampUnit.values()).collect(Collectors.toMap(TimestampUnit::schemaName, unit -> unit));
    private static final Map<String, RecordFormat> FORMATS = new TreeMap<>(Map.of(
            "csv",
            RecordFormat.CSV,
            "json",
            RecordFormat.JSON,
            "avro",
            RecordFormat.AVRO,
            "protobuf",
            RecordFormat.PROTOBUF,
            "block",
            RecordFormat.BLOCK));

    /** Of definitions that come from elsewhere than a file of this machine. */
    static final Function<String, byte[]> NO_FILES = name -> {
        throw new IllegalArgumentException(
                "records: " + name + ": a file can be named in a file only; give what is in it"
                        + " as the member schema, or in base64 as descriptor");
    };

    private final Document document;
    /** Whether a key may lack what rows are to complete. */
    private final boolean drafts;
    /** What is done with unknown members where the document does not say. */
    private RecordText.Unknown unknown;
    /** Names of fields whose declaration is wrong. */
    private final Set<String> misdeclared = new HashSet<>();
    /** By field the column or member that holds it. */
    private final Map<String, String> from = new HashMap<>();
    /** By field that of its time of day, where it has one of its own. */
    private final Map<String, String> clocks = new HashMap<>();
    /** By field of numbers the sign beside them. */
    private final Map<String, String> units = new HashMap<>();
    /** Reads a file that the definition names. */
    private final Function<String, byte[]> files;

    private DefinitionReader(
            Document document, boolean drafts, RecordText.Unknown unknown, Function<String, byte[]> files) {
        this.document = document;
        this.drafts = drafts;
        this.unknown = unknown;
        this.files = files;
    }

    static Schema schema(String source, JsonParser parser) {
        Document document = new Document(source);
        Node root = document.read(parser);
        DefinitionReader reader = new DefinitionReader(document, false, RecordText.Unknown.REJECT, NO_FILES);
        @Nullable Schema schema = reader.schema(Members.of(document, root, "the schema", SCHEMA));
        document.check();
        return Optional.ofNullable(schema).orElseThrow();
    }

    /**
     * Reads a definition.
     *
     * @param drafts whether the key may lack what rows are to complete
     * @param unknown what is done with unknown members where the document does not say
     * @param files reads a file that the definition names; {@link IllegalArgumentException} says why it cannot
     */
    static StreamDefinition stream(
            String source,
            JsonParser parser,
            boolean drafts,
            RecordText.Unknown unknown,
            Function<String, byte[]> files) {
        Document document = new Document(source);
        Node root = document.read(parser);
        DefinitionReader reader = new DefinitionReader(document, drafts, unknown, files);
        @Nullable StreamDefinition definition = reader.stream(root);
        document.check();
        return Optional.ofNullable(definition).orElseThrow();
    }

    private @Nullable StreamDefinition stream(Node root) {
        Members members = Members.of(document, root, "the stream", STREAM);
        String name = members.text("name");
        String topicName = members.has("topic") ? members.text("topic") : name;
        String format = members.text("format");
        RecordFormat recordFormat = FORMATS.get(format);
        if (!format.isEmpty() && recordFormat == null) {
            members.error("format", "format: expected one of " + FORMATS.keySet() + ", got '" + format + "'");
        }
        int partitions = StreamDefinition.DEFAULT_PARTITIONS;
        if (members.has("partitions")) {
            String number = members.text("partitions");
            try {
                partitions = Integer.parseInt(number);
            } catch (NumberFormatException e) {
                members.error("partitions", "partitions: expected a whole number, got '" + number + "'");
            }
        }
        StreamPolicy policy = policy(members);
        // Only JSON has members of which the definition says something.
        unknown = recordFormat == RecordFormat.JSON || recordFormat == RecordFormat.BLOCK
                ? unknown
                : RecordText.Unknown.REJECT;
        Schema schema = schema(members.as("the schema"));
        // Names and numbers are the record's to check, also when other parts are wrong: all errors at once.
        Schema any = schema != null ? schema : PLACEHOLDER;
        RecordFormat anyFormat = recordFormat != null && schema != null ? recordFormat : RecordFormat.CSV;
        StreamDefinition definition = null;
        if (!name.isEmpty()) {
            try {
                definition = new StreamDefinition(name, topicName, anyFormat, partitions, any, policy);
            } catch (IllegalArgumentException e) {
                members.error("name", String.valueOf(e.getMessage()));
            }
        }
        return definition;
    }

    private StreamPolicy policy(Members members) {
        StreamPolicy policy = StreamPolicy.DEFAULT;
        String member = "dead-letters";
        try {
            if (members.has(member)) {
                policy = policy.withBadRecords(BadRecords.parse(members.text(member)));
            }
            member = "log-loss";
            if (members.has(member)) {
                policy = policy.withLogLoss(LogLoss.parse(members.text(member)));
            }
            member = "balancing";
            if (members.has(member)) {
                policy = policy.withBalancing(Balancing.parse(members.text(member)));
            }
            member = "retention";
            if (members.has(member)) {
                policy = policy.withRetention(Retention.parse(members.text(member)));
            }
            member = "indexed-records";
            if (members.has(member)) {
                policy = policy.withIndexedRecords(StreamPolicy.IndexedRecords.parse(members.text(member)));
            }
        } catch (IllegalArgumentException e) {
            members.error(member, String.valueOf(e.getMessage()));
        }
        return policy;
    }

    /** Stands in for a schema that is wrong while the other parts are checked; never returned. */
    private static final Schema PLACEHOLDER =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private @Nullable Schema schema(Members members) {
        int errorsBefore = document.errorCount();
        Map<String, Field> fields = fields(members);
        KeySpec key = KeyForms.read(members);
        String time = members.text("time");
        if (!time.isEmpty()) {
            role(members.line("time"), Schema.time(time), fields);
        }
        if (key != null) {
            int line = members.line("key");
            key.roles().forEach(role -> role(line, role, fields));
            String problem = key.problem(fields, time);
            error(line, problem != null || drafts ? problem : key.missing(fields));
        }
        RecordText text = RecordTextReader.read(members, from, export(members), unknown, files);
        if (key == null || time.isEmpty() || document.errorCount() > errorsBefore) {
            return null;
        }
        try {
            return new Schema(List.copyOf(fields.values()), key, time, text);
        } catch (IllegalArgumentException e) {
            members.error("", String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** What fields say of it; the rest is said of all records. */
    private RecordText.Export export(Members members) {
        try {
            return new RecordText.Export(clocks, units, false, 0, '\0', false);
        } catch (IllegalArgumentException e) {
            members.error("fields", String.valueOf(e.getMessage()));
            return RecordText.Export.NONE;
        }
    }

    private void error(int line, @Nullable String problem) {
        if (problem != null) {
            document.error(line, problem);
        }
    }

    /** A field that was declared with errors has had its line: what it is good for is not known. */
    private void role(int line, KeySpec.Role role, Map<String, Field> fields) {
        if (!misdeclared.contains(role.field())) {
            error(line, Schema.roleProblem(role, fields.get(role.field())));
        }
    }

    /** The fields that are right, by name, in order. */
    private Map<String, Field> fields(Members members) {
        Map<String, Field> fields = new LinkedHashMap<>();
        Node list = members.get("fields");
        if (list == null || list.items() == null || list.items().isEmpty()) {
            members.error(
                    "fields",
                    "fields: expected a list of {name, type, nullable, unit, indexed, from}, got "
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
            Members parts = Members.of(document, item, "a field", FIELD);
            String name = parts.text("name");
            int errorsBefore = document.errorCount();
            Field field = field(parts, name);
            if (field == null || document.errorCount() > errorsBefore) {
                misdeclared.add(name);
            } else if (fields.putIfAbsent(name, field) != null) {
                document.error(item.line(), "field " + name + " is declared twice");
            }
        }
        return fields;
    }

    private @Nullable Field field(Members parts, String name) {
        String typeName = parts.text("type");
        FieldType type = FieldType.named(typeName);
        if (!typeName.isEmpty() && type == null) {
            parts.error(
                    "type",
                    "field " + name + ": type: expected one of "
                            + Stream.concat(
                                            Arrays.stream(FieldType.values()).map(FieldType::schemaName),
                                            Stream.of("decimal(18, 2)"))
                                    .sorted()
                                    .toList()
                            + ", got '" + typeName + "'"
                            + (typeName.startsWith("decimal(") ? "; with a comma a type is in quotes" : ""));
        }
        boolean nullable = parts.flag("nullable");
        Field.Index index = index(parts, name);
        TimestampUnit unit = unit(parts, name, type);
        from(parts, name);
        if (name.isEmpty() || type == null || unit == null) {
            return null;
        }
        try {
            return new Field(name, type, nullable, unit, index);
        } catch (IllegalArgumentException e) {
            parts.error("", String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void from(Members parts, String name) {
        Node node = parts.get("from");
        if (node == null || node.items() == null) {
            if (node != null) {
                from.put(name, parts.text("from"));
            }
            return;
        }
        List<String> names =
                node.items().stream().map(item -> String.valueOf(item.scalar())).toList();
        if (names.size() != 2 || node.items().stream().anyMatch(item -> item.scalar() == null)) {
            parts.error(
                    "from",
                    "field " + name + ": from: expected a name, or a list of two, of a day and a time of day, such as"
                            + " [date, time]");
            return;
        }
        from.put(name, names.get(0));
        clocks.put(name, names.get(1));
    }

    private static Field.Index index(Members parts, String name) {
        String text = parts.has("indexed") ? parts.text("indexed") : "";
        return switch (text) {
            case "", "false" -> Field.Index.NONE;
            case "true" -> Field.Index.VALUES;
            case "text" -> Field.Index.TEXT;
            default -> {
                parts.error("indexed", "field " + name + ": indexed: expected true, false or text, got '" + text + "'");
                yield Field.Index.NONE;
            }
        };
    }

    private @Nullable TimestampUnit unit(Members parts, String name, @Nullable FieldType type) {
        if (!parts.has("unit")) {
            return type != null && type.isTimestamp() ? type.resolution() : TimestampUnit.NANOSECONDS;
        }
        if (type != null && (type.isNumber() || type.isDecimal())) {
            // Also s, ms, us and ns: a number's unit is a sign, whatever it means.
            units.put(name, parts.text("unit"));
            return TimestampUnit.NANOSECONDS;
        }
        if (type != null && !type.isTimestamp()) {
            parts.error("unit", "field " + name + ": only a number or a timestamp has a unit");
            return null;
        }
        String unitName = parts.text("unit");
        TimestampUnit unit = UNITS.get(unitName);
        if (!unitName.isEmpty() && unit == null) {
            parts.error("unit", "field " + name + ": unit: expected s, ms, us or ns, got '" + unitName + "'");
        }
        return unit;
    }
}
