package io.waterwheel.schema.text;

/**
 * What letters behind a backslash stand for in CSV, as MySQL and PostgreSQL write it; what is not among them stands for
 * itself. Stateless, thread-safe.
 */
public final class CsvEscapes {
    private static final String LETTERS = "0btnvfrZ";
    private static final String MEANT = "\0\b\t\n\013\f\r\032";

    private CsvEscapes() {}

    /** What a byte behind a backslash stands for. */
    public static byte meant(byte letter) {
        int at = letter < 0 ? -1 : LETTERS.indexOf(letter);
        return at < 0 ? letter : (byte) MEANT.charAt(at);
    }

    /** The same of a character. */
    public static char meant(char letter) {
        int at = LETTERS.indexOf(letter);
        return at < 0 ? letter : MEANT.charAt(at);
    }
}
