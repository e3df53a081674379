package io.waterwheel.sql.change;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.Locale;

/** The words of a statement, one after another; comments and blanks lie between them. */
final class Words {
    private static final int MOST_SHOWN = 40;

    /** What a word is. */
    enum Kind {
        /** A name, or a word of SQL. */
        NAME,
        /** A name in double quotes. */
        QUOTED,
        NUMBER,
        /** A text in single quotes. */
        TEXT,
        /** One character that is none of these. */
        SIGN,
        END
    }

    /**
     * One word.
     *
     * @param text without quotes
     * @param at where it begins
     */
    record Word(Kind kind, String text, int at) {
        boolean is(String word) {
            return (kind == Kind.NAME || kind == Kind.SIGN) && text.equalsIgnoreCase(word);
        }

        private String shown() {
            String cut = text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
            return kind == Kind.END ? "the end" : "'" + cut + "'";
        }
    }

    private final String statement;
    private int at;
    private Word next;

    Words(String statement) {
        this.statement = statement;
        this.next = read();
    }

    Word next() {
        return next;
    }

    /** The next word, which is passed. */
    Word take() {
        Word taken = next;
        next = read();
        return taken;
    }

    /** Whether the next word is this one; it is passed then. */
    boolean takes(String word) {
        if (!next.is(word)) {
            return false;
        }
        take();
        return true;
    }

    /** Passes words that must come next. */
    void require(String... words) {
        for (String word : words) {
            if (!takes(word)) {
                throw expected(word);
            }
        }
    }

    /** A name, in quotes or not. */
    String name(String of) {
        if (next.kind() != Kind.NAME && next.kind() != Kind.QUOTED) {
            throw expected("the name of " + of);
        }
        Word name = take();
        if (name.kind() == Kind.NAME
                && next.is("-")
                && next.at() == name.at() + name.text().length()) {
            int end = next.at();
            while (end < statement.length() && (statement.charAt(end) == '-' || isNamePart(statement.charAt(end)))) {
                end++;
            }
            throw wrong("a name with a dash goes in double quotes: \"" + statement.substring(name.at(), end) + "\"");
        }
        return name.text();
    }

    /** A text or a number, as text. */
    String value(String of) {
        boolean negative = takes("-");
        if (next.kind() == Kind.NUMBER) {
            return (negative ? "-" : "") + take().text();
        } else if (next.kind() == Kind.TEXT && !negative) {
            return take().text();
        }
        throw expected(of + ", a text in quotes or a number");
    }

    /** A text in quotes. */
    String text(String of) {
        if (next.kind() != Kind.TEXT) {
            throw expected(of);
        }
        return take().text();
    }

    /** Semicolons may follow, and nothing else. */
    void requireEnd() {
        boolean ended = false;
        while (takes(";")) {
            // One is enough, more are no error.
            ended = true;
        }
        if (next.kind() != Kind.END) {
            throw ended ? wrong("another statement: send them one after another") : expected("the end");
        }
    }

    WaterwheelException expected(String what) {
        return wrong("expected " + what + ", got " + next.shown());
    }

    /** Something is wrong with the next word. */
    WaterwheelException wrong(String what) {
        int line = 1;
        int begin = 0;
        for (int i = 0; i < next.at(); i++) {
            if (statement.charAt(i) == '\n') {
                line++;
                begin = i + 1;
            }
        }
        return new WaterwheelException(
                ErrorCode.BAD_SQL,
                "statement, line " + line + ", column " + (next.at() - begin + 1) + ": " + what
                        + "; docs/sql.md has the grammar");
    }

    private Word read() {
        skip();
        int begin = at;
        if (at == statement.length()) {
            return new Word(Kind.END, "", begin);
        }
        char first = statement.charAt(at);
        if (first == '"' || first == '\'') {
            return quoted(first == '"' ? Kind.QUOTED : Kind.TEXT, first);
        } else if (Character.isLetter(first) || first == '_') {
            while (at < statement.length() && isNamePart(statement.charAt(at))) {
                at++;
            }
            return new Word(Kind.NAME, statement.substring(begin, at), begin);
        } else if (Character.isDigit(first)) {
            while (at < statement.length() && (isNamePart(statement.charAt(at)) || statement.charAt(at) == '.')) {
                at++;
            }
            return new Word(Kind.NUMBER, statement.substring(begin, at), begin);
        }
        at++;
        return new Word(Kind.SIGN, String.valueOf(first), begin);
    }

    private static boolean isNamePart(char letter) {
        return Character.isLetterOrDigit(letter) || letter == '_' || letter == '$';
    }

    private Word quoted(Kind kind, char quote) {
        int begin = at++;
        StringBuilder text = new StringBuilder();
        while (at < statement.length()) {
            char letter = statement.charAt(at++);
            if (letter != quote) {
                text.append(letter);
            } else if (at < statement.length() && statement.charAt(at) == quote) {
                text.append(quote);
                at++;
            } else {
                return new Word(kind, text.toString(), begin);
            }
        }
        next = new Word(Kind.END, "", begin);
        throw wrong("a quote that begins here does not end");
    }

    private void skip() {
        while (at < statement.length()) {
            if (Character.isWhitespace(statement.charAt(at))) {
                at++;
            } else if (statement.startsWith("--", at)) {
                int end = statement.indexOf('\n', at);
                at = end < 0 ? statement.length() : end;
            } else if (statement.startsWith("/*", at)) {
                int end = statement.indexOf("*/", at + 2);
                at = end < 0 ? statement.length() : end + 2;
            } else {
                return;
            }
        }
    }

    /** What of the statement begins with the next word; before it blanks in place of what was passed. */
    String rest() {
        return statement.substring(0, next.at()).replaceAll("\\S", " ") + statement.substring(next.at());
    }

    static String lower(String word) {
        return word.toLowerCase(Locale.ROOT);
    }
}
