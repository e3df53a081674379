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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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
    private static final int MOST = 4;
    private static final long UNTIL = Long.MAX_VALUE;
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

    /** A gateway that answers so. */
    private HttpServer gateway(Answer answer) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                answer.to(exchange);
            }
        });
        server.start();
        return server;
    }

    private static Owner owner(HttpServer server) {
        return new Owner(CLAIM, "127.0.0.1:" + server.getAddress().getPort());
    }

    private Outcome ask(Answer answer) throws Exception {
        return ask(others, answer);
    }

    private Outcome ask(OtherGateways asking, Answer answer) throws Exception {
        HttpServer server = gateway(answer);
        try {
            return asking.store(owner(server), ENTRY, LETTER, UNTIL).get(20, TimeUnit.SECONDS);
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
                    .isEqualTo(new Letter.Sender(CLAIM, UNTIL, ENTRY.key(), ENTRY.body()));
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
        assertNone(says(200, true, ""), "no positions");
        assertNone(says(200, true, "{}"), "no positions");
        assertNone(says(200, true, "{\"positions\":"), "cannot be read");
        assertNone(says(503, true, "{}"), "none of a gateway");
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Owner gone = new Owner(CLAIM, "127.0.0.1:" + free);
        assertThatThrownBy(() -> others.store(gone, ENTRY, LETTER, UNTIL).get(20, TimeUnit.SECONDS))
                .cause()
                .hasMessageStartingWith("the gateway at 127.0.0.1:" + free + ": ")
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

    @Test
    void whatWasAskedBeforeTheConnectionEndedMayBeStored() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Outcome outcome = ask(exchange -> {
            if (asked.incrementAndGet() > 1) {
                says(429, false, "{\"code\":\"GATEWAY_BUSY\",\"message\":\"as many\"}")
                        .to(exchange);
            }
        });
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Failed.class, failed -> assertThat(failed.sent())
                .isTrue());
    }

    @Test
    void longAnswersAreReadUpToABound() throws Exception {
        String reasons = "x".repeat(200_000);
        String answer = "{\"positions\":{\"0\":1},\"errors\":[{\"line\":1,\"reason\":\"" + reasons + "\"}]}";
        assertThat(ask(says(200, true, answer))).isEqualTo(new Outcome.Elsewhere(Map.of(0, 1L), null));
        byte[] piece = new byte[OtherGateways.MOST_ANSWER_BYTES / 2 + 1];
        AtomicInteger requests = new AtomicInteger();
        assertNone(
                exchange -> {
                    requests.incrementAndGet();
                    exchange.getResponseHeaders().add(Letter.TAKEN, Long.toHexString(CLAIM));
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody().write(piece);
                    exchange.getResponseBody().write(piece);
                },
                "an answer of more than 1048576 bytes");
        assertThat(requests).as("it would be as long again").hasValue(1);
    }

    @Test
    void anAnswerThatStopsInTheMiddleIsNone() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        OtherGateways hasty = new OtherGateways(Duration.ofMillis(1_200), threads);
        assertThatThrownBy(() -> ask(hasty, exchange -> {
                    exchange.getResponseHeaders().add(Letter.TAKEN, Long.toHexString(CLAIM));
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, 1_000);
                    exchange.getResponseBody().write('{');
                    exchange.getResponseBody().flush();
                    await(end);
                }))
                .hasMessageContaining("127.0.0.1")
                .hasMessageContaining("no answer within ");
        end.countDown();
    }

    /** Else one that is slow had no connections left for its own clients. */
    @Test
    void eachIsAskedSoManyAtATime() throws Exception {
        OtherGateways few = new OtherGateways(Duration.ofSeconds(60), threads, MOST);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(MOST);
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = gateway(exchange -> {
            asked.incrementAndGet();
            all.countDown();
            await(go);
            says(200, true, "{\"positions\":{\"0\":1}}").to(exchange);
        });
        try {
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < MOST + 20; i++) {
                outcomes.add(few.store(owner(server), ENTRY, LETTER, UNTIL));
            }
            CompletableFuture<Outcome> late = few.store(owner(server), ENTRY, LETTER, System.currentTimeMillis() - 1);
            assertThat(all.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(asked).hasValue(MOST);
            go.countDown();
            for (CompletableFuture<Outcome> outcome : outcomes) {
                assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo(new Outcome.Elsewhere(Map.of(0, 1L), null));
            }
            assertThat(late.get(20, TimeUnit.SECONDS))
                    .as("nothing is stored that waited too long, and its owner is not distrusted")
                    .isInstanceOfSatisfying(Outcome.Failed.class, failed -> assertThat(failed.sent())
                            .isFalse());
            assertThat(asked).hasValue(MOST + 20);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void anAnswerThatIsTooLongSaysNothingOfOthers() throws Exception {
        OtherGateways few = new OtherGateways(Duration.ofSeconds(60), threads, MOST);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(MOST);
        AtomicInteger asked = new AtomicInteger();
        byte[] answer = new byte[OtherGateways.MOST_ANSWER_BYTES + 1];
        HttpServer server = gateway(exchange -> {
            boolean first = asked.incrementAndGet() == 1;
            all.countDown();
            if (first) {
                await(all);
                exchange.getRequestBody().readAllBytes();
                exchange.getResponseHeaders().add(Letter.TAKEN, Long.toHexString(CLAIM));
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(answer);
            } else {
                await(go);
                says(200, true, "{\"positions\":{\"0\":1}}").to(exchange);
            }
        });
        try {
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < MOST + 20; i++) {
                outcomes.add(few.store(owner(server), ENTRY, LETTER, UNTIL));
            }
            assertThatThrownBy(() -> CompletableFuture.anyOf(outcomes.toArray(CompletableFuture[]::new))
                            .get(20, TimeUnit.SECONDS))
                    .hasMessageContaining("an answer of more than 1048576 bytes");
            go.countDown();
            int stored = 0;
            for (CompletableFuture<Outcome> outcome : outcomes) {
                stored += outcome.handle((is, none) -> is instanceof Outcome.Elsewhere ? 1 : 0)
                        .get(20, TimeUnit.SECONDS);
            }
            assertThat(stored).as("all but one").isEqualTo(MOST + 20 - 1);
        } finally {
            go.countDown();
            server.stop(0);
        }
    }

    @Test
    void whatWaitsBehindAGatewayWithoutAnAnswerIsNotAskedThere() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        OtherGateways hasty = new OtherGateways(Duration.ofSeconds(4), threads, MOST);
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = gateway(exchange -> {
            asked.incrementAndGet();
            await(end);
        });
        try {
            List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < MOST + 20; i++) {
                outcomes.add(hasty.store(owner(server), ENTRY, LETTER, UNTIL));
            }
            for (CompletableFuture<Outcome> outcome : outcomes) {
                assertThatThrownBy(() -> outcome.get(20, TimeUnit.SECONDS)).hasMessageContaining("127.0.0.1");
            }
            assertThat(asked.get()).isLessThanOrEqualTo(MOST);
        } finally {
            end.countDown();
            server.stop(0);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
