package io.waterwheel.gateway;

import io.waterwheel.gateway.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether requests can be answered, and why not. All who ask within a second share one look, so that those who ask
 * often cost the coordinators nothing; while one looks, the others are told what the last look found. Thread-safe.
 */
final class Readiness {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final QueryEndpoint.Server server;
    /** Guarded by this; null: not looked at yet. */
    private @Nullable List<String> reasons;

    private boolean looking;
    private long lookedAt;

    Readiness(QueryEndpoint.Server server) {
        this.server = server;
    }

    /** {@code GET /readyz}. */
    void readyz(Exchange exchange) {
        List<String> why = reasons();
        byte[] document = Json.object(json -> {
            json.writeBooleanField("ready", why.isEmpty());
            json.writeArrayFieldStart("reasons");
            for (String reason : why) {
                json.writeString(reason);
            }
            json.writeEndArray();
        });
        exchange.answer(why.isEmpty() ? 200 : 503, Exchange.JSON, document);
    }

    /** Why requests cannot be answered now; empty when they can. */
    private List<String> reasons() {
        synchronized (this) {
            List<String> known = reasons;
            if (known != null && (looking || System.nanoTime() - lookedAt < LOOK_NANOS)) {
                return known;
            }
            looking = true;
        }
        try {
            List<String> found = look();
            synchronized (this) {
                reasons = found;
                lookedAt = System.nanoTime();
            }
            return found;
        } finally {
            synchronized (this) {
                looking = false;
            }
        }
    }

    private List<String> look() {
        List<String> found = new ArrayList<>();
        try {
            server.client().listStreams(name -> {});
        } catch (RuntimeException e) {
            found.add(String.valueOf(e.getMessage()));
        }
        return List.copyOf(found);
    }
}
