package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement of SQL in a request, with what holds for its answer. Pure functions. */
final class StatementParameters {
    /** A body that is a statement. */
    static final String TYPE = "application/sql";

    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern POSITION = Pattern.compile("(.+):(\\d{1,9}):(\\d{1,18})");
    private static final Pattern SOURCE = Pattern.compile("\\[Source: [^;]*; (line: \\d+, column: \\d+)]");
    /** Clients of the gateway share its connections: it would be another client's. */
    private static final Pattern VERDICT = Pattern.compile("\\s*SHOW\\s+VERDICT\\b", Pattern.CASE_INSENSITIVE);

    /** What the server explains; {@code EXPLAIN} itself is what the request says. */
    private static final Pattern EXPLAINED =
            Pattern.compile("\\s*(?:(?:SELECT|WITH|TABLE|VALUES)\\b|\\()", Pattern.CASE_INSENSITIVE);

    /** Words before a statement that is explained. On lines of their own: columns of messages stay right. */
    private static final int EXPLAIN_LINES = 1;

    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Of a number that is a timeout. */
    private static final int MOST_DIGITS = 40;

    private StatementParameters() {}

    /**
     * A statement with the parameters {@code timeout}, {@code partial} and {@code at-least}, as {@code waterwheel sql}
     * has them.
     */
    static Statement read(String sql, Map<String, List<String>> parameters) {
        Duration timeout = null;
        boolean partial = false;
        Map<String, Map<Integer, Long>> atLeast = new HashMap<>();
        for (String name : parameters.keySet()) {
            String value = String.valueOf(Exchange.only(parameters, name));
            switch (name) {
                case "timeout" -> timeout = timeout(value);
                case "partial" -> {
                    if (!value.equals("allow") && !value.equals("fail")) {
                        throw bad("partial: expected fail or allow, got '" + value + "'", name);
                    }
                    partial = value.equals("allow");
                }
                case "at-least" -> {
                    for (String one : value.split(",", -1)) {
                        position(one, atLeast);
                    }
                }
                default ->
                    throw bad(
                            "there is no parameter '" + name + "' beside a statement; there are timeout, partial,"
                                    + " at-least",
                            name);
            }
        }
        return statement(sql, timeout, partial, atLeast);
    }

    private static void position(String text, Map<String, Map<Integer, Long>> atLeast) {
        Matcher parts = POSITION.matcher(text);
        if (!parts.matches()) {
            throw bad("at-least: expected STREAM:PARTITION:OFFSET, got '" + text + "'", "at-least");
        }
        atLeast.computeIfAbsent(parts.group(1), unused -> new HashMap<>())
                .merge(Integer.valueOf(parts.group(2)), Long.valueOf(parts.group(3)), Math::max);
    }

    private static Duration timeout(String seconds) {
        return timeout(seconds, SECOND, "timeout", "seconds");
    }

    /** @param unit of the number */
    private static Duration timeout(String number, Duration unit, String at, String units) {
        BigDecimal most = BigDecimal.valueOf(LONGEST.toMillis());
        try {
            // A number of a few characters may have a billion digits: compared, not written out.
            BigDecimal millis = number.length() > MOST_DIGITS
                    ? BigDecimal.ZERO
                    : new BigDecimal(number).multiply(BigDecimal.valueOf(unit.toMillis()));
            if (millis.signum() > 0 && millis.compareTo(most) <= 0) {
                return Duration.ofMillis(Math.max(1, millis.longValue()));
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw wrongTimeout(number, at, units, e);
        }
        throw wrongTimeout(number, at, units, null);
    }

    private static HttpFailure wrongTimeout(String number, String at, String units, @Nullable Throwable cause) {
        String shown = number.length() > MOST_DIGITS ? number.substring(0, MOST_DIGITS) + "..." : number;
        return HttpFailure.bad(
                ErrorCode.BAD_REQUEST,
                at + ": expected " + units + ", more than 0 and at most an hour, got '" + shown + "'",
                at,
                cause);
    }

    private static Statement statement(
            String sql, @Nullable Duration timeout, boolean partial, Map<String, Map<Integer, Long>> atLeast) {
        if (VERDICT.matcher(sql).lookingAt()) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST, "each answer has its verdict; SHOW VERDICT is for drivers", "sql", null);
        }
        try {
            return new Statement(sql, timeout, partial, atLeast);
        } catch (IllegalArgumentException e) {
            throw HttpFailure.bad(ErrorCode.BAD_SQL, String.valueOf(e.getMessage()), "sql", e);
        }
    }

    /**
     * The statement that explains one.
     *
     * @param runs whether it is answered, too
     * @throws HttpFailure where the statement is none that is explained
     */
    static Statement explained(Statement statement, boolean runs) {
        if (!EXPLAINED.matcher(statement.sql()).lookingAt()) {
            throw bad(
                    "expected a statement that begins with SELECT, WITH, VALUES or TABLE, without EXPLAIN and a comment before"
                            + " it; analyze=true is EXPLAIN ANALYZE",
                    "sql");
        }
        String words = runs ? "EXPLAIN ANALYZE\n" : "EXPLAIN\n";
        int most = Statement.MAX_CHARACTERS - words.length();
        if (statement.sql().length() > most) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_SQL,
                    "statement: expected at most " + most + " characters to be explained"
                            + (runs ? " with analyze=true" : "") + ", got "
                            + statement.sql().length() + "; shorten it, or send values as parameters",
                    "sql",
                    null);
        }
        String sql = words + statement.sql();
        return new Statement(
                sql, statement.timeout(), statement.allowPartial(), statement.atLeast(), statement.parameters());
    }

    /** What a client is told where a statement fails that is explained: places are those of the text that it sent. */
    static HttpFailure ofExplained(Throwable failure) {
        return HttpFailure.of(failure).earlier(EXPLAIN_LINES);
    }

    private static HttpFailure bad(String message, String at) {
        return HttpFailure.bad(ErrorCode.BAD_REQUEST, message, at, null);
    }

    /**
     * Reads {@code {"sql": ..., "parameters": [...], "timeoutMillis": ..., "allowPartial": ..., "atLeast": {STREAM:
     * {PARTITION: OFFSET}}}}.
     *
     * @return null when the object has no member {@code sql}, or the text is no object: it is to be read as a query
     */
    static @Nullable Statement ofJson(String body) {
        if (!body.contains("\"sql\"")) {
            return null;
        }
        String sql = null;
        Duration timeout = null;
        boolean partial = false;
        Map<String, Map<Integer, Long>> atLeast = new HashMap<>();
        List<Expression.Literal> values = List.of();
        String strange = null;
        try (JsonParser json = JSON.createParser(body)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            Set<String> seen = new HashSet<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (!seen.add(name.replace("_", "").toLowerCase(Locale.ROOT))) {
                    throw bad("the member '" + name + "' is given twice; give it once", name);
                }
                switch (name) {
                    case "sql" -> {
                        if (value != JsonToken.VALUE_STRING) {
                            throw bad(
                                    "sql: expected the text of a statement, got "
                                            + (value.isStructStart() ? "an object or an array" : json.getText()),
                                    name);
                        }
                        sql = json.getText();
                    }
                    case "timeoutMillis", "timeout_millis" ->
                        timeout = timeout(json.getText(), Duration.ofMillis(1), "timeout", "milliseconds");
                    case "allowPartial", "allow_partial" -> partial = json.getBooleanValue();
                    case "atLeast", "at_least" -> positions(json, atLeast);
                    case "parameters" -> values = ParameterValues.read(json);
                    default -> {
                        strange = name;
                        json.skipChildren();
                    }
                }
            }
        } catch (IOException | NumberFormatException e) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST, "the body is no statement in JSON: " + whatIsWrong(e), null, e);
        }
        if (sql == null) {
            return null;
        }
        if (strange != null) {
            throw bad(
                    "there is no member '" + strange
                            + "' beside sql; there are parameters, timeoutMillis, allowPartial," + " atLeast",
                    strange);
        }
        return statement(sql, timeout, partial, atLeast).withParameters(values);
    }

    /** Jackson's message names its source, which is the body. */
    private static String whatIsWrong(Exception e) {
        if (!(e instanceof JsonProcessingException json)) {
            return String.valueOf(e.getMessage());
        }
        JsonLocation at = json.getLocation();
        return SOURCE.matcher(json.getOriginalMessage()).replaceAll("$1")
                + (at == null ? "" : ", line " + at.getLineNr() + ", column " + at.getColumnNr());
    }

    private static void positions(JsonParser json, Map<String, Map<Integer, Long>> atLeast) throws IOException {
        requireObject(json);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String stream = json.currentName();
            json.nextToken();
            requireObject(json);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String partition = json.currentName();
                json.nextToken();
                position(stream + ":" + partition + ":" + json.getText(), atLeast);
            }
        }
    }

    /** Another value would demand nothing, and the answer would look as if it held. */
    private static void requireObject(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw bad(
                    "atLeast: expected {\"STREAM\": {\"PARTITION\": OFFSET}}, got "
                            + (json.currentToken() == JsonToken.START_ARRAY ? "an array" : json.getText()),
                    "atLeast");
        }
    }
}
