package io.waterwheel.gateway;

import io.waterwheel.gateway.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether requests can be answered, and why not. All who ask within a second share one look, so that those who ask
 * often cost the coordinators nothing. Thread-safe.
 */
final class Readiness {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final QueryEndpoint.Server server;
    /** Guarded by this; null: not looked at yet. */
    private @Nullable List<String> reasons;

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
    private synchronized List<String> reasons() {
        List<String> known = reasons;
        if (known == null || System.nanoTime() - lookedAt >= LOOK_NANOS) {
            known = look();
            reasons = known;
            lookedAt = System.nanoTime();
        }
        return known;
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
