package io.waterwheel.encode;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.CsvEscapes;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.MemberPath;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tuples as text that the server reads back to the same values: timestamps in milliseconds since 1970 UTC, bytes in
 * base64. Stateless, thread-safe. JSON has no number for what is not finite: such values are null there.
 */
public final class TextRows {
    private static final JsonFactory JSON = new JsonFactory();

    private TextRows() {}

    /**
     * Names of columns for who finds columns by their names: of several that are alike all but the first get a number
     * behind them, {@code count}, {@code count_1}, that makes no other name.
     */
    public static List<String> apart(List<String> names) {
        Set<String> all = new HashSet<>(names);
        Set<String> taken = new HashSet<>();
        List<String> apart = new ArrayList<>();
        for (String name : names) {
            String one = name;
            for (int n = 1; !taken.add(one); n++) {
                String numbered = name + "_" + n;
                one = all.contains(numbered) ? one : numbered;
            }
            apart.add(one);
        }
        return apart;
    }

    /** A line of comma-separated values, without its end; null is nothing, an empty string is two quotes. */
    public static String csv(List<@Nullable Object> values) {
        return csv(values, RecordText.Csv.DEFAULT);
    }

    /**
     * The same with other signs.
     *
     * @throws IllegalArgumentException when there are no quotes and no escape that a value needs
     */
    static String csv(List<@Nullable Object> values, RecordText.Csv signs) {
        StringBuilder line = new StringBuilder();
        for (int f = 0; f < values.size(); f++) {
            if (f > 0) {
                line.append(signs.delimiter());
            }
            Object value = values.get(f);
            if (value != null) {
                appendCsv(line, value, signs);
            }
        }
        return line.toString();
    }

    private static void appendCsv(StringBuilder line, Object value, RecordText.Csv signs) {
        String text = text(value);
        if (value instanceof Float || value instanceof Double || value instanceof BigDecimal) {
            text = text.replace('.', signs.decimal());
        }
        char escape = signs.escape();
        if (signs.quote() == '\0') {
            line.append(unquoted(text, signs));
            return;
        }
        if (escape != '\0') {
            text = text.replace(String.valueOf(escape), "" + escape + escape);
        }
        boolean quote = text.isEmpty() || signs.nulls().contains(text);
        for (int i = 0; i < text.length() && !quote; i++) {
            char c = text.charAt(i);
            quote = c == signs.delimiter() || c == signs.quote() || c == '\n' || c == '\r';
        }
        if (quote) {
            String mark = String.valueOf(signs.quote());
            line.append(mark).append(text.replace(mark, mark + mark)).append(mark);
        } else {
            line.append(text);
        }
    }

    private static String unquoted(String text, RecordText.Csv signs) {
        if (text.isEmpty()) {
            throw unwritable(text, "nothing, which is null there,");
        }
        String written = escaped(text, signs, -1);
        // A character that stands for itself behind the escape makes another word of one for null.
        for (int i = 0;
                i < text.length() && signs.escape() != '\0' && signs.nulls().contains(written);
                i++) {
            written = escaped(text, signs, i);
        }
        if (signs.nulls().contains(written)) {
            throw unwritable(text, "words that stand for null");
        }
        return written;
    }

    /** @param more the character that gets an escape without need, where it can */
    private static String escaped(String text, RecordText.Csv signs, int more) {
        char escape = signs.escape();
        boolean letters = escape == '\\';
        StringBuilder written = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean divides = c == signs.delimiter() || c == '\n' || c == '\r';
            if (divides && escape == '\0') {
                throw unwritable(text, "delimiters and line ends");
            }
            boolean self = !letters || CsvEscapes.meant(c) == c;
            if (escape != '\0' && (divides || c == escape || (i == more && self))) {
                written.append(escape);
            }
            written.append(letters && c == '\n' ? 'n' : letters && c == '\r' ? 'r' : c);
        }
        return written.toString();
    }

    private static IllegalArgumentException unwritable(String text, String what) {
        return new IllegalArgumentException("expected values that the stream's CSV, which has no quotes, can hold: "
                + what + " cannot be written, got '" + text.substring(0, Math.min(40, text.length())) + "'");
    }

    /** The value as text, bytes in base64. */
    public static String text(Object value) {
        if (value instanceof BigDecimal decimal) {
            return Decimals.text(decimal);
        }
        return value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value.toString();
    }

    /** A JSON object on one line; members that are null are there as null. */
    public static String json(List<Field> fields, List<@Nullable Object> values) {
        return jsonOf(fields.stream().map(Field::name).toList(), values);
    }

    /** The same under these names. */
    public static String jsonOf(List<String> names, List<@Nullable Object> values) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            generator.writeStartObject();
            for (int f = 0; f < names.size(); f++) {
                generator.writeFieldName(names.get(f));
                write(generator, values.get(f));
            }
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    /**
     * Where each field of a schema, or its day and then its time of day, stands in a JSON object; nowhere: it holds
     * members that are no fields.
     */
    static List<List<MemberPath.Step>> places(Schema schema) {
        List<List<MemberPath.Step>> places = new ArrayList<>();
        for (Field field : schema.fields()) {
            places.add(
                    field.name().equals(schema.text().json().rest())
                            ? List.of()
                            : MemberPath.steps(schema.text().source(field.name())));
            String clock = schema.text().clock(field.name());
            if (clock != null) {
                places.add(MemberPath.steps(clock));
            }
        }
        return places;
    }

    /**
     * The same for a stream whose schema may name other members for its fields, or places below members. Where each
     * element of an array is a tuple, the array has this one.
     *
     * @param places by field
     * @throws IllegalArgumentException when the value of a field that holds members that are no fields is no JSON
     *     object
     */
    static String jsonAt(List<List<MemberPath.Step>> places, List<@Nullable Object> values) {
        boolean array = places.stream()
                .anyMatch(steps -> !steps.isEmpty() && steps.get(0).isEach());
        Map<Object, @Nullable Object> root = array ? new TreeMap<>() : new LinkedHashMap<>();
        String rest = "";
        for (int f = 0; f < values.size(); f++) {
            List<MemberPath.Step> steps = places.get(f);
            if (steps.isEmpty()) {
                rest = values.get(f) instanceof String text ? membersOf(text) : rest;
                continue;
            }
            Map<Object, @Nullable Object> at = root;
            for (int s = 0; s < steps.size(); s++) {
                MemberPath.Step step = steps.get(s);
                Object name = step.isEach()
                        ? Integer.valueOf(0)
                        : step.element() ? Integer.valueOf(step.name()) : step.name();
                if (s == steps.size() - 1) {
                    at.put(name, values.get(f));
                } else {
                    // Elements by number, in order.
                    boolean elements = steps.get(s + 1).element();
                    at = below(at.computeIfAbsent(name, unused -> elements ? new TreeMap<>() : new LinkedHashMap<>()));
                }
            }
        }
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            write(generator, root);
            generator.flush();
            if (!rest.isEmpty()) {
                text.getBuffer().setLength(text.getBuffer().length() - 1);
                text.append(root.isEmpty() ? "" : ",").append(rest).append('}');
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    /** What stands between the braces of a JSON object. */
    private static String membersOf(String object) {
        try (JsonParser parser = JSON.createParser(object)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                parser.skipChildren();
                if (parser.nextToken() == null) {
                    String bare = object.strip();
                    return bare.substring(1, bare.length() - 1).strip();
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "expected a JSON object of members that are no fields: " + e.getMessage(), e);
        }
        throw new IllegalArgumentException("expected a JSON object of members that are no fields, got '"
                + object.substring(0, Math.min(40, object.length())) + "'");
    }

    @SuppressWarnings("unchecked") // places of two fields are never one within the other
    private static Map<Object, @Nullable Object> below(Object members) {
        return (Map<Object, @Nullable Object>) members;
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value instanceof TreeMap<?, ?> elements) {
            generator.writeStartArray();
            for (int i = 0; i <= (Integer) elements.lastKey(); i++) {
                write(generator, elements.get(i));
            }
            generator.writeEndArray();
        } else if (value instanceof Map<?, ?> members) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> member : members.entrySet()) {
                generator.writeFieldName(String.valueOf(member.getKey()));
                write(generator, member.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof Integer number) {
            generator.writeNumber(number);
        } else if (value instanceof Long number) {
            generator.writeNumber(number);
        } else if (value instanceof Float number && Float.isFinite(number)) {
            generator.writeNumber(number);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            generator.writeNumber(number);
        } else if (value instanceof BigDecimal decimal) {
            generator.writeNumber(Decimals.text(decimal));
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
