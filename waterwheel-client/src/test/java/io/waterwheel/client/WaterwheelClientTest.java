package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.client.admin.ServerStatus;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.error.WaterwheelException.Kind;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.DropStreamReply;
import io.waterwheel.wire.proto.FlushStreamReply;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.arrow.flight.CallStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class WaterwheelClientTest {
    private static final StreamDefinition ORDERS = new StreamDefinition(
            "orders",
            "orders-topic",
            RecordFormat.JSON,
            3,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"));

    private static StreamDescription.Builder description() {
        return StreamDescription.newBuilder()
                .setId(4)
                .setDefinitionJson(SchemaJson.writeStream(ORDERS))
                .setBootstrapServers("127.0.0.1:9");
    }

    private static byte[] call(String action, byte[] body) throws Exception {
        return switch (action) {
            case "create-stream" -> {
                assertThat(SchemaJson.readStream(
                                CreateStreamRequest.parseFrom(body).getDefinitionJson()))
                        .isEqualTo(ORDERS);
                yield description().build().toByteArray();
            }
            case "describe-stream" ->
                description()
                        .setChunks(2)
                        .setChunkTuples(30)
                        .setChunkBytes(400)
                        .build()
                        .toByteArray();
            case "list-streams" ->
                ListStreamsReply.newBuilder().addStreams(description()).build().toByteArray();
            case "drop-stream" -> DropStreamReply.getDefaultInstance().toByteArray();
            case "flush-stream" -> {
                assertThat(FlushStreamRequest.parseFrom(body).getTimeoutMillis())
                        .isEqualTo(1500);
                yield FlushStreamReply.newBuilder().putPositions(1, 99).build().toByteArray();
            }
            case "status" ->
                StatusReply.newBuilder().setText("well").setJson("{}").build().toByteArray();
            default -> throw new AssertionError(action);
        };
    }

    /** @param seen what the verdict tells */
    private static void noRows(FakeServer.Answer answer, SessionPositions seen) {
        answer.whole(
                List.of(new Field("n", FieldType.LONG, false)),
                List.of(),
                new Verdict(
                        Verdict.Completeness.WHOLE,
                        seen,
                        Verdict.Gone.NOTHING,
                        3,
                        0,
                        new Verdict.Effort(1, 2, Statistics.NONE)));
    }

    @Test
    void managesStreams() throws Exception {
        try (FakeServer server = FakeServer.start((query, answer) -> {}, WaterwheelClientTest::call);
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            StreamDetails created = client.createStream(ORDERS);
            assertThat(created.definition()).isEqualTo(ORDERS);
            assertThat(created.id()).isEqualTo(4);
            assertThat(created.topic().bootstrapServers()).isEqualTo("127.0.0.1:9");
            assertThat(created.chunks()).isEmpty();
            assertThat(client.describe("orders").knownChunks().tuples()).isEqualTo(30);
            assertThat(client.listStreams()).containsExactly(created);
            assertThat(client.flush("orders", Duration.ofMillis(1500))).isEqualTo(Map.of(1, 99L));
            assertThat(client.status()).isEqualTo(new ServerStatus("well", "{}"));
            client.drop("orders");
        }
    }

    @Test
    void laterQueriesDemandWhatEarlierAnswersHaveSeen() throws Exception {
        Queue<SessionPositions> told = new ConcurrentLinkedQueue<>(List.of(
                new SessionPositions(4, Map.of(0, 10L, 1, 5L)),
                new SessionPositions(4, Map.of(0, 4L, 1, 8L)),
                new SessionPositions(4, Map.of(0, 1L)),
                new SessionPositions(5, Map.of(0, 2L)),
                // Another of the name, which somebody has made.
                new SessionPositions(6, Map.of(0, 3L)),
                new SessionPositions(6, Map.of(1, 2L))));
        try (FakeServer server = FakeServer.answering((query, answer) -> noRows(answer, told.remove()));
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            client.count(Query.of("orders"));
            client.count(Query.of("orders"));
            client.count(Query.of("orders").withAtLeast(Map.of(0, 12L, 2, 1L)));
            client.count(Query.of("other"));
            client.count(Query.of("orders"));
            client.count(Query.of("orders"));
            told.add(SessionPositions.NOTHING);
            client.count(Query.of("orders"));
            assertThat(server.queries.stream().map(Query::seen))
                    .containsExactly(
                            SessionPositions.NOTHING,
                            new SessionPositions(4, Map.of(0, 10L, 1, 5L)),
                            new SessionPositions(4, Map.of(0, 10L, 1, 8L)),
                            SessionPositions.NOTHING,
                            new SessionPositions(4, Map.of(0, 10L, 1, 8L)),
                            new SessionPositions(6, Map.of(0, 3L)),
                            new SessionPositions(6, Map.of(0, 3L, 1, 2L)));
            assertThat(server.queries.stream().map(Query::atLeast))
                    .as("what is lost makes an answer incomplete only below what its query demands itself")
                    .containsExactly(Map.of(), Map.of(), Map.of(0, 12L, 2, 1L), Map.of(), Map.of(), Map.of(), Map.of());
        }
    }

    @Test
    void anotherCoordinatorIsAskedWhenOneDoesNotAnswer() throws Exception {
        // Not one that was free a moment ago: a server of this test could be given it.
        String dead = "grpc://127.0.0.1:1";
        WaterwheelException busy = new WaterwheelException(ErrorCode.SERVER_BUSY, "too much to do");
        try (FakeServer full = FakeServer.answering(
                        (query, answer) -> answer.fail(FakeServer.failure(CallStatus.UNAVAILABLE, busy)));
                FakeServer server = FakeServer.start(
                        (query, answer) -> noRows(answer, SessionPositions.NOTHING), WaterwheelClientTest::call);
                WaterwheelClient client = WaterwheelClient.connect(dead, full.url(), server.url());
                WaterwheelClient nobody = WaterwheelClient.connect(dead, full.url());
                WaterwheelClient alone = WaterwheelClient.connect(dead)) {
            assertThat(client.count(Query.of("s"))).isZero();
            assertThat(client.count(Query.of("s"))).isZero();
            assertThat(full.queries).hasSize(1); // the one that answered is asked first from then on
            assertThat(client.createStream(ORDERS).id()).isEqualTo(4); // what was never sent may be sent elsewhere
            assertThatThrownBy(() -> nobody.query(Query.of("s")))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageStartingWith("none of the coordinators " + dead.substring(7))
                    .hasMessageEndingWith("too much to do");
            assertThatThrownBy(alone::status)
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("SERVER_UNREACHABLE"))
                    .hasMessage(dead.substring(7) + " does not answer: is it running?");
        }
    }

    @Test
    void aChangeThatMayHaveHappenedIsNotMadeAgain() throws Exception {
        FakeServer.Calls lost = (action, body) -> {
            throw CallStatus.UNAVAILABLE.withDescription("connection lost").toRuntimeException();
        };
        try (FakeServer first = FakeServer.start((query, answer) -> {}, lost);
                FakeServer second = FakeServer.start((query, answer) -> {}, WaterwheelClientTest::call);
                WaterwheelClient client = WaterwheelClient.connect(first.url(), second.url())) {
            assertThatThrownBy(() -> client.drop("orders"))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNKNOWN_OUTCOME))
                    .hasMessageContaining("was lost while it was to drop stream orders");
            assertThat(client.listStreams()).hasSize(1); // looking may be repeated
        }
    }

    @Test
    void addressesAreChecked() {
        for (String bad :
                List.of("localhost", "grpc://localhost", "http://a:1", "a:1/x", "grpc://a:1/x", "grpc://a b:1", "")) {
            assertThatThrownBy(() -> WaterwheelClient.connect(bad))
                    .as(bad)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("server '" + bad + "': expected grpc://HOST:PORT");
        }
        assertThatThrownBy(WaterwheelClient::connect).isInstanceOf(IllegalArgumentException.class);
        for (String plain : List.of("localhost:1", "127.0.0.1:1", "[::1]:1")) {
            assertThat(Connection.parse(plain)).isEqualTo(Connection.parse("grpc://" + plain));
        }
    }
}
