package io.waterwheel.gateway;

import io.waterwheel.client.admin.MetricsPlace;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** What Prometheus asks for: the metrics of this process, and where those of the others are. Thread-safe. */
final class MetricsEndpoints {
    /** Scrapes under way; each takes some milliseconds of a processor. */
    private static final int AT_ONCE = 2;

    private final Metrics metrics;
    private final Supplier<List<MetricsPlace>> places;
    private final Semaphore scrapes = new Semaphore(AT_ONCE);
    private volatile Supplier<? extends Collection<Metrics>> others = List::of;

    /** @param places all that are scraped, as a coordinator lists them; this gateway among them */
    MetricsEndpoints(Metrics metrics, Supplier<List<MetricsPlace>> places) {
        this.metrics = metrics;
        this.places = places;
    }

    /** Shows these too, which are of the same process. */
    void show(Supplier<? extends Collection<Metrics>> more) {
        others = more;
    }

    /** {@code GET /metrics}. */
    void metrics(Exchange exchange) {
        if (!scrapes.tryAcquire()) {
            throw HttpFailure.of(HttpCode.GATEWAY_BUSY, "as many scrapes are under way as may be; try again");
        }
        Scrape scrape;
        try {
            List<Metrics> all = new ArrayList<>(others.get());
            all.add(metrics);
            scrape = Scrape.of(all, exchange.accept());
        } finally {
            scrapes.release();
        }
        exchange.answer(200, scrape.contentType(), scrape.body());
    }

    /** {@code GET /v1/sd/prometheus}: a list of targets in the form of Prometheus's http_sd. */
    void discover(Exchange exchange) {
        exchange.allow(List.of());
        List<MetricsPlace> all = places.get();
        exchange.json(Json.bytes(json -> {
            json.writeStartArray();
            for (MetricsPlace found : all) {
                json.writeStartObject();
                json.writeArrayFieldStart("targets");
                json.writeString(found.place());
                json.writeEndArray();
                json.writeObjectFieldStart("labels");
                json.writeStringField("__meta_waterwheel_role", found.role());
                json.writeStringField("__meta_waterwheel_namespace", found.namespace());
                json.writeStringField("__meta_waterwheel_topology", found.topology());
                json.writeEndObject();
                json.writeEndObject();
            }
            json.writeEndArray();
        }));
    }
}
