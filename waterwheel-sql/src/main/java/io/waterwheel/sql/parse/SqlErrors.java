package io.waterwheel.sql.parse;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.NearestName;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.leaf.EngineFunctions;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Says what is wrong with a statement, and where. */
public final class SqlErrors {
    private static final int MAX_MESSAGE = 600;

    private static final List<String> STATEMENTS =
            List.of("SELECT", "WITH", "VALUES", "INSERT", "CREATE", "ALTER", "DROP", "SHOW", "DESCRIBE", "EXPLAIN");

    /** Words that begin a part of a statement. */
    private static final List<String> PARTS =
            List.of("FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "PARTITION", "LATEST");

    private static final Pattern LAST_WORD = Pattern.compile("(\\w+)\\s*$");

    private static final Pattern COMPARED = Pattern.compile(
            "Cannot apply '(?:=|<>|<|<=|>|>=)' to arguments of type '<([^>]*)> \\S+ <([^>]*)>'.*", Pattern.DOTALL);

    /** Characters of a call, before the place in it that a parser does not take. */
    private static final int MOST_BEFORE = 600;

    private static final Pattern OBJECT = Pattern.compile("Object '([^']*)' not found.*", Pattern.DOTALL);
    private static final Pattern COLUMN =
            Pattern.compile("Column '([^']*)' not found in (?:any table|table '.*').*", Pattern.DOTALL);
    private static final Pattern WINDOW = Pattern.compile("Window '(.*)' not found");
    private static final Pattern UNLISTED = Pattern.compile("Expression '(.*)' is not in the select clause");
    private static final Pattern TRUTHS =
            Pattern.compile("Cannot apply '(?:SUM|AVG)' to arguments of type '[^']*<BOOLEAN>.*", Pattern.DOTALL);
    private static final Pattern MOVED = Pattern.compile(
            "Cannot apply '[+-]' to arguments of type '<TIMESTAMP[^>]*> . <(?:INTEGER|BIGINT|DOUBLE|DECIMAL[^>]*)>'.*",
            Pattern.DOTALL);
    private static final Pattern AMBIGUOUS = Pattern.compile("Column '(.*)' is ambiguous", Pattern.DOTALL);
    private static final Pattern FUNCTION =
            Pattern.compile("No match found for function signature (\\w+)\\(.*", Pattern.DOTALL);

    /** What stands before an interval's text. */
    private static final Pattern FRAME_OF_GROUPS = Pattern.compile("Encountered \"GROUPS\"", Pattern.CASE_INSENSITIVE);

    private static final Pattern ZONE = Pattern.compile("(?i)\\bAT\\s++TIME\\s++ZONE\\b");
    private static final Pattern INTERVAL = Pattern.compile("\\bINTERVAL\\s*$", Pattern.CASE_INSENSITIVE);

    private static final Pattern FETCH = Pattern.compile("(?i)\\bFETCH\\s++(?:FIRST|NEXT)\\s*+$");
    private static final Pattern TOP = Pattern.compile("(?i)\\bSELECT\\s++TOP\\s*+$");
    private static final Pattern IN = Pattern.compile("(?i)\\bIN\\s*+\\(\\s*+$");

    /** A count of rows below zero. */
    private static final Pattern COUNTED = Pattern.compile("(?i)(?:LIMIT|OFFSET)\\s++-\\s*+\\d");

    private static final Pattern FOR = Pattern.compile("(?i)\\bFOR\\s*+$");

    /** A call of these that a text ends with, with at most one call within. */
    private static final Pattern FIRST_OR_LAST = Pattern.compile(
            "\\b(?:FIRST|LAST)\\s*\\([^()]*+(?:\\([^()]*+\\)[^()]*+)*+\\)\\s*$", Pattern.CASE_INSENSITIVE);

    /**
     * Where a table's name stands no number is taken from another: a dash is one of the name. Behind a comma a parser
     * takes a dash for a minus sign but where a table's name stands.
     */
    private static final Pattern DASHED =
            Pattern.compile("(?iU)(?:(?<!\\bDISTINCT )\\b(?:FROM|JOIN)\\s++|(?<comma>,)\\s*+)"
                    + "(?:\\w++\\.)*+(?<name>\\w++(?:-\\w++)++(?:-(?!-))?+|\\w++-(?!-))");

    private SqlErrors() {}

    /** A failure at a place. */
    public static WaterwheelException at(SqlParserPos position, String what) {
        return new WaterwheelException(ErrorCode.BAD_SQL, place(position) + what);
    }

    public static WaterwheelException unsupported(String what) {
        return new WaterwheelException(ErrorCode.SQL_UNSUPPORTED, "statement: " + what);
    }

    /** What is not supported, at a place. */
    public static WaterwheelException unsupported(SqlParserPos position, String what) {
        return new WaterwheelException(
                ErrorCode.SQL_UNSUPPORTED, place(position) + "not supported: " + what + "; docs/sql.md has what is");
    }

    /**
     * Of a text that is no statement, or none that is answered.
     *
     * @param known whether it is one of SQL
     */
    public static WaterwheelException noStatement(SqlParserPos position, String statement, boolean known) {
        String written = firstWord(statement);
        String word = written.toUpperCase(Locale.ROOT);
        String what =
                switch (word) {
                    case "SHOW" ->
                        "SHOW shows STREAMS, VIEWS, TABLES, COLUMNS FROM a stream or the VERDICT, such as SHOW TABLES";
                    case "EXPLAIN" -> "EXPLAIN or EXPLAIN ANALYZE stands before a query, such as EXPLAIN SELECT ...";
                    case "DESCRIBE", "DESC" -> "DESCRIBE is of a stream, a view or a table";
                    case "ALTER" -> "ALTER STREAM is there, with SET";
                    case "DELETE", "UPDATE", "TRUNCATE", "MERGE" ->
                        "not supported: " + word + ", for rows are not changed; docs/sql.md has what is";
                    default ->
                        "a statement begins with SELECT, WITH, VALUES, INSERT, CREATE, ALTER, DROP, SHOW, DESCRIBE or"
                                + " EXPLAIN, not with " + written + NearestName.question(word, STATEMENTS);
                };
        return new WaterwheelException(
                known || what.startsWith("not supported") ? ErrorCode.SQL_UNSUPPORTED : ErrorCode.BAD_SQL,
                place(position) + what);
    }

    private static String firstWord(String statement) {
        Matcher tokens = StatementParser.TOKEN.matcher(statement);
        while (tokens.find()) {
            String token = tokens.group();
            if (!token.startsWith("--") && !token.startsWith("/*")) {
                return shortened(token);
            }
        }
        return "";
    }

    public static WaterwheelException tooDeep(StackOverflowError failure) {
        return new WaterwheelException(ErrorCode.SQL_UNSUPPORTED, "statement: it is nested too deeply", failure);
    }

    /** Of what Calcite could not plan, without a place. */
    public static WaterwheelException unplanned(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        if (cause instanceof StackOverflowError deep) {
            return tooDeep(deep);
        }
        if (String.valueOf(cause.getMessage()).contains("failed to preserve datatypes")) {
            return new WaterwheelException(
                    ErrorCode.SQL_UNSUPPORTED,
                    "statement: not supported: a column that has another type where it is read than where it is made;"
                            + " CAST it, also in the first part of a WITH RECURSIVE",
                    failure);
        }
        return new WaterwheelException(
                ErrorCode.SQL_UNSUPPORTED,
                "statement: it cannot be planned: " + shortened(String.valueOf(cause.getMessage()))
                        + "; docs/sql.md has what is supported",
                failure);
    }

    public static String place(SqlParserPos position) {
        return place(position.getLineNum(), position.getColumnNum());
    }

    private static String place(int line, int column) {
        return line > 0 ? "statement, line " + line + ", column " + column + ": " : "statement: ";
    }

    /** Of a text that is no statement. */
    static WaterwheelException of(SqlParseException failure, String statement) {
        if (failure.getMessage() == null || failure.getCause() instanceof StackOverflowError) {
            return new WaterwheelException(ErrorCode.SQL_UNSUPPORTED, "statement: it is nested too deeply", failure);
        }
        String message = String.valueOf(failure.getMessage());
        SqlParserPos position = failure.getPos();
        // What could stand there is a list of hundreds of words.
        String first = message.lines().findFirst().orElse("").replaceAll(" at line \\d+, column \\d+\\.?", "");
        WaterwheelException open = position == null ? null : open(statement, first.contains("<EOF>"));
        if (open != null) {
            return open;
        }
        if (position != null && (first.startsWith("Non-query expression") || isExplain(first, statement))) {
            return noStatement(position, statement, false);
        }
        String name = position == null ? null : NameTokens.unquoted(statement, position);
        String behind = position == null || !first.contains("OVER") ? "" : before(statement, position);
        if (FIRST_OR_LAST.matcher(behind).find()) {
            return unsupported(
                    position,
                    "FIRST and LAST over a window; they are aggregates of groups, by the time of a stream. Write"
                            + " FIRST_VALUE(x) or LAST_VALUE(x)");
        }
        if (position != null && INTERVAL.matcher(before(statement, position)).find()) {
            return at(
                    position,
                    "an INTERVAL has one number and one unit from second to year, INTERVAL '5' MINUTE or INTERVAL"
                            + " '5 minutes'; several are added to a time one after another, and 300 milliseconds are"
                            + " INTERVAL '0.3' SECOND");
        }
        if (position != null
                && FRAME_OF_GROUPS.matcher(first).find()
                && before(statement, position).toUpperCase(Locale.ROOT).contains("OVER")) {
            return unsupported(position, "a frame of GROUPS in a window; frames are of ROWS or of RANGE");
        }
        if (position != null && first.startsWith("Query expression encountered in illegal context")) {
            return unsupported(
                    position,
                    "a sub-query here; make a column of it below, FROM (SELECT t.*, (SELECT ...) AS x FROM t)");
        }
        if (position != null && FETCH.matcher(before(statement, position)).find()) {
            return at(position, "FETCH has a count here or none, FETCH FIRST 5 ROWS ONLY, or write LIMIT 5");
        }
        if (position != null
                && first.matches("(?is)Encountered \"update\\b.*")
                && FOR.matcher(before(statement, position)).find()) {
            return unsupported(position, "FOR UPDATE; rows are not changed, and none is locked: leave it away");
        }
        if (position != null && first.startsWith("ASOF JOIN missing MATCH_CONDITION")) {
            return at(
                    position,
                    "the times of an ASOF JOIN stand in its MATCH_CONDITION: a ASOF JOIN b MATCH_CONDITION b.at <= a.at"
                            + " ON a.k = b.k");
        }
        if (position != null && first.matches("(?is)Encountered \"returning\\b.*")) {
            return unsupported(position, "RETURNING; an INSERT returns the number of rows that it stored");
        }
        if (position != null && first.matches("Encountered \"(?:AT|TIME)\".*") && isZone(statement, position)) {
            return unsupported(
                    position,
                    "AT TIME ZONE; times are of UTC. DATE_TRUNC('day', time, 'Europe/Paris'), DATE_PART('hour', time,"
                            + " 'Europe/Paris') and FORMAT_TIME(time, 'HH:mm', 'Europe/Paris') go by the clock of a zone");
        }
        if (position != null && COUNTED.matcher(after(statement, position)).lookingAt()) {
            return at(position, "LIMIT and OFFSET take a whole number, 0 or more");
        }
        String dashed = position == null ? null : dashed(statement, position);
        String typed = position == null ? "" : typed(statement, position);
        String quoted = dashed != null
                ? "; a name with a dash goes in double quotes: \"" + dashed + "\""
                : !typed.isEmpty()
                        ? typed
                        : name == null
                                ? otherDialect(first, statement, position)
                                : "; a name that is a word of SQL goes in double quotes: \"" + name + "\"";
        return new WaterwheelException(
                ErrorCode.BAD_SQL,
                position == null
                        ? "statement: " + shortened(first)
                        : place(position.getLineNum(), position.getColumnNum()) + shortened(first) + quoted,
                failure);
    }

    /**
     * What begins in a text and does not end; null where all ends.
     *
     * @param atEnd whether the text's end was not understood, where brackets count, too
     */
    private static @Nullable WaterwheelException open(String statement, boolean atEnd) {
        Deque<Integer> brackets = new ArrayDeque<>();
        int at = 0;
        while (at < statement.length()) {
            char c = statement.charAt(at);
            int end = at;
            if (statement.startsWith("--", at)) {
                end = statement.indexOf('\n', at);
                if (end < 0) {
                    break;
                }
            } else if (statement.startsWith("/*", at)) {
                end = statement.indexOf("*/", at + 2);
                if (end < 0) {
                    return at(StatementParser.position(statement, at), "the comment that begins here has no end, */");
                }
            } else if (c == '\'' || c == '"') {
                end = statement.indexOf(c, at + 1);
                while (end >= 0 && end + 1 < statement.length() && statement.charAt(end + 1) == c) {
                    end = statement.indexOf(c, end + 2);
                }
                if (end < 0) {
                    return at(
                            StatementParser.position(statement, at),
                            "the " + (c == '"' ? "name" : "text")
                                    + " that begins here has no closing quote; a quote in it" + " is doubled");
                }
            } else if (c == '(') {
                brackets.push(at);
            } else if (c == ')' && !brackets.isEmpty()) {
                int unused = brackets.pop();
            }
            at = end + 1;
        }
        return atEnd && !brackets.isEmpty()
                ? at(StatementParser.position(statement, brackets.peek()), "the bracket that begins here is not closed")
                : null;
    }

    /** How what another dialect has is written here; empty where it is none such. */
    private static String otherDialect(String said, String statement, @Nullable SqlParserPos place) {
        if (said.startsWith("Encountered \"= =\"")) {
            return "; what is equal is written with one =";
        }
        if (said.contains("Encountered: \"`\"")) {
            return "; a name with other than letters, digits and _ goes in double quotes, \"x\"";
        }
        if (place != null && TOP.matcher(before(statement, place)).find()) {
            return "; the first rows are those of LIMIT, SELECT ... FROM t ORDER BY x LIMIT 3";
        }
        return said.startsWith("Encountered \")\"")
                        && place != null
                        && IN.matcher(before(statement, place)).find()
                ? "; a list of IN has one value or more"
                : "";
    }

    /** A table's name with dashes around a place; null where there is none. */
    private static @Nullable String dashed(String statement, SqlParserPos place) {
        String before = before(statement, place);
        String after = after(statement, place);
        Matcher name = DASHED.matcher(before + after);
        while (name.find()) {
            boolean around = name.start("name") <= before.length() && before.length() < name.end("name");
            if (around && (name.group("comma") == null || after.startsWith("-"))) {
                return name.group("name");
            }
        }
        return null;
    }

    /** What stands from a place on. */
    private static String after(String statement, SqlParserPos place) {
        String lines = statement.lines().skip(place.getLineNum() - 1L).collect(Collectors.joining("\n"));
        return lines.substring(Math.min(lines.length(), place.getColumnNum() - 1));
    }

    /** Of a word that is nearly one of those that begin a part of a statement: a parser takes it for a name. */
    private static String typed(String statement, SqlParserPos place) {
        Matcher word = LAST_WORD.matcher(before(statement, place));
        String written = word.find() ? word.group(1) : "";
        String near = NearestName.near(written.toUpperCase(Locale.ROOT), PARTS);
        // The stream orders is not meant as ORDER.
        return near == null
                        || Math.abs(near.length() - written.length()) > 1
                        || written.toUpperCase(Locale.ROOT).startsWith(near)
                ? ""
                : "; is " + written + " meant as " + near + "?";
    }

    private static boolean isExplain(String said, String statement) {
        return said.endsWith("near the keyword 'EXPLAIN'")
                && firstWord(statement).equalsIgnoreCase("EXPLAIN");
    }

    /** Whether AT TIME ZONE stands at a place, or around it. */
    private static boolean isZone(String statement, SqlParserPos place) {
        String before = before(statement, place);
        Matcher zone = ZONE.matcher(before + after(statement, place));
        boolean found = false;
        while (!found && zone.find()) {
            found = zone.start() <= before.length() && before.length() < zone.end();
        }
        return found;
    }

    /** What stands before a place, as much as a call may take. */
    private static String before(String statement, SqlParserPos place) {
        List<String> lines = statement.lines().limit(place.getLineNum()).toList();
        String last = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
        String text = String.join("\n", lines.subList(0, Math.max(0, lines.size() - 1))) + "\n"
                + last.substring(0, Math.min(last.length(), place.getColumnNum() - 1));
        return text.substring(Math.max(0, text.length() - MOST_BEFORE));
    }

    /** Of a statement whose names or types do not fit. */
    public static WaterwheelException of(
            CalciteContextException failure, SqlNode statement, Collection<String> streams, Collection<String> fields) {
        Throwable cause = failure.getCause();
        String said = String.valueOf(cause == null ? failure.getMessage() : cause.getMessage());
        Matcher stream = OBJECT.matcher(said);
        Matcher field = COLUMN.matcher(said);
        Matcher function = FUNCTION.matcher(said);
        Matcher compared = COMPARED.matcher(said);
        Matcher ambiguous = AMBIGUOUS.matcher(said);
        Matcher window = WINDOW.matcher(said);
        Matcher unlisted = UNLISTED.matcher(said);
        String what = said.replace(EngineFunctions.MODULO_NAME, "MOD");
        ErrorCode code = ErrorCode.BAD_SQL;
        if (stream.matches()) {
            String steps = steps(stream.group(1), statement);
            String qualified = qualified(stream.group(1), statement);
            code = steps == null ? ErrorCode.NO_SUCH_STREAM : ErrorCode.BAD_SQL;
            what = qualified != null
                    ? "there is no table " + qualified + "; those of the server are listed in information_schema.tables"
                    : "there is no stream '" + stream.group(1) + "'"
                            + (steps == null ? NearestName.question(stream.group(1), streams) : "; " + steps);
        } else if (field.matches()) {
            code = ErrorCode.NO_SUCH_FIELD;
            what = "there is no column '" + field.group(1) + "'" + asText(field.group(1), statement)
                    + NearestName.question(field.group(1), fields);
        } else if (function.matches()) {
            code = ErrorCode.SQL_UNSUPPORTED;
            what = "there is no function " + function.group(1) + ", or not of these arguments"
                    + NearFunctions.instead(function.group(1));
        } else if (compared.matches()) {
            what = compared(compared.group(1), compared.group(2));
        } else if (ambiguous.matches()) {
            what = "more than one table has a column '" + ambiguous.group(1)
                    + "'; write its table before it, such as t." + ambiguous.group(1);
        } else if (said.equals("WHERE clause must be a condition")) {
            what = "WHERE takes what is true or false, such as a comparison, and this is neither";
        } else if (said.equals("OVER must be applied to aggregate function")) {
            what = "OVER stands behind a function of windows or an aggregate, which has no FILTER; in its place write"
                    + " SUM(CASE WHEN x > 0 THEN y END) OVER (...)";
        } else if (said.equals("Ordinal out of range")) {
            what = "a number in ORDER BY is the place of a column in the SELECT, from 1, and there are fewer";
        } else if (said.startsWith("Aggregate expression is illegal in WHERE clause")) {
            what = "WHERE is of single rows, and has no aggregates; HAVING is of groups, GROUP BY x HAVING AVG(y) > 3";
        } else if (TRUTHS.matcher(said).matches()) {
            what = "a sum or an average of what is true or false; COUNT_IF(x) counts the rows where it is true, and"
                    + " AVG(CASE WHEN x THEN 1.0 ELSE 0.0 END) is their share";
        } else if (MOVED.matcher(said).matches()) {
            what = "a time and a number are not added; write an INTERVAL, at + INTERVAL '5' MINUTE";
        } else if (window.matches()) {
            what = "no window '" + window.group(1)
                    + "' is declared in the WINDOW of its own SELECT; behind a UNION, INTERSECT"
                    + " or EXCEPT write the window itself, OVER (ORDER BY x)";
        } else if (unlisted.matches()) {
            what = "ORDER BY of a SELECT DISTINCT takes columns of its list that are no windows, and not '"
                    + unlisted.group(1)
                    + "'; order around it: SELECT * FROM (SELECT DISTINCT x, SUM(y) OVER (PARTITION BY x) AS s ...) AS q ORDER"
                    + " BY s";
        } else if (said.startsWith("Illegal use of dynamic parameter")) {
            what = "the type of ? cannot be told here; write CAST(? AS BIGINT), CAST(? AS VARCHAR) or such";
        } else if (said.startsWith("Cannot apply '-' to arguments of type '<TIMESTAMP")) {
            code = ErrorCode.SQL_UNSUPPORTED;
            what =
                    "a difference of times is compared with a written interval, a - b < INTERVAL '5' MINUTE; the number of units is"
                            + " TIMESTAMPDIFF(SECOND, earlier, later)";
        }
        return new WaterwheelException(
                code, place(failure.getPosLine(), failure.getPosColumn()) + shortened(what), failure);
    }

    /** The table of another schema than that of streams whose name has a part; null where none is named. */
    private static @Nullable String qualified(String part, SqlNode statement) {
        String[] found = {null};
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call instanceof SqlSelect select) {
                    table(select.getFrom());
                } else if (call instanceof SqlJoin join) {
                    table(join.getLeft());
                    table(join.getRight());
                }
                return super.visit(call);
            }

            private void table(@Nullable SqlNode from) {
                SqlNode named = from instanceof SqlCall as && from.getKind() == SqlKind.AS
                        ? as.getOperandList().get(0)
                        : from;
                if (named instanceof SqlIdentifier table
                        && !table.isSimple()
                        && !table.names.get(table.names.size() - 2).equalsIgnoreCase("public")
                        && table.names.contains(part)) {
                    found[0] = table.toString();
                }
            }
        });
        return found[0];
    }

    /** How a WITH of a name is written whose steps name it; null where there is none. */
    private static @Nullable String steps(String name, SqlNode statement) {
        String[] said = {null};
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call instanceof SqlWithItem item && item.name.getSimple().equalsIgnoreCase(name)) {
                    said[0] = item.recursive.booleanValue()
                            ? "WITH RECURSIVE " + name + " is first UNION [ALL] next, of which next alone names " + name
                                    + ": several such parts go into parentheses, first UNION ALL (next UNION ALL next)"
                            : "a WITH that names itself is a WITH RECURSIVE";
                }
                return super.visit(call);
            }
        });
        return said[0];
    }

    /** Of a name in double quotes that no part of a name stands before: a text was meant, perhaps. */
    private static String asText(String name, SqlNode statement) {
        boolean[] quoted = {false};
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier identifier) {
                quoted[0] |=
                        identifier.isSimple() && identifier.getSimple().equals(name) && identifier.isComponentQuoted(0);
                return null;
            }
        });
        return quoted[0] ? "; a text stands in single quotes: '" + name.replace("'", "''") + "'" : "";
    }

    private static String compared(String left, String right) {
        String times = left.startsWith("TIMESTAMP") || right.startsWith("TIMESTAMP")
                ? "; a time is written TIMESTAMP '2026-11-25 10:00:00'"
                : "";
        return "a " + left + " is not compared with a " + right + times;
    }

    private static String shortened(String text) {
        return text.length() <= MAX_MESSAGE ? text : text.substring(0, MAX_MESSAGE) + "...";
    }
}
