package io.waterwheel.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;

/** All endpoints of a gateway, each with its path. docs/http.md and the OpenAPI document have the same. */
final class Routes {
    private Routes() {}

    static List<Route> of(
            QueryEndpoint.Server server,
            GatewaySettings settings,
            PushTargets targets,
            Executor decoding,
            QueryEndpoint query,
            TailEndpoint tail,
            EventsEndpoint events,
            MetricsEndpoints metrics,
            Readiness readiness) {
        PushEndpoint push = new PushEndpoint(targets, decoding);
        InfluxEndpoint influx = new InfluxEndpoint(targets, settings.influx(), decoding);
        StreamEndpoints streams = new StreamEndpoints(server);
        Set<String> get = Set.of("GET");
        Set<String> look = Set.of("GET", "HEAD");
        Set<String> post = Set.of("POST");
        byte[] description = resource("openapi.yaml");
        byte[] start = resource("start.txt");
        byte[] healthy = "the process answers\n".getBytes(StandardCharsets.UTF_8);
        return List.of(
                new Route(look, "/", 0, Route.Kind.AT_ONCE, exchange -> exchange.answer(200, Exchange.TEXT, start)),
                new Route(
                        look,
                        "/healthz",
                        0,
                        Route.Kind.AT_ONCE,
                        exchange -> exchange.answer(200, Exchange.TEXT, healthy)),
                new Route(look, "/readyz", 0, Route.Kind.OWN, readiness::readyz),
                new Route(get, "/metrics", 0, Route.Kind.AT_ONCE, metrics::metrics),
                new Route(get, "/v1/sd/prometheus", 0, Route.Kind.LOOK, metrics::discover),
                new Route(
                        get,
                        "/v1/openapi.yaml",
                        0,
                        Route.Kind.AT_ONCE,
                        exchange -> exchange.answer(200, "application/yaml", description)),
                new Route(get, "/v1/status", 0, Route.Kind.LOOK, streams::status),
                new Route(get, "/v1/streams", 0, Route.Kind.LOOK, streams::list),
                new Route(get, "/v1/streams/" + Route.STREAM, 0, Route.Kind.LOOK, streams::describe),
                new Route(
                        get, "/v1/streams/" + Route.STREAM + "/dead-letters", 0, Route.Kind.LOOK, streams::deadLetters),
                new Route(get, "/v1/streams/" + Route.STREAM + "/regions", 0, Route.Kind.LOOK, streams::regions),
                new Route(get, "/v1/events", 0, Route.Kind.ENDLESS, events::events),
                new Route(
                        post,
                        "/v1/streams/" + Route.STREAM + "/rows",
                        PushEndpoint.MOST_BYTES,
                        Route.Kind.PUSH,
                        push::push),
                new Route(post, "/write", PushEndpoint.MOST_BYTES, Route.Kind.PUSH, influx::write),
                new Route(post, "/api/v2/write", PushEndpoint.MOST_BYTES, Route.Kind.PUSH, influx::writeBucket),
                new Route(look, "/ping", 0, Route.Kind.AT_ONCE, influx::ping),
                new Route(post, "/query", InfluxEndpoint.MOST_STATEMENT_BYTES, Route.Kind.LOOK, influx::query),
                new Route(get, "/v1/streams/" + Route.STREAM + "/tail", 0, Route.Kind.ENDLESS, tail::tail),
                new Route(get, "/v1/query", 0, Route.Kind.OWN, query::query),
                new Route(post, "/v1/query", QueryReader.MOST_BYTES, Route.Kind.OWN, query::query),
                new Route(post, "/v1/explain", QueryReader.MOST_BYTES, Route.Kind.OWN, query::explain));
    }

    private static byte[] resource(String name) {
        try (InputStream in = Objects.requireNonNull(Routes.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
