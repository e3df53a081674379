package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.CallStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Server-sent events of a gateway in front of a server that says what a test tells it. */
@Timeout(300)
final class EventsTest {
    private static final StreamDescription STREAM = StreamDescription.newBuilder()
            .setId(5)
            .setDefinitionJson(SchemaJson.writeStream(new StreamDefinition(
                    "s",
                    "s",
                    RecordFormat.BLOCK,
                    1,
                    new Schema(
                            List.of(
                                    new Field("id", FieldType.LONG, false),
                                    new Field("at", FieldType.TIMESTAMP, false)),
                            new KeySpec.Ordered("id"),
                            "at"))))
            .build();

    private final AtomicReference<String> status = new AtomicReference<>(status(1, ""));
    private FakeServer server;
    private WaterwheelClient client;
    private Gateway gateway;

    private static String status(long edit, String trouble) {
        return "{\"streams\":[{\"name\":\"s\",\"edit\":" + edit
                + ",\"chunks\":2,\"sources\":[{\"partition\":0,\"indexed\":3," + "\"logEnd\":5,\"trouble\":\"" + trouble
                + "\"}]},{\"name\":\"other\",\"edit\":9}]}";
    }

    @BeforeEach
    void start() throws IOException {
        server = FakeServer.start((query, answer) -> {}, (action, body) -> switch (action) {
            case "status" ->
                StatusReply.newBuilder().setJson(status.get()).build().toByteArray();
            case "describe-stream" -> {
                if (new String(body, UTF_8).contains("none")) {
                    throw FakeServer.failure(
                            CallStatus.INVALID_ARGUMENT,
                            new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "there is no such stream"));
                }
                yield STREAM.toByteArray();
            }
            default -> new byte[0];
        });
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

    /** Lines of an answer that does not end. */
    private final class Reading implements AutoCloseable {
        private final BufferedReader lines;
        private String id = "";

        Reading(String target, String lastId) throws IOException {
            URLConnection connection =
                    URI.create(gateway.url() + target).toURL().openConnection();
            connection.setReadTimeout(30_000);
            if (!lastId.isEmpty()) {
                connection.setRequestProperty("Last-Event-ID", lastId);
            }
            lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
        }

        /** The next event, as KIND DATA. */
        String next() throws IOException {
            String kind = "";
            while (true) {
                String line = lines.readLine();
                if (line.startsWith("event: ")) {
                    kind = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    return kind + " " + line.substring(6);
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                }
            }
        }

        String id() throws IOException {
            while (id.isEmpty()) {
                String line = lines.readLine();
                id = line.startsWith("id: ") ? line.substring(4) : "";
            }
            return id;
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }

    @Test
    void howStreamsAreAndWhatHappensToThem() throws IOException {
        String id;
        try (Reading events = new Reading("/v1/events", "")) {
            assertThat(events.next()).startsWith("edit {\"stream\":\"other\",\"edit\":9,");
            assertThat(events.next()).startsWith("lag {\"stream\":\"other\"");
            assertThat(events.next()).startsWith("edit {\"stream\":\"s\",\"edit\":1,\"chunks\":2,");
            assertThat(events.next()).isEqualTo("lag {\"stream\":\"s\",\"lag\":2}");
            id = events.id();
            status.set(status(1, "stands still"));
            assertThat(events.next())
                    .isEqualTo("alert {\"stream\":\"s\",\"at\":\"partition 0\",\"reasons\":[\"stands still\"]}");
        }
        try (Reading again = new Reading("/v1/events", id)) {
            assertThat(again.next()).startsWith("alert {\"stream\":\"s\"");
        }
        try (Reading foreign = new Reading("/v1/events?stream=other", "0-1")) {
            assertThat(foreign.next()).startsWith("missed {\"reason\":");
            assertThat(foreign.next()).startsWith("edit {\"stream\":\"other\"");
            assertThat(foreign.next()).startsWith("lag {\"stream\":\"other\"");
        }
        Waiting.until("no one reads", () -> readers() == 0);
    }

    private int readers() {
        try {
            String page = RawHttp.get(gateway, "/metrics").body();
            String line = "waterwheel_gateway_event_readers ";
            return (int) Double.parseDouble(page.substring(page.indexOf("\n" + line) + line.length() + 1)
                    .lines()
                    .findFirst()
                    .orElseThrow());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void wrongRequestsAreRefused() throws IOException {
        assertThat(RawHttp.get(gateway, "/v1/events?strem=s").status()).isEqualTo(400);
        assertThat(RawHttp.get(gateway, "/v1/events?stream=none").status()).isEqualTo(404);
    }

    @Test
    void oneReaderTooManyIsToldSo() throws IOException {
        List<Reading> all = new ArrayList<>();
        try {
            for (int i = 0; i < EventsEndpoint.AT_ONCE; i++) {
                all.add(new Reading("/v1/events", ""));
            }
            RawHttp.Answer refused = RawHttp.get(gateway, "/v1/events");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).contains("GATEWAY_BUSY");
        } finally {
            for (Reading one : all) {
                one.close();
            }
        }
    }

    /** A page's EventSource gives up at any status but 200: it gets an answer without events, and comes again. */
    @Test
    void aPageIsToldToComeAgainWhileTheServerIsAway() throws Exception {
        try (Gateway starting = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            for (String target : List.of("/v1/events", "/v1/streams/s/tail")) {
                RawHttp.Answer answer = RawHttp.get(starting, target, "Accept: text/event-stream");
                assertThat(answer.status()).as(target).isEqualTo(200);
                assertThat(answer.whole()).isTrue();
                assertThat(answer.body()).isEqualTo("retry: 5000\n\n");
                // In one piece: the thread that handles requests does not wait until it is taken.
                assertThat(answer.headers())
                        .containsEntry("content-type", "text/event-stream")
                        .containsEntry("content-length", "13");
                assertThat(RawHttp.get(starting, target).status()).isEqualTo(503);
            }
        }
        server.close();
        assertThat(RawHttp.get(gateway, "/v1/streams/s/tail", "Accept: text/event-stream")
                        .body())
                .isEqualTo("retry: 5000\n\n");
    }
}
