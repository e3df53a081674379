package io.waterwheel.gateway;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether requests can be answered, and why not. All who ask within a second share one look, so that those who ask
 * often cost the coordinators nothing; while one looks, the others are told what the last look found. A look has a
 * thread of its own, and those who ask wait for it for two seconds at most, whatever else waits for coordinators.
 * Thread-safe.
 */
final class Readiness {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A look that takes longer is an answer too. */
    static final long PATIENCE_MILLIS = 2_000;

    private final QueryEndpoint.Server server;
    private final Executor thread;
    /** Guarded by this, as what follows is; null: not looked at yet. */
    private @Nullable List<String> reasons;

    private long lookedAt;
    private boolean looking;
    private long lookBegan;
    /** Those who are told what the look finds. */
    private List<Exchange> waiting = new ArrayList<>();

    /** @param thread runs one look behind the other */
    Readiness(QueryEndpoint.Server server, Executor thread) {
        this.server = server;
        this.thread = thread;
    }

    /** {@code GET /readyz}; does not wait. */
    void readyz(Exchange exchange) {
        List<String> why;
        boolean begins = false;
        long now;
        synchronized (this) {
            now = System.nanoTime();
            if (reasons != null && now - lookedAt < LOOK_NANOS) {
                why = reasons;
            } else if (!looking) {
                looking = true;
                begins = true;
                lookBegan = now;
                waiting.add(exchange);
                why = null;
            } else if (now - lookBegan >= TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS)) {
                why = slow();
            } else {
                why = reasons;
                if (why == null) {
                    waiting.add(exchange);
                }
            }
        }
        if (why != null) {
            answer(exchange, why);
        } else if (begins) {
            begin(now, exchange.request().getComponents().getScheduler());
        }
    }

    private static List<String> slow() {
        return List.of("no coordinator has answered for " + PATIENCE_MILLIS / 1000 + " s");
    }

    private void begin(long began, Scheduler scheduler) {
        try {
            Scheduler.Task late = scheduler.schedule(() -> late(began), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            thread.execute(() -> {
                List<String> found = look();
                late.cancel();
                found(found);
            });
        } catch (RejectedExecutionException e) {
            found(List.of("the gateway is closing"));
        }
    }

    /** Whether requests can be answered now: empty when they can. */
    private List<String> look() {
        try {
            server.client().listStreams(name -> {});
            return List.of();
        } catch (RuntimeException | Error e) {
            if (!(e instanceof WaterwheelException) && !(e instanceof HttpFailure)) {
                LOG.warn("the look whether the gateway is ready failed", e);
            }
            return List.of(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private void found(List<String> found) {
        List<Exchange> told;
        synchronized (this) {
            reasons = found;
            lookedAt = System.nanoTime();
            looking = false;
            told = takeWaiting();
        }
        told.forEach(exchange -> answer(exchange, found));
    }

    /** The look that was begun then takes long. */
    private void late(long began) {
        List<Exchange> told;
        synchronized (this) {
            told = looking && lookBegan == began ? takeWaiting() : List.of();
        }
        told.forEach(exchange -> answer(exchange, slow()));
    }

    private List<Exchange> takeWaiting() {
        List<Exchange> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    private static void answer(Exchange exchange, List<String> why) {
        byte[] document = Json.object(json -> {
            json.writeBooleanField("ready", why.isEmpty());
            json.writeArrayFieldStart("reasons");
            for (String reason : why) {
                json.writeString(reason);
            }
            json.writeEndArray();
        });
        exchange.answer(() -> exchange.answer(why.isEmpty() ? 200 : 503, Exchange.JSON, document));
    }
}
