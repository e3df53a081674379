package io.waterwheel.gateway.http;

/** The codes of failures that only HTTP has; others are those of {@link io.waterwheel.error.ErrorCode}. */
public enum HttpCode {
    /** There is nothing at that path. */
    NO_SUCH_PATH(404, "Read the list of paths in docs/http.md."),
    /** The path takes other methods. */
    METHOD_NOT_ALLOWED(405, "Use a method that the header `Allow` names."),
    /** The answer has none of the forms that the client takes. */
    NOT_ACCEPTABLE(406, "Accept one of the media types that the message names."),
    /** The body did not come in time. */
    BODY_TOO_SLOW(408, "Send the body without long pauses."),
    /** The body is longer than it may be. */
    BODY_TOO_LARGE(413, "Send less at a time."),
    /** The body is of another form than the path takes. */
    MEDIA_TYPE_UNKNOWN(415, "Send one of the media types that the message names, and say so in `Content-Type`."),
    /** A page of another origin asks, or the gateway is called by a name that is not its own. */
    FOREIGN_ORIGIN(403, "Ask from a program, or from a page of the gateway's own address."),
    /** Some rows are no tuples of the stream, and nothing is stored. */
    ROWS_REJECTED(422, "Correct the rows that the answer lists, or send `partial=allow`."),
    /** The stream halts at records that are no tuples, and was to be sent some. */
    STREAM_HALTS(409, "Send the rows without `partial=allow`, or set the stream's `dead-letters` to `skip`."),
    /** The stream was changed, or another made of its name, while rows came. */
    STREAM_REPLACED(409, "Send the rows again."),
    /** Other rows were sent under the same `Idempotency-Key`. */
    KEY_REUSED(409, "Send other rows under another key."),
    /** What was stored under keys could not be found out in time. */
    KEYS_UNAVAILABLE(503, "Check that the brokers run, then send the rows again under the same key."),
    /** Another gateway has the lanes of the stream; only gateways ask so that it matters. */
    LANES_ELSEWHERE(421, "Send the rows again under the same key, without the parameter `sent-on`."),
    /** The gateway has as many requests of the kind under way as it may. */
    GATEWAY_BUSY(429, "Send the request again after the time in `Retry-After`."),
    /** The gateway waits for its server to start. */
    GATEWAY_STARTING(503, "Send the request again after the time in `Retry-After`."),
    /** The answer ends with a trailer or in chunks, which HTTP/1.0 has not. */
    HTTP_TOO_OLD(505, "Ask by HTTP/1.1; proxies such as nginx need `proxy_http_version 1.1`."),
    /** The request is not HTTP, or exceeds a limit of its head. */
    BAD_HTTP(400, "Correct the request as the message says.");

    private final int status;
    private final String advice;

    HttpCode(int status, String advice) {
        this.status = status;
        this.advice = advice;
    }

    public int status() {
        return status;
    }

    /** The remedy, in one sentence. */
    public String advice() {
        return advice;
    }
}
