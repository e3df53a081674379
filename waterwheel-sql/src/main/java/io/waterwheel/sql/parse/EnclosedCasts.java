package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement with its casts in parentheses: {@code a / b::DOUBLE} as {@code a / (b::DOUBLE)}. Calcite takes all of
 * {@code a OR b / 4} to stand before the sign of {@code a OR b / 4::DOUBLE BETWEEN 0 AND 1}, and then finds no operand
 * for BETWEEN. Where its parser is content, {@link InfixCasts} mends the tree instead, whose positions are those of the
 * text.
 */
final class EnclosedCasts {
    private static final Pattern TOKEN =
            Pattern.compile(StatementParser.COMMENT + "|" + StatementParser.TEXT + "|" + StatementParser.QUOTED_NAME
                    + "|" + StatementParser.WORD + "|\\d++(?:\\.\\d*+)?(?:[eE][+-]?\\d++)?|::|[^\\s]");

    /** Before a parenthesis they are no function. */
    private static final Set<String> NO_FUNCTIONS = Set.of(
            "ALL",
            "AND",
            "ANY",
            "AS",
            "BETWEEN",
            "BY",
            "CASE",
            "DISTINCT",
            "ELSE",
            "EXCEPT",
            "EXISTS",
            "FROM",
            "HAVING",
            "IN",
            "INTERSECT",
            "JOIN",
            "LIKE",
            "LIMIT",
            "NOT",
            "OFFSET",
            "ON",
            "OR",
            "OVER",
            "QUALIFY",
            "SELECT",
            "SOME",
            "THEN",
            "UNION",
            "USING",
            "VALUES",
            "WHEN",
            "WHERE");

    /** Before a text they are part of it. */
    private static final Set<String> TYPED_TEXTS = Set.of("DATE", "TIME", "TIMESTAMP");

    private record Token(String text, int begin, int end) {
        boolean is(String sign) {
            return text.equals(sign);
        }

        boolean isWord() {
            return Character.isLetter(text.charAt(0)) || text.charAt(0) == '_' || text.charAt(0) == '"';
        }

        String upper() {
            return text.toUpperCase(Locale.ROOT);
        }
    }

    private final List<Token> tokens = new ArrayList<>();
    /** Where casts begin, by where they end; both are numbers of tokens. */
    private final Map<Integer, Integer> casts = new HashMap<>();

    private EnclosedCasts(String text) {
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            if (!matcher.group().startsWith("--") && !matcher.group().startsWith("/*")) {
                tokens.add(new Token(matcher.group(), matcher.start(), matcher.end()));
            }
        }
    }

    /** The same statement; as it is where nothing is cast by the sign, or what is cast cannot be told. */
    static String of(String text) {
        EnclosedCasts casts = new EnclosedCasts(text);
        StringBuilder enclosed = new StringBuilder(text);
        Map<Integer, String> inserted = new TreeMap<>(Comparator.reverseOrder());
        for (int t = 1; t < casts.tokens.size(); t++) {
            if (!casts.tokens.get(t).is("::")) {
                continue;
            }
            int first = casts.first(t - 1);
            int last = casts.last(t + 1);
            if (first < 0 || last < 0) {
                return text;
            }
            casts.casts.put(last, first);
            inserted.merge(casts.tokens.get(first).begin(), "(", String::concat);
            inserted.merge(casts.tokens.get(last).end(), ")", String::concat);
        }
        inserted.forEach((at, signs) -> enclosed.insert((int) at, signs));
        return enclosed.toString();
    }

    /** Where the operand that ends with a token begins; below 0 when that cannot be told. */
    private int first(int last) {
        Token token = tokens.get(last);
        Integer cast = casts.get(last);
        if (cast != null) {
            return cast;
        }
        int first = last;
        if (token.is(")")) {
            first = opening(last);
            boolean function = first > 0
                    && tokens.get(first - 1).isWord()
                    && !NO_FUNCTIONS.contains(tokens.get(first - 1).upper());
            return function ? first(first - 1) : first;
        } else if (token.upper().equals("END")) {
            int ends = 1;
            while (ends > 0 && --first >= 0) {
                String word = tokens.get(first).upper();
                ends += word.equals("END") ? 1 : word.equals("CASE") ? -1 : 0;
            }
            return first;
        } else if (token.text().startsWith("'")) {
            first = piece(first);
            boolean typed =
                    first > 0 && TYPED_TEXTS.contains(tokens.get(first - 1).upper());
            return typed ? first - 1 : first;
        } else if (!token.isWord()
                && !token.is("?")
                && !Character.isDigit(token.text().charAt(0))) {
            return -1;
        }
        first = piece(first);
        while (first > 1 && tokens.get(first - 1).is(".")) {
            first = piece(first - 2);
        }
        return first;
    }

    /** The first of the pieces of a quoted text or name. */
    private int piece(int last) {
        int first = last;
        while (first > 0
                && tokens.get(first - 1).end() == tokens.get(first).begin()
                && "'\"".indexOf(tokens.get(first).text().charAt(0)) >= 0
                && tokens.get(first - 1).text().charAt(0)
                        == tokens.get(first).text().charAt(0)) {
            first--;
        }
        return first;
    }

    private int opening(int closing) {
        int open = 1;
        int at = closing;
        while (open > 0 && --at >= 0) {
            open += tokens.get(at).is(")") ? 1 : tokens.get(at).is("(") ? -1 : 0;
        }
        return at;
    }

    /** Where the type that begins with a token ends; below 0 when there is none. */
    private int last(int first) {
        if (first >= tokens.size() || !tokens.get(first).isWord()) {
            return -1;
        }
        int last = first;
        boolean more = last + 1 < tokens.size();
        if (more && tokens.get(last + 1).upper().equals("PRECISION")) {
            last++;
        } else if (more && tokens.get(last + 1).is("(")) {
            while (last < tokens.size() && !tokens.get(last).is(")")) {
                last++;
            }
        }
        return last < tokens.size() ? last : -1;
    }
}
