package io.waterwheel.query.expression;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.util.Locale;
import java.util.Set;

/** The words and signs of a text, one at a time, with the place of each. One thread. */
final class Tokens {
    /** What a token is. */
    enum Kind {
        /** A name or a word of SQL, without quotes. */
        WORD,
        /** A name in double quotes. */
        QUOTED,
        /** Text in single quotes. */
        TEXT,
        WHOLE,
        DECIMAL,
        SIGN,
        END
    }

    /** Words that are no names unless they are quoted: those of this language, and those SQL reserves. */
    private static final Set<String> RESERVED = Set.of(
            "AND",
            "OR",
            "NOT",
            "IN",
            "IS",
            "NULL",
            "BETWEEN",
            "LIKE",
            "ESCAPE",
            "TRUE",
            "FALSE",
            "SELECT",
            "FROM",
            "WHERE",
            "GROUP",
            "ORDER",
            "BY",
            "HAVING",
            "LIMIT",
            "AS",
            "CASE",
            "WHEN",
            "THEN",
            "ELSE",
            "END",
            "CAST",
            "DISTINCT",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "JOIN",
            "ON",
            "USING",
            "ALL",
            "ANY",
            "EXISTS",
            "TABLE",
            "WITH",
            "INTO",
            "VALUES",
            "SET",
            "CREATE",
            "DEFAULT",
            "CHECK",
            "TO");

    private static final int SHOWN = 24;

    private final String text;
    private int next;
    private Kind kind = Kind.END;
    /** Where the present token begins. */
    private int from;
    /** A word or sign as written, a quoted token without its quotes. */
    private String value = "";

    Tokens(String text) {
        this.text = text;
        advance();
    }

    static boolean reserved(String word) {
        return RESERVED.contains(word.toUpperCase(Locale.ROOT));
    }

    /** Whether a name needs no quotes. */
    static boolean plainName(String name) {
        if (name.isEmpty() || !wordStart(name.charAt(0)) || reserved(name)) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            if (!wordPart(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    Kind kind() {
        return kind;
    }

    String value() {
        return value;
    }

    int from() {
        return from;
    }

    boolean isWord(String word) {
        return kind == Kind.WORD && value.equalsIgnoreCase(word);
    }

    boolean isSign(String sign) {
        return kind == Kind.SIGN && value.equals(sign);
    }

    /** Whether the token after the present one begins with this character. */
    boolean followedBy(char c) {
        int at = next;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() && text.charAt(at) == c;
    }

    /** Goes on when the present token is this word. */
    boolean takeWord(String word) {
        if (isWord(word)) {
            advance();
            return true;
        }
        return false;
    }

    /** Goes on when the present token is this sign. */
    boolean takeSign(String sign) {
        if (isSign(sign)) {
            advance();
            return true;
        }
        return false;
    }

    void advance() {
        while (next < text.length() && Character.isWhitespace(text.charAt(next))) {
            next++;
        }
        from = next;
        if (next == text.length()) {
            kind = Kind.END;
            value = "";
            return;
        }
        char c = text.charAt(next);
        if (c == '\'') {
            kind = Kind.TEXT;
            value = quoted('\'');
        } else if (c == '"') {
            kind = Kind.QUOTED;
            value = quoted('"');
        } else if (digit(c) || (c == '.' && next + 1 < text.length() && digit(text.charAt(next + 1)))) {
            number();
        } else if (wordStart(c)) {
            while (next < text.length() && wordPart(text.charAt(next))) {
                next++;
            }
            kind = Kind.WORD;
            value = text.substring(from, next);
        } else {
            sign(c);
        }
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean wordStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean wordPart(char c) {
        return wordStart(c) || digit(c);
    }

    private String quoted(char quote) {
        StringBuilder inside = new StringBuilder();
        int at = next + 1;
        while (true) {
            int end = text.indexOf(quote, at);
            if (end < 0) {
                throw error("expected a closing " + quote + " for this one");
            }
            inside.append(text, at, end);
            if (end + 1 < text.length() && text.charAt(end + 1) == quote) {
                inside.append(quote);
                at = end + 2;
            } else {
                next = end + 1;
                return inside.toString();
            }
        }
    }

    private void number() {
        kind = Kind.WHOLE;
        digits();
        if (next < text.length() && text.charAt(next) == '.') {
            kind = Kind.DECIMAL;
            next++;
            digits();
        }
        if (next < text.length() && (text.charAt(next) == 'e' || text.charAt(next) == 'E')) {
            kind = Kind.DECIMAL;
            next++;
            if (next < text.length() && (text.charAt(next) == '+' || text.charAt(next) == '-')) {
                next++;
            }
            int exponent = next;
            digits();
            if (next == exponent) {
                throw error("expected digits of an exponent after " + text.substring(from, next));
            }
        }
        if (next < text.length() && wordStart(text.charAt(next))) {
            throw error("expected a number, got a letter in it");
        }
        value = text.substring(from, next);
    }

    private void digits() {
        while (next < text.length() && digit(text.charAt(next))) {
            next++;
        }
    }

    private void sign(char c) {
        kind = Kind.SIGN;
        String two = text.substring(next, Math.min(text.length(), next + 2));
        switch (two) {
            case "<=", ">=", "<>", "||" -> value = two;
            case "!=" -> throw error("expected an operator, got !=, which SQL writes as <>");
            case "==" -> throw error("expected an operator, got ==, which SQL writes as =");
            case "--", "/*" ->
                throw error("expected no comment, got " + two + ", which begins one in SQL; put - (-1) in parentheses");
            default -> {
                if ("=<>+-*/%(),".indexOf(c) < 0) {
                    throw error("expected an operator, a value or a parenthesis, got " + shown(c));
                }
                value = String.valueOf(c);
            }
        }
        next += value.length();
    }

    private String shown(char c) {
        return c < ' ' ? "character " + (int) c : text.substring(next, text.offsetByCodePoints(next, 1));
    }

    /** What the present token is, in a message. */
    String described() {
        return switch (kind) {
            case END -> "the end";
            case TEXT -> "the text '" + cut(value) + "'";
            case QUOTED -> "the name \"" + cut(value) + "\"";
            default -> cut(value);
        };
    }

    private static String cut(String what) {
        return what.length() <= SHOWN ? what : what.substring(0, SHOWN) + "...";
    }

    /** An error at the present token. */
    WaterwheelException error(String what) {
        return errorAt(from, what);
    }

    WaterwheelException errorAt(int place, String what) {
        String before = text.substring(Math.max(0, place - SHOWN), place);
        String after = text.substring(place, Math.min(text.length(), place + SHOWN));
        return new WaterwheelException(
                ErrorCode.BAD_EXPRESSION,
                "expression: character " + (place + 1) + ": " + what + "; at " + (place > SHOWN ? "..." : "") + before
                        + " >>> " + after + (place + SHOWN < text.length() ? "..." : ""));
    }
}
