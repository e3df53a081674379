package io.waterwheel.decode.protobuf;

import java.util.ArrayList;
import java.util.List;

/** The words, numbers, texts and signs of a {@code .proto} file, without comments. One thread. */
final class ProtoTokens {
    private static final int MOST_SHOWN = 40;
    /** Ends the tokens. */
    private static final String END = "";

    private final List<String> tokens = new ArrayList<>();
    private final List<Integer> lines = new ArrayList<>();
    private int at;

    /** @throws IllegalArgumentException when a comment or a text does not end */
    ProtoTokens(String text) {
        int line = 1;
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            int from = i;
            if (c == '\n') {
                line++;
                i++;
            } else if (Character.isWhitespace(c) || c == '\uFEFF') {
                i++;
            } else if (text.startsWith("//", i)) {
                int end = text.indexOf('\n', i);
                i = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", i)) {
                int end = text.indexOf("*/", i + 2);
                if (end < 0) {
                    throw new IllegalArgumentException("line " + line + ": a comment that does not end");
                }
                line += (int) text.substring(i, end)
                        .chars()
                        .filter(one -> one == '\n')
                        .count();
                i = end + 2;
            } else if (c == '"' || c == '\'') {
                i++;
                while (i < text.length() && text.charAt(i) != c && text.charAt(i) != '\n') {
                    i += text.charAt(i) == '\\' ? 2 : 1;
                }
                if (i >= text.length() || text.charAt(i) != c) {
                    throw new IllegalArgumentException("line " + line + ": a text that does not end");
                }
                i++;
                add(text.substring(from, i), line);
            } else if (isWord(c)) {
                while (i < text.length() && isWord(text.charAt(i))) {
                    i++;
                }
                add(text.substring(from, i), line);
            } else {
                i++;
                add(text.substring(from, i), line);
            }
        }
        add(END, line);
    }

    /** Names with their dots, and numbers. */
    private static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    }

    private void add(String token, int line) {
        tokens.add(token);
        lines.add(line);
    }

    boolean atEnd() {
        return tokens.get(at).equals(END);
    }

    String peek() {
        return tokens.get(at);
    }

    /** The token behind the next. */
    String second() {
        return atEnd() ? END : tokens.get(at + 1);
    }

    String next() {
        String token = tokens.get(at);
        if (!atEnd()) {
            at++;
        }
        return token;
    }

    boolean take(String token) {
        boolean there = peek().equals(token);
        if (there) {
            at++;
        }
        return there;
    }

    void require(String token) {
        if (!take(token)) {
            throw unexpected("'" + token + "'");
        }
    }

    /** A name without dots. */
    String name() {
        String token = peek();
        if (!isName(token) || token.contains(".")) {
            throw unexpected("a name");
        }
        return next();
    }

    /** A name of a type or a package, perhaps with dots. */
    String path() {
        if (!isName(peek())) {
            throw unexpected("a name");
        }
        return next();
    }

    private static boolean isName(String token) {
        return !token.isEmpty() && isWord(token.charAt(0)) && !Character.isDigit(token.charAt(0));
    }

    /** A whole number, decimal, octal or hexadecimal. */
    int number() {
        boolean negative = take("-");
        try {
            int number = Integer.decode((negative ? "-" : "") + peek());
            at++;
            return number;
        } catch (NumberFormatException e) {
            IllegalArgumentException wrong = unexpected("a whole number");
            wrong.initCause(e);
            throw wrong;
        }
    }

    /** A text without its quotes; escapes stay as they are. */
    String quoted() {
        String token = peek();
        if (token.isEmpty() || (token.charAt(0) != '"' && token.charAt(0) != '\'')) {
            throw unexpected("a text in quotes");
        }
        at++;
        return token.substring(1, token.length() - 1);
    }

    /** Passes over a statement with all brackets in it, to the semicolon behind it or the end of its braces. */
    void skipStatement() {
        int depth = 0;
        while (true) {
            if (atEnd()) {
                throw unexpected("the end of a statement");
            }
            String token = next();
            switch (token) {
                case "{", "[", "(" -> depth++;
                case "}", "]", ")" -> {
                    depth--;
                    if (depth == 0 && token.equals("}") && !peek().equals(";") && !peek().equals(",")) {
                        return;
                    }
                    if (depth < 0) {
                        at--;
                        throw unexpected("a statement");
                    }
                }
                case ";" -> {
                    if (depth == 0) {
                        return;
                    }
                }
                default -> {
                    // A part of the statement.
                }
            }
        }
    }

    IllegalArgumentException unexpected(String expected) {
        String token = peek();
        return new IllegalArgumentException("line " + lines.get(at) + ": expected " + expected + ", got "
                + (atEnd() ? "the end" : "'" + token.substring(0, Math.min(token.length(), MOST_SHOWN)) + "'"));
    }
}
