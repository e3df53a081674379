package io.waterwheel.schema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.text.WriterTypes;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/**
 * Schemas and stream definitions as JSON: the form they have in the catalog and in messages. Equal values have equal
 * text. Reading is strict: unknown members, missing ones and unfit values are one {@link WaterwheelException} of kind
 * USER, code {@code SCHEMA_INVALID}, that lists them all.
 */
public final class SchemaJson {
    private static final int MAX_LENGTH = 1 << 20;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(10)
                    .maxDocumentLength(MAX_LENGTH)
                    .maxNumberLength(100)
                    .maxStringLength(WriterTypes.MOST_CHARACTERS)
                    .build())
            .build();

    private SchemaJson() {}

    /** The schema as one line of JSON. */
    public static String write(Schema schema) {
        return json(generator -> members(generator, schema));
    }

    /** Reads what {@link #write(Schema)} wrote. */
    public static Schema read(String json) {
        try {
            return DefinitionReader.schema("schema", FACTORY.createParser(json));
        } catch (IOException e) {
            throw new UncheckedIOException("a parser over a string cannot fail to open", e);
        }
    }

    /** The definition as one line of JSON. */
    public static String writeStream(StreamDefinition stream) {
        return json(generator -> {
            generator.writeStringField("name", stream.name());
            generator.writeStringField("topic", stream.topic());
            generator.writeStringField("format", SchemaFile.formatName(stream.format()));
            generator.writeNumberField("partitions", stream.partitions());
            if (!stream.policy().equals(StreamPolicy.DEFAULT)) {
                generator.writeStringField(
                        "dead-letters", stream.policy().badRecords().toString());
                generator.writeStringField("log-loss", stream.policy().logLoss().toString());
                generator.writeStringField(
                        "balancing", stream.policy().balancing().toString());
                generator.writeStringField(
                        "retention", stream.policy().retention().toString());
            }
            // Releases that do not know of it refuse a definition that has it: not where it is what they do.
            if (stream.policy().indexedRecords() != StreamPolicy.DEFAULT.indexedRecords()) {
                generator.writeStringField(
                        "indexed-records", stream.policy().indexedRecords().toString());
            }
            members(generator, stream.schema());
        });
    }

    /** Reads what {@link #writeStream} wrote. */
    public static StreamDefinition readStream(String json) {
        try {
            return DefinitionReader.stream(
                    "stream", FACTORY.createParser(json), false, RecordText.Unknown.REJECT, DefinitionReader.NO_FILES);
        } catch (IOException e) {
            throw new UncheckedIOException("a parser over a string cannot fail to open", e);
        }
    }

    private interface Members {
        void write(JsonGenerator generator) throws IOException;
    }

    private static String json(Members members) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            generator.writeStartObject();
            members.write(generator);
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    private static void members(JsonGenerator generator, Schema schema) throws IOException {
        generator.writeArrayFieldStart("fields");
        for (Field field : schema.fields()) {
            generator.writeStartObject();
            generator.writeStringField("name", field.name());
            generator.writeStringField("type", field.type().schemaName());
            if (field.nullable()) {
                generator.writeBooleanField("nullable", true);
            }
            if (field.type().isTimestamp() && field.unit() != field.type().resolution()) {
                generator.writeStringField("unit", field.unit().schemaName());
            }
            String sign = schema.text().export().units().get(field.name());
            if (sign != null) {
                generator.writeStringField("unit", sign);
            }
            switch (field.index()) {
                case NONE -> {}
                case VALUES -> generator.writeBooleanField("indexed", true);
                case TEXT -> generator.writeStringField("indexed", "text");
            }
            if (schema.text().from().containsKey(field.name())) {
                generator.writeFieldName("from");
                String clock = schema.text().clock(field.name());
                String source = schema.text().source(field.name());
                value(generator, clock == null ? source : List.of(source, clock));
            }
            generator.writeEndObject();
        }
        generator.writeEndArray();
        generator.writeObjectFieldStart("key");
        for (Map.Entry<String, Object> member : schema.key().members().entrySet()) {
            generator.writeFieldName(member.getKey());
            value(generator, member.getValue());
        }
        generator.writeEndObject();
        generator.writeStringField("time", schema.timeField());
        Map<String, Object> records = schema.text().members();
        if (!records.isEmpty()) {
            generator.writeFieldName("records");
            value(generator, records);
        }
    }

    private static void value(JsonGenerator generator, Object value) throws IOException {
        if (value instanceof List<?> list) {
            generator.writeStartArray();
            for (Object item : list) {
                value(generator, item);
            }
            generator.writeEndArray();
        } else if (value instanceof Map<?, ?> members) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> member : members.entrySet()) {
                generator.writeFieldName((String) member.getKey());
                value(generator, member.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof Double number) {
            generator.writeNumber(number);
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else {
            generator.writeString((String) value);
        }
    }
}
