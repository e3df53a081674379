package io.waterwheel.metrics;

/** Of the HTTP gateway. */
public final class GatewayMetrics {
    static final Room ROOM =
            new Room("The gateway", "Gateways have these, as processes of their own and in the server in one process.");

    public static final Metric REQUESTS = ROOM.histogram(
            "waterwheel_gateway_request_seconds",
            Metric.Scale.CALL,
            "Time from a request's head until its answer had ended, by its route (`none` for a path that there is not)"
                    + " and status; `cut` is an answer whose connection ended"
                    + " before it. A tail lasts as long as its client wants.",
            "Status 429 and 503: the gateway or the server is busy; 5xx: the log.",
            "route",
            "status");
    public static final Metric PUSHED_ROWS = ROOM.counter(
            "waterwheel_gateway_pushed_rows_total",
            "Rows that came by HTTP and are stored; those that are sent again under their key count once.",
            "The rate of rows that come by HTTP.",
            Metric.STREAM);
    public static final Metric FAILED_ROWS = ROOM.counter(
            "waterwheel_gateway_failed_rows_total",
            "Rows that came by HTTP and of which it is not known whether they are stored, or known that they are not,"
                    + " since Kafka did not confirm them in time.",
            "The brokers. Those who sent the rows were told, but for `wait=none`; the log has it too.",
            Metric.STREAM);
    public static final Metric REFUSED_ROWS = ROOM.counter(
            "waterwheel_gateway_refused_rows_total",
            "Rows that were refused by HTTP, because they are no tuples; why is told as for `waterwheel_refused_rows_total`.",
            "The answer told the sender which, and why.",
            Metric.STREAM,
            "reason");
    public static final Metric KEYED = ROOM.counter(
            "waterwheel_gateway_keyed_requests_total",
            "Requests with rows under an `Idempotency-Key` by what became of them: stored, repeated (stored for an"
                    + " earlier request), conflict (other rows were sent under the key before), full (no more keys may"
                    + " be remembered), failed, sent-on (answered by another gateway, which has the keys of the stream"
                    + " and counts the request, and its rows, as one of the others).",
            "Conflict: two senders use the same keys. Full: raise `gateway.key-memory`, or send more rows under a key."
                    + " Failed: the brokers, or two gateways that do not reach each other take turns with the keys of a"
                    + " stream.",
            "outcome");
    public static final Metric KEYS = ROOM.gauge(
            "waterwheel_gateway_keys",
            "Keys of rows that are remembered, or under way, of all streams.",
            "At its bound new keys are refused with 429 until old ones are forgotten.");
    public static final Metric KEYS_LIMIT = ROOM.gauge(
            "waterwheel_gateway_keys_limit",
            "The bound of the above: what fits into `gateway.key-memory`.",
            "A constant, to divide by.");
    public static final Metric LANES = ROOM.gauge(
            "waterwheel_gateway_lanes",
            "Lanes in which this gateway stores rows under keys, of all streams: one for each stream; more where a trial"
                    + " with twice as many stored at least a tenth more rows a second.",
            "None where no rows with keys came for a minute, or another gateway has their streams. The log says what"
                    + " each trial with more or fewer lanes has shown.");
    public static final Metric TAILS = ROOM.gauge(
            "waterwheel_gateway_tails",
            "Clients that follow a stream by this gateway.",
            "At its bound further ones are refused with 429.");
    public static final Metric TAILS_LIMIT =
            ROOM.gauge("waterwheel_gateway_tails_limit", "The bound of the above.", "A constant, to divide by.");
    public static final Metric TAILED_ROWS = ROOM.counter(
            "waterwheel_gateway_tailed_rows_total",
            "Rows that were sent to those who follow a stream.",
            "Each of them is decoded and tested once a client: with many, let one follow and hand on.",
            Metric.STREAM);
    public static final Metric EVENT_READERS = ROOM.gauge(
            "waterwheel_gateway_event_readers",
            "Clients that read the events of this gateway.",
            "At its bound further ones are refused with 429.");
    public static final Metric EVENT_READERS_LIMIT = ROOM.gauge(
            "waterwheel_gateway_event_readers_limit", "The bound of the above.", "A constant, to divide by.");
    public static final Metric BUDGET = ROOM.gauge(
            "waterwheel_gateway_memory_bytes",
            "What requests under way hold: rows (bodies, and rows that are not stored yet), queries (bodies of queries).",
            "Near its bound: further ones are refused with 429.",
            "part");
    public static final Metric BUDGET_LIMIT = ROOM.gauge(
            "waterwheel_gateway_memory_limit_bytes",
            "The bounds of the above; of rows `gateway.push-memory`.",
            "Constants, to divide by.",
            "part");
    public static final Metric CONNECTIONS = ROOM.gauge(
            "waterwheel_gateway_connections", "Connections that are open.", "At its bound further ones wait.");
    public static final Metric CONNECTIONS_LIMIT = ROOM.gauge(
            "waterwheel_gateway_connections_limit",
            "The bound of the above, `gateway.connections`.",
            "A constant, to divide by.");

    private GatewayMetrics() {}
}
