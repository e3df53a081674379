package io.waterwheel.cli.input;

/**
 * Follows the quotes of CSV byte by byte, as the decoder takes them: one opens only at a cell's start, and a stray one
 * inside a cell is a character like another, so that it spoils its own line and none after it. One thread.
 */
final class CsvQuotes {
    private static final int CELL_START = 0;
    private static final int PLAIN = 1;
    private static final int QUOTED = 2;
    /** After a quote between quotes: the closing one, or the first of two. */
    private static final int CLOSED = 3;

    private final byte delimiter;
    private int state = CELL_START;

    CsvQuotes(char delimiter) {
        this.delimiter = (byte) delimiter;
    }

    /** A line begins. */
    void begin() {
        state = CELL_START;
    }

    /** Passes over a byte; true when it stands between quotes, and so divides neither cells nor lines. */
    boolean inside(byte c) {
        switch (state) {
            case QUOTED -> {
                state = c == '"' ? CLOSED : QUOTED;
                return true;
            }
            case CLOSED -> state = c == '"' ? QUOTED : c == delimiter ? CELL_START : PLAIN;
            case CELL_START -> state = c == '"' ? QUOTED : c == delimiter ? CELL_START : PLAIN;
            default -> state = c == delimiter ? CELL_START : PLAIN;
        }
        return false;
    }
}
