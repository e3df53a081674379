package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.wire.proto.ChunkPosition;
import io.waterwheel.wire.proto.ChunkRegion;
import io.waterwheel.wire.proto.KeyPartition;
import io.waterwheel.wire.proto.ListMetricsPlacesReply;
import io.waterwheel.wire.proto.ListRegionsReply;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.MetricsPlace;
import io.waterwheel.wire.proto.PartitionsReply;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.flight.CallStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The OpenAPI document has what the handlers take and answer, and nothing else: they are asked. */
@Timeout(300)
final class OpenApiTest {
    private static final Set<String> METHODS = Set.of("get", "post", "head", "put", "delete");
    /** How a handler lists its parameters to a client that sent one that is unknown. */
    private static final Pattern LISTED = Pattern.compile("there are \\[([^\\]]*)\\]|there are (none)");

    private static final Pattern MEDIA_TYPE = Pattern.compile("[a-z]+/[a-z0-9][a-z0-9.+-]*[a-z0-9]");

    private static Gateway gateway;
    private static JsonNode document;
    private static FakeServer server;
    private static WaterwheelClient client;
    /** In front of a server. */
    private static Gateway served;

    @BeforeAll
    static void start() throws IOException {
        gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        // There is no server: a handler says what is wrong with a request before it looks for one.
        gateway.serve(WaterwheelClient.connect("grpc://127.0.0.1:1"));
        RawHttp.Answer answer = RawHttp.get(gateway, "/v1/openapi.yaml");
        assertThat(answer.headers()).containsEntry("content-type", "application/yaml");
        document = new YAMLMapper().readTree(answer.body());
        server = FakeServer.start(OpenApiTest::answer, OpenApiTest::call);
        client = WaterwheelClient.connect(server.url());
        served = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        served.serve(client);
    }

    @AfterAll
    static void stop() throws Exception {
        served.close();
        gateway.close();
        client.close();
        server.close();
    }

    /** A statement is answered, too, where it is to be explained; what is asked of the stream gaps, with gaps. */
    private static void answer(Query query, FakeServer.Answer answer) {
        Verdict verdict = !query.stream().equals("gaps")
                ? new Verdict(true, List.of(), Map.of(0, 7L), 3, 1, 1, 0)
                : new Verdict(
                        new Verdict.Completeness(false, List.of("indexer 3: away"), List.of("indexer 4 is old")),
                        new SessionPositions(4, Map.of(0, 5L), 1, Map.of(2, Map.of(1, 9L))),
                        new Verdict.Gone(List.of(new LostRange(0, 5, 9, "given up")), 1_000),
                        3,
                        1,
                        new Verdict.Effort(1, 0, Statistics.NONE),
                        new PageToken("next"),
                        null,
                        Map.of("a", new SessionPositions(3, Map.of(0, 5L))));
        answer.whole(
                List.of(new Field("plan", FieldType.STRING, false)), List.<Object[]>of(new Object[] {"x"}), verdict);
    }

    private static byte[] call(String action, byte[] body) {
        StreamDefinition stream = SchemaFile.read("s.yaml", """
                name: s
                format: block
                fields: [{name: id, type: long}, {name: at, type: timestamp}]
                key: {field: id}
                time: at
                """);
        StreamDescription described = StreamDescription.newBuilder()
                .setId(5)
                .setBootstrapServers("nowhere")
                .setChunks(2)
                .setChunkTuples(30)
                .setChunkBytes(400)
                .setIndexers(3)
                .setRoutingVersion(1)
                .setDefinitionJson(SchemaJson.writeStream(stream))
                .build();
        return switch (action) {
            case "describe-stream" -> {
                if (new String(body, UTF_8).contains("nowhere")) {
                    throw FakeServer.failure(
                            CallStatus.NOT_FOUND,
                            new WaterwheelException(ErrorCode.NO_SUCH_STREAM, "there is no stream 'nowhere'"));
                }
                yield described.toByteArray();
            }
            case "list-streams" ->
                ListStreamsReply.newBuilder()
                        .addStreams(described)
                        .addUnreadable("u")
                        .build()
                        .toByteArray();
            case "status" ->
                StatusReply.newBuilder().setJson("{\"streams\":[]}").build().toByteArray();
            case "list-regions" ->
                ListRegionsReply.newBuilder()
                        .setEdit(4)
                        .setNext(ChunkPosition.newBuilder().setIndexer(1))
                        .addRegions(ChunkRegion.newBuilder()
                                .setPosition(ChunkPosition.newBuilder().setIndexer(1))
                                .setFile("f")
                                .setTuples(5)
                                .setLow("1")
                                .setHigh("9"))
                        .build()
                        .toByteArray();
            case "show-partitions" ->
                PartitionsReply.newBuilder()
                        .setBalancing("auto")
                        .addPartitions(KeyPartition.newBuilder().setIndexer(0).setRate(1.5))
                        .addPartitions(KeyPartition.newBuilder().setIndexer(1).setLow("5"))
                        .build()
                        .toByteArray();
            case "list-metrics-places" ->
                ListMetricsPlacesReply.newBuilder()
                        .addPlaces(MetricsPlace.newBuilder().setRole("worker").setPlace("127.0.0.1:1"))
                        .build()
                        .toByteArray();
            default -> throw new AssertionError("not asked for: " + action);
        };
    }

    @Test
    void hasEveryRoute() {
        Set<String> described = new TreeSet<>();
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().fieldNames().forEachRemaining(method -> {
                    if (METHODS.contains(method)) {
                        described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
                    }
                }));
        Set<String> there = new TreeSet<>();
        for (Route route : gateway.routes()) {
            route.methods().forEach(method -> there.add(method + " " + route.path()));
        }
        assertThat(described).isEqualTo(there);
    }

    @Test
    void hasEveryParameter() throws IOException {
        int asked = 0;
        for (var path : document.get("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                String method = operation.getKey();
                if (!method.equals("get") && !method.equals("post")) {
                    continue;
                }
                String target = path.getKey().replace(Route.STREAM, "s") + "?no-such-parameter=1";
                RawHttp.Answer answer = method.equals("get")
                        ? RawHttp.get(gateway, target + (path.getKey().equals("/v1/query") ? "&stream=s" : ""))
                        : RawHttp.post(gateway, target, "text/plain", "");
                Matcher listed = LISTED.matcher(answer.body());
                if (answer.status() == 400 && listed.find()) {
                    asked++;
                    assertThat(parameters(operation.getValue()))
                            .as("%s %s: %s", method, path.getKey(), answer.body())
                            .containsExactlyInAnyOrderElementsOf(
                                    listed.group(1) == null
                                            ? List.of()
                                            : Arrays.asList(listed.group(1).split(", ")));
                }
            }
        }
        // status, streams, one stream, its letters, its rows, discovery, both of InfluxDB, queries
        assertThat(asked).isGreaterThanOrEqualTo(9);
    }

    /** Of the URI, but for those of a query that stand beside its options. */
    private static Collection<String> parameters(JsonNode operation) {
        List<String> names = new ArrayList<>();
        for (JsonNode parameter : operation.path("parameters")) {
            JsonNode resolved = resolve(parameter);
            if (resolved.get("in").asText().equals("query")) {
                names.add(resolved.get("name").asText());
            }
        }
        if (operation.get("operationId").asText().equals("query")) {
            names.removeAll(List.of("stream", "sql", "format"));
        }
        return names;
    }

    /** What the answer to a body of another form names is what the document has, and each of these is taken. */
    @Test
    void hasEveryFormOfBodies() throws IOException {
        int checked = 0;
        for (var path : document.get("paths").properties()) {
            JsonNode post = path.getValue().path("post");
            JsonNode content = resolve(post.path("requestBody")).path("content");
            if (content.isMissingNode()) {
                continue;
            }
            Set<String> described = new TreeSet<>();
            content.fieldNames().forEachRemaining(described::add);
            String target = path.getKey().replace(Route.STREAM, "s");
            RawHttp.Answer other = RawHttp.post(served, target, "image/png", "x");
            if (other.status() == 415) {
                checked++;
                Set<String> named = new TreeSet<>();
                Matcher types = MEDIA_TYPE.matcher(other.body().replace("image/png", ""));
                while (types.find()) {
                    named.add(types.group());
                }
                assertThat(named).as("%s: %s", target, other.body()).isEqualTo(described);
            }
            for (String type : described) {
                assertThat(RawHttp.post(served, target, type, "x").status())
                        .as("%s %s", target, type)
                        .isNotEqualTo(415);
            }
        }
        // rows, queries, explanations
        assertThat(checked).isEqualTo(3);
    }

    /** A request, and what the document says of its answer. */
    private record Asked(String method, String path, int status, String target, String type, String body) {}

    private static Asked get(String path, int status, String parameters) {
        return new Asked("get", path, status, path.replace(Route.STREAM, "s") + parameters, "", "");
    }

    private static Asked post(String path, int status, String parameters, String type, String body) {
        return new Asked("post", path, status, path.replace(Route.STREAM, "s") + parameters, type, body);
    }

    private static final String ROWS = "/v1/streams/" + Route.STREAM + "/rows";

    /**
     * At least one for each status of each operation. Letters of a topic are those of PushedByHttp: there is no Kafka.
     */
    private static List<Asked> requests() {
        List<Asked> all = new ArrayList<>(List.of(
                get("/v1/query", 200, "?stream=s"),
                get("/v1/query", 200, "?stream=gaps&partial=allow"),
                get("/v1/query", 400, "?stream=s&where=a%20%3E"),
                post("/v1/query", 200, "", "application/json", "{\"stream\": \"s\"}"),
                post("/v1/query", 200, "", "application/sql", "SELECT 1"),
                post("/v1/explain", 200, "", "application/sql", "SELECT 1"),
                post("/v1/explain", 415, "", "text/csv", "x"),
                get("/v1/streams", 200, ""),
                get("/v1/streams/{stream}", 200, ""),
                get("/v1/streams/{stream}/dead-letters", 400, "?limit=0"),
                get("/v1/streams/{stream}/regions", 200, ""),
                get("/v1/streams/{stream}/tail", 400, "?where=a%20%3E"),
                post(ROWS, 200, "", "text/csv", ""),
                post(ROWS, 200, "?wait=visible", "text/csv", ""),
                post(ROWS, 202, "?wait=none", "text/csv", ""),
                post(ROWS, 422, "", "text/csv", "x,2\n1\n"),
                post(ROWS, 415, "", "text/xml", ""),
                get("/v1/status", 200, ""),
                get("/v1/events", 400, "?strem=s"),
                get("/v1/sd/prometheus", 200, ""),
                get("/v1/openapi.yaml", 200, ""),
                get("/metrics", 200, ""),
                get("/", 200, ""),
                get("/healthz", 200, ""),
                get("/readyz", 200, ""),
                post("/write", 204, "?db=d", "text/plain", ""),
                post("/write", 400, "?db=d", "text/plain", "s,a=b id=1i,x\nnowhere,t=1 v=2\n"),
                post("/write", 400, "?db=d&precision=x", "text/plain", ""),
                post("/api/v2/write", 204, "?bucket=d", "text/plain", ""),
                post("/api/v2/write", 400, "?bucket=d", "text/plain", "nowhere,t=1 v=2\n"),
                post("/api/v2/write", 400, "?bucket=d&precision=x", "text/plain", ""),
                get("/ping", 204, ""),
                post("/query", 200, "", "application/x-www-form-urlencoded", "q=CREATE%20DATABASE%20x"),
                post("/query", 400, "", "application/x-www-form-urlencoded", "q=SHOW%20x")));
        for (String format : List.of("ndjson", "csv", "arrow", "parquet")) {
            all.add(get("/v1/query", 200, "?stream=s&format=" + format));
        }
        return all;
    }

    /** Every answer has a status, a media type and members that the document gives it, and all that it must have. */
    @Test
    void answersAreAsDescribed() throws IOException {
        Set<String> seen = new TreeSet<>();
        for (Asked asked : requests()) {
            RawHttp.Answer answer = asked.method().equals("get")
                    ? RawHttp.get(served, asked.target())
                    : RawHttp.post(served, asked.target(), asked.type(), asked.body());
            String as = asked.method() + " " + asked.target() + ": " + answer.status() + " " + answer.body();
            assertThat(answer.status()).as(as).isEqualTo(asked.status());
            check(asked.method(), asked.path(), answer, as, seen);
        }
        RawHttp.Answer away = RawHttp.get(gateway, "/readyz");
        check("get", "/readyz", away, "without a server: " + away.body(), seen);
        // Both never end by themselves: a page is told to come again while there is no server.
        try (Gateway starting = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            for (String path : List.of("/v1/events", "/v1/streams/{stream}/tail")) {
                String target = path.replace(Route.STREAM, "s");
                RawHttp.Answer later = RawHttp.get(starting, target, "Accept: text/event-stream");
                check("get", path, later, path, seen);
            }
        }
        Set<String> described = new TreeSet<>();
        for (var path : document.get("paths").properties()) {
            for (String method : List.of("get", "post")) {
                path.getValue().path(method).path("responses").properties().forEach(response -> resolve(
                                response.getValue())
                        .path("content")
                        .fieldNames()
                        .forEachRemaining(type ->
                                described.add(method + " " + path.getKey() + " " + response.getKey() + " " + type)));
            }
        }
        described.removeAll(List.of(
                "get /v1/streams/{stream}/dead-letters 200 application/json",
                // In words it is what the command line prints; explains of GatewayTest.
                "post /v1/explain 200 text/plain",
                // By GET all forms are asked for; the same code makes both.
                "post /v1/query 200 application/x-ndjson",
                "post /v1/query 200 text/csv",
                "post /v1/query 200 application/vnd.apache.arrow.stream",
                "post /v1/query 200 application/vnd.apache.parquet"));
        described.removeIf(one -> one.contains(" default "));
        assertThat(seen).containsAll(described);
    }

    private static void check(String method, String path, RawHttp.Answer answer, String as, Set<String> seen)
            throws IOException {
        JsonNode responses = document.get("paths").get(path).get(method).get("responses");
        String status = responses.has(String.valueOf(answer.status())) ? String.valueOf(answer.status()) : "default";
        assertThat(responses.has(status)).as("%s is not described", as).isTrue();
        if (status.equals("default")) {
            assertThat(answer.status()).as(as).isGreaterThanOrEqualTo(400);
        }
        JsonNode content = resolve(responses.get(status)).path("content");
        String type = String.valueOf(answer.headers().get("content-type")).replaceFirst(";.*", "");
        if (content.isMissingNode()) {
            assertThat(answer.body()).as(as).isEmpty();
            return;
        }
        assertThat(content.has(type)).as("%s: %s", type, as).isTrue();
        seen.add(method + " " + path + " " + status + " " + type);
        if (type.equals("application/json")) {
            List<String> wrong = new ArrayList<>();
            conforms(
                    new ObjectMapper().readTree(answer.body()),
                    content.get(type).get("schema"),
                    "",
                    wrong);
            assertThat(wrong).as(as).isEmpty();
        }
    }

    /** As JSON Schema has it, but that a member which is not described is wrong where some are. */
    private static void conforms(JsonNode value, JsonNode described, String at, List<String> wrong) {
        Map<String, JsonNode> members = new TreeMap<>();
        JsonNode schema = merged(described, members);
        JsonNode type = schema.path("type");
        List<String> types = new ArrayList<>();
        (type.isArray() ? type : List.of(type)).forEach(one -> types.add(one.asText()));
        String is = value.isObject()
                ? "object"
                : value.isArray()
                        ? "array"
                        : value.isTextual()
                                ? "string"
                                : value.isBoolean()
                                        ? "boolean"
                                        : value.isNull() ? "null" : value.isIntegralNumber() ? "integer" : "number";
        if (!types.contains(is) && !(is.equals("integer") && types.contains("number"))) {
            wrong.add(at + " is " + is + ", described as " + types);
        }
        schema.path("required").forEach(name -> {
            if (!value.has(name.asText())) {
                wrong.add(at + " lacks " + name.asText());
            }
        });
        for (var member : value.properties()) {
            JsonNode known = members.get(member.getKey());
            JsonNode other = known == null ? schema.path("additionalProperties") : known;
            if (!other.isMissingNode()) {
                conforms(member.getValue(), other, at + "/" + member.getKey(), wrong);
            } else if (!members.isEmpty()) {
                wrong.add(at + "/" + member.getKey() + " is not described");
            }
        }
        if (value.isArray() && schema.has("items")) {
            value.forEach(one -> conforms(one, schema.get("items"), at + "[]", wrong));
        }
    }

    /** The schema that is meant, and its members, with those of all parts. */
    private static JsonNode merged(JsonNode described, Map<String, JsonNode> members) {
        JsonNode schema = resolve(described);
        JsonNode meant = schema;
        for (JsonNode part : schema.path("allOf")) {
            meant = merged(part, members);
        }
        schema.path("properties").properties().forEach(one -> members.put(one.getKey(), one.getValue()));
        return meant;
    }

    private static JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").asText().substring(1)) : node;
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        assertThat(document.findValuesAsText("$ref")).isNotEmpty().allSatisfy(reference -> assertThat(
                        document.at(reference.substring(1)).isMissingNode())
                .as(reference)
                .isFalse());
        List<String> ids = document.findValuesAsText("operationId");
        assertThat(ids).doesNotHaveDuplicates();
    }
}
