package io.waterwheel.cli.text;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.schema.text.YamlText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A stream's definition as a schema file: reading it gives the same definition, nothing left out. */
public final class DefinitionYaml {
    /** What a terminal or YAML takes for the end of a line, or for something to do. */
    private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]");

    private DefinitionYaml() {}

    /** A text for a comment or the terminal: each sign that could end the line is another then. */
    public static String oneLine(String text, String instead) {
        return CONTROLS.matcher(text).replaceAll(instead);
    }

    /** All of a definition. */
    public static String of(StreamDefinition definition) {
        return of(definition, true);
    }

    /** All but the fields. */
    public static String withoutFields(StreamDefinition definition) {
        return of(definition, false);
    }

    private static String of(StreamDefinition definition, boolean withFields) {
        Schema schema = definition.schema();
        StringBuilder out = new StringBuilder();
        line(out, "name", YamlText.of(definition.name()));
        line(out, "topic", YamlText.of(definition.topic()));
        line(out, "format", SchemaFile.formatName(definition.format()));
        line(out, "partitions", Integer.toString(definition.partitions()));
        line(out, "dead-letters", definition.policy().badRecords().toString());
        line(out, "log-loss", definition.policy().logLoss().toString());
        if (definition.policy().balancing() != StreamPolicy.DEFAULT.balancing()) {
            line(out, "balancing", definition.policy().balancing().toString());
        }
        if (!definition.policy().retention().isOff()) {
            line(out, "retention", definition.policy().retention().toString());
        }
        if (definition.policy().indexedRecords() != StreamPolicy.DEFAULT.indexedRecords()) {
            line(out, "indexed-records", definition.policy().indexedRecords().toString());
        }
        if (withFields) {
            out.append("fields:\n");
            for (Field field : schema.fields()) {
                out.append("  - ").append(field(field, schema.text())).append('\n');
            }
        }
        key(out, schema.key().members());
        line(out, "time", YamlText.of(schema.timeField()));
        Map<String, Object> records = records(schema.text());
        if (definition.format() != RecordFormat.CSV) {
            // What a file that does not say it means.
            if (!records.remove("unknown", "skip")) {
                records.putIfAbsent("unknown", "reject");
            }
        }
        if (!records.isEmpty()) {
            line(out, "records", object(records));
        }
        return out.toString();
    }

    /** The member {@code records} as people write it. */
    public static Map<String, Object> records(RecordText text) {
        Map<String, Object> records = new LinkedHashMap<>(text.members());
        records.replace("delimiter", "\t", "tab");
        return records;
    }

    private static String field(Field field, RecordText text) {
        StringBuilder out = new StringBuilder("{name: ").append(YamlText.of(field.name()));
        // A comma ends a member.
        String quote = field.type().isDecimal() ? "'" : "";
        out.append(", type: ").append(quote).append(field.type().schemaName()).append(quote);
        if (field.type().isTimestamp() && field.unit() != field.type().resolution()) {
            out.append(", unit: ").append(field.unit().schemaName());
        }
        String sign = text.export().units().get(field.name());
        if (sign != null) {
            out.append(", unit: ").append(YamlText.of(sign));
        }
        return out.append(field.nullable() ? ", nullable: true" : "")
                .append(indexed(field))
                .append(text.from().containsKey(field.name()) ? ", from: " + source(field.name(), text) : "")
                .append('}')
                .toString();
    }

    private static String source(String field, RecordText text) {
        String clock = text.clock(field);
        return value(clock == null ? text.source(field) : List.of(text.source(field), clock));
    }

    private static String indexed(Field field) {
        return switch (field.index()) {
            case NONE -> "";
            case VALUES -> ", indexed: true";
            case TEXT -> ", indexed: text";
        };
    }

    /** The line, or lines, of a key; a member of objects takes a line for each. */
    public static void key(StringBuilder out, Map<String, Object> members) {
        if (members.values().stream().noneMatch(DefinitionYaml::isOfObjects)) {
            line(out, "key", object(members));
            return;
        }
        out.append("key:\n");
        members.forEach((name, value) -> {
            if (value instanceof List<?> list && isOfObjects(value)) {
                out.append("  ").append(name).append(":\n");
                list.forEach(item -> out.append("    - ").append(value(item)).append('\n'));
            } else {
                line(out, "  " + name, value(value));
            }
        });
    }

    private static boolean isOfObjects(Object value) {
        return value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map;
    }

    private static String object(Map<?, ?> members) {
        return members.entrySet().stream()
                .map(member -> member.getKey() + ": " + value(member.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    /** A value as it stands in a line. */
    public static String value(@Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            return object(members);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(DefinitionYaml::value).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof String text ? YamlText.of(text) : String.valueOf(value);
    }

    private static void line(StringBuilder out, String name, String value) {
        out.append(name).append(": ").append(value).append('\n');
    }
}
