package io.waterwheel.sql.parse;

import io.waterwheel.error.WaterwheelException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;

/** Patterns of times as PostgreSQL's TO_CHAR has them, in the letters of FORMAT_TIME. */
public final class TimePattern {
    /** By its letters, of several that begin alike the longest first. Those with small letters are told by them. */
    private static final Map<String, String> ELEMENTS = new LinkedHashMap<>();

    static {
        ELEMENTS.put("YYYY", "yyyy");
        ELEMENTS.put("YY", "yy");
        ELEMENTS.put("MM", "MM");
        ELEMENTS.put("MI", "mm");
        ELEMENTS.put("MS", "SSS");
        ELEMENTS.put("US", "SSSSSS");
        ELEMENTS.put("Mon", "MMM");
        ELEMENTS.put("DDD", "DDD");
        ELEMENTS.put("DD", "dd");
        ELEMENTS.put("Dy", "EEE");
        ELEMENTS.put("HH24", "HH");
        ELEMENTS.put("HH12", "hh");
        ELEMENTS.put("HH", "hh");
        ELEMENTS.put("SS", "ss");
        ELEMENTS.put("AM", "a");
        ELEMENTS.put("PM", "a");
        ELEMENTS.put("Q", "Q");
    }

    /** Those that PostgreSQL fills up with blanks, unless FM stands before them. */
    private static final Map<String, String> PADDED = Map.of("Month", "MMMM", "Day", "EEEE");

    /** Of which one letter would mean something else, or has no zeros to leave away. */
    private static final Set<String> UNPADDED = Set.of("MMM", "EEE", "yy", "SSS", "SSSSSS", "a", "Q");

    private static final String KNOWN =
            "it has YYYY, YY, Q, MM, Mon, FMMonth, DDD, DD, Dy, FMDay, HH24, HH12, HH, MI, SS, MS, US, AM and PM, FM before"
                    + " them for no zeros, and text in double quotes";

    /** Characters of what is not known. */
    private static final int MOST_SHOWN = 8;

    private final String written;
    private final SqlParserPos position;
    private final StringBuilder pattern = new StringBuilder();
    /** What stands there as it is, up to the next element. */
    private final StringBuilder text = new StringBuilder();

    private boolean hasElement;

    private TimePattern(String written, SqlParserPos position) {
        this.written = written;
        this.position = position;
    }

    /**
     * The pattern of FORMAT_TIME for one of TO_CHAR.
     *
     * @throws io.waterwheel.error.WaterwheelException code BAD_SQL, where it is not written, or has what FORMAT_TIME
     *     has not
     */
    public static SqlNode of(SqlNode pattern) {
        if (!(pattern instanceof SqlCharStringLiteral literal)) {
            throw SqlErrors.at(
                    pattern.getParserPosition(),
                    "TO_CHAR takes a time and a written pattern, such as TO_CHAR(time, 'YYYY-MM-DD HH24:MI')");
        }
        TimePattern read = new TimePattern(literal.getValueAs(String.class), pattern.getParserPosition());
        return SqlLiteral.createCharString(read.translated(), pattern.getParserPosition());
    }

    private String translated() {
        int at = 0;
        while (at < written.length()) {
            char c = written.charAt(at);
            if (c == '"') {
                int end = written.indexOf('"', at + 1);
                text.append(written, at + 1, end < 0 ? written.length() : end);
                at = end < 0 ? written.length() : end + 1;
            } else if (c == '\\') {
                throw SqlErrors.at(position, "TO_CHAR takes no backslash; a text stands in double quotes");
            } else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) {
                at = element(at);
            } else {
                text.append(c);
                at++;
            }
        }
        if (!hasElement) {
            throw SqlErrors.at(
                    position, "TO_CHAR writes times; " + KNOWN + ". Numbers are written by CAST(x AS VARCHAR)");
        }
        endText();
        return pattern.toString();
    }

    /** Reads one element; where the next begins. */
    private int element(int from) {
        boolean bare = written.regionMatches(true, from, "FM", 0, 2);
        int at = bare ? from + 2 : from;
        for (Map.Entry<String, String> padded : PADDED.entrySet()) {
            if (bare && written.startsWith(padded.getKey(), at)) {
                return add(padded.getValue(), at + padded.getKey().length());
            } else if (written.regionMatches(
                    true, at, padded.getKey(), 0, padded.getKey().length())) {
                throw unknown(from);
            }
        }
        for (Map.Entry<String, String> known : ELEMENTS.entrySet()) {
            String name = known.getKey();
            boolean anyCase = name.equals(name.toUpperCase(Locale.ROOT))
                    && !known.getValue().equals("a");
            if (written.regionMatches(anyCase, at, name, 0, name.length())) {
                String letters = known.getValue();
                if (bare && letters.equals("yy")) {
                    throw SqlErrors.at(position, "TO_CHAR has no FM before YY; write YY or FMYYYY");
                }
                boolean shortens = bare && !UNPADDED.contains(letters);
                return add(shortens ? letters.substring(0, 1) : letters, at + name.length());
            }
        }
        throw unknown(from);
    }

    private WaterwheelException unknown(int from) {
        String shown = written.substring(from, Math.min(written.length(), from + MOST_SHOWN));
        return SqlErrors.at(position, "TO_CHAR does not know '" + shown + "'; " + KNOWN);
    }

    private int add(String letters, int next) {
        hasElement = true;
        boolean runsOn =
                text.isEmpty() && !pattern.isEmpty() && pattern.charAt(pattern.length() - 1) == letters.charAt(0);
        if (runsOn) {
            throw SqlErrors.at(position, "TO_CHAR takes the same part of a time once without anything between");
        }
        endText();
        pattern.append(letters);
        return next;
    }

    private void endText() {
        boolean plain = text.chars().allMatch(c -> " -/:.,;_".indexOf(c) >= 0);
        pattern.append(plain ? text : "'" + text.toString().replace("'", "''") + "'");
        text.setLength(0);
    }
}
