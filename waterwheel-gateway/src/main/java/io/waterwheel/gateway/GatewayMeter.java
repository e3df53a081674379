package io.waterwheel.gateway;

import io.waterwheel.decode.RefusalKind;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.keyed.Outcome;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.GatewayMetrics;
import io.waterwheel.metrics.Metric;
import io.waterwheel.metrics.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures requests, and rows that come by them. Thread-safe. */
final class GatewayMeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayMeter.class);

    /** What is no route, and so of no bounded number, is called this. */
    private static final String NONE = "none";

    private final Metrics metrics;
    /** Streams, as labels name them, whose counters of refused rows there are. */
    private final Set<String> counted = ConcurrentHashMap.newKeySet();

    private final Counter stored;
    private final Counter repeated;
    private final Counter conflict;
    private final Counter full;
    private final Counter failed;
    private final Counter sentOn;
    /** Gauges of a gateway; its own thread alone has them. */
    private final List<AutoCloseable> lasting = new ArrayList<>();

    GatewayMeter(Metrics metrics) {
        this.metrics = metrics;
        this.stored = metrics.counter(GatewayMetrics.KEYED, "stored");
        this.repeated = metrics.counter(GatewayMetrics.KEYED, "repeated");
        this.conflict = metrics.counter(GatewayMetrics.KEYED, "conflict");
        this.full = metrics.counter(GatewayMetrics.KEYED, "full");
        this.failed = metrics.counter(GatewayMetrics.KEYED, "failed");
        this.sentOn = metrics.counter(GatewayMetrics.KEYED, "sent-on");
    }

    /**
     * Reads these budgets, and the numbers of keys, tails, readers of events and connections, at every scrape, until
     * {@link #close}.
     */
    void measure(
            PushBudget rows,
            PushBudget queries,
            PushTargets targets,
            TailEndpoint tails,
            EventsEndpoint events,
            IntSupplier connections,
            int mostConnections) {
        lasting.addAll(List.of(
                metrics.gauge(GatewayMetrics.BUDGET, rows::taken, "rows"),
                metrics.gauge(GatewayMetrics.BUDGET, queries::taken, "queries"),
                metrics.gauge(GatewayMetrics.BUDGET_LIMIT, rows::most, "rows"),
                metrics.gauge(GatewayMetrics.BUDGET_LIMIT, queries::most, "queries"),
                metrics.gauge(GatewayMetrics.KEYS, targets::keys),
                metrics.gauge(GatewayMetrics.KEYS_LIMIT, targets::mostKeys),
                metrics.gauge(GatewayMetrics.LANES, targets::lanes),
                metrics.gauge(GatewayMetrics.TAILS, tails::open),
                metrics.gauge(GatewayMetrics.TAILS_LIMIT, () -> TailEndpoint.AT_ONCE),
                metrics.gauge(GatewayMetrics.CONNECTIONS, connections::getAsInt),
                metrics.gauge(GatewayMetrics.EVENT_READERS, events::open),
                metrics.gauge(GatewayMetrics.EVENT_READERS_LIMIT, () -> EventsEndpoint.AT_ONCE),
                metrics.gauge(GatewayMetrics.CONNECTIONS_LIMIT, () -> mostConnections)));
    }

    /** Counts the request when its answer has ended. */
    void request(Request request, Response response, @Nullable Route route) {
        long begin = System.nanoTime();
        String path = route == null ? NONE : route.path();
        boolean endless = route != null && route.kind() == Route.Kind.ENDLESS;
        Request.addCompletionListener(request, failure -> metrics.histogram(
                        GatewayMetrics.REQUESTS,
                        path,
                        failure == null || endless || !response.isCommitted()
                                ? String.valueOf(response.getStatus())
                                : "cut")
                .since(begin));
    }

    /** The end of rows for a stream that there is: they are stored, or it is not known whether they are. */
    void pushed(String stream, int rows, boolean stored) {
        noneRefused(stream);
        count(GatewayMetrics.PUSHED_ROWS, stream, stored ? rows : 0);
        count(GatewayMetrics.FAILED_ROWS, stream, stored ? 0 : rows);
    }

    /** The end of rows that came under a key, for a stream that there is. */
    void keyed(String stream, Outcome outcome, int rows) {
        if (outcome instanceof Outcome.Stored stored) {
            (stored.again() ? repeated : this.stored).increment();
            pushed(stream, stored.again() ? 0 : rows, true);
        } else if (outcome instanceof Outcome.Conflict) {
            conflict.increment();
        } else if (outcome instanceof Outcome.Full) {
            full.increment();
        } else if (outcome instanceof Outcome.Elsewhere
                || (outcome instanceof Outcome.Failed told && told.cause() instanceof HttpFailure)) {
            // What became of it, and its rows, the other gateway counts.
            sentOn.increment();
        } else if (outcome instanceof Outcome.Moved) {
            // The gateway that has sent it on counts it, once.
            noneRefused(stream);
        } else {
            failed.increment();
            pushed(stream, rows, false);
        }
    }

    /** Rows were sent to who follows a stream that there is. */
    void tailed(String stream, int rows) {
        count(GatewayMetrics.TAILED_ROWS, stream, rows);
    }

    /** Rows for a stream that there is were no tuples. */
    void refused(String stream, Map<RefusalKind, Integer> rows) {
        noneRefused(stream);
        rows.forEach((kind, count) -> metrics.counter(GatewayMetrics.REFUSED_ROWS, metrics.stream(stream), kind.label())
                .add(count));
    }

    /** Counters of refused rows begin at 0: of one that begins with its first refusals no rate can be told. */
    private void noneRefused(String stream) {
        String label = metrics.stream(stream);
        if (counted.add(label)) {
            for (RefusalKind kind : RefusalKind.values()) {
                metrics.counter(GatewayMetrics.REFUSED_ROWS, label, kind.label())
                        .add(0);
            }
        }
    }

    private void count(Metric metric, String stream, int rows) {
        metrics.counter(metric, metrics.stream(stream)).add(rows);
    }

    /** Ends the reading. */
    @Override
    public void close() {
        for (AutoCloseable one : lasting) {
            try {
                one.close();
            } catch (Exception e) {
                LOG.warn("a gauge is still read", e);
            }
        }
        lasting.clear();
    }
}
