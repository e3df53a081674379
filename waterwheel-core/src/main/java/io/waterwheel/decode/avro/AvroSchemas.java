package io.waterwheel.decode.avro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.waterwheel.decode.avro.AvroType.Kind;
import io.waterwheel.decode.avro.AvroType.Logical;
import io.waterwheel.decode.typed.RegisteredSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads Avro schemas, which are JSON. What does not concern how data is read, such as documentation, defaults, aliases
 * and properties, is passed over. A logical type that is unknown, or does not fit its type, is passed over too, as the
 * specification says.
 */
public final class AvroSchemas {
    /** Characters of a schema. */
    public static final int MOST_CHARACTERS = 200_000;

    private static final int MOST_DEEP = 100;
    private static final int LONGEST_NAME = 500;
    private static final int MOST_SHOWN = 100;
    private static final int MOST_TYPES = 10_000;
    private static final int MOST_FIXED = 1 << 20;
    private static final int MOST_SCALE = 1_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*");
    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(2 * MOST_DEEP)
                    .maxDocumentLength(MOST_CHARACTERS)
                    .maxStringLength(MOST_CHARACTERS)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private final Map<String, AvroType> named = new HashMap<>();
    private int types;

    private AvroSchemas() {}

    /**
     * Reads a schema.
     *
     * @throws IllegalArgumentException when it is none; the message says why
     */
    public static AvroType parse(String text) {
        return new AvroSchemas().type(json(text), "", 0);
    }

    /**
     * Reads a schema of a registry, with what it refers to.
     *
     * @throws IllegalArgumentException when it cannot be read; the message says why
     */
    public static AvroType parse(RegisteredSchema schema) {
        return parse(schema.text(), schema.references());
    }

    /**
     * Reads the schema of a file. Its record may lack a name, as Polars writes it: nothing refers to it.
     *
     * @throws IllegalArgumentException when it cannot be read; the message says why
     */
    public static AvroType parseOfFile(String text) {
        JsonNode node = json(text);
        if (node instanceof ObjectNode record
                && record.path("type").asText("").equals("record")
                && record.path("name").asText("").isEmpty()) {
            record.put("name", "record");
        }
        return new AvroSchemas().type(node, "", 0);
    }

    /**
     * Reads a schema that refers to types of others.
     *
     * @param others schemas that define them, each behind those that it refers to itself
     * @throws IllegalArgumentException when one of them is none; the message says why
     */
    static AvroType parse(String text, List<RegisteredSchema.Reference> others) {
        AvroSchemas all = new AvroSchemas();
        for (RegisteredSchema.Reference other : others) {
            try {
                AvroType unused = all.type(json(other.text()), "", 0);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        e.getMessage() + " (in the schema of '" + other.name() + "' that it refers to)", e);
            }
        }
        return all.type(json(text), "", 0);
    }

    private static JsonNode json(String text) {
        if (text.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "an Avro schema of " + text.length() + " characters, expected at most " + MOST_CHARACTERS);
        }
        try {
            return MAPPER.readerFor(JsonNode.class)
                    .with(com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not an Avro schema: " + e.getOriginalMessage(), e);
        }
    }

    private static IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("not an Avro schema: " + what);
    }

    private AvroType type(JsonNode node, String namespace, int depth) {
        if (depth > MOST_DEEP || ++types > MOST_TYPES) {
            throw wrong("expected at most " + MOST_TYPES + " types, " + MOST_DEEP + " within each other");
        }
        if (node.isTextual()) {
            return byName(node.textValue(), namespace);
        }
        if (node.isArray()) {
            return union(node, namespace, depth);
        }
        if (!node.isObject()) {
            throw wrong("expected a type, got " + node.getNodeType().name().toLowerCase(Locale.ROOT));
        }
        JsonNode type = node.path("type");
        if (type.isObject() || type.isArray()) {
            // A type in a type, as some tools write it.
            return type(type, namespace, depth + 1);
        }
        String word = type.asText("");
        return switch (word) {
            case "record", "error" -> record(node, namespace, depth);
            case "enum" -> enumeration(node, namespace);
            case "fixed" -> fixed(node, namespace);
            case "array" -> container(Kind.ARRAY, node.path("items"), namespace, depth);
            case "map" -> container(Kind.MAP, node.path("values"), namespace, depth);
            default -> logical(byName(word, namespace), node);
        };
    }

    private AvroType byName(String word, String namespace) {
        Kind primitive =
                switch (word) {
                    case "null" -> Kind.NULL;
                    case "boolean" -> Kind.BOOLEAN;
                    case "int" -> Kind.INT;
                    case "long" -> Kind.LONG;
                    case "float" -> Kind.FLOAT;
                    case "double" -> Kind.DOUBLE;
                    case "bytes" -> Kind.BYTES;
                    case "string" -> Kind.STRING;
                    default -> null;
                };
        if (primitive != null) {
            return AvroType.of(primitive);
        }
        AvroType known = named.get(full(word, namespace));
        if (known == null) {
            known = named.get(word);
        }
        if (known == null) {
            throw wrong("there is no type '" + word.substring(0, Math.min(word.length(), MOST_SHOWN)) + "'");
        }
        return known;
    }

    private static String full(String name, String namespace) {
        return name.contains(".") || namespace.isEmpty() ? name : namespace + "." + name;
    }

    private AvroType union(JsonNode node, String namespace, int depth) {
        List<AvroType> branches = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (JsonNode branch : node) {
            AvroType type = type(branch, namespace, depth + 1);
            if (type.kind == Kind.UNION) {
                throw wrong("a union within a union");
            }
            if (!seen.add(type.describe())) {
                throw wrong("a union with two of " + type.describe());
            }
            branches.add(type);
        }
        if (branches.isEmpty()) {
            throw wrong("a union of nothing");
        }
        return new AvroType(Kind.UNION, "", 0, List.of(), List.copyOf(branches));
    }

    private AvroType container(Kind kind, JsonNode items, String namespace, int depth) {
        AvroType of = type(items, namespace, depth + 1);
        return new AvroType(kind, "", 0, List.of(), List.of(of));
    }

    private static String name(JsonNode node, String namespace) {
        String name = node.path("name").asText("");
        if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
            throw wrong("a " + node.path("type").asText() + " without a name, or with '"
                    + name.substring(0, Math.min(name.length(), MOST_SHOWN)) + "' for it");
        }
        JsonNode own = node.path("namespace");
        return full(name, own.isTextual() ? own.textValue() : namespace);
    }

    private void define(AvroType type) {
        if (named.putIfAbsent(type.name, type) != null) {
            throw wrong("'" + type.name + "' is defined twice");
        }
    }

    private AvroType record(JsonNode node, String namespace, int depth) {
        String name = name(node, namespace);
        AvroType record = new AvroType(Kind.RECORD, name, 0, List.of(), List.of());
        define(record);
        String within = name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : "";
        List<AvroType.Member> members = new ArrayList<>();
        Set<String> names = new HashSet<>();
        JsonNode fields = node.path("fields");
        if (!fields.isArray()) {
            throw wrong("record " + name + " has no fields");
        }
        for (JsonNode field : fields) {
            String member = field.path("name").asText("");
            if (member.isEmpty() || !names.add(member)) {
                throw wrong("record " + name + " has a field without a name of its own: '" + member + "'");
            }
            members.add(new AvroType.Member(member, type(field.path("type"), within, depth + 1)));
        }
        record.members = List.copyOf(members);
        return record;
    }

    private AvroType enumeration(JsonNode node, String namespace) {
        List<String> symbols = new ArrayList<>();
        node.path("symbols").forEach(symbol -> symbols.add(symbol.asText()));
        AvroType type = new AvroType(Kind.ENUM, name(node, namespace), 0, List.copyOf(symbols), List.of());
        define(type);
        return type;
    }

    private AvroType fixed(JsonNode node, String namespace) {
        JsonNode size = node.path("size");
        if (!size.isInt() || size.intValue() < 0 || size.intValue() > MOST_FIXED) {
            throw wrong("fixed " + node.path("name").asText() + ": expected a size of 0 to " + MOST_FIXED);
        }
        AvroType plain = new AvroType(Kind.FIXED, name(node, namespace), size.intValue(), List.of(), List.of());
        AvroType type = logical(plain, node);
        define(type);
        return type;
    }

    /** The type with what it stands for. */
    private static AvroType logical(AvroType type, JsonNode node) {
        String word = node.path("logicalType").asText("");
        Logical logical =
                switch (word) {
                    case "decimal" -> type.kind == Kind.BYTES || type.kind == Kind.FIXED ? Logical.DECIMAL : null;
                    case "uuid" ->
                        type.kind == Kind.STRING || (type.kind == Kind.FIXED && type.size == 16) ? Logical.UUID : null;
                    case "date" -> only(type, Kind.INT, Logical.DATE);
                    case "time-millis" -> only(type, Kind.INT, Logical.TIME_MILLIS);
                    case "time-micros" -> only(type, Kind.LONG, Logical.TIME_MICROS);
                    case "timestamp-millis" -> only(type, Kind.LONG, Logical.TIMESTAMP_MILLIS);
                    case "timestamp-micros" -> only(type, Kind.LONG, Logical.TIMESTAMP_MICROS);
                    case "timestamp-nanos" -> only(type, Kind.LONG, Logical.TIMESTAMP_NANOS);
                    case "local-timestamp-millis" -> only(type, Kind.LONG, Logical.LOCAL_TIMESTAMP_MILLIS);
                    case "local-timestamp-micros" -> only(type, Kind.LONG, Logical.LOCAL_TIMESTAMP_MICROS);
                    case "local-timestamp-nanos" -> only(type, Kind.LONG, Logical.LOCAL_TIMESTAMP_NANOS);
                    default -> null;
                };
        JsonNode scale = node.path("scale");
        int digits = scale.isMissingNode() ? 0 : scale.asInt(-1);
        if (logical == null || (logical == Logical.DECIMAL && (digits < 0 || digits > MOST_SCALE))) {
            return type;
        }
        boolean decimal = logical == Logical.DECIMAL;
        return type.standingFor(
                logical,
                decimal ? digits : 0,
                decimal ? Math.max(0, node.path("precision").asInt(0)) : 0);
    }

    private static @Nullable Logical only(AvroType type, Kind kind, Logical logical) {
        return type.kind == kind ? logical : null;
    }
}
