package io.waterwheel.cli.input;

import io.waterwheel.schema.RecordText;

/**
 * Follows the quotes and escapes of CSV byte by byte, as the decoder takes them: a quote opens only at a cell's start,
 * and a stray one inside a cell is a character like another, so that it spoils its own line and none after it. One
 * thread.
 */
public final class CsvQuotes {
    private static final int CELL_START = 0;
    private static final int PLAIN = 1;
    private static final int QUOTED = 2;
    /** After a quote between quotes: the closing one, or the first of two. */
    private static final int CLOSED = 3;
    /** After an escape. */
    private static final int PLAIN_ESCAPED = 4;

    private static final int QUOTED_ESCAPED = 5;

    private final byte delimiter;
    /** The sign, which is ASCII; -128 where there is none. */
    private final byte quote;

    private final byte escape;
    private int state = CELL_START;
    /** Whether a quote stood where the decoder takes none, or something behind the closing one. */
    private boolean stray;

    public CsvQuotes(RecordText.Csv signs) {
        this.delimiter = (byte) signs.delimiter();
        this.quote = signs.quote() == '\0' ? Byte.MIN_VALUE : (byte) signs.quote();
        this.escape = signs.escape() == '\0' ? Byte.MIN_VALUE : (byte) signs.escape();
    }

    /** A line begins. */
    public void begin() {
        state = CELL_START;
        stray = false;
    }

    /** Whether the bytes since the beginning of the line are one: quotes are closed, and none stands where none may. */
    public boolean isWhole() {
        return !stray && state <= CLOSED && state != QUOTED;
    }

    /** Passes over a byte; true when it stands between quotes or behind an escape, and so divides nothing. */
    public boolean inside(byte c) {
        switch (state) {
            case QUOTED -> {
                state = is(c, quote) ? CLOSED : is(c, escape) ? QUOTED_ESCAPED : QUOTED;
                return true;
            }
            case QUOTED_ESCAPED -> {
                state = QUOTED;
                return true;
            }
            case PLAIN_ESCAPED -> {
                state = PLAIN;
                return true;
            }
            case CELL_START -> state = is(c, quote) ? QUOTED : plain(c);
            case CLOSED -> {
                state = is(c, quote) ? QUOTED : plain(c);
                stray |= state != QUOTED && c != delimiter && c != '\n';
            }
            default -> {
                state = plain(c);
                stray |= is(c, quote);
            }
        }
        return false;
    }

    /** Whether it is a quote or an escape: without one, each delimiter of a line divides. */
    boolean minds(byte c) {
        return is(c, quote) || is(c, escape);
    }

    private int plain(byte c) {
        return c == delimiter ? CELL_START : is(c, escape) ? PLAIN_ESCAPED : PLAIN;
    }

    private static boolean is(byte c, byte sign) {
        return c == sign && c >= 0;
    }
}
