package io.waterwheel.schema.text;

import java.util.regex.Pattern;

/**
 * Text in a schema file: names and values that a reader of YAML takes for that text and for nothing else. Stateless.
 */
public final class YamlText {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9._-]*");

    /** Numbers that YAML does not write in another way. */
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d{0,17})(\\.\\d+)?");

    /** What readers of YAML take for something else than text. */
    private static final Pattern SPECIAL = Pattern.compile("(?i)null|true|false|yes|no|on|off");

    private YamlText() {}

    /** The text as it stands behind a colon or in a list, in quotes where it would be something else without. */
    public static String of(String text) {
        boolean plain = (PLAIN.matcher(text).matches() && !SPECIAL.matcher(text).matches())
                || NUMBER.matcher(text).matches();
        if (plain) {
            return text;
        }
        return text.chars().allMatch(YamlText::isPlain) ? "'" + text.replace("'", "''") + "'" : escaped(text);
    }

    /** What everybody sees as it is: also letters of all alphabets, and signs such as €, but no other spaces. */
    private static boolean isPlain(int c) {
        return c < 0x7f
                ? c >= ' '
                : Character.isLetter(c)
                        || Character.getType(c) == Character.CURRENCY_SYMBOL
                        || Character.getType(c) == Character.OTHER_SYMBOL;
    }

    private static String escaped(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (isPlain(c)) {
                out.append(c);
            } else {
                out.append(String.format("\\u%04x", (int) c));
            }
        }
        return out.append('"').toString();
    }
}
