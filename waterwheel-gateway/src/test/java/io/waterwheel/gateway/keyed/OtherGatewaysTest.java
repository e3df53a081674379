package io.waterwheel.gateway.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.waterwheel.gateway.http.HttpFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What another gateway says of rows that were sent on to it, and who is no gateway that has taken them. */
@Timeout(30)
final class OtherGatewaysTest {
    private static final long CLAIM = -77;
    private static final Commit.Entry ENTRY = new Commit.Entry(new Digest(-1, 2), new Digest(3, Long.MIN_VALUE));
    private static final Letter LETTER =
            new Letter("/v1/streams/s/rows", true, Map.of("Content-Type", "text/csv"), "1,2\n".getBytes(UTF_8), null);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final OtherGateways others = new OtherGateways(Duration.ofSeconds(20), threads);

    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Outcome ask(Answer answer) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                answer.to(exchange);
            }
        });
        server.start();
        try {
            Owner owner = new Owner(CLAIM, "127.0.0.1:" + server.getAddress().getPort());
            return others.store(owner, ENTRY, LETTER, 5).get(20, TimeUnit.SECONDS);
        } finally {
            server.stop(0);
        }
    }

    private static Answer says(int status, boolean taken, String body) {
        return exchange -> {
            if (taken) {
                exchange.getResponseHeaders().add(Letter.TAKEN, Long.toHexString(CLAIM));
            }
            byte[] bytes = body.getBytes(UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    private void assertNone(Answer answer, String why) {
        assertThatThrownBy(() -> ask(answer)).hasMessageContaining(why);
    }

    @Test
    void rowsAndKeyComeAsTheyWere() throws Exception {
        Outcome outcome = ask(exchange -> {
            String query = exchange.getRequestURI().getQuery();
            String parameter = query.substring(Letter.PARAMETER.length() + 1, query.indexOf('&'));
            assertThat(query).startsWith(Letter.PARAMETER + "=").endsWith("&partial=allow");
            assertThat(Letter.Sender.parse(parameter))
                    .isEqualTo(new Letter.Sender(CLAIM, 5, ENTRY.key(), ENTRY.body()));
            assertThat(exchange.getRequestHeaders().getFirst("Content-Type")).isEqualTo("text/csv");
            assertThat(exchange.getRequestBody().readAllBytes()).isEqualTo(LETTER.body());
            says(200, true, "{\"rows\":1,\"rejected\":0,\"positions\":{\"0\":7,\"11\":9000000000}}")
                    .to(exchange);
        });
        assertThat(outcome).isEqualTo(new Outcome.Elsewhere(Map.of(0, 7L, 11, 9_000_000_000L), null));
        assertThatThrownBy(() -> Letter.Sender.parse("1.2.3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sent-on");
    }

    @Test
    void failuresAreToldOn() throws Exception {
        String text = "{\"code\":\"KEY_REUSED\",\"message\":\"other rows\",\"at\":\"Idempotency-Key\"}";
        HttpFailure conflict = ((Outcome.Elsewhere) ask(says(409, true, text))).failure();
        assertThat(conflict).isNotNull().hasMessage("other rows");
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.code()).isEqualTo("KEY_REUSED");
        // One that is busy refuses bodies before it reads whose they are.
        HttpFailure busy = ((Outcome.Elsewhere)
                        ask(says(429, false, "{\"code\":\"GATEWAY_BUSY\",\"message\":\"as many\"}")))
                .failure();
        assertThat(busy).isNotNull();
        assertThat(busy.retryAfter()).isPositive();
        assertThat(ask(says(503, true, "{\"code\":\"KEYS_UNAVAILABLE\",\"message\":\"nothing\"}")))
                .isInstanceOfSatisfying(Outcome.Failed.class, failed -> assertThat(failed.sent())
                        .isFalse());
    }

    @Test
    void whoHasNotTakenThemGivesNoAnswer() throws Exception {
        assertNone(says(200, false, "{\"positions\":{}}"), "not taken, status 200");
        assertNone(says(421, false, "{\"code\":\"LANES_ELSEWHERE\",\"message\":\"x\"}"), "not taken, status 421");
        assertNone(says(200, true, "<html>"), "cannot be read");
        assertNone(says(503, true, "{}"), "none of a gateway");
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        assertThatThrownBy(() -> others.store(new Owner(CLAIM, "127.0.0.1:" + free), ENTRY, LETTER, 5)
                        .get(20, TimeUnit.SECONDS))
                .rootCause()
                .isInstanceOf(IOException.class);
    }

    @Test
    void aConnectionThatHadEndedIsNoReasonToClaim() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Outcome outcome = ask(exchange -> {
            if (asked.incrementAndGet() > 1) {
                says(200, true, "{\"positions\":{\"0\":1}}").to(exchange);
            }
        });
        assertThat(outcome).isEqualTo(new Outcome.Elsewhere(Map.of(0, 1L), null));
        assertThat(asked).hasValue(2);
    }
}
