package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.query.SqlParameters;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.text.Decimals;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of a statement's question marks in JSON: {@code [398564, "AFR9455", null, {"time":
 * "2021-10-07T12:30:00Z"}, {"bytes": "AAE="}]}. Pure functions.
 */
final class ParameterValues {
    private ParameterValues() {}

    /**
     * Reads an array of values.
     *
     * @param json at the value of the member {@code parameters}
     * @throws HttpFailure when it is no array of such values
     */
    static List<Expression.Literal> read(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw bad("expected an array of values", null);
        }
        List<@Nullable Object> values = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (values.size() == Statement.MAX_PARAMETERS) {
                throw bad("expected at most " + Statement.MAX_PARAMETERS + " values", null);
            }
            values.add(value(json, values.size() + 1));
        }
        try {
            return SqlParameters.of(values.toArray());
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()), e);
        }
    }

    private static @Nullable Object value(JsonParser json, int number) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_NULL -> null;
            case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
            case VALUE_NUMBER_INT -> json.getBigIntegerValue();
            case VALUE_NUMBER_FLOAT ->
                // What is no double's text is a decimal with more digits.
                Expression.Decimal.of(json.getText()).written() == null
                        ? (Object) json.getDoubleValue()
                        : json.getDecimalValue();
            case VALUE_STRING -> json.getText();
            case START_OBJECT -> named(json, number);
            default -> throw unknown(number);
        };
    }

    private static Object named(JsonParser json, int number) throws IOException {
        String form = json.nextFieldName();
        if (form == null || json.nextToken() != JsonToken.VALUE_STRING) {
            throw unknown(number);
        }
        Object value =
                switch (form) {
                    case "time" -> instant(json.getText(), number);
                    case "bytes" -> json.getBinaryValue();
                    case "decimal" -> decimal(json.getText(), number);
                    default -> throw unknown(number);
                };
        if (json.nextToken() != JsonToken.END_OBJECT) {
            throw unknown(number);
        }
        return value;
    }

    private static BigDecimal decimal(String text, int number) {
        try {
            return Decimals.value(text);
        } catch (IllegalArgumentException e) {
            throw bad("parameter " + number + ": " + e.getMessage(), e);
        }
    }

    private static Instant instant(String text, int number) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw bad("parameter " + number + ": expected a time such as 2021-10-07T12:30:00Z, got '" + text + "'", e);
        }
    }

    private static HttpFailure unknown(int number) {
        return bad(
                "parameter " + number + ": expected null, a boolean, a number, a text, {\"time\": \"...Z\"},"
                        + " {\"decimal\": \"12.50\"} or {\"bytes\": \"base64\"}",
                null);
    }

    private static HttpFailure bad(String message, @Nullable Throwable cause) {
        return HttpFailure.bad(ErrorCode.BAD_REQUEST, message, "parameters", cause);
    }
}
