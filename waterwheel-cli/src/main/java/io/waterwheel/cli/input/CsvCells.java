package io.waterwheel.cli.input;

import java.util.ArrayList;
import java.util.List;

/**
 * The cells of a CSV line as text, for looking at a file; appending works on bytes. A quote opens only at a cell's
 * start, as for the decoder: elsewhere it is a character like another.
 */
public final class CsvCells {
    /** A value, and whether it stood in quotes. */
    public record Cell(String text, boolean quoted) {}

    private CsvCells() {}

    public static List<Cell> of(String line, char delimiter) {
        List<Cell> cells = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        boolean inQuotes = false;
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (inQuotes) {
                if (c != '"') {
                    text.append(c);
                } else if (i + 1 < line.length() && line.charAt(i + 1) == '"') {
                    text.append('"');
                    i++;
                } else {
                    inQuotes = false;
                }
            } else if (c == '"' && text.length() == 0 && !quoted) {
                inQuotes = true;
                quoted = true;
            } else if (c == delimiter) {
                cells.add(new Cell(text.toString(), quoted));
                text.setLength(0);
                quoted = false;
            } else {
                text.append(c);
            }
        }
        cells.add(new Cell(text.toString(), quoted));
        return cells;
    }
}
