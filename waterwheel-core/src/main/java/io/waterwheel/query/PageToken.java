package io.waterwheel.query;

import java.util.regex.Pattern;

/**
 * Where a page of an ordered answer ended, to ask for the rows behind it. Made by the server, for the same fields and
 * order only; it holds the values of the last row.
 *
 * @param text letters, digits, {@code -} and {@code _}, at most {@link #MAX_LENGTH}
 */
public record PageToken(String text) {
    public static final int MAX_LENGTH = 100_000;

    private static final Pattern TEXT = Pattern.compile("[A-Za-z0-9_-]{1," + MAX_LENGTH + "}");

    public PageToken {
        if (!TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException("query: page: expected a token of at most " + MAX_LENGTH
                    + " letters, digits, - and _, as the page before gave it, got '"
                    + (text.length() > 40 ? text.substring(0, 40) + "..." : text)
                    + "'");
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
