package io.waterwheel.gateway.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;

/** A request that is refused, or failed: what the client is told, {@code {code, message, at}}. */
public final class HttpFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Seconds after which a client should try again what is away or busy now. */
    private static final int RETRY_SECONDS = 1;

    /**
     * How messages about expressions and statements say where; those about statements begin with it, and nothing is
     * quoted before it in those about expressions. A number beyond nine digits is no place.
     */
    private static final Pattern PLACE = Pattern.compile("(?<=^[^']{0,200}\\bexpression: )character \\d{1,9}(?!\\d)"
            + "|(?<=^statement, )line (\\d{1,9}), column \\d{1,9}(?!\\d)");

    private final int status;
    private final String code;
    private final @Nullable String at;

    /**
     * @param code for programs: the name of an {@link ErrorCode}, or of an {@link HttpCode}
     * @param at the part of the request that is at fault: a parameter's name, a member, a line; null: all of it
     */
    private HttpFailure(int status, String code, String message, @Nullable String at, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.code = code;
        this.at = at;
    }

    public static HttpFailure of(HttpCode code, String message) {
        return new HttpFailure(code.status(), code.name(), message, null, null);
    }

    /** The same, about a part of the request. */
    public static HttpFailure of(HttpCode code, String message, String at) {
        return new HttpFailure(code.status(), code.name(), message, at, null);
    }

    /** What another gateway has told. */
    public static HttpFailure told(int status, String code, String message, @Nullable String at) {
        return new HttpFailure(status, code, message, at, null);
    }

    /** A query, or another request, that makes no sense. */
    public static HttpFailure bad(ErrorCode code, String message, @Nullable String at, @Nullable Throwable cause) {
        return new HttpFailure(400, code.name(), message, at, cause);
    }

    /** The failure of a call to the server. */
    public static HttpFailure of(WaterwheelException e) {
        String message = String.valueOf(e.getMessage());
        Matcher place = PLACE.matcher(message);
        return new HttpFailure(status(e), e.code(), message, place.find() ? place.group() : null, e);
    }

    /** What a client is told of anything that went wrong. */
    public static HttpFailure of(Throwable e) {
        if (e instanceof HttpFailure failure) {
            return failure;
        }
        if (e instanceof WaterwheelException failure) {
            return of(failure);
        }
        if (e instanceof CompletionException && e.getCause() != null) {
            return of(e.getCause());
        }
        if (e instanceof HttpException http && (http.getCode() < 500 || http.getCode() == 505)) {
            return ofProtocol(http.getCode(), http.getReason());
        }
        if (e instanceof IllegalArgumentException) {
            return bad(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()), null, e);
        }
        return new HttpFailure(500, ErrorCode.BUG.name(), "a defect of the gateway: " + e, null, e);
    }

    /**
     * What a client is told whose request Jetty refuses before an endpoint sees it.
     *
     * @param reason Jetty's words; null: none
     */
    public static HttpFailure ofProtocol(int status, @Nullable String reason) {
        String message =
                switch (status) {
                    case 414 ->
                        "the request's line is longer than a request's head may be, 16 KiB; send a query by POST";
                    case 417 -> "Expect: nothing but 100-continue is expected of this gateway";
                    case 431 -> "the request's line and header fields are longer than 16 KiB together";
                    case 505 -> "the gateway speaks HTTP/1.1 and HTTP/1.0";
                    default ->
                        "the request is not well-formed HTTP"
                                + (reason == null || reason.equals("Bad Request") ? "" : ": " + reason);
                };
        return new HttpFailure(status, HttpCode.BAD_HTTP.name(), message, null, null);
    }

    /** The same where the text that it is about had lines before it that its client knows nothing of. */
    public HttpFailure earlier(int lines) {
        String message = String.valueOf(getMessage());
        Matcher place = PLACE.matcher(message);
        if (!place.find() || place.group(1) == null) {
            return this;
        }
        int line = Math.max(1, Integer.parseInt(place.group(1)) - lines);
        String told = message.substring(0, place.start(1)) + line + message.substring(place.end(1));
        Matcher now = PLACE.matcher(told);
        return new HttpFailure(status, code, told, now.find() ? now.group() : at, this);
    }

    private static int status(WaterwheelException e) {
        Optional<ErrorCode> known = ErrorCode.of(e.code());
        if (known.isPresent()) {
            switch (known.get()) {
                case NO_SUCH_STREAM, NO_SUCH_TOPIC, NO_SUCH_QUERY -> {
                    return 404;
                }
                case TIMEOUT, INCOMPLETE, FLUSH_SLOW, TOO_SLOW -> {
                    return 504;
                }
                default -> {
                    // as its kind says
                }
            }
        }
        return switch (e.kind()) {
            case USER -> 400;
            case TEMPORARY -> 503;
            case UNKNOWN_OUTCOME -> 504;
            case CORRUPT, BUG -> 500;
        };
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    /** Seconds after which the same request may work; 0 where that is not to be expected. */
    public int retryAfter() {
        return status == 429 || status == 503 ? RETRY_SECONDS : 0;
    }

    /** The object that the client gets. */
    public void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        members(json);
        json.writeEndObject();
    }

    /** The same where no status says it: whether the request may work in a moment. */
    public void writeWithoutStatus(JsonGenerator json) throws IOException {
        json.writeStartObject();
        members(json);
        json.writeBooleanField("temporary", retryAfter() > 0 || status == 504);
        json.writeEndObject();
    }

    private void members(JsonGenerator json) throws IOException {
        json.writeStringField("code", code);
        json.writeStringField("message", getMessage());
        if (at != null) {
            json.writeStringField("at", at);
        }
    }
}
