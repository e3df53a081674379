package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.keyed.Outcome;
import io.waterwheel.metrics.ChunkMetrics;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.status.ServerReport;
import io.waterwheel.wire.proto.ListMetricsPlacesReply;
import io.waterwheel.wire.proto.ListMetricsPlacesRequest;
import io.waterwheel.wire.proto.MetricsPlace;
import io.waterwheel.wire.proto.StatusReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Prometheus asks a gateway for. */
final class GatewayMetricsTest {
    private final AtomicReference<ListMetricsPlacesRequest> announced =
            new AtomicReference<>(ListMetricsPlacesRequest.getDefaultInstance());
    private long before;
    private FakeServer server;
    private WaterwheelClient client;
    private Gateway gateway;

    @BeforeEach
    void start() throws IOException {
        before = System.currentTimeMillis();
        server = FakeServer.start((query, answer) -> {}, this::call);
        client = WaterwheelClient.connect(server.url());
        gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        gateway.serve(client);
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        client.close();
        server.close();
    }

    private byte[] call(String action, byte[] body) {
        try {
            return switch (action) {
                case "status" ->
                    StatusReply.newBuilder().setJson("{\"streams\":[]}").build().toByteArray();
                case "list-metrics-places" -> places(ListMetricsPlacesRequest.parseFrom(body));
                default -> throw new AssertionError("not asked for: " + action);
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] places(ListMetricsPlacesRequest request) {
        announced.set(request);
        return ListMetricsPlacesReply.newBuilder()
                .addPlaces(MetricsPlace.newBuilder()
                        .setRole("worker")
                        .setPlace("host:9100")
                        .setNamespace("n")
                        .setTopology("t"))
                .build()
                .toByteArray();
    }

    /** A request is counted when its answer has ended, which its client may see a moment before. */
    private String pageWith(String line) throws IOException {
        String[] page = {""};
        Waiting.until(line, () -> {
            page[0] = RawHttp.get(gateway, "/metrics").body();
            return page[0].contains(line);
        });
        return page[0];
    }

    @Test
    void countsRequestsByRouteAndStatus() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThat(RawHttp.get(gateway, "/v1/status").status()).isEqualTo(200);
        }
        assertThat(RawHttp.get(gateway, "/v1/status?x=1").status()).isEqualTo(400);
        assertThat(RawHttp.get(gateway, "/no/such/path").status()).isEqualTo(404);
        assertThat(RawHttp.get(gateway, "/no/other/path").status()).isEqualTo(404);
        pageWith("waterwheel_gateway_request_seconds_count{route=\"/v1/status\",status=\"200\"} 3");
        pageWith("waterwheel_gateway_request_seconds_count{route=\"/v1/status\",status=\"400\"} 1");
        pageWith("waterwheel_gateway_request_seconds_count{route=\"none\",status=\"404\"} 2");
        String page = pageWith("waterwheel_gateway_connections_limit 1000.0");
        assertThat(page)
                .contains("waterwheel_gateway_memory_limit_bytes{part=\"rows\"} 1.34217728E8")
                .contains("\njvm_memory_used_bytes{")
                .contains("\nprocess_cpu_seconds_total ");
    }

    /** What is sent again counts as a request, and its rows do not count again. */
    @Test
    void countsRowsUnderAKeyOnce() {
        Metrics metrics = Metrics.unread();
        GatewayMeter meter = new GatewayMeter(metrics);
        meter.pushed("s", 1, true);
        meter.keyed("s", new Outcome.Stored(Map.of(), false), 10);
        meter.keyed("s", new Outcome.Stored(Map.of(), true), 10);
        meter.keyed("s", new Outcome.Conflict(), 10);
        meter.keyed("s", new Outcome.Full(), 10);
        meter.keyed("s", new Outcome.Failed(true, null), 100);
        meter.pushed("s", 1_000, false);
        String page = new String(Scrape.of(List.of(metrics), null).body(), UTF_8);
        assertThat(page)
                .contains("waterwheel_gateway_pushed_rows_total{stream=\"s\"} 11.0\n")
                .contains("waterwheel_gateway_failed_rows_total{stream=\"s\"} 1100.0\n");
        for (String outcome : List.of("stored", "repeated", "conflict", "full", "failed")) {
            assertThat(page).contains("waterwheel_gateway_keyed_requests_total{outcome=\"" + outcome + "\"} 1.0\n");
        }
    }

    @Test
    void showsWhatElseTheProcessMeasures() throws IOException {
        Metrics worker = Metrics.unread();
        worker.counter(ChunkMetrics.COLLECTED_FILES).add(12);
        gateway.show(() -> List.of(worker));
        pageWith("waterwheel_collected_files_total 12.0");
    }

    @Test
    void listsWhomToScrapeAndItself() throws IOException {
        RawHttp.Answer answer = RawHttp.get(gateway, "/v1/sd/prometheus");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
        assertThat(answer.body().strip())
                .isEqualTo("[{\"targets\":[\"host:9100\"],\"labels\":{\"__meta_waterwheel_role\":\"worker\","
                        + "\"__meta_waterwheel_namespace\":\"n\",\"__meta_waterwheel_topology\":\"t\"}}]");
        assertThat(announced.get().getGateway()).isEqualTo("127.0.0.1:" + gateway.port());
        assertThat(announced.get().getVersion()).isEqualTo(ServerReport.version(Gateway.class));
        assertThat(announced.get().getStartedMillis()).isBetween(before, System.currentTimeMillis());
    }
}
