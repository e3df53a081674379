package io.waterwheel.cli.text;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Divides a text into statements: each ends with a semicolon, or with the text. One in quotes or in a comment ends
 * nothing. Not thread-safe.
 */
public final class StatementReader {
    private final BufferedReader in;
    private final Runnable beforeLine;
    /** What of the last line has not been read. */
    private String line = "";

    private int at;
    private boolean ended;

    /**
     * A reader.
     *
     * @param beforeLine is run before each line is waited for
     */
    public StatementReader(InputStream in, Runnable beforeLine) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.beforeLine = beforeLine;
    }

    /** The next statement, without its semicolon; null at the end. */
    public @Nullable String next() throws IOException {
        StringBuilder statement = new StringBuilder();
        // Blanks and comments alone are no statement.
        boolean says = false;
        while (true) {
            if (at >= line.length() && !readLine()) {
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
            says |= !comment && !Character.isWhitespace(letter);
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
        beforeLine.run();
        String read = in.readLine();
        ended = read == null;
        line = ended ? "" : read + "\n";
        at = 0;
        return !ended;
    }
}
