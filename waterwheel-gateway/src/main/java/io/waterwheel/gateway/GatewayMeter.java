package io.waterwheel.gateway;

import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.metrics.GatewayMetrics;
import io.waterwheel.metrics.Metrics;
import java.util.List;
import java.util.function.IntSupplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/** Measures requests, and rows that come by them. Thread-safe. */
final class GatewayMeter {
    /** What is no route, and so of no bounded number, is called this. */
    private static final String NONE = "none";

    private final Metrics metrics;

    GatewayMeter(Metrics metrics) {
        this.metrics = metrics;
    }

    /** Reads these budgets, and the number of connections, at every scrape: as long as the registry lasts. */
    void measure(PushBudget rows, PushBudget queries, IntSupplier connections, int mostConnections) {
        List<AutoCloseable> lasting = List.of(
                metrics.gauge(GatewayMetrics.BUDGET, rows::taken, "rows"),
                metrics.gauge(GatewayMetrics.BUDGET, queries::taken, "queries"),
                metrics.gauge(GatewayMetrics.BUDGET_LIMIT, rows::most, "rows"),
                metrics.gauge(GatewayMetrics.BUDGET_LIMIT, queries::most, "queries"),
                metrics.gauge(GatewayMetrics.CONNECTIONS, connections::getAsInt),
                metrics.gauge(GatewayMetrics.CONNECTIONS_LIMIT, () -> mostConnections));
        assert !lasting.isEmpty();
    }

    /** Counts the request when its answer has ended. */
    void request(Request request, Response response, @Nullable Route route) {
        long begin = System.nanoTime();
        String path = route == null ? NONE : route.path();
        Request.addCompletionListener(request, failure -> metrics.histogram(
                        GatewayMetrics.REQUESTS,
                        path,
                        failure == null || !response.isCommitted() ? String.valueOf(response.getStatus()) : "cut")
                .since(begin));
    }

    /** Rows of a stream that there is were stored, or are about to be. */
    void pushed(String stream, int rows) {
        if (rows > 0) {
            metrics.counter(GatewayMetrics.PUSHED_ROWS, metrics.stream(stream)).add(rows);
        }
    }

    /** Rows for a stream that there is were no tuples. */
    void refused(String stream, int rows) {
        if (rows > 0) {
            metrics.counter(GatewayMetrics.REFUSED_ROWS, metrics.stream(stream)).add(rows);
        }
    }
}
