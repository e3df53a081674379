package io.waterwheel.cli.input;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A stream's definition as a schema file: reading it gives the same definition, nothing left out. */
public final class DefinitionYaml {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9._-]*");

    /** What YAML takes for something else than text. */
    private static final Pattern SPECIAL = Pattern.compile("(?i)null|true|false|yes|no|on|off|y|n");

    private DefinitionYaml() {}

    public static String of(StreamDefinition definition) {
        Schema schema = definition.schema();
        StringBuilder out = new StringBuilder();
        line(out, "name", text(definition.name()));
        line(out, "topic", text(definition.topic()));
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
        out.append("fields:\n");
        for (Field field : schema.fields()) {
            out.append("  - ").append(field(field)).append('\n');
        }
        line(out, "key", key(schema.key().members()));
        line(out, "time", text(schema.timeField()));
        return out.toString();
    }

    private static String field(Field field) {
        StringBuilder out = new StringBuilder("{name: ").append(text(field.name()));
        out.append(", type: ").append(field.type().schemaName());
        if (field.type().isTimestamp() && field.unit() != field.type().resolution()) {
            out.append(", unit: ").append(field.unit().schemaName());
        }
        return out.append(field.nullable() ? ", nullable: true" : "")
                .append(field.indexed() ? ", indexed: true" : "")
                .append('}')
                .toString();
    }

    private static String key(Map<String, Object> members) {
        return members.entrySet().stream()
                .map(member -> member.getKey() + ": " + value(member.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String value(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(DefinitionYaml::value).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof String name ? text(name) : value.toString();
    }

    private static void line(StringBuilder out, String name, String value) {
        out.append(name).append(": ").append(value).append('\n');
    }

    /** No name holds a quote. */
    private static String text(String name) {
        boolean plain = PLAIN.matcher(name).matches() && !SPECIAL.matcher(name).matches();
        return plain ? name : "'" + name + "'";
    }
}
