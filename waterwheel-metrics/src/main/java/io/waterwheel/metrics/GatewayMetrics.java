package io.waterwheel.metrics;

/** Of the HTTP gateway. */
public final class GatewayMetrics {
    static final Room ROOM =
            new Room("The gateway", "Gateways have these, as processes of their own and in the server in one process.");

    public static final Metric REQUESTS = ROOM.histogram(
            "waterwheel_gateway_request_seconds",
            Metric.Scale.CALL,
            "Time from a request's head until its answer had ended, by its route (`none` for a path that there is not)"
                    + " and status; `cut` is an answer whose connection ended.",
            "Status 429 and 503: the gateway or the server is busy; 5xx: the log.",
            "route",
            "status");
    public static final Metric PUSHED_ROWS = ROOM.counter(
            "waterwheel_gateway_pushed_rows_total",
            "Rows that were accepted by HTTP: stored, or with `wait=none` decoded.",
            "The rate of rows that come by HTTP.",
            Metric.STREAM);
    public static final Metric REFUSED_ROWS = ROOM.counter(
            "waterwheel_gateway_refused_rows_total",
            "Rows that were refused by HTTP, since they are no tuples.",
            "The answer told the sender which, and why.",
            Metric.STREAM);
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
