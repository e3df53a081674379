package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.waterwheel.cli.QueryParameters;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Parameters;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Statement;
import io.waterwheel.wire.WireQueries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Reads the question of a request: the message {@code Query} of query.proto in its JSON form, the options of
 * {@code waterwheel query}, in the URI or as a form, or a statement of SQL. Stateless, thread-safe.
 */
final class QueryReader {
    static final String FORM = "application/x-www-form-urlencoded";

    /** The longest body; a query of that size is over what a coordinator takes. */
    static final int MOST_BYTES = 1 << 20;

    private static final JsonFormat.Parser PARSER = JsonFormat.parser();
    private static final JsonFactory STRICT = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    /** The name of an exception's class, with which some messages of the parser begin. */
    private static final Pattern CLASS = Pattern.compile("^(?:\\w+\\.)+\\w+: ");

    private QueryReader() {}

    /** What is asked. */
    sealed interface Question {
        /** By the engine's own query. */
        record OfQuery(Query query) implements Question {}

        /** In SQL. */
        record OfStatement(Statement statement) implements Question {}
    }

    /**
     * A question, and what is said beside it.
     *
     * @param own parameters of the request itself that were given, by name
     */
    record Asked(Question question, Map<String, String> own) {}

    /**
     * Of a request with or without a body.
     *
     * @param own names of the parameters, of the URI or the form, that are none of the query
     */
    static Asked read(Exchange exchange, List<String> own) {
        Map<String, List<String>> options = new LinkedHashMap<>(exchange.parameters());
        boolean json = false;
        boolean sql = false;
        if (!exchange.request().getMethod().equals("GET")) {
            String packed = exchange.header(HttpHeader.CONTENT_ENCODING);
            if (packed != null && !packed.strip().equalsIgnoreCase("identity")) {
                throw HttpFailure.of(
                        HttpCode.MEDIA_TYPE_UNKNOWN,
                        "Content-Encoding: a query is sent as it is, got '" + packed + "'",
                        "Content-Encoding");
            }
            String type = exchange.bodyType();
            json = type.equals(Exchange.JSON);
            sql = type.equals(StatementParameters.TYPE);
            if (type.equals(FORM)) {
                Parameters.decode(text(exchange.body()))
                        .forEach((name, values) -> options.merge(name, values, Parameters::both));
            } else if (!json && !sql) {
                throw HttpFailure.of(
                        HttpCode.MEDIA_TYPE_UNKNOWN,
                        "Content-Type: expected " + Exchange.JSON + " (the message Query of query.proto), " + FORM
                                + " (the options of the command line) or " + StatementParameters.TYPE
                                + " (a statement), got '" + type + "'",
                        "Content-Type");
            }
        }
        Map<String, String> given = new LinkedHashMap<>();
        for (String name : own) {
            String value = Exchange.only(options, name);
            if (value != null) {
                given.put(name, value);
                options.remove(name);
            }
        }
        if (sql) {
            return new Asked(new Question.OfStatement(StatementParameters.read(text(exchange.body()), options)), given);
        }
        if (!json) {
            if (options.containsKey("sql")) {
                String text = String.valueOf(Exchange.only(options, "sql"));
                options.remove("sql");
                Statement statement = StatementParameters.read(text, options);
                if (statement.changes() && exchange.request().getMethod().equals("GET")) {
                    throw HttpFailure.bad(
                            ErrorCode.BAD_REQUEST, "a statement that changes something is sent by POST", "sql", null);
                }
                return new Asked(new Question.OfStatement(statement), given);
            }
            return new Asked(new Question.OfQuery(ofOptions(options)), given);
        }
        if (!options.isEmpty()) {
            String first = options.keySet().iterator().next();
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "parameter '" + first + "' does not go with a query in JSON: say it there, or send all as " + FORM,
                    first,
                    null);
        }
        String body = text(exchange.body());
        Statement statement = StatementParameters.ofJson(body);
        return new Asked(
                statement == null ? new Question.OfQuery(counted(ofJson(body))) : new Question.OfStatement(statement),
                given);
    }

    private static Query ofJson(String json) {
        io.waterwheel.wire.proto.Query.Builder message = io.waterwheel.wire.proto.Query.newBuilder();
        try {
            PARSER.merge(json, message);
        } catch (InvalidProtocolBufferException e) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_QUERY,
                    "the body is no Query of query.proto in JSON: "
                            + CLASS.matcher(String.valueOf(e.getMessage())).replaceFirst("")
                            + ". A statement of SQL is {\"sql\": \"SELECT ...\"}",
                    null,
                    e);
        }
        requireStrict(json);
        return WireQueries.fromMessage(message.build());
    }

    /** The parser of messages takes the last of two members of one name, and texts that are nearly JSON. */
    private static void requireStrict(String json) {
        try (JsonParser members = STRICT.createParser(json)) {
            members.nextToken();
            members.skipChildren();
            if (members.nextToken() != null) {
                throw HttpFailure.bad(ErrorCode.BAD_QUERY, "the body is more than one object of JSON", null, null);
            }
        } catch (JsonProcessingException e) {
            throw HttpFailure.bad(ErrorCode.BAD_QUERY, "the body is no JSON: " + e.getOriginalMessage(), null, e);
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory could not be read", e);
        }
    }

    private static Query ofOptions(Map<String, List<String>> given) {
        Map<String, List<String>> options = new LinkedHashMap<>(given);
        options.remove("stream");
        List<String> streams = given.getOrDefault("stream", List.of());
        if (streams.size() != 1) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_QUERY,
                    "expected one stream=NAME, got " + streams.size() + "; further parameters are "
                            + QueryParameters.options()
                            + ". A statement of SQL is sql=TEXT, or the body with Content-Type: "
                            + StatementParameters.TYPE,
                    "stream",
                    null);
        }
        try {
            return counted(QueryParameters.parse(streams.get(0), options));
        } catch (QueryParameters.BadOption e) {
            throw HttpFailure.bad(ErrorCode.BAD_QUERY, String.valueOf(e.getMessage()), e.option(), e);
        }
    }

    /** A count is a row in every form of an answer. */
    private static Query counted(Query query) {
        return query.result().equals(ResultSpec.Aggregates.COUNT)
                ? query.withAggregates(List.of(Aggregate.parse("count(*) AS tuples")))
                : query;
    }

    /** @throws HttpFailure where the bytes are not UTF-8 */
    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw HttpFailure.bad(ErrorCode.BAD_REQUEST, "the body is not UTF-8", null, e);
        }
    }
}
