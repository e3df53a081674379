package io.waterwheel.cli.input;

import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.text.CsvEscapes;
import java.util.ArrayList;
import java.util.List;

/**
 * The cells of a CSV line as text, for looking at a file; appending works on bytes. A quote opens only at a cell's
 * start, as for the decoder: elsewhere it is a character like another.
 */
public final class CsvCells {
    /** A value, and whether it stood in quotes. */
    public record Cell(String text, boolean quoted) {}

    /** A word for null that is written with the usual escape. */
    public static final String NULL = "\\N";

    private CsvCells() {}

    public static List<Cell> of(String line, RecordText.Csv signs) {
        char quote = signs.quote();
        char escape = signs.escape();
        List<Cell> cells = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        boolean inQuotes = false;
        boolean quoted = false;
        // Whether the cell is another text than it is written, and so in the builder.
        boolean built = false;
        int start = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == escape && c != '\0' && i + 1 < line.length()) {
                if (!built) {
                    text.append(line, start, i);
                    built = true;
                }
                char next = line.charAt(++i);
                text.append(escape == '\\' ? CsvEscapes.meant(next) : next);
            } else if (inQuotes) {
                if (c != quote) {
                    text.append(c);
                } else if (i + 1 < line.length() && line.charAt(i + 1) == quote) {
                    text.append(c);
                    i++;
                } else {
                    inQuotes = false;
                }
            } else if (c == quote && c != '\0' && i == start) {
                inQuotes = true;
                quoted = true;
                built = true;
            } else if (c == signs.delimiter()) {
                cells.add(cell(built ? text.toString() : line.substring(start, i), quoted, line, start, i));
                text.setLength(0);
                quoted = false;
                built = false;
                start = i + 1;
            } else if (built) {
                text.append(c);
            }
        }
        cells.add(cell(built ? text.toString() : line.substring(start), quoted, line, start, line.length()));
        return cells;
    }

    /** Words for null are compared as they are written. */
    private static Cell cell(String text, boolean quoted, String line, int from, int to) {
        boolean isNull = !quoted && line.startsWith(NULL, from) && to - from == NULL.length();
        return new Cell(isNull ? NULL : text, quoted);
    }
}
