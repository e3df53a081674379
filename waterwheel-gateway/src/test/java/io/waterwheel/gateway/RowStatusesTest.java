package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.keyed.KeyedSlot;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.CallStatus;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that are not stored are refused with the statuses of docs/http.md, and events and tails with theirs. */
@Timeout(300)
final class RowStatusesTest {
    private static final int PUSH_BYTES = 1 << 20;
    private static final String ROWS = "/v1/streams/s/rows";

    private static volatile byte[] described = stream(5, BadRecords.SKIP);
    private static volatile boolean away;

    private static FakeServer server;
    private static WaterwheelClient client;
    private static Gateway gateway;

    /** Its brokers have no address: what asks them fails at once. */
    private static byte[] stream(int id, BadRecords bad) {
        StreamDefinition plain = new StreamDefinition(
                "s",
                "s",
                RecordFormat.CSV,
                1,
                new Schema(
                        List.of(new Field("id", FieldType.LONG, false), new Field("at", FieldType.TIMESTAMP, false)),
                        new KeySpec.Ordered("id"),
                        "at"));
        StreamDefinition definition = new StreamDefinition(
                plain.name(),
                plain.topic(),
                plain.format(),
                plain.partitions(),
                plain.schema(),
                plain.policy().withBadRecords(bad));
        return StreamDescription.newBuilder()
                .setId(id)
                .setBootstrapServers("nowhere")
                .setDefinitionJson(SchemaJson.writeStream(definition))
                .build()
                .toByteArray();
    }

    @BeforeAll
    static void start() throws IOException {
        server = FakeServer.start(
                (query, answer) -> answer.whole(
                        List.of(new Field("id", FieldType.LONG, false)),
                        List.<Object[]>of(new Object[] {1L}),
                        new Verdict(true, List.of(), Map.of(), 1, 0, 1, 0)),
                (action, body) -> {
                    if (away) {
                        throw FakeServer.failure(
                                CallStatus.UNAVAILABLE,
                                new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "the catalog is away"));
                    }
                    return action.equals("describe-stream") ? described : new byte[0];
                });
        client = WaterwheelClient.connect(server.url());
        gateway = start(GatewaySettings.DEFAULT.idle());
    }

    private static Gateway start(Duration idle) throws IOException {
        Gateway started = Gateway.start(
                new GatewaySettings("127.0.0.1", 0, 50, 2, PUSH_BYTES, 1L << 20, List.of(), Map.of(), idle),
                new Gateway.Patience(ClientWatch.HEAD_NANOS, Duration.ofMillis(300)));
        started.serve(client);
        return started;
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        client.close();
        server.close();
    }

    private static void refused(int status, String code, RawHttp.Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).startsWith("{\"code\":\"" + code + "\",");
        // Only those who may come again are told when.
        assertThat(answer.headers().containsKey("retry-after"))
                .as("%s %s", status, answer.headers())
                .isEqualTo(status == 429 || status == 503);
        if (status == 429 || status == 503) {
            assertThat(Integer.parseInt(answer.headers().get("retry-after"))).isPositive();
        }
    }

    @Test
    void aStreamThatHaltsTakesNoBadRows() throws IOException {
        described = stream(6, BadRecords.HALT);
        try {
            // What is known of a stream holds for a second.
            Waiting.until(
                    "the stream halts",
                    () -> RawHttp.post(gateway, ROWS + "?partial=allow", "text/csv", "x")
                                    .status()
                            == 409);
            refused(409, "STREAM_HALTS", RawHttp.post(gateway, ROWS + "?partial=allow", "text/csv", "x"));
            refused(422, "ROWS_REJECTED", RawHttp.post(gateway, ROWS, "text/csv", "x"));
        } finally {
            described = stream(5, BadRecords.SKIP);
        }
    }

    /** Rows that were decoded for a stream are not stored in another one of its name, under a key or without. */
    @Test
    void aStreamThatWasReplacedMeanwhileIsSaid() {
        PushTargets targets = new PushTargets(
                () -> client,
                Runnable::run,
                Runnable::run,
                new ConnectionThreads(TryExecutor.NO_TRY),
                1 << 20,
                KeyedSlot.PATIENCE,
                () -> "127.0.0.1:1",
                new GatewayMeter(new Metrics(10)));
        PushTargets.Target target = targets.target("s");
        PushSlot slot = target.slot();
        PushBudget budget = new PushBudget(1 << 20, "rows");
        PushedRows rows = new RowDecoder(slot.stream().definition(), RecordFormat.CSV, false, budget.lease())
                .decode("1,2\n".getBytes(UTF_8), RowDecoder.Header.ABSENT);
        slot.end();
        described = stream(7, BadRecords.SKIP);
        try {
            assertThatThrownBy(() -> target.store(slot, rows)).isInstanceOfSatisfying(HttpFailure.class, failure -> {
                assertThat(failure.code()).isEqualTo("STREAM_REPLACED");
                assertThat(failure.status()).isEqualTo(409);
            });
        } finally {
            described = stream(5, BadRecords.SKIP);
            targets.close();
        }
    }

    /** Also a body without rows: what is not noted under its key would be taken for new when it comes with some. */
    @Test
    void keysThatCannotBeFoundOutAreRefused() throws IOException {
        for (String body : List.of("1,2\n", "", "\n\n")) {
            RawHttp.Answer answer =
                    RawHttp.post(gateway, ROWS, "text/csv", body.getBytes(UTF_8), "Idempotency-Key: k" + body.length());
            refused(503, "KEYS_UNAVAILABLE", answer);
            assertThat(answer.body()).contains("nothing is stored");
        }
        assertThat(RawHttp.post(gateway, ROWS, "text/csv", "").status()).isEqualTo(200);
    }

    @Test
    void whatTheMediaTypeSaysBesideIsTakenOrRefused() throws IOException {
        refused(415, "MEDIA_TYPE_UNKNOWN", RawHttp.post(gateway, ROWS, "text/csv; charset=utf-16", "\n"));
        refused(400, "BAD_REQUEST", RawHttp.post(gateway, ROWS, "text/csv; header=foo", "\n"));
        assertThat(RawHttp.post(gateway, ROWS, "text/csv;charset=\"UTF-8\" ; header=absent", "\n")
                        .status())
                .isEqualTo(200);
    }

    /** A key on points would promise that they are stored once. */
    @Test
    void pointsHaveNoKeys() throws IOException {
        for (String target : List.of("/write?db=d", "/api/v2/write?bucket=d")) {
            try (RawHttp http = RawHttp.connect(gateway)) {
                http.send("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
                        + "Idempotency-Key: k\r\nContent-Length: 0\r\n\r\n");
                RawHttp.Answer answer = http.answer();
                assertThat(answer.status()).as(answer.body()).isEqualTo(400);
                assertThat(answer.body()).contains("points have no keys");
            }
        }
    }

    @Test
    void aBodyThatDoesNotComeIsRefused() throws IOException {
        try (Gateway hasty = start(Duration.ofMillis(300))) {
            for (String target : List.of(ROWS, "/v1/query")) {
                try (RawHttp http = RawHttp.connect(hasty)) {
                    http.send("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                            + "Content-Length: 1000\r\n\r\n1,2\n");
                    refused(408, "BODY_TOO_SLOW", http.answer());
                }
            }
        }
    }

    /** Answers in chunks, and those with a trailer, need HTTP/1.1; others do not. */
    @Test
    void olderHttpGetsNoAnswersInPieces() throws IOException {
        for (String target : List.of("/v1/query?stream=s", "/v1/streams/s/tail", "/v1/events")) {
            refused(505, "HTTP_TOO_OLD", oldHttp("GET " + target + " HTTP/1.0\r\n\r\n"));
        }
        assertThat(oldHttp("GET /healthz HTTP/1.0\r\n\r\n").status()).isEqualTo(200);
        assertThat(oldHttp("POST " + ROWS + " HTTP/1.0\r\nContent-Type: text/csv\r\nContent-Length: 1\r\n\r\n\n")
                        .status())
                .isEqualTo(200);
    }

    private static RawHttp.Answer oldHttp(String request) throws IOException {
        try (RawHttp http = RawHttp.connect(gateway)) {
            http.send(request);
            return http.answer();
        }
    }

    /** While others hold the memory of rows, more are told to come again; what will never fit, is told so. */
    @Test
    void rowsAreRefusedWhileThereIsNoRoomForThem() throws IOException {
        refused(413, "BODY_TOO_LARGE", RawHttp.post(gateway, ROWS, "text/csv", "x".repeat(PUSH_BYTES + 1)));
        refused(413, "BODY_TOO_LARGE", RawHttp.post(gateway, ROWS, "text/csv", "1,2\n".repeat(5_000_000)));
        try (RawHttp holds = RawHttp.connect(gateway)) {
            holds.send("POST " + ROWS + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: "
                    + (PUSH_BYTES - 1) + "\r\n\r\n" + "x".repeat(PUSH_BYTES - 2));
            Waiting.until("the first body is there", () -> RawHttp.get(gateway, "/metrics")
                    .body()
                    .contains("waterwheel_gateway_memory_bytes{part=\"rows\"} " + (double) (PUSH_BYTES - 1)));
            refused(429, "GATEWAY_BUSY", RawHttp.post(gateway, ROWS, "text/csv", "1,2\n"));
            refused(429, "GATEWAY_BUSY", RawHttp.post(gateway, ROWS, "text/csv", "1,2\n".repeat(1_000)));
            // More than the connection holds by itself: a client that sends all before it reads gets its answer, too.
            refused(429, "GATEWAY_BUSY", RawHttp.post(gateway, ROWS, "text/csv", "1,2\n".repeat(3_000_000)));
            RawHttp.Answer points = RawHttp.post(gateway, "/write?db=d", "text/plain", "s id=1i 1\n");
            assertThat(points.status()).as(points.body()).isEqualTo(429);
            assertThat(points.headers()).containsKey("retry-after");
        }
        Waiting.until(
                "there is room again",
                () -> RawHttp.post(gateway, ROWS, "text/csv", "\n").status() == 200);
    }

    @Test
    void whileTheServerIsAwayRowsEventsAndTailsAreToldToComeAgain() throws IOException {
        try (Gateway starting = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            refused(503, "GATEWAY_STARTING", RawHttp.post(starting, ROWS, "text/csv", "1,2\n"));
            refused(503, "GATEWAY_STARTING", RawHttp.get(starting, "/v1/events"));
            refused(503, "GATEWAY_STARTING", RawHttp.get(starting, "/v1/streams/s/tail"));
            starting.serve(client);
            away = true;
            refused(503, "CATALOG_UNAVAILABLE", RawHttp.post(starting, ROWS, "text/csv", "1,2\n"));
            refused(503, "CATALOG_UNAVAILABLE", RawHttp.get(starting, "/v1/events?stream=s"));
            RawHttp.Answer points = RawHttp.post(starting, "/write?db=d", "text/plain", "s id=1i 1\n");
            assertThat(points.status()).as(points.body()).isEqualTo(503);
            assertThat(points.headers()).containsKey("retry-after");
        } finally {
            away = false;
        }
    }
}
