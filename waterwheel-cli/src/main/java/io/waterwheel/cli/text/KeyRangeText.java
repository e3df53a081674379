package io.waterwheel.cli.text;

import io.waterwheel.query.KeyRange;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code LO..HI}, both included; {@code LO..}, {@code ..HI}; or one value; each perhaps behind {@code FIELD=}. What a
 * value looks like the stream knows; one that holds two dots, begins with a quote or a name and {@code =}, or is empty
 * stands in single quotes, in which a quote is written twice.
 */
public final class KeyRangeText implements ITypeConverter<KeyRange> {
    private static final String BETWEEN = "..";
    private static final char QUOTE = '\'';
    private static final Pattern FIELD = Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,63})=(.*)", Pattern.DOTALL);

    @Override
    public KeyRange convert(String text) {
        Matcher named = FIELD.matcher(text);
        if (!named.matches()) {
            return range(text);
        }
        String value = named.group(2);
        if (value.isEmpty() || value.equals("=")) {
            throw new TypeConversionException("expected FIELD=LO..HI, got '" + text
                    + "', which has no value: an empty one is ''; a key that looks so goes in single quotes, as \"'"
                    + text + "'\"");
        }
        KeyRange range = range(value);
        return new KeyRange(named.group(1), range.low(), range.high());
    }

    private static KeyRange range(String text) {
        if (text.isEmpty()) {
            return KeyRange.of(text);
        }
        int end = endOfValue(text, 0);
        String low = value(text, 0, end);
        if (end == text.length()) {
            return new KeyRange(low, low);
        }
        int from = end + BETWEEN.length();
        if (low == null && from == text.length()) {
            throw new TypeConversionException("expected LO..HI with one bound at least, got '" + text + "'");
        }
        if (endOfValue(text, from) != text.length()) {
            throw new TypeConversionException("expected LO..HI, got '" + text + "', which has more than one '..': put a"
                    + " value that holds them in single quotes, such as \"'a..b'\" or \"'a..b'..c\"");
        }
        return new KeyRange(low, value(text, from, text.length()));
    }

    /** Where the value that begins there ends: at two dots, or the end. */
    private static int endOfValue(String text, int from) {
        int at = from;
        if (at < text.length() && text.charAt(at) == QUOTE) {
            at++;
            while (at < text.length() && (text.charAt(at) != QUOTE || text.startsWith("''", at))) {
                at += text.charAt(at) == QUOTE ? 2 : 1;
            }
            if (at >= text.length()) {
                throw new TypeConversionException("expected a quote at the end of the value in '" + text
                        + "'; within it a quote is written twice");
            }
            at++;
            if (at < text.length() && !text.startsWith(BETWEEN, at)) {
                throw new TypeConversionException(
                        "expected '..' or nothing behind the value in quotes, got '" + text + "'");
            }
            return at;
        }
        int dots = text.indexOf(BETWEEN, from);
        return dots < 0 ? text.length() : dots;
    }

    /** Null when there is none. */
    private static @Nullable String value(String text, int from, int to) {
        if (from == to) {
            return null;
        }
        return text.charAt(from) == QUOTE
                ? text.substring(from + 1, to - 1).replace("''", "'")
                : text.substring(from, to);
    }
}
