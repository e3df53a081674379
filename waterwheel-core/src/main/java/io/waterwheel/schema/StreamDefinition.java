package io.waterwheel.schema;

import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.schema.text.WriterTypes;
import java.util.regex.Pattern;

/**
 * What someone who creates a stream says of it. A name or number out of bounds is an {@link IllegalArgumentException}.
 *
 * @param name of the stream: letters, digits, dots, underscores and hyphens, starting with a letter or digit, at most
 *     100
 * @param topic name of the Kafka topic that feeds it; made when it does not exist; 1 to 249 of the same characters
 * @param format what the topic's records are
 * @param partitions of the topic when it is made, 1 to 1,000,000; an existing topic keeps its own number
 * @param schema its fields, key and time
 * @param policy what is done about trouble with its topic
 */
public record StreamDefinition(
        String name, String topic, RecordFormat format, int partitions, Schema schema, StreamPolicy policy) {
    /** Partitions of a topic when no number is given. */
    public static final int DEFAULT_PARTITIONS = 4;

    private static final int MAX_PARTITIONS = 1_000_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    /** A definition with the default policy. */
    public StreamDefinition(String name, String topic, RecordFormat format, int partitions, Schema schema) {
        this(name, topic, format, partitions, schema, StreamPolicy.DEFAULT);
    }

    /** Whether a stream may have this name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    public StreamDefinition {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "stream name '" + name
                            + "': expected letters, digits, dots, underscores and hyphens, at most 100, first a letter or digit");
        }
        if (!TOPIC.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
            throw new IllegalArgumentException(
                    "topic '" + topic + "': expected letters, digits, dots, underscores and hyphens, at most 249");
        }
        String rest = schema.text().json().rest();
        if (!rest.isEmpty() && format != RecordFormat.JSON) {
            throw new IllegalArgumentException("unknown: into " + rest + " goes with format: json");
        }
        if (schema.text().encoding() != TextEncoding.UTF_8 && !format.isText()) {
            throw new IllegalArgumentException("encoding: goes with records that are text: with format: csv or json");
        }
        if (format == RecordFormat.BLOCK && schema.text().kafka().any()) {
            throw new IllegalArgumentException(
                    "from: kafka... goes with records that others write, not with format: block, whose rows hold all"
                            + " fields");
        }
        if (schema.text().blocks() && (!format.isText() || schema.text().kafka().any())) {
            throw new IllegalArgumentException(
                    "blocks: goes with format: csv or json, and with fields that are in the values of records");
        }
        if (!schema.text().export().clocks().isEmpty() && format != RecordFormat.CSV && format != RecordFormat.JSON) {
            throw new IllegalArgumentException(
                    "from: a day and a time of day in two places go with format: csv or json");
        }
        WriterTypes types = schema.text().types();
        boolean registered = !types.registry().isEmpty();
        if (format == RecordFormat.AVRO
                ? !registered && types.schema().isEmpty()
                : !types.schema().isEmpty()) {
            throw new IllegalArgumentException(
                    format == RecordFormat.AVRO
                            ? "records: format: avro needs schema-file (or schema), or registry"
                            : "records: schema and schema-file go with format: avro");
        }
        if (format == RecordFormat.PROTOBUF
                ? !registered && types.descriptor().isEmpty()
                : !types.descriptor().isEmpty()) {
            throw new IllegalArgumentException(
                    format == RecordFormat.PROTOBUF
                            ? "records: format: protobuf needs descriptor-file (or descriptor) and message, or registry"
                            : "records: descriptor, descriptor-file and message go with format: protobuf");
        }
        if (registered && format != RecordFormat.AVRO && format != RecordFormat.PROTOBUF) {
            throw new IllegalArgumentException("records: registry goes with format: avro or protobuf");
        }
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new IllegalArgumentException("partitions: expected 1 to " + MAX_PARTITIONS + ", got " + partitions);
        }
    }

    /** Whether rows are appended as tuple blocks. */
    public boolean takesBlocks() {
        return format.takesBlocks(schema);
    }

    /** The same with another schema. */
    public StreamDefinition withSchema(Schema other) {
        return new StreamDefinition(name, topic, format, partitions, other, policy);
    }
}
