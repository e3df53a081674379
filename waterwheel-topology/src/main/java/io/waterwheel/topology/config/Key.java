package io.waterwheel.topology.config;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The one declaration of a configuration key: name, type, default, bounds and a sentence. Immutable; each call that
 * adds a part gives a new key.
 *
 * <pre>{@code
 * static final Key<DataSize> SEAL_SIZE = Key.bytes("indexer.seal-size", "16 MiB").atLeast("64 KiB").doc("...");
 * }</pre>
 */
public final class Key<T> {
    /** What a text must look like, for the program and for people. */
    private record Shape(Pattern pattern, String words) {}

    private final String name;
    private final String type;
    private final String defaultText;
    private final Function<String, T> parser;
    private final Function<T, String> formatter;
    private final @Nullable String least;
    private final @Nullable String most;
    private final @Nullable Shape shape;
    private final String doc;

    private Key(
            String name,
            String type,
            String defaultText,
            Function<String, T> parser,
            Function<T, String> formatter,
            @Nullable String least,
            @Nullable String most,
            @Nullable Shape shape,
            String doc) {
        this.name = name;
        this.type = type;
        this.defaultText = defaultText;
        this.parser = parser;
        this.formatter = formatter;
        this.least = least;
        this.most = most;
        this.shape = shape;
        this.doc = doc;
    }

    private static <T> Key<T> of(
            String name, String type, String defaultText, Function<String, T> parser, Function<T, String> formatter) {
        return new Key<>(name, type, defaultText, parser, formatter, null, null, null, "");
    }

    static Key<DataSize> bytes(String name, String defaultText) {
        return of(name, "size", defaultText, DataSize::parse, DataSize::toString);
    }

    static Key<Duration> duration(String name, String defaultText) {
        return of(name, "duration", defaultText, DurationText::parse, DurationText::format);
    }

    static Key<Integer> integer(String name, int defaultValue) {
        return of(name, "whole number", Integer.toString(defaultValue), Key::parseInteger, Object::toString);
    }

    static Key<String> text(String name, String defaultText) {
        return of(name, "text", defaultText, Function.identity(), Function.identity());
    }

    /** A list of whole numbers; its text is the numbers with commas between. */
    static Key<List<Integer>> integers(String name, String defaultText) {
        return of(
                name,
                "list of whole numbers",
                defaultText,
                text -> split(text).map(Key::parseInteger).toList(),
                list -> String.join(", ", list.stream().map(Object::toString).toList()));
    }

    /** Refuses less; for a list, any element that is less. */
    Key<T> atLeast(String bound) {
        return new Key<>(name, type, defaultText, parser, formatter, bound, most, shape, doc);
    }

    /** Refuses more; for a list, any element that is more. */
    Key<T> atMost(String bound) {
        return new Key<>(name, type, defaultText, parser, formatter, least, bound, shape, doc);
    }

    /** Refuses a text that does not match whole; the words say what is expected. */
    Key<T> matching(String regex, String words) {
        Shape expected = new Shape(Pattern.compile(regex), words);
        return new Key<>(name, type, defaultText, parser, formatter, least, most, expected, doc);
    }

    Key<T> doc(String sentence) {
        return new Key<>(name, type, defaultText, parser, formatter, least, most, shape, sentence);
    }

    public String name() {
        return name;
    }

    /** What values it takes, for people. */
    String type() {
        return type;
    }

    String doc() {
        return doc;
    }

    String defaultText() {
        return defaultText;
    }

    /** The bounds in words, empty when there are none. */
    String bounds() {
        if (least != null && most != null) {
            return least + " to " + most;
        }
        if (shape != null) {
            return shape.words();
        }
        return least != null ? "at least " + least : most != null ? "at most " + most : "";
    }

    /** Reads and checks a value; an IllegalArgumentException says what was expected and what came. */
    T parse(String text) {
        T value = parser.apply(text);
        if (value instanceof String string
                && shape != null
                && !shape.pattern().matcher(string).matches()) {
            throw new IllegalArgumentException("expected " + shape.words() + ", got '" + text + "'");
        }
        if ((least != null && compareToBound(value, least) < 0) || (most != null && compareToBound(value, most) > 0)) {
            throw new IllegalArgumentException("expected " + bounds() + ", got '" + text + "'");
        }
        return value;
    }

    /** As its values are written. */
    public String format(T value) {
        return formatter.apply(value);
    }

    T defaultValue() {
        return parse(defaultText);
    }

    /** For a list, the element farthest on the wrong side decides, hence the first that is not equal. */
    private int compareToBound(T value, String bound) {
        if (value instanceof List<?> list) {
            boolean lower = bound.equals(least);
            int limit = parseInteger(bound);
            return list.stream()
                    .mapToInt(element -> Integer.compare((Integer) element, limit))
                    .filter(order -> lower ? order < 0 : order > 0)
                    .findFirst()
                    .orElse(0);
        }
        T limit = parser.apply(bound);
        if (value instanceof Integer a && limit instanceof Integer b) {
            return a.compareTo(b);
        }
        if (value instanceof DataSize a && limit instanceof DataSize b) {
            return a.compareTo(b);
        }
        if (value instanceof Duration a && limit instanceof Duration b) {
            return a.compareTo(b);
        }
        throw new IllegalStateException("key " + name + ": a " + type + " has no bounds");
    }

    private static java.util.stream.Stream<String> split(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).filter(part -> !part.isEmpty());
    }

    private static Integer parseInteger(String text) {
        try {
            return Integer.valueOf(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected a whole number, got '" + text + "'", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
