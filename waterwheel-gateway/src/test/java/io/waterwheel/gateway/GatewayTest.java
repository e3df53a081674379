package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.encode.TextRows;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.answer.VerdictJson;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.keyed.KeyedSlot;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.query.Explain;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.DecimalTypes;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gateway in front of a server that says what a test tells it. */
@Timeout(300)
final class GatewayTest {
    private static final List<Field> FIELDS =
            List.of(new Field("id", FieldType.LONG, false), new Field("note", FieldType.STRING, true));
    private static final String GET_QUERY = "GET /v1/query?stream=s HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final Verdict VERDICT = new Verdict(true, List.of(), Map.of(0, 7L, 1, 9L), 3, 2, 1, 0);

    private static final StreamDescription STREAM = StreamDescription.newBuilder()
            .setId(5)
            .setBootstrapServers("127.0.0.1:9092")
            .setChunks(2)
            .setChunkTuples(30)
            .setChunkBytes(400)
            .setIndexers(3)
            .setRoutingVersion(1)
            .setDefinitionJson(SchemaJson.writeStream(new StreamDefinition(
                    "s",
                    "t",
                    RecordFormat.CSV,
                    4,
                    new Schema(
                            List.of(
                                    new Field("id", FieldType.LONG, false),
                                    new Field("at", FieldType.TIMESTAMP, false)),
                            new KeySpec.Ordered("id"),
                            "at"))))
            .build();

    private static final AtomicReference<FakeServer.Answers> ANSWERS = new AtomicReference<>();

    private static FakeServer server;
    private static WaterwheelClient client;
    private static Gateway gateway;

    @BeforeAll
    static void start() throws IOException {
        server = FakeServer.start((query, answer) -> ANSWERS.get().answer(query, answer), GatewayTest::call);
        client = WaterwheelClient.connect(server.url());
        gateway = Gateway.start(
                new GatewaySettings(
                        "127.0.0.1", 0, 50, 2, 4L << 20, 1L << 20, List.of(), Map.of(), Duration.ofSeconds(30)),
                // For each request of these tests: a busy machine may let a client stand between two packets.
                new Gateway.Patience(TimeUnit.MILLISECONDS.toNanos(1_000), KeyedSlot.PATIENCE));
        gateway.serve(client);
    }

    /** Calls of this action wait until it is counted down. */
    private static volatile String held = "";

    private static volatile CountDownLatch release = new CountDownLatch(0);
    private static final AtomicInteger HOLDING = new AtomicInteger();
    private static final AtomicInteger DESCRIBED = new AtomicInteger();

    private static byte[] call(String action, byte[] body) throws InterruptedException {
        if (action.equals(held)) {
            HOLDING.incrementAndGet();
            release.await();
            HOLDING.decrementAndGet();
        }
        if (action.equals("describe-stream")) {
            DESCRIBED.incrementAndGet();
        }
        return switch (action) {
            case "list-streams" ->
                ListStreamsReply.newBuilder()
                        .addStreams(STREAM)
                        .addUnreadable("u")
                        .build()
                        .toByteArray();
            case "describe-stream" -> STREAM.toByteArray();
            case "status" ->
                StatusReply.newBuilder().setJson("{\"streams\":[]}").build().toByteArray();
            case "list-metrics-places" -> new byte[0];
            default -> throw new AssertionError("not asked for: " + action);
        };
    }

    @AfterAll
    static void stop() throws Exception {
        gateway.close();
        client.close();
        server.close();
    }

    private static void twoRows(Query query, FakeServer.Answer answer) {
        answer.whole(FIELDS, List.of(new Object[] {1L, "a\nb"}, new Object[] {Long.MIN_VALUE, null}), VERDICT);
    }

    @Test
    void answersAsOneJsonObjectWithTheVerdictLast() throws IOException {
        ANSWERS.set(GatewayTest::twoRows);
        RawHttp.Answer answer = RawHttp.get(gateway, "/v1/query?stream=s");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.whole()).isTrue();
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
        assertThat(answer.body()).isEqualTo("""
                        {"fields":[{"name":"id","type":"long"},{"name":"note","type":"string"}],"rows":[
                        {"id":1,"note":"a\\nb"},
                        {"id":-9223372036854775808,"note":null}
                        ],"verdict":{"complete":true,"tuples":2,"positions":{"0":7,"1":9},"streamId":0,"edit":3}}
                        """);
        assertThat(answer.trailers())
                .containsEntry(
                        "waterwheel-verdict",
                        "{\"complete\":true,\"tuples\":2,\"positions\":{\"0\":7,\"1\":9},\"streamId\":0,\"edit\":3}");
    }

    @Test
    void answersAsCsvAsLinesAsArrowAndAsParquet() throws IOException {
        ANSWERS.set(GatewayTest::twoRows);
        RawHttp.Answer csv = RawHttp.get(gateway, "/v1/query?stream=s", "Accept: text/html, text/csv;q=0.9, */*;q=0.1");
        assertThat(csv.body()).isEqualTo("id,note\n1,\"a\nb\"\n-9223372036854775808,\n");
        assertThat(csv.trailers()).containsKey("waterwheel-verdict");
        RawHttp.Answer lines = RawHttp.get(gateway, "/v1/query?stream=s&format=ndjson", "Accept: text/csv");
        assertThat(lines.body().lines()).hasSize(2);
        assertThat(lines.headers()).containsEntry("content-type", "application/x-ndjson");
        byte[] arrow = bytes("/v1/query?stream=s&format=arrow");
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(arrow), allocator)) {
            assertThat(reader.loadNextBatch()).isTrue();
            assertThat(reader.getVectorSchemaRoot().contentToTSVString()).contains("1\ta\nb");
            // The verdict's batch.
            assertThat(reader.loadNextBatch()).isTrue();
            assertThat(reader.getVectorSchemaRoot().getRowCount()).isZero();
            assertThat(reader.loadNextBatch()).isFalse();
        }
        assertThat(new String(arrow, java.nio.charset.StandardCharsets.UTF_8))
                .contains("waterwheel.verdict")
                .contains(csv.trailers().get("waterwheel-verdict"));
        String parquet =
                new String(bytes("/v1/query?stream=s&format=parquet"), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(parquet)
                .startsWith("PAR1")
                .endsWith("PAR1")
                .contains(csv.trailers().get("waterwheel-verdict"));
        RawHttp.Answer none = RawHttp.get(gateway, "/v1/query?stream=s", "Accept: image/png");
        assertThat(none.status()).isEqualTo(406);
        assertThat(none.body()).contains("\"code\":\"NOT_ACCEPTABLE\"").contains("\"at\":\"Accept\"");
    }

    private static byte[] bytes(String target) throws IOException {
        try (java.io.InputStream in =
                java.net.URI.create(gateway.url() + target).toURL().openStream()) {
            return in.readAllBytes();
        }
    }

    @Test
    void rowsAreTextAsTheClientWritesThem() throws IOException {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        List<Field> fields = new ArrayList<>();
        for (FieldType type : DecimalTypes.all()) {
            fields.add(new Field("f_" + fields.size(), type, true));
        }
        List<@Nullable Object[]> rows = new ArrayList<>();
        for (int r = 0; r < 300; r++) {
            @Nullable Object[] row = new Object[fields.size()];
            for (int f = 0; f < row.length; f++) {
                row[f] = random.nextInt(5) == 0 ? null : value(fields.get(f).type(), random);
            }
            rows.add(row);
        }
        ANSWERS.set((query, answer) -> {
            answer.start(fields);
            answer.rows(rows.subList(0, 100));
            answer.rows(rows.subList(100, 300));
            answer.verdict(new Verdict(true, List.of(), Map.of(), 3, 300, 1, 0));
            answer.end();
        });
        List<String> json = RawHttp.get(gateway, "/v1/query?stream=s&format=ndjson")
                .body()
                .lines()
                .toList();
        assertThat(json).as("seed %s", seed).hasSize(300);
        for (int r = 0; r < 300; r++) {
            assertThat(json.get(r))
                    .as("seed %s row %s", seed, r)
                    .isEqualTo(TextRows.json(fields, Arrays.asList(rows.get(r))));
        }
        StringBuilder csv = new StringBuilder(
                String.join(",", fields.stream().map(Field::name).toList()) + "\n");
        rows.forEach(row -> csv.append(TextRows.csv(Arrays.asList(row))).append('\n'));
        assertThat(RawHttp.get(gateway, "/v1/query?stream=s&format=csv").body())
                .as("seed %s", seed)
                .isEqualTo(csv.toString());
    }

    private static Object value(FieldType type, Random random) {
        return switch (type.schemaName()) {
            case "int" -> random.nextInt();
            case "long", "timestamp", "timestamp_us", "timestamp_ns" ->
                random.nextInt(9) == 0 ? Long.MIN_VALUE : random.nextLong() >> random.nextInt(64);
            case "float" -> random.nextInt(9) == 0 ? Float.NaN : (float) random.nextGaussian();
            case "double" -> random.nextInt(9) == 0 ? Double.NEGATIVE_INFINITY : random.nextGaussian() * 1e12;
            case "boolean" -> random.nextBoolean();
            case "string" -> text(random);
            case "ipv4" -> "10.0.0." + random.nextInt(256);
            case "ipv6" -> "2001:db8::" + Integer.toHexString(1 + random.nextInt(65535));
            case "uuid" -> new java.util.UUID(random.nextLong(), random.nextLong()).toString();
            case "bytes" -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                yield bytes;
            }
            case "decimal(18, 6)", "decimal(38, 10)" -> DecimalTypes.value(type, random);
            default -> throw new AssertionError("a type without values here: " + type);
        };
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(12);
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextInt(0x20);
                        case 1 -> 0x1F300 + random.nextInt(99);
                        case 2 -> ",\"\\/\u007f".charAt(random.nextInt(5));
                        default -> 'a' + random.nextInt(26);
                    });
        }
        return text.toString();
    }

    @Test
    void takesTheSameQueryInThreeForms() throws IOException {
        ANSWERS.set(GatewayTest::twoRows);
        server.queries.clear();
        RawHttp.get(
                gateway,
                "/v1/query?stream=s&where=id%20%3E%205&key=1..9&order-by=id:desc&limit=10&partial=allow&timeout=5&at-least=0:7");
        RawHttp.post(
                gateway,
                "/v1/query",
                "application/x-www-form-urlencoded; charset=utf-8",
                "stream=s&where=id+%3E+5&key=1..9&order-by=id:desc&limit=10&partial=allow&timeout=5&at-least=0:7");
        RawHttp.post(gateway, "/v1/query", "application/json", """
                {"stream": "s", "where": "id > 5", "key_ranges": [{"low": "1", "high": "9"}],
                 "orderBy": [{"field": "id", "descending": true}], "limit": 10, "allow_partial": true,
                 "timeoutMillis": 5000, "atLeast": {"0": 7}}
                """);
        assertThat(server.queries).hasSize(3);
        Query first = server.queries.get(0).withTimeout(Duration.ofSeconds(5));
        assertThat(first.where()).isNotNull();
        assertThat(server.queries.get(1).withTimeout(Duration.ofSeconds(5)).withSeen(first.seen()))
                .isEqualTo(first);
        assertThat(server.queries.get(2).withTimeout(Duration.ofSeconds(5)).withSeen(first.seen()))
                .isEqualTo(first);
    }

    /** What is refused for its head is answered behind its body, so that the connection lives on. */
    @Test
    void aRefusalWaitsForTheBody() throws IOException {
        String head = "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
        try (RawHttp slow = RawHttp.connect(gateway)) {
            slow.send(head + 600_000 + "\r\n\r\n" + "x".repeat(300_000));
            slow.send("y".repeat(300_000) + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            RawHttp.Answer refused = slow.answer();
            check(404, "NO_SUCH_PATH", null, refused);
            assertThat(refused.headers()).doesNotContainKey("connection");
            assertThat(slow.answer().status()).isEqualTo(200);
        }
        // Who sends more, or waits to be asked for it, is answered at once, and told that the connection ends.
        for (String more : List.of("2000000\r\n\r\n", "5\r\nExpect: 100-continue\r\n\r\n")) {
            try (RawHttp ended = RawHttp.connect(gateway)) {
                ended.send(head + more);
                RawHttp.Answer refused = ended.answer();
                check(404, "NO_SUCH_PATH", null, refused);
                assertThat(refused.headers()).containsEntry("connection", "close");
                assertThat(ended.closed()).isTrue();
            }
        }
        try (RawHttp endless = RawHttp.connect(gateway)) {
            endless.send("POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + ("10000\r\n" + "x".repeat(0x10000) + "\r\n").repeat(17));
            RawHttp.Answer refused = endless.answer();
            check(404, "NO_SUCH_PATH", null, refused);
            assertThat(refused.headers()).containsEntry("connection", "close");
        }
    }

    @Test
    void tellsWhatIsWrongWithARequestAndWhere() throws IOException {
        check(400, "BAD_QUERY", "box", RawHttp.get(gateway, "/v1/query?stream=s&box=1,2"));
        check(400, "BAD_QUERY", "bbox", RawHttp.get(gateway, "/v1/query?stream=s&bbox=1,2"));
        check(400, "BAD_QUERY", "at-file", RawHttp.get(gateway, "/v1/query?stream=s&at-file=/etc/passwd"));
        check(400, "BAD_QUERY", "stream", RawHttp.get(gateway, "/v1/query?where=a"));
        check(400, "BAD_EXPRESSION", "character 4", RawHttp.get(gateway, "/v1/query?stream=s&where=a%20%3E"));
        check(400, "BAD_REQUEST", null, RawHttp.get(gateway, "/v1/query?stream=%ff"));
        check(400, "BAD_QUERY", null, RawHttp.post(gateway, "/v1/query", "application/json", "{\"strem\": \"s\"}"));
        check(400, "BAD_QUERY", null, RawHttp.post(gateway, "/v1/query", "application/json", "{\"stream\""));
        for (String unclear : List.of(
                "{\"stream\": \"s\", \"where\": \"id > 5\", \"where\": \"id > 6\"}",
                "{\"stream\": \"s\", \"key_ranges\": [{\"low\": \"1\", \"high\": \"2\", \"high\": \"9\"}]}",
                "{stream: 's'}",
                "{\"stream\": \"s\"} {}")) {
            check(400, "BAD_QUERY", null, RawHttp.post(gateway, "/v1/query", "application/json", unclear));
        }
        assertThat(RawHttp.post(gateway, "/v1/query", QueryReader.FORM, "SELECT 1")
                        .body())
                .contains("A statement of SQL is sql=TEXT, or the body with Content-Type: application/sql");
        assertThat(RawHttp.post(gateway, "/v1/query", "application/json", "{\"query\": \"SELECT 1\"}")
                        .body())
                .contains("A statement of SQL is {\\\"sql\\\": \\\"SELECT ...\\\"}");
        assertThat(RawHttp.post(gateway, "/v1/query", "application/json", "{\"sql\": \"SELECT 1\"")
                        .body())
                .contains("the body is no statement in JSON: ", "line 1, column ")
                .doesNotContain("Source");
        // A demand of another shape would demand nothing; null, a text or a number took the next member with it.
        for (String wrong : List.of("{\"s\": [1]}", "{\"s\": 5}", "[]", "null", "\"x\"", "5")) {
            check(
                    400,
                    "BAD_REQUEST",
                    "atLeast",
                    RawHttp.post(
                            gateway,
                            "/v1/query",
                            "application/json",
                            "{\"sql\": \"SELECT 1\", \"atLeast\": " + wrong + ", \"allowPartial\": true}"));
        }
        for (String wrong : List.of("{\"sql\": \"SELECT 1\", \"sql\": \"SELECT 2\"}", "{\"sql\": 5}")) {
            check(400, "BAD_REQUEST", "sql", RawHttp.post(gateway, "/v1/query", "application/json", wrong));
        }
        assertThat(RawHttp.post(gateway, "/v1/query", "application/json", "{").body())
                .contains("End of input")
                .doesNotContain("java");
        try (RawHttp packed = RawHttp.connect(gateway)) {
            packed.send("POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}");
            check(415, "MEDIA_TYPE_UNKNOWN", "Content-Encoding", packed.answer());
        }
        check(415, "MEDIA_TYPE_UNKNOWN", "Content-Type", RawHttp.post(gateway, "/v1/query", "text/xml", "<q/>"));
        check(404, "NO_SUCH_PATH", null, RawHttp.get(gateway, "/v1/streams/s/nothing"));
        RawHttp.Answer method = RawHttp.post(gateway, "/healthz", "text/plain", "");
        check(405, "METHOD_NOT_ALLOWED", null, method);
        assertThat(method.headers()).containsEntry("allow", "GET, HEAD");
        check(
                413,
                "BODY_TOO_LARGE",
                null,
                RawHttp.post(gateway, "/v1/query", "application/json", " ".repeat(QueryReader.MOST_BYTES + 1)));
        check(
                403,
                "FOREIGN_ORIGIN",
                "Sec-Fetch-Site",
                RawHttp.get(gateway, "/v1/status", "Sec-Fetch-Site: cross-site"));
        check(400, "BAD_QUERY", "analyze", RawHttp.get(gateway, "/v1/query?stream=s&analyze=true"));
        check(400, "BAD_QUERY", "analyze", RawHttp.post(gateway, "/v1/query", QueryReader.FORM, "stream=s&analyze="));
        check(
                400,
                "BAD_QUERY",
                "format",
                RawHttp.post(gateway, "/v1/explain", QueryReader.FORM, "stream=s&format=csv"));
        check(
                400,
                "BAD_REQUEST",
                "analyze",
                RawHttp.post(gateway, "/v1/explain", QueryReader.FORM, "stream=s&analyze=x"));
        check(400, "BAD_REQUEST", "stream", RawHttp.post(gateway, "/v1/query?stream=s", "application/json", "{}"));
        check(
                400,
                "BAD_REQUEST",
                "format",
                RawHttp.post(gateway, "/v1/query?format=csv", QueryReader.FORM, "stream=s&format=csv"));
        check(403, "FOREIGN_ORIGIN", "Origin", RawHttp.get(gateway, "/v1/status", "Origin: http://elsewhere.test"));
    }

    private static void check(int status, String code, @Nullable String at, RawHttp.Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers()).containsEntry("content-type", "application/json");
        assertThat(answer.body()).startsWith("{\"code\":\"" + code + "\",\"message\":\"");
        if (at == null) {
            assertThat(answer.body()).doesNotContain("\"at\":");
        } else {
            assertThat(answer.body()).endsWith(",\"at\":\"" + at + "\"}");
        }
    }

    @Test
    void failuresOfTheServerHaveAStatusOfTheirOwn() throws IOException {
        failing(CallStatus.NOT_FOUND, ErrorCode.NO_SUCH_STREAM);
        check(404, "NO_SUCH_STREAM", null, RawHttp.get(gateway, "/v1/query?stream=s"));
        failing(CallStatus.INVALID_ARGUMENT, ErrorCode.TOO_MANY_GROUPS);
        check(400, "TOO_MANY_GROUPS", null, RawHttp.get(gateway, "/v1/query?stream=s"));
        failing(CallStatus.TIMED_OUT, ErrorCode.INCOMPLETE);
        check(504, "INCOMPLETE", null, RawHttp.get(gateway, "/v1/query?stream=s"));
        failing(CallStatus.RESOURCE_EXHAUSTED, ErrorCode.ANSWER_MEMORY_FULL);
        RawHttp.Answer busy = RawHttp.get(gateway, "/v1/query?stream=s&timeout=0.1");
        assertThat(busy.status()).as(busy.body()).isIn(503, 504);
        if (busy.status() == 503) {
            assertThat(busy.headers()).containsKey("retry-after");
        }
    }

    private static void failing(CallStatus status, ErrorCode code) {
        ANSWERS.set(
                (query, answer) -> answer.fail(FakeServer.failure(status, new WaterwheelException(code, "because"))));
    }

    @Test
    void anAnswerThatFailsInTheMiddleIsNoWholeAnswer() throws IOException {
        ANSWERS.set((query, answer) -> {
            answer.start(FIELDS);
            answer.rows(List.<Object[]>of(new Object[] {1L, "x"}));
            answer.fail(FakeServer.failure(
                    CallStatus.INTERNAL, new WaterwheelException(ErrorCode.RESULT_TOO_LARGE, "too much")));
        });
        RawHttp.Answer json = RawHttp.get(gateway, "/v1/query?stream=s");
        assertThat(json.whole()).isFalse();
        assertThat(json.body())
                .contains("\"error\":{\"code\":\"RESULT_TOO_LARGE\"")
                .doesNotContain("verdict");
        RawHttp.Answer csv = RawHttp.get(gateway, "/v1/query?stream=s&format=csv");
        assertThat(csv.whole()).isFalse();
        assertThat(csv.trailers()).isEmpty();
    }

    @Test
    void aClientThatGoesAwayCancelsItsQueryBeforeItsFirstRow() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        ANSWERS.set((query, answer) -> {
            asked.countDown();
            Waiting.until("the query is cancelled", answer::cancelled);
            cancelled.countDown();
        });
        try (RawHttp http = RawHttp.connect(gateway)) {
            http.send(GET_QUERY);
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(cancelled.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aSlowReaderHoldsTheServerBackAndCancelsWhenItGoes() throws Exception {
        CountDownLatch cancelled = new CountDownLatch(1);
        long[] sent = {0};
        ANSWERS.set((query, answer) -> {
            answer.start(FIELDS);
            List<@Nullable Object[]> batch = new ArrayList<>();
            for (int r = 0; r < 100; r++) {
                batch.add(new Object[] {(long) r, "x".repeat(10_000)});
            }
            while (!answer.cancelled() && sent[0] < 1_000) {
                answer.awaitReady();
                if (!answer.cancelled()) {
                    answer.rows(batch);
                    sent[0]++;
                }
            }
            cancelled.countDown();
        });
        try (RawHttp http = RawHttp.connect(gateway)) {
            http.send("GET /v1/query?stream=s&format=csv HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(http.closed()).isFalse(); // its first byte
        }
        assertThat(cancelled.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(sent[0]).as("megabytes sent to a client that took a byte").isLessThan(200);
    }

    @Test
    void refusesMoreQueriesThanMayBeOpen() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        ANSWERS.set((query, answer) -> {
            asked.countDown();
            go.await();
            twoRows(query, answer);
        });
        try (RawHttp one = RawHttp.connect(gateway);
                RawHttp two = RawHttp.connect(gateway)) {
            one.send(GET_QUERY);
            // Behind each other on one connection: the second is answered when the first is.
            two.send(GET_QUERY + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
            RawHttp.Answer third = RawHttp.get(gateway, "/v1/query?stream=s");
            assertThat(third.status()).isEqualTo(429);
            assertThat(third.headers()).containsEntry("retry-after", "1");
            two.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            // Long enough for a look at the connections, which puts back what it read.
            long before = gateway.watch().looks();
            Waiting.until("three looks", () -> gateway.watch().looks() > before + 3);
            go.countDown();
            assertThat(one.answer().whole()).isTrue();
            assertThat(two.answer().whole()).isTrue();
            assertThat(two.answer().body()).isEqualTo("the process answers\n");
            assertThat(two.answer().status()).isEqualTo(200);
        }
        Waiting.until(
                "the end of looks without connections", () -> !gateway.watch().isLooking());
        for (int i = 0; i < 20; i++) {
            try (RawHttp one = RawHttp.connect(gateway);
                    RawHttp two = RawHttp.connect(gateway)) {
                one.send(GET_QUERY);
                two.send(GET_QUERY);
                // The place of a query is free before its client sees the end.
                assertThat(one.answer().status()).isEqualTo(200);
                assertThat(two.answer().status()).isEqualTo(200);
            }
        }
    }

    private static RawHttp.Answer raw(String request) throws IOException {
        try (RawHttp http = RawHttp.connect(gateway)) {
            http.send(request);
            return http.answer();
        }
    }

    @Test
    void headsThatAreTooLongOrComeTooSlowlyAreRefused() throws Exception {
        RawHttp.Answer longHead = RawHttp.get(gateway, "/healthz", "X-Flood: " + "x".repeat(Gateway.MOST_HEAD_BYTES));
        assertThat(longHead.status()).isEqualTo(431);
        assertThat(longHead.body()).contains("\"code\":\"BAD_HTTP\"", "longer than 16 KiB together");
        RawHttp.Answer longUrl = RawHttp.get(gateway, "/v1/query?where=" + "x".repeat(Gateway.MOST_HEAD_BYTES));
        assertThat(longUrl.status()).isEqualTo(414);
        assertThat(longUrl.body()).contains("\"code\":\"BAD_HTTP\"", "send a query by POST");
        check(505, "BAD_HTTP", null, raw("GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n"));
        check(417, "BAD_HTTP", null, raw("GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n"));
        assertThat(raw("GET /healthz HTTP/1.1\r\n\r\n").body())
                .contains("the request is not well-formed HTTP: No Host");
        try (RawHttp slow = RawHttp.connect(gateway)) {
            slow.send("GET /healthz HTT");
            assertThat(slow.closed()).isTrue();
        }
        try (RawHttp resting = RawHttp.connect(gateway)) {
            resting.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(resting.answer().status()).isEqualTo(200);
            resting.send("GET /healthz HTTP/1.1\r\n");
            assertThat(resting.closed()).isTrue();
        }
        assertThat(RawHttp.get(gateway, "/healthz").status()).isEqualTo(200);
    }

    @Test
    void saysWhatThereIsAndHowItIs() throws IOException {
        assertThat(RawHttp.get(gateway, "/v1/status").body()).isEqualTo("{\"streams\":[]}");
        assertThat(RawHttp.get(gateway, "/v1/streams").body())
                .isEqualTo(
                        "{\"streams\":[{\"name\":\"s\",\"id\":5,\"topic\":\"t\",\"partitions\":4}],\"unreadable\":[\"u\"]}");
        assertThat(RawHttp.get(gateway, "/v1/streams/s").body())
                .startsWith(
                        "{\"id\":5,\"kafka\":\"127.0.0.1:9092\",\"chunks\":{\"count\":2,\"tuples\":30,\"bytes\":400},"
                                + "\"indexers\":3,\"routingVersion\":1,\"definition\":{\"name\":\"s\",\"topic\":\"t\"");
        untilReady();
        check(400, "BAD_REQUEST", "every", RawHttp.get(gateway, "/v1/status?every=1"));
        check(400, "BAD_REQUEST", "limit", RawHttp.get(gateway, "/v1/streams/s/dead-letters?limit=0"));
    }

    /** The gateway's own look may have had no answer in time on a busy machine: the next has. */
    private static void untilReady() {
        Waiting.until("ready", () -> RawHttp.get(gateway, "/readyz").body().equals("{\"ready\":true,\"reasons\":[]}"));
    }

    /** Many look at what takes long; whether the gateway is ready is told all the same, by its own look. */
    @Test
    void slowLooksDoNotHoldUpReadiness() throws Exception {
        List<RawHttp> looking = new ArrayList<>();
        held = "status";
        release = new CountDownLatch(1);
        try {
            for (int i = 0; i < 20; i++) {
                RawHttp look = RawHttp.connect(gateway);
                looking.add(look);
                look.send("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
            Waiting.until("all threads that look are at it", () -> HOLDING.get() == 4);
            untilReady();
        } finally {
            held = "";
            release.countDown();
            for (RawHttp look : looking) {
                assertThat(look.answer().status()).isEqualTo(200);
                look.close();
            }
        }
    }

    /** Nobody waits longer for it than a probe does. */
    @Test
    void aLookThatTakesLongIsNotReady() throws Exception {
        held = "list-streams";
        release = new CountDownLatch(1);
        String slow = "{\"ready\":false,\"reasons\":[\"no coordinator has answered for 2 s\"]}";
        try {
            Waiting.until(
                    "not ready", () -> RawHttp.get(gateway, "/readyz").body().equals(slow));
            RawHttp.Answer at = RawHttp.get(gateway, "/readyz");
            assertThat(at.status()).isEqualTo(503);
            assertThat(at.body()).isEqualTo(slow);
        } finally {
            held = "";
            release.countDown();
        }
        Waiting.until("ready", () -> RawHttp.get(gateway, "/readyz").status() == 200);
    }

    /** The thread that reads requests asks no coordinator, also when the slot it found ends before it has stored. */
    @Test
    void aSlotThatEndedIsNotLookedUpAtOnce() {
        PushBudget budget = new PushBudget(1 << 20, "rows");
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
        assertThat(target.known()).isNull();
        PushSlot slot = target.slot();
        assertThat(target.known()).isSameAs(slot);
        PushedRows rows = new RowDecoder(slot.stream().definition(), RecordFormat.CSV, false, budget.lease())
                .decode("1,2\n".getBytes(UTF_8), RowDecoder.Header.ABSENT);
        slot.end();
        int described = DESCRIBED.get();
        assertThat(target.storeAtOnce(slot, rows)).isNull();
        assertThat(target.known()).isNull();
        assertThat(DESCRIBED).hasValue(described);
        targets.close();
    }

    @Test
    void explains() throws IOException {
        ANSWERS.set(GatewayTest::twoRows);
        server.queries.clear();
        RawHttp.Answer old = RawHttp.post(gateway, "/v1/explain", "application/json", "{\"stream\": \"s\"}");
        assertThat(server.queries.get(0).explain()).isEqualTo(Explain.PLAN);
        check(500, "BAD_ANSWER", null, old);
        RawHttp.post(gateway, "/v1/explain", QueryReader.FORM, "stream=s&analyze=true");
        assertThat(server.queries.get(1).explain()).isEqualTo(Explain.ANALYZE);
        byte[] form = "stream=s".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        check(
                406,
                "NOT_ACCEPTABLE",
                "Accept",
                RawHttp.post(gateway, "/v1/explain", QueryReader.FORM, form, "Accept: text/csv"));
    }

    /** A statement is explained by the server; the text it gets has the words for it, and no place of it moves. */
    @Test
    void explainsStatements() throws IOException {
        List<Field> plan = List.of(new Field("plan", FieldType.STRING, false));
        ANSWERS.set((query, answer) -> answer.whole(
                plan,
                List.of(new Object[] {"leaf0: s"}, new Object[] {"SELECT \"a\" FROM leaf0"}),
                new Verdict(true, List.of(), Map.of(), 0, 2, 0, 0)));
        server.statements.clear();
        RawHttp.Answer json = RawHttp.post(gateway, "/v1/explain?timeout=7", "application/sql", "SELECT a FROM s");
        assertThat(json.status()).as(json.body()).isEqualTo(200);
        assertThat(json.body()).isEqualTo("{\"plan\":[\"leaf0: s\",\"SELECT \\\"a\\\" FROM leaf0\"]}");
        RawHttp.Answer text = RawHttp.post(
                gateway,
                "/v1/explain?analyze=true",
                "application/json",
                "{\"sql\": \"with t as (select 1) select ?\", \"parameters\": [3]}".getBytes(UTF_8),
                "Accept: text/plain");
        assertThat(text.body()).isEqualTo("leaf0: s\nSELECT \"a\" FROM leaf0\n");
        assertThat(server.statements.get(0).sql()).isEqualTo("EXPLAIN\nSELECT a FROM s");
        assertThat(server.statements.get(0).timeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(server.statements.get(1).sql()).isEqualTo("EXPLAIN ANALYZE\nwith t as (select 1) select ?");
        assertThat(server.statements.get(1).parameters()).hasSize(1);
        ANSWERS.set((query, answer) -> answer.fail(FakeServer.failure(
                CallStatus.INVALID_ARGUMENT,
                new WaterwheelException(ErrorCode.BAD_SQL, "statement, line 2, column 8: there is no column 'x'"))));
        RawHttp.Answer wrong = RawHttp.post(gateway, "/v1/explain", QueryReader.FORM, "sql=SELECT+x+FROM+s");
        check(400, "BAD_SQL", "line 1, column 8", wrong);
        assertThat(wrong.body()).contains("statement, line 1, column 8: there is no column 'x'");
        RawHttp.Answer asked = RawHttp.post(gateway, "/v1/query", "application/sql", "\nSELECT x FROM s");
        check(400, "BAD_SQL", "line 2, column 8", asked);
        // What a client has named itself is no place, and no number beyond int.
        for (String told : List.of(
                "there is no column 'statement, line 9, column 1'",
                "there is no column 'line 99999999999, column 1'",
                "there is no column 'character 7'",
                "there is no column 'expression: character 7'",
                "statement, line 99999999999, column 1: too far",
                "statement, line 1, column 99999999999: too far",
                "expression: character 99999999999: too far")) {
            fail(ErrorCode.BAD_SQL, told);
            RawHttp.Answer unplaced = RawHttp.post(gateway, "/v1/explain", "application/sql", "SELECT x FROM s");
            check(400, "BAD_SQL", null, unplaced);
            assertThat(unplaced.body()).contains(told);
        }
        fail(ErrorCode.BAD_SQL, "statement, line 3, column 8: there is no column 'statement, line 9, column 1'");
        RawHttp.Answer both = RawHttp.post(gateway, "/v1/explain", "application/sql", "SELECT\nx FROM s");
        check(400, "BAD_SQL", "line 2, column 8", both);
        assertThat(both.body()).contains("statement, line 2, column 8", "'statement, line 9, column 1'");
        fail(ErrorCode.BAD_EXPRESSION, "where: expression: character 7: expected a value, got 'character 1'");
        check(400, "BAD_EXPRESSION", "character 7", RawHttp.get(gateway, "/v1/query?stream=s"));
        int before = server.statements.size();
        for (String none : List.of("EXPLAIN SELECT 1", "SHOW STREAMS", "DROP STREAM s", "-- why\nSELECT 1")) {
            check(400, "BAD_REQUEST", "sql", RawHttp.post(gateway, "/v1/explain", "application/sql", none));
        }
        assertThat(server.statements).hasSize(before);
    }

    private static void fail(ErrorCode code, String message) {
        ANSWERS.set((query, answer) ->
                answer.fail(FakeServer.failure(CallStatus.INVALID_ARGUMENT, new WaterwheelException(code, message))));
    }

    /** An answer that may be partial is explained, and its explanation says what it lacked. */
    @Test
    void anExplanationSaysWhatTheAnswerLacks() throws IOException {
        Verdict gaps = new Verdict(
                new Verdict.Completeness(false, List.of("indexer 3: away"), List.of("indexer 4 is old")),
                VERDICT.seen(),
                new Verdict.Gone(List.of(new LostRange(0, 5, 9, "given up")), Retention.NO_HORIZON),
                3,
                1,
                VERDICT.effort());
        List<Field> plan = List.of(new Field("plan", FieldType.STRING, false));
        ANSWERS.set((query, answer) -> answer.whole(plan, List.<Object[]>of(new Object[] {"leaf0: s"}), gaps));
        String target = "/v1/explain?analyze=true&partial=allow";
        RawHttp.Answer json = RawHttp.post(gateway, target, "application/sql", "SELECT a FROM s");
        assertThat(json.body())
                .isEqualTo("{\"plan\":[\"leaf0: s\"],\"verdict\":{\"complete\":false,"
                        + "\"missing\":[\"indexer 3: away\"],\"stale\":[\"indexer 4 is old\"],"
                        + "\"lost\":[{\"partition\":0,\"from\":5,\"to\":9,\"reason\":\"given up\"}]}}");
        RawHttp.Answer text = RawHttp.post(
                gateway, target, "application/sql", "SELECT a FROM s".getBytes(UTF_8), "Accept: text/plain");
        assertThat(text.body())
                .startsWith("leaf0: s\nthe answer is not complete:\n  indexer 3: away\n")
                .contains("  indexer 4 is old\n", "given up");
    }

    /** The words that explain a statement count with it. */
    @Test
    void aStatementHasRoomForTheWordsThatExplainIt() throws IOException {
        List<Field> plan = List.of(new Field("plan", FieldType.STRING, false));
        ANSWERS.set((query, answer) -> answer.whole(
                plan,
                List.<Object[]>of(new Object[] {"leaf0: s"}),
                new Verdict(true, List.of(), Map.of(), 0, 1, 0, 0)));
        for (String analyze : List.of("", "?analyze=true")) {
            int most = Statement.MAX_CHARACTERS - (analyze.isEmpty() ? 8 : 16);
            String longest = "SELECT 1" + " ".repeat(most - 8);
            RawHttp.Answer fits = RawHttp.post(gateway, "/v1/explain" + analyze, "application/sql", longest);
            assertThat(fits.status()).as(fits.body()).isEqualTo(200);
            RawHttp.Answer longer = RawHttp.post(gateway, "/v1/explain" + analyze, "application/sql", longest + " ");
            check(400, "BAD_SQL", "sql", longer);
            assertThat(longer.body()).contains("at most " + most + " characters", "got " + (most + 1));
        }
        String over = "SELECT 1" + " ".repeat(Statement.MAX_CHARACTERS);
        check(400, "BAD_SQL", "sql", RawHttp.post(gateway, "/v1/query", "application/sql", over));
    }

    @Test
    void takesItsOwnParametersFromAFormToo() throws IOException {
        ANSWERS.set(GatewayTest::twoRows);
        RawHttp.Answer csv = RawHttp.post(gateway, "/v1/query", QueryReader.FORM, "stream=s&format=csv");
        assertThat(csv.headers())
                .containsEntry("content-type", "text/csv")
                .containsEntry("x-content-type-options", "nosniff");
        RawHttp.Answer lines = RawHttp.get(gateway, "/v1/query?stream=s", "Accept: image/png", "Accept: text/csv");
        assertThat(lines.headers()).containsEntry("content-type", "text/csv");
    }

    @Test
    void aTrailerSaysThatThereIsANextPageWhoseTokenIsTooLong() {
        for (int length : new int[] {3_000, 6 << 10, (6 << 10) + 1}) {
            Verdict verdict = new Verdict(
                    VERDICT.completeness(),
                    VERDICT.seen(),
                    VERDICT.gone(),
                    3,
                    2,
                    VERDICT.effort(),
                    new PageToken("x".repeat(length)),
                    null);
            String trailer = VerdictJson.trailer(verdict);
            assertThat(trailer.contains("\"next\":\"xxx")).isEqualTo(length <= 6 << 10);
            assertThat(trailer.contains("\"nextTooLong\":true,\"shortened\":true"))
                    .isEqualTo(length > 6 << 10);
        }
    }

    /** Of one stream and of several, and only where it is more than the positions. */
    @Test
    void aVerdictSaysUpToWhereItsAnswerShows() {
        SessionPositions even = new SessionPositions(3, Map.of(0, 5L));
        SessionPositions ahead = new SessionPositions(4, Map.of(0, 5L, 1, 7L), 1, Map.of(2, Map.of(1, 9L)));
        for (SessionPositions seen : List.of(even, ahead)) {
            Verdict verdict = new Verdict(
                    Verdict.Completeness.WHOLE,
                    seen,
                    Verdict.Gone.NOTHING,
                    1,
                    2,
                    new Verdict.Effort(1, 0, Statistics.NONE),
                    null,
                    null,
                    Map.of("a", even, "b", ahead));
            assertThat(VerdictJson.trailer(verdict))
                    .contains(
                            seen.equals(even)
                                    ? "\"positions\":{\"0\":5},\"streamId\""
                                    : "\"positions\":{\"0\":5,\"1\":7},\"shown\":{\"0\":5,\"1\":9},\"streamId\"")
                    .contains("\"a\":{\"streamId\":3,\"positions\":{\"0\":5}}")
                    .contains("\"b\":{\"streamId\":4,\"positions\":{\"0\":5,\"1\":7},\"shown\":{\"0\":5,\"1\":9}}");
        }
    }

    /** Positions stay where what is shown would not fit beside them. */
    @Test
    void aTrailerDropsFirstWhatIsShown() {
        Map<Integer, Long> positions = new HashMap<>();
        Map<Integer, Long> shown = new HashMap<>();
        for (int p = 0; p < 400; p++) {
            positions.put(p, 100L);
            shown.put(p, 200L);
        }
        Verdict verdict = new Verdict(
                Verdict.Completeness.WHOLE,
                new SessionPositions(3, positions, 1, Map.of(0, shown)),
                Verdict.Gone.NOTHING,
                1,
                2,
                new Verdict.Effort(1, 0, Statistics.NONE));
        assertThat(VerdictJson.trailer(verdict))
                .contains("\"399\":100", "},\"shownTooLong\":true,\"streamId\":3")
                .doesNotContain(":200", "shortened");
    }

    @Test
    void aBodyWithoutRowsIsAnsweredAsAskedFor() throws IOException {
        String rows = "/v1/streams/s/rows";
        assertThat(RawHttp.post(gateway, rows, "text/csv", "\n").body())
                .isEqualTo("{\"rows\":0,\"rejected\":0,\"positions\":{}}");
        assertThat(RawHttp.post(gateway, rows + "?wait=visible", "text/csv", "").body())
                .isEqualTo("{\"rows\":0,\"rejected\":0,\"positions\":{},\"visible\":true}");
        RawHttp.Answer none = RawHttp.post(gateway, rows + "?wait=none", "text/csv", "");
        assertThat(none.status()).isEqualTo(202);
        assertThat(none.body()).isEqualTo("{\"rows\":0,\"rejected\":0}");
    }

    @Test
    void isCalledByTheNamesThatItIsAllowed() throws IOException {
        try (Gateway named =
                Gateway.start(GatewaySettings.DEFAULT.withPort(0).withAllowedHosts(List.of("rows.example.org")))) {
            assertThat(as(named, "rows.example.org:80")).isEqualTo(200);
            assertThat(as(named, "Rows.Example.Org")).isEqualTo(200);
            assertThat(as(named, "127.0.0.1")).isEqualTo(200);
            assertThat(as(named, "evil.example.org")).isEqualTo(403);
        }
        assertThat(as(gateway, "rows.example.org")).isEqualTo(403);
    }

    private static int as(Gateway called, String host) throws IOException {
        try (RawHttp http = RawHttp.connect(called)) {
            http.send("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            return http.answer().status();
        }
    }

    /** The statement itself is checked before a server is asked. */
    @Test
    void statementsAreReadInThreeForms() throws IOException {
        for (RawHttp.Answer bad : List.of(
                RawHttp.post(gateway, "/v1/query?timeout=-1", "application/sql", "SELECT 1"),
                RawHttp.post(gateway, "/v1/query", QueryReader.FORM, "sql=SELECT+1&timeout=-1"),
                RawHttp.get(gateway, "/v1/query?sql=SELECT+1&timeout=-1"),
                RawHttp.post(
                        gateway, "/v1/query", "application/json", "{\"sql\": \"SELECT 1\", \"timeoutMillis\": -1}"))) {
            check(400, "BAD_REQUEST", "timeout", bad);
        }
        for (String millis : List.of("1e300000000", "18446744073709551617", "0", "3600001", "1e-999999999")) {
            String body = "{\"sql\": \"SELECT 1\", \"timeoutMillis\": " + millis + "}";
            RawHttp.Answer answer = RawHttp.post(gateway, "/v1/query", "application/json", body);
            if (!millis.startsWith("1e-")) {
                check(400, "BAD_REQUEST", "timeout", answer);
            }
        }
        for (String seconds : List.of("1e999999999", "1e2147483647", "18446744073709551.617", "9".repeat(50))) {
            check(400, "BAD_REQUEST", "timeout", RawHttp.get(gateway, "/v1/query?sql=SELECT+1&timeout=" + seconds));
        }
        check(400, "BAD_SQL", "sql", RawHttp.post(gateway, "/v1/query", "application/sql", " "));
        check(
                400,
                "BAD_REQUEST",
                "limit",
                RawHttp.post(gateway, "/v1/query", "application/json", "{\"sql\": \"SELECT 1\", \"limit\": 1}"));
        check(
                400,
                "BAD_REQUEST",
                "at-least",
                RawHttp.post(gateway, "/v1/query?at-least=0:7", "application/sql", "SELECT 1"));
        check(400, "BAD_REQUEST", "sql", RawHttp.get(gateway, "/v1/query?sql=DROP+STREAM+s"));
        check(400, "BAD_REQUEST", "sql", RawHttp.get(gateway, "/v1/query?sql=show+verdict"));
        for (String values : List.of(
                "7", "[[]]", "[{\"time\": \"now\"}]", "[{\"moment\": \"x\"}]", "[18446744073709551616]", "[{}]")) {
            String body = "{\"sql\": \"SELECT ?\", \"parameters\": " + values + "}";
            check(400, "BAD_REQUEST", "parameters", RawHttp.post(gateway, "/v1/query", "application/json", body));
        }
    }

    @Test
    void aGatewayWithoutServerSaysSo() throws IOException {
        try (Gateway alone = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            assertThat(RawHttp.get(alone, "/healthz").status()).isEqualTo(200);
            RawHttp.Answer ready = RawHttp.get(alone, "/readyz");
            assertThat(ready.status()).isEqualTo(503);
            assertThat(ready.body())
                    .isEqualTo("{\"ready\":false,\"reasons\":[\"the server is starting; ask again in a moment\"]}");
            check(503, "GATEWAY_STARTING", null, RawHttp.get(alone, "/v1/streams"));
            assertThatThrownBy(() -> Gateway.start(GatewaySettings.DEFAULT.withPort(alone.port())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the gateway cannot listen on 127.0.0.1, port " + alone.port());
        }
    }

    /** What a caller's trace is called, comes back with every answer; what is no traceparent counts as none. */
    @Test
    void aTraceComesBack() throws IOException {
        ANSWERS.set(GatewayTest::twoRows);
        String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        String header = "traceparent: 00-" + trace + "-00f067aa0ba902b7-01";
        for (String target : List.of("/v1/query?stream=s", "/v1/streams", "/healthz", "/no/such/path")) {
            assertThat(RawHttp.get(gateway, target, header).headers().get("traceresponse"))
                    .as(target)
                    .matches("00-" + trace + "-(?!00f067aa0ba902b7)[0-9a-f]{16}-01");
            assertThat(RawHttp.get(gateway, target).headers()).doesNotContainKey("traceresponse");
        }
        // What the server logs of a query that is slow: the gateway's span in the caller's trace.
        String span = RawHttp.get(gateway, "/v1/query?stream=traced", header)
                .headers()
                .get("traceresponse");
        RawHttp.get(gateway, "/v1/query?stream=traced");
        // A query that another test gave up may come late; no other test asks of this stream.
        assertThat(server.traces)
                .filteredOn(one -> one.stream().equals("traced"))
                .extracting(FakeServer.Traced::parent)
                .containsExactly(span, "");
        assertThat(RawHttp.get(gateway, "/healthz", "traceparent: 00-1-2-3").headers())
                .doesNotContainKey("traceresponse");
        assertThat(RawHttp.get(gateway, "/healthz", header, header).headers()).doesNotContainKey("traceresponse");
    }

    /** Before the first event everything that is wrong has a status; events themselves need a topic: KeyedPushTest. */
    @Test
    void wrongTailsAreRefused() throws IOException {
        for (String wrong : List.of("from=yesterday", "from=0%3A1%2C0%3A2", "where=1", "where=a%20%3E", "limit=1")) {
            RawHttp.Answer answer = RawHttp.get(gateway, "/v1/streams/s/tail?" + wrong);
            assertThat(answer.status()).as("%s: %s", wrong, answer.body()).isEqualTo(400);
        }
        // Of a stream that was dropped: a page must not come again with it for good.
        RawHttp.Answer dropped =
                RawHttp.get(gateway, "/v1/streams/s/tail", "Accept: text/event-stream", "Last-Event-ID: 999@0:1");
        assertThat(dropped.status()).as(dropped.body()).isEqualTo(409);
        assertThat(dropped.body()).contains("\"code\":\"STREAM_REPLACED\"").contains("\"at\":\"from\"");
        assertThat(RawHttp.get(gateway, "/v1/streams/s/tail?from=" + "9".repeat(30) + "%3A1")
                        .status())
                .isEqualTo(400);
    }
}
