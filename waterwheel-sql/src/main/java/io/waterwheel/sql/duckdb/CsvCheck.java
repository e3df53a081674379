package io.waterwheel.sql.duckdb;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a file of CSV before it becomes a table. DuckDB by itself passes over the lines above one that it takes for
 * that of the names, and says of other files no line. Blank lines are left aside, and above the names notes, which
 * begin with {@code #}.
 */
public final class CsvCheck {
    private static final int MOST_LINE_BYTES = 10_000_000;

    private final BufferedInputStream in;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int lines;

    private CsvCheck(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    /**
     * What is wrong with a file; null when every row has as many values as there are names.
     *
     * @param stopped asked at each line: whether to leave the rest unread
     */
    public static @Nullable String problem(InputStream file, BooleanSupplier stopped) throws IOException {
        return new CsvCheck(file).problem(stopped);
    }

    private @Nullable String problem(BooleanSupplier stopped) throws IOException {
        int names = 0;
        int values = 0;
        int begun = 0;
        boolean quoted = false;
        while (next()) {
            if (stopped.getAsBoolean()) {
                return null;
            }
            byte[] bytes = line.toByteArray();
            if (bytes.length > MOST_LINE_BYTES) {
                return "line " + lines + " has more than " + MOST_LINE_BYTES + " bytes";
            } else if (!isUtf8(bytes)) {
                return "line " + lines + " is no UTF-8; save the file as UTF-8";
            } else if (!quoted && (bytes.length == 0 || (names == 0 && bytes[0] == '#'))) {
                continue;
            }
            if (!quoted) {
                values = 1;
                begun = lines;
            }
            boolean blank = !quoted;
            for (int i = 0; i < bytes.length; i++) {
                byte letter = bytes[i];
                if (quoted) {
                    if (letter == '"' && i + 1 < bytes.length && bytes[i + 1] == '"') {
                        i++;
                    } else if (letter == '"') {
                        quoted = false;
                    }
                } else if (letter == ',') {
                    values++;
                    blank = true;
                } else {
                    quoted = blank && letter == '"';
                    blank &= letter == ' ';
                }
            }
            if (!quoted && names == 0) {
                names = values;
                String text = new String(bytes, StandardCharsets.UTF_8);
                if (names == 1 && (text.indexOf(';') >= 0 || text.indexOf('\t') >= 0)) {
                    return "its line of names has no commas, but "
                            + (text.indexOf(';') >= 0 ? "semicolons" : "tabs")
                            + "; expected values that are divided by commas";
                }
            } else if (!quoted && values != names) {
                return "line " + begun + " has " + values + (values == 1 ? " value" : " values") + ", expected " + names
                        + " as in the line of names";
            }
        }
        if (quoted) {
            return "a quote begins in the row of line " + begun + " and does not end";
        }
        return names == 0 ? "it is empty; expected a line of names" : null;
    }

    /** Reads a line without its end: a line feed, a carriage return, or both. */
    private boolean next() throws IOException {
        line.reset();
        int letter = in.read();
        if (letter < 0) {
            return false;
        }
        lines++;
        while (letter >= 0 && letter != '\n' && letter != '\r' && line.size() <= MOST_LINE_BYTES) {
            line.write(letter);
            letter = in.read();
        }
        if (letter == '\r') {
            in.mark(1);
            if (in.read() != '\n') {
                in.reset();
            }
        }
        return true;
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)) != null;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
