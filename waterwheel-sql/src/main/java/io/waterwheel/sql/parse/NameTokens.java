package io.waterwheel.sql.parse;

import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.parser.SqlAbstractParserImpl;
import org.apache.calcite.sql.parser.SqlParserImplFactory;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.babel.SimpleCharStream;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImpl;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImplConstants;
import org.apache.calcite.sql.parser.babel.SqlBabelParserImplTokenManager;
import org.apache.calcite.sql.parser.babel.Token;
import org.apache.calcite.sql.parser.babel.TokenMgrError;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT x AS time FROM t WHERE t.date > 1}: Calcite's parser reserves these words, PostgreSQL and DuckDB take
 * them for names where a name stands. What a word is, is decided by the tokens beside it, before the parser gets it; so
 * the text stays as it was written, and so do the places that errors name.
 *
 * <p>{@code SELECT 1 WHERE 1 = 2} gets the tokens of {@code FROM (VALUES (0)) AS _one_}, a table of one row, before its
 * WHERE: the parser takes a condition of a table alone. FETCH FIRST ROW ONLY gets the count that it means, 1.
 */
final class NameTokens extends SqlBabelParserImplTokenManager {
    static final SqlParserImplFactory PARSERS = new SqlParserImplFactory() {
        @Override
        public SqlAbstractParserImpl getParser(Reader reader) {
            SqlBabelParserImpl parser = (SqlBabelParserImpl) SqlBabelParserImpl.FACTORY.getParser(reader);
            parser.token_source = new NameTokens(parser.token_source);
            return parser;
        }
    };

    /** Words that DuckDB takes for columns without AS, and Calcite for nothing but what they are in SQL. */
    private static final Set<String> COLUMNS = Set.of(
            "CALL",
            "CURRENT",
            "CURSOR",
            "DATE",
            "DATETIME",
            "DATE_PART",
            "DEFINE",
            "DELETE",
            "DROP",
            "EXPLAIN",
            "FRIDAY",
            "GRANT",
            "GROUPING",
            "INSERT",
            "INTERVAL",
            "MEASURE",
            "MERGE",
            "MINUS",
            "MONDAY",
            "NEW",
            "NEXT",
            "ORDINAL",
            "OVER",
            "PARTITION",
            "PATTERN",
            "RANGE",
            "ROLLUP",
            "ROW",
            "ROWS",
            "SATURDAY",
            "SET",
            "SKIP",
            "SNAPSHOT",
            "STREAM",
            "SUNDAY",
            "THURSDAY",
            "TIME",
            "TIMESTAMP",
            "TUESDAY",
            "UNSIGNED",
            "UPDATE",
            "UUID",
            "VALUES",
            "VARIANT",
            "VOLATILE",
            "WEDNESDAY");

    private static final Set<String> ORDERS = Set.of("ASC", "DESC", "NULLS");

    /** Functions of a unit of time. */
    private static final Set<String> OF_UNITS = Set.of("DATEDIFF", "DATE_DIFF", "DATEPART", "DATE_PART", "DATE_TRUNC");

    private static final Set<String> OPERATORS =
            Set.of(",", "=", "<>", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "||");

    /** Behind them a value or a table begins. */
    private static final Set<String> BEFORE = Set.of(
            "(",
            "[",
            "SELECT",
            "DISTINCT",
            "ALL",
            "FROM",
            "JOIN",
            "BY",
            "ON",
            "WHERE",
            "HAVING",
            "QUALIFY",
            "MATCH_CONDITION",
            "AND",
            "OR",
            "NOT",
            "BETWEEN",
            "LIKE",
            "ILIKE",
            // POSITION('b' IN set)
            "IN",
            "CASE",
            "WHEN",
            "THEN",
            "ELSE");

    /** Before them a value or a table has ended. */
    private static final Set<String> BEHIND = Set.of(
            "",
            ".",
            "::",
            ")",
            "]",
            ";",
            "FROM",
            "AS",
            "AND",
            "OR",
            "IS",
            "IN",
            "NOT",
            "LIKE",
            "ILIKE",
            "SIMILAR",
            "ESCAPE",
            "BETWEEN",
            "ASC",
            "DESC",
            "NULLS",
            "TO",
            "FOR",
            "WHEN",
            "THEN",
            "ELSE",
            "END",
            "ON",
            "USING",
            "JOIN",
            "INNER",
            "LEFT",
            "RIGHT",
            "FULL",
            "CROSS",
            "NATURAL",
            "ASOF",
            "MATCH_CONDITION",
            "WHERE",
            "GROUP",
            "HAVING",
            "QUALIFY",
            "WINDOW",
            "ORDER",
            "LIMIT",
            "OFFSET",
            "FETCH",
            "UNION",
            "INTERSECT",
            "EXCEPT",
            "ROWS",
            "RANGE");

    /** What begins or ends a part of a statement is no name that was forgotten to be quoted. */
    private static final Set<String> PARTS = Set.of(
            "AND",
            "AS",
            "ASC",
            "BETWEEN",
            "CASE",
            "CROSS",
            "DATE",
            "DESC",
            "ELSE",
            "END",
            "EXCEPT",
            "EXISTS",
            "FALSE",
            "FETCH",
            "FROM",
            "FULL",
            "HAVING",
            "INNER",
            "INTERSECT",
            "INTERVAL",
            "IS",
            "JOIN",
            "LEFT",
            "LIMIT",
            "NATURAL",
            "NOT",
            "NULL",
            "OFFSET",
            "ON",
            "OR",
            "QUALIFY",
            "RIGHT",
            "SELECT",
            "THEN",
            "TIME",
            "TIMESTAMP",
            "TRUE",
            "UNION",
            "USING",
            "WHEN",
            "WHERE",
            "WINDOW",
            "WITH");

    private final SqlBabelParserImplTokenManager lexer;
    /** Whether each parenthesis that is open is that of a CAST. */
    private final Deque<Boolean> casts = new ArrayDeque<>();
    /** Whether a SELECT stands in the parentheses that are open, without a FROM so far; the innermost first. */
    private final Deque<Boolean> tableless = new ArrayDeque<>(List.of(false));
    /** The token that was given last, in capital letters. */
    private String before = "";
    /** Whether the token before that one is FETCH. */
    private boolean fetches;
    /** The token before the parenthesis that was opened last, in capital letters. */
    private String opener = "";
    /** Whether a value may end with it. */
    private boolean endsValue;
    /** What was read already. */
    private final Deque<Token> ahead = new ArrayDeque<>();

    private NameTokens(SqlBabelParserImplTokenManager lexer) {
        super(new SimpleCharStream(new StringReader(""), 1, 1));
        this.lexer = lexer;
    }

    @Override
    public void SwitchTo(int state) {
        lexer.SwitchTo(state);
    }

    @Override
    public Token getNextToken() {
        Token token = ahead.isEmpty() ? lexer.getNextToken() : ahead.remove();
        String word = upper(token);
        if (isKeyword(token) && isName(word)) {
            token.kind = SqlBabelParserImplConstants.IDENTIFIER;
        }
        if (token.kind == SqlBabelParserImplConstants.WHERE && tableless.getFirst()) {
            ahead.addFirst(token);
            token = oneRow(token);
            word = upper(token);
        }
        if (fetches && (word.equals("ROW") || word.equals("ROWS"))) {
            ahead.addFirst(token);
            token = at(token, SqlBabelParserImplConstants.UNSIGNED_INTEGER_LITERAL, "1");
            word = upper(token);
        }
        fetches = before.equals("FETCH") && (word.equals("FIRST") || word.equals("NEXT"));
        follow(token, word);
        // A name is none of the words, whatever it is.
        before = token.kind >= SqlBabelParserImplConstants.BRACKET_QUOTED_IDENTIFIER ? "\"" : word;
        endsValue = word.equals(")")
                || word.equals("END")
                || token.kind >= SqlBabelParserImplConstants.BRACKET_QUOTED_IDENTIFIER
                || word.startsWith("'")
                || (!word.isEmpty() && Character.isDigit(word.charAt(0)));
        return token;
    }

    /** Keeps in mind what is open once a token is given. */
    private void follow(Token token, String word) {
        if (word.equals("(")) {
            opener = before;
            casts.push(before.endsWith("CAST"));
            tableless.push(false);
        } else if (word.equals(")") && !casts.isEmpty()) {
            casts.pop();
            tableless.pop();
        }
        boolean star = word.equals("*") && !endsValue;
        if (token.kind == SqlBabelParserImplConstants.SELECT) {
            now(true);
        } else if (star || (token.kind == SqlBabelParserImplConstants.FROM && !before.equals("DISTINCT"))) {
            // All columns are those of a table that is written. Of x IS DISTINCT FROM y the word is another.
            now(false);
        }
    }

    private void now(boolean isTableless) {
        tableless.pop();
        tableless.push(isTableless);
    }

    /** The first token of a table of one row, whose others come next. */
    private Token oneRow(Token where) {
        ahead.addFirst(at(where, SqlBabelParserImplConstants.IDENTIFIER, "_one_"));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.AS, "AS"));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.RPAREN, ")"));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.RPAREN, ")"));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.UNSIGNED_INTEGER_LITERAL, "0"));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.LPAREN, "("));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.VALUES, "VALUES"));
        ahead.addFirst(at(where, SqlBabelParserImplConstants.LPAREN, "("));
        return at(where, SqlBabelParserImplConstants.FROM, "FROM");
    }

    private static Token at(Token place, int kind, String image) {
        Token token = Token.newToken(kind);
        token.kind = kind;
        token.image = image;
        token.beginLine = place.beginLine;
        token.beginColumn = place.beginColumn;
        token.endLine = place.beginLine;
        token.endColumn = place.beginColumn;
        return token;
    }

    private static String upper(Token token) {
        return token.kind == SqlBabelParserImplConstants.EOF ? "" : token.image.toUpperCase(Locale.ROOT);
    }

    private static boolean isKeyword(Token token) {
        return token.kind != SqlBabelParserImplConstants.EOF
                && token.kind < SqlBabelParserImplConstants.QUOTED_STRING
                && token.image.chars().allMatch(c -> Character.isLetter(c) || c == '_');
    }

    private boolean isName(String word) {
        if (before.equals("AS")) {
            // FOR SYSTEM_TIME AS OF
            return !isCast() && !word.equals("OF");
        } else if (before.equals(".")) {
            return true;
        } else if (word.equals("ALL") && before.equals("BY")) {
            // GROUP BY ALL, and not GROUP BY ALL a, b
            return BEHIND.contains(upper(following(0))) || ORDERS.contains(upper(following(0)));
        } else if (OF_UNITS.contains(word)
                && upper(following(0)).equals("(")
                && upper(following(1)).startsWith("'")) {
            // DATE_DIFF('day', a, b), where Calcite takes the unit without quotes; of DATE_TRUNC it takes no zone
            return true;
        } else if (!COLUMNS.contains(word)) {
            return false;
        }
        Token following = following(0);
        String next = upper(following);
        if (endsValue) {
            // SELECT x time, y date FROM t
            return next.equals(",") || next.equals("FROM");
        } else if (before.equals("WITH")) {
            return next.equals("AS");
        } else if (!BEFORE.contains(before) && !OPERATORS.contains(before)) {
            return false;
        } else if (word.equals("INTERVAL") && (next.equals("-") || next.equals("+"))) {
            // of what follows
            return false;
        } else if ((word.equals("ROWS") || word.equals("RANGE")) && opensFrame() && next.equals("BETWEEN")) {
            return false;
        }
        boolean aliased = (before.equals("FROM") || before.equals("JOIN"))
                && following.kind >= SqlBabelParserImplConstants.BRACKET_QUOTED_IDENTIFIER;
        return aliased || BEHIND.contains(next) || OPERATORS.contains(next);
    }

    /** Whether a frame may stand here: OVER (ROWS BETWEEN, WINDOW w AS (ROWS BETWEEN. */
    private boolean opensFrame() {
        return before.equals("(") && (opener.equals("OVER") || opener.equals("AS"));
    }

    /** What comes behind the token that is looked at: the next one is number 0. */
    private Token following(int number) {
        while (ahead.size() <= number) {
            ahead.add(lexer.getNextToken());
        }
        return number == 0 ? ahead.getFirst() : ahead.getLast();
    }

    private boolean isCast() {
        Boolean innermost = casts.peek();
        return innermost != null && innermost;
    }

    /**
     * The word of SQL that may have been meant as a name, where a statement cannot be read; null where there is none.
     *
     * @param wrong the first token that was not understood
     */
    static @Nullable String unquoted(String statement, SqlParserPos wrong) {
        SqlBabelParserImpl parser = (SqlBabelParserImpl) PARSERS.getParser(new StringReader(statement));
        parser.setTabSize(1);
        parser.switchTo(SqlAbstractParserImpl.LexicalState.DQID);
        SqlBabelParserImplTokenManager tokens = parser.token_source;
        try {
            Token read = tokens.getNextToken();
            Token first = tokens.getNextToken();
            while (first.kind != SqlBabelParserImplConstants.EOF && isBefore(first, wrong)) {
                read = first;
                first = tokens.getNextToken();
            }
            Token second = tokens.getNextToken();
            if (isUnquoted(read, first, second)) {
                return first.image;
            }
            return isUnquoted(first, second, tokens.getNextToken()) ? second.image : null;
        } catch (TokenMgrError e) {
            // What is wrong has been said: no token begins there.
            return null;
        }
    }

    private static boolean isBefore(Token token, SqlParserPos place) {
        return token.beginLine < place.getLineNum()
                || (token.beginLine == place.getLineNum() && token.beginColumn < place.getColumnNum());
    }

    private static boolean isUnquoted(Token before, Token token, Token behind) {
        String next = upper(behind);
        return (BEFORE.contains(upper(before)) || OPERATORS.contains(upper(before)))
                && isKeyword(token)
                && !PARTS.contains(upper(token))
                && !next.equals("BY")
                && !next.equals("(");
    }
}
