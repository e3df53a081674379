package io.waterwheel.cli.text;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Divides a text into statements: each ends with a semicolon, or with the text. One in quotes or in a comment ends
 * nothing. Not thread-safe.
 */
public final class StatementReader {
    private final BufferedReader in;
    /** What of the last line has not been read. */
    private String line = "";

    private int at;
    private boolean ended;
    /** Of the present line. */
    private int number;

    private int beginLine;
    private int beginColumn;
    private boolean whole = true;

    public StatementReader(InputStream in) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** Whether the text is empty, or its last statement ends with a semicolon. */
    public static boolean isWhole(String text) {
        StatementReader reader = new StatementReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        try {
            for (String next = reader.next(); next != null; next = reader.next()) {
                // The last one decides.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return reader.whole;
    }

    /** The line of the input in which the last statement begins, from 1. */
    public int line() {
        return beginLine;
    }

    /** The column of that line in which it begins, from 1. */
    public int column() {
        return beginColumn;
    }

    /** The next statement, from its first word on, without its semicolon; null at the end. */
    public @Nullable String next() throws IOException {
        StringBuilder statement = new StringBuilder();
        // Blanks and comments alone are no statement.
        boolean says = false;
        while (true) {
            if (at >= line.length() && !readLine()) {
                whole &= !says;
                return says ? statement.toString() : null;
            }
            char letter = line.charAt(at);
            boolean comment = line.startsWith("--", at) || line.startsWith("/*", at);
            if (letter == ';') {
                at++;
                if (says) {
                    return statement.toString();
                }
                statement.setLength(0);
                continue;
            }
            if (!says && !comment && !Character.isWhitespace(letter)) {
                says = true;
                statement.setLength(0);
                beginLine = number;
                beginColumn = at + 1;
            }
            if (letter == '\'' || letter == '"') {
                take(statement, 1);
                until(statement, String.valueOf(letter));
            } else if (line.startsWith("--", at)) {
                take(statement, line.length() - at);
            } else if (line.startsWith("/*", at)) {
                take(statement, 2);
                until(statement, "*/");
            } else {
                take(statement, 1);
            }
        }
    }

    private void take(StringBuilder statement, int count) {
        statement.append(line, at, Math.min(line.length(), at + count));
        at += count;
    }

    /** Takes everything up to a text and with it, over lines. */
    private void until(StringBuilder statement, String end) throws IOException {
        while (true) {
            if (at >= line.length() && !readLine()) {
                return;
            }
            int found = line.indexOf(end, at);
            take(statement, found < 0 ? line.length() - at : found + end.length() - at);
            if (found >= 0) {
                return;
            }
        }
    }

    /** Reads a line, with a line feed at its end. */
    private boolean readLine() throws IOException {
        if (ended) {
            return false;
        }
        String read = in.readLine();
        ended = read == null;
        line = ended ? "" : read + "\n";
        number++;
        at = 0;
        return !ended;
    }
}
