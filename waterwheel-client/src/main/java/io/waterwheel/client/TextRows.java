package io.waterwheel.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.schema.Field;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tuples as text that the server reads back to the same values: timestamps in milliseconds since 1970 UTC, bytes in
 * base64. Stateless, thread-safe. JSON has no number for what is not finite: such values are null there.
 */
public final class TextRows {
    private static final JsonFactory JSON = new JsonFactory();

    private TextRows() {}

    /** A line of comma-separated values, without its end; null is nothing, an empty string is two quotes. */
    public static String csv(List<@Nullable Object> values) {
        StringBuilder line = new StringBuilder();
        for (int f = 0; f < values.size(); f++) {
            if (f > 0) {
                line.append(',');
            }
            Object value = values.get(f);
            if (value != null) {
                appendCsv(line, value);
            }
        }
        return line.toString();
    }

    private static void appendCsv(StringBuilder line, Object value) {
        String text = text(value);
        boolean quote = text.isEmpty();
        for (int i = 0; i < text.length() && !quote; i++) {
            char c = text.charAt(i);
            quote = c == ',' || c == '"' || c == '\n' || c == '\r';
        }
        if (quote) {
            line.append('"').append(text.replace("\"", "\"\"")).append('"');
        } else {
            line.append(text);
        }
    }

    /** The value as text, bytes in base64. */
    public static String text(Object value) {
        return value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value.toString();
    }

    /** A JSON object on one line; members that are null are there as null. */
    public static String json(List<Field> fields, List<@Nullable Object> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            generator.writeStartObject();
            for (int f = 0; f < fields.size(); f++) {
                generator.writeFieldName(fields.get(f).name());
                write(generator, values.get(f));
            }
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value instanceof Integer number) {
            generator.writeNumber(number);
        } else if (value instanceof Long number) {
            generator.writeNumber(number);
        } else if (value instanceof Float number && Float.isFinite(number)) {
            generator.writeNumber(number);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            generator.writeNumber(number);
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else if (value instanceof String string) {
            generator.writeString(string);
        } else if (value instanceof byte[] bytes) {
            generator.writeBinary(bytes);
        } else {
            generator.writeNull();
        }
    }
}
