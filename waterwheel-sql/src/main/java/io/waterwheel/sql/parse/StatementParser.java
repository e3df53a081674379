package io.waterwheel.sql.parse;

import io.waterwheel.error.WaterwheelException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.util.Casing;
import org.apache.calcite.avatica.util.Quoting;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlConformance;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.sql.validate.SqlDelegatingConformance;

/** Reads the text of a statement into a tree of Calcite's, in which casts by {@code ::} stand where they belong. */
public final class StatementParser {
    /** BABEL, but for a GROUP BY that must name what is selected, and aliases that only ORDER BY knows. */
    public static final SqlConformance CONFORMANCE = new SqlDelegatingConformance(SqlConformanceEnum.BABEL) {
        @Override
        public boolean isNonStrictGroupBy() {
            return false;
        }

        @Override
        public SelectAliasLookup isSelectAlias() {
            return SelectAliasLookup.UNSUPPORTED;
        }
    };

    private static final SqlParser.Config PARSER = SqlParser.config()
            .withUnquotedCasing(Casing.UNCHANGED)
            .withQuotedCasing(Casing.UNCHANGED)
            .withQuoting(Quoting.DOUBLE_QUOTE)
            .withConformance(CONFORMANCE)
            .withIdentifierMaxLength(128)
            .withParserFactory(NameTokens.PARSERS);

    /* Pieces of a statement's text, as regular expressions. A text or name with doubled quotes in it is several pieces, so
     * that no alternative is repeated, however long a text is: the stack would not hold that. */

    /** To the end of the line, or of what encloses it. */
    static final String COMMENT = "--[^\\n]*+|/\\*(?s:.*?)(?:\\*/|\\z)";

    static final String TEXT = "'[^']*+'";
    static final String QUOTED_NAME = "\"[^\"]*+\"";
    static final String WORD = "[\\p{L}_][\\p{L}\\p{N}_$]*+";

    static final Pattern TOKEN = Pattern.compile(COMMENT + "|" + TEXT + "|" + QUOTED_NAME + "|" + WORD + "|[^\\s]");

    /** Comments, quoted names, such intervals, and other texts. */
    private static final Pattern INTERVAL = Pattern.compile(COMMENT + "|" + QUOTED_NAME
            + "|(?i:(?<![\\p{L}\\p{N}_$.])INTERVAL\\s*+(?<text>'\\s*+(?<number>[+-]?\\d++(?:\\.\\d++)?)\\s++"
            + "(?<unit>(?:second|minute|hour|day|week|month|quarter|year)s?)\\s*+'(?!')))"
            + "|(?i:'\\s*+(?<castNumber>[+-]?\\d++(?:\\.\\d++)?)\\s++"
            + "(?<castUnit>(?:second|minute|hour|day|week|month|quarter|year)s?)\\s*+'\\s*+::\\s*+interval\\b)|"
            + TEXT);

    /** Where there may be such a literal. */
    private static final Pattern DECIMAL = Pattern.compile("(?i)decimal\\s*+(?:--|/\\*|')");

    /** Where all columns may be meant. */
    private static final Pattern ALL = Pattern.compile("(?i)\\bBY\\s++ALL\\b");

    private static final Pattern USING = Pattern.compile("(?i)\\b(USING|NATURAL)\\b");
    private static final Pattern GROUP = Pattern.compile("(?i)\\bGROUP\\b");
    private static final Pattern WINDOW = Pattern.compile("(?i)\\bWINDOW\\b");
    private static final Pattern WITH = Pattern.compile("(?i)\\bWITH\\b");
    private static final Pattern SETS = Pattern.compile("(?i)\\b(ROLLUP|CUBE)\\b");

    private StatementParser() {}

    /** Throws BAD_SQL, with the place, of a text that is no statement. */
    public static SqlNode parse(String written) {
        requireNoSlashes(written);
        String intervals = withIntervals(written);
        String latest = LatestOn.marked(intervals);
        String statement = DistinctOn.marked(latest);
        SqlNode casts;
        try {
            casts = parseAsWritten(statement);
            casts = statement.contains(InfixCasts.CAST) ? casts.accept(new InfixCasts(statement)) : casts;
        } catch (WaterwheelException e) {
            casts = parseWithCasts(statement, e);
        }
        if (casts != null) {
            StatementFaults.requireWellFormed(casts);
        }
        if (casts != null && !statement.equals(latest)) {
            casts = DistinctOn.windows(casts);
        }
        if (casts != null && !latest.equals(intervals)) {
            casts = LatestRows.subQueries(casts);
        }
        if (casts != null && GROUP.matcher(statement).find()) {
            GroupNumbers.require(casts);
        }
        if (casts != null && WINDOW.matcher(statement).find()) {
            NamedWindows.resolve(casts);
        }
        if (casts != null && WITH.matcher(statement).find()) {
            OrderedWith.enclose(casts);
        }
        SqlNode windows = casts == null ? null : casts.accept(new WindowTables());
        SqlNode grouped = windows != null && SETS.matcher(statement).find() ? GroupingSets.of(windows) : windows;
        SqlNode joined = grouped != null && USING.matcher(statement).find() ? UsingColumns.of(grouped) : grouped;
        SqlNode named = joined != null && ALL.matcher(statement).find() ? AllColumns.of(joined) : joined;
        if (named == null) {
            throw new IllegalStateException("a statement became nothing");
        }
        return named;
    }

    /**
     * With {@code INTERVAL '1 day'} and {@code '1 day'::interval}, as PostgreSQL and DuckDB write it, as
     * {@code INTERVAL '1'day }: as long, so that what is wrong is told of the same place.
     */
    static String withIntervals(String statement) {
        Matcher matcher = INTERVAL.matcher(statement);
        StringBuilder text = new StringBuilder(statement);
        while (matcher.find()) {
            if (matcher.group("unit") != null) {
                String number = "'" + matcher.group("number") + "'";
                int begin = matcher.start("text");
                int end = matcher.end("text");
                String unit = matcher.group("unit");
                String blanks = " ".repeat(end - begin - number.length() - unit.length());
                text.replace(begin, end, number + unit + blanks);
            } else if (matcher.group("castUnit") != null) {
                String interval = "INTERVAL '" + matcher.group("castNumber") + "' " + matcher.group("castUnit");
                String blanks = " ".repeat(matcher.end() - matcher.start() - interval.length());
                text.replace(matcher.start(), matcher.end(), interval + blanks);
            }
        }
        return text.toString();
    }

    /** Calcite takes them for the beginning of a comment; to those who write them they are an operator of DuckDB. */
    private static void requireNoSlashes(String statement) {
        if (!statement.contains("//")) {
            return;
        }
        Matcher tokens = TOKEN.matcher(statement);
        while (tokens.find()) {
            if (tokens.group().equals("'") || tokens.group().equals("\"")) {
                return; // It does not end, which the parser says.
            }
            if (tokens.group().equals("/") && statement.startsWith("/", tokens.end())) {
                throw SqlErrors.at(
                        position(statement, tokens.start()),
                        "there is no operator //: the quotient of two whole numbers is whole, a / b; a comment begins"
                                + " with --");
            }
        }
    }

    /** The words for what is wrong are those of the text as it was written. */
    private static SqlNode parseWithCasts(String statement, WaterwheelException wrong) {
        String enclosed = EnclosedCasts.of(statement);
        if (enclosed.equals(statement)) {
            throw wrong;
        }
        try {
            return parseAsWritten(enclosed);
        } catch (WaterwheelException e) {
            wrong.addSuppressed(e);
            throw wrong;
        }
    }

    static SqlNode parseAsWritten(String statement) {
        String text = withoutEnd(statement);
        if (text.isBlank()) {
            throw SqlErrors.at(SqlParserPos.ZERO, "expected a statement, got none");
        }
        try {
            SqlNode parsed = SqlParser.create(text, PARSER).parseQuery();
            return DECIMAL.matcher(text).find() ? ExactLiteral.in(parsed, text) : parsed;
        } catch (SqlParseException e) {
            throw isStatementBefore(text, e)
                    ? SqlErrors.at(e.getPos(), "another statement behind the semicolon: send them one after another")
                    : SqlErrors.of(e, text);
        }
    }

    /** Without the semicolons at the end, and the comments behind them. */
    private static String withoutEnd(String statement) {
        if (statement.indexOf(';') < 0) {
            return statement.stripTrailing();
        }
        Matcher tokens = TOKEN.matcher(statement);
        int end = -1;
        while (tokens.find()) {
            String token = tokens.group();
            if (token.equals(";")) {
                end = end < 0 ? tokens.start() : end;
            } else if (!token.startsWith("--") && !token.startsWith("/*")) {
                end = -1;
            }
        }
        return (end < 0 ? statement : statement.substring(0, end)).stripTrailing();
    }

    /** Whether what was not understood is a semicolon, and what stands before it is a statement. */
    private static boolean isStatementBefore(String text, SqlParseException wrong) {
        SqlParserPos place = wrong.getPos();
        if (place == null || !String.valueOf(wrong.getMessage()).startsWith("Encountered \";\"")) {
            return false;
        }
        int end = offset(text, place.getLineNum(), place.getColumnNum());
        try {
            SqlParser.create(text.substring(0, end), PARSER).parseQuery();
            return true;
        } catch (SqlParseException e) {
            // The semicolon ends nothing: it is what is wrong.
            return false;
        }
    }

    /** The line and the column of a place in a text, both from 1. */
    static SqlParserPos position(String text, int place) {
        int line = 1;
        int begin = 0;
        for (int at = 0; at < place; at++) {
            // To the parser each of CR, LF and both ends a line.
            boolean ends = text.charAt(at) == '\n' || (text.charAt(at) == '\r' && !text.startsWith("\r\n", at));
            if (ends) {
                line++;
                begin = at + 1;
            }
        }
        return new SqlParserPos(line, place - begin + 1);
    }

    /** The place in a text of a line and a column, both from 1; -1 where the text has no such place. */
    static int offset(String text, int line, int column) {
        int begin = 0;
        for (int l = 1; l < line; l++) {
            // To the parser each of CR, LF and both ends a line.
            while (begin < text.length() && text.charAt(begin) != '\n' && text.charAt(begin) != '\r') {
                begin++;
            }
            begin += text.startsWith("\r\n", begin) ? 2 : 1;
        }
        return begin + column - 1 < text.length() ? begin + column - 1 : -1;
    }
}
