package io.waterwheel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class MetricsServerTest {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        Metrics metrics = Metrics.unread();
        metrics.counter(ChunkMetrics.COLLECTED_FILES).add(7);
        server = MetricsServer.start("127.0.0.1", List.of(0), () -> List.of(metrics));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpRequest.Builder ask(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void answersMetricsAndNothingElse() throws Exception {
        HttpResponse<String> page = send(ask("/metrics"));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain");
        assertThat(page.body()).contains("waterwheel_collected_files_total 7.0");
        assertThat(send(ask("/metrics").header("Accept", "application/openmetrics-text; version=1.0.0"))
                        .body())
                .endsWith("# EOF\n");
        HttpResponse<String> health = send(ask("/healthz"));
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body()).isEqualTo("the process answers\n");
        assertThat(send(ask("/healthz").POST(HttpRequest.BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(405);
        assertThat(send(ask("/")).statusCode()).isEqualTo(404);
        assertThat(send(ask("/metrics/x")).statusCode()).isEqualTo(404);
        // Of a body that is not asked for the server reads 64 KiB. Of a longer one it resets the connection, and
        // whether
        // the answer was read before is chance.
        HttpResponse<String> posted =
                send(ask("/metrics").POST(HttpRequest.BodyPublishers.ofString("x".repeat(10_000))));
        assertThat(posted.statusCode()).isEqualTo(405);
        assertThat(posted.headers().firstValue("Allow")).hasValue("GET");
    }

    @Test
    void aPageInABrowserIsRefused() throws Exception {
        assertThat(send(ask("/metrics").header("Origin", "http://elsewhere")).statusCode())
                .isEqualTo(403);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 403");
        }
    }

    /** More of them than there are threads; they are cut off after ten seconds. */
    @Test
    void clientsThatStayInTheMiddleOfARequestDoNotStopScrapes() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                silent.add(socket);
                socket.getOutputStream().write("GET /metr".getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
            }
            assertThat(send(ask("/metrics")).statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void takesTheFirstPortThatIsFree() throws Exception {
        try (MetricsServer second =
                MetricsServer.start("127.0.0.1", List.of(server.port(), 0), () -> List.of(Metrics.unread()))) {
            assertThat(second.port()).isNotEqualTo(server.port());
        }
        assertThatThrownBy(() -> MetricsServer.start("127.0.0.1", List.of(server.port()), List::of))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot listen for scrapes at 127.0.0.1, ports [" + server.port() + "]");
    }
}
