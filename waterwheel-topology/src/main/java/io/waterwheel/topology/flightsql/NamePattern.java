package io.waterwheel.topology.flightsql;

import java.util.regex.Pattern;

/**
 * Patterns of names as JDBC has them: {@code %} is any text, {@code _} any character, and a backslash is before one
 * meant.
 */
final class NamePattern {
    private static final int MOST = 1000;

    private NamePattern() {}

    /** Whether the name is one of the pattern's, in any case of letters. */
    static boolean matches(String pattern, String name) {
        StringBuilder regex = new StringBuilder();
        String bounded = pattern.length() > MOST ? pattern.substring(0, MOST) : pattern;
        for (int i = 0; i < bounded.length(); i++) {
            char letter = bounded.charAt(i);
            if (letter == '\\' && i + 1 < bounded.length()) {
                regex.append(Pattern.quote(String.valueOf(bounded.charAt(++i))));
            } else if (letter == '%') {
                if (i == 0 || bounded.charAt(i - 1) != '%') {
                    regex.append(".*");
                }
            } else {
                regex.append(letter == '_' ? "." : Pattern.quote(String.valueOf(letter)));
            }
        }
        return Pattern.compile(regex.toString(), Pattern.CASE_INSENSITIVE | Pattern.DOTALL)
                .matcher(name)
                .matches();
    }
}
