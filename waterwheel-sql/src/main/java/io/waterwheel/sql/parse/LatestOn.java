package io.waterwheel.sql.parse;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * {@code SELECT a FROM t WHERE c LATEST ON time PARTITION BY k} as {@code SELECT a FROM (SELECT * FROM t WHERE c
 * QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY time DESC) = 1) AS t}. Calcite's parser does not know the words:
 * it gets a text of the same length, {@code WHERE c OR (time, mark, k)}, for nothing binds more loosely than OR;
 * {@link LatestRows} makes the sub-query of that.
 */
final class LatestOn {
    static final String NAME = "_l_on_";
    /** As long as PARTITION. */
    private static final String MARK = ",\"" + NAME + "\"";

    /** At the depth of the words, the list of keys ends before them. */
    private static final Set<String> ENDS = Set.of(
            "WHERE",
            "GROUP",
            "HAVING",
            "WINDOW",
            "QUALIFY",
            "ORDER",
            "LIMIT",
            "OFFSET",
            "FETCH",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "MINUS",
            "JOIN",
            ";");

    /** What is open between two parentheses. */
    private static final class Frame {
        boolean from;
        boolean where;
        /** How many of the words LATEST, ON, PARTITION and BY were there. */
        int words;

        String last = "";

        /** The last word behind FROM before which LATEST ON stands; empty where there is none. */
        String behind = "";

        boolean whereBefore;
        int latest;
        int on;
        int partition;
        int by;
    }

    private final String statement;
    private final StringBuilder text;
    /** Before which places of the statement a parenthesis closes, and what is left out for it. */
    private final BitSet closing = new BitSet();

    private final BitSet omitted = new BitSet();

    private LatestOn(String statement) {
        this.statement = statement;
        this.text = new StringBuilder(statement);
    }

    /** The text with rows in the place of LATEST ON; the same text where there is none. */
    static String marked(String statement) {
        return statement.contains(NAME) ? statement : new LatestOn(statement).marked();
    }

    private String marked() {
        Deque<Frame> frames = new ArrayDeque<>();
        Frame frame = new Frame();
        int end = 0;
        Matcher token = StatementParser.TOKEN.matcher(statement);
        while (token.find()) {
            String word = token.group().toUpperCase(Locale.ROOT);
            if (word.startsWith("--") || word.startsWith("/*")) {
                continue;
            }
            if (word.equals("(")) {
                frames.push(frame);
                frame = new Frame();
            } else if (word.equals(")")) {
                close(frame, end);
                frame = frames.isEmpty() ? new Frame() : frames.pop();
            } else {
                read(frame, word, token, end);
            }
            end = token.end();
        }
        close(frame, end);
        if (closing.isEmpty()) {
            return text.toString();
        }
        StringBuilder marked = new StringBuilder();
        for (int at = 0; at <= statement.length(); at++) {
            if (closing.get(at)) {
                marked.append(')');
            }
            if (at < statement.length() && !omitted.get(at)) {
                marked.append(text.charAt(at));
            }
        }
        return marked.toString();
    }

    private void read(Frame frame, String word, Matcher token, int end) {
        boolean isName = (end > 0 && statement.charAt(end - 1) == '.') || frame.last.equals("AS");
        frame.last = isName ? "" : word;
        if (ENDS.contains(word) && !isName) {
            if (frame.words == 4 && (word.equals("WHERE") || word.equals("JOIN"))) {
                throw SqlErrors.at(position(frame.latest), word.equals("WHERE") ? WHERE_BEHIND : JOINED);
            }
            close(frame, end);
            frame.where |= word.equals("WHERE");
            if (!word.equals("WHERE") && !word.equals("JOIN")) {
                frame.behind = word;
            }
        } else if (word.equals("SELECT") && !isName) {
            frame.from = false;
            frame.where = false;
            frame.words = 0;
            frame.behind = "";
        } else if (word.equals("FROM") && !isName) {
            frame.from = true;
        } else if (word.equals("LATEST") && frame.words < 2) {
            frame.words = 1;
            frame.latest = token.start();
            frame.whereBefore = frame.where;
        } else if (frame.words == 1) {
            frame.on = token.start();
            frame.words = word.equals("ON") ? 2 : 0;
        } else if (frame.words == 2 && word.equals("PARTITION")) {
            frame.partition = token.start();
            frame.words = 3;
        } else if (frame.words == 3) {
            frame.by = token.start();
            frame.words = word.equals("BY") ? 4 : 0;
            if (frame.words == 4 && !frame.behind.isEmpty()) {
                throw SqlErrors.at(
                        position(frame.latest),
                        "LATEST ON stands behind FROM and WHERE, and before " + frame.behind
                                + ": SELECT * FROM s WHERE condition LATEST ON time_ms PARTITION BY key");
            }
            if (frame.words == 4 && !frame.from) {
                throw SqlErrors.at(
                        position(frame.latest),
                        "LATEST ON needs a table: SELECT * FROM s LATEST ON time_ms PARTITION BY key");
            }
        }
    }

    private static final String WHERE_BEHIND =
            "WHERE stands before LATEST ON, and is of the rows of which the newest is"
                    + " taken; a condition on the newest stands around them:"
                    + " SELECT * FROM (SELECT * FROM s LATEST ON time_ms PARTITION BY key) AS newest WHERE altitude_ft > 1000";

    static final String JOINED = "LATEST ON takes the rows of one table: write"
            + " (SELECT * FROM s LATEST ON time_ms PARTITION BY key) AS newest as a table of the join";

    private SqlParserPos position(int place) {
        return StatementParser.position(statement, place);
    }

    /** Writes the row in the place of words whose list of keys ends. */
    private void close(Frame frame, int end) {
        if (frame.words == 4 && end > frame.by + 2) {
            put(frame.latest, frame.whereBefore ? "OR    " : "WHERE ");
            put(frame.on, " (");
            put(frame.partition, MARK);
            put(frame.by, ", ");
            if (end < statement.length() && (statement.charAt(end) == ' ' || statement.charAt(end) == '\t')) {
                text.setCharAt(end, ')');
            } else {
                // The keys move by one, so that what comes after them stays where it is.
                omitted.set(frame.by + 1);
                closing.set(end);
            }
        }
        frame.words = 0;
    }

    private void put(int at, String words) {
        text.replace(at, at + words.length(), words);
    }
}
