package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.DamagedBytes;
import io.waterwheel.Packed;
import io.waterwheel.Rounds;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.ArrowRows;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Damaged rows, points and questions, sent to a gateway in front of a whole server: none is answered with 500, none
 * hangs, and what was said to be stored is there. {@code -Drequests=N} sends more, {@code -Dseed=N} the same again.
 */
final class DamagedByHttp implements AutoCloseable {
    private static final int REQUESTS = Rounds.of("requests", 360, 30_000);
    private static final int AT_ONCE = 12;
    private static final int MOST_ATTEMPTS = 10;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final StreamDefinition STREAM = new StreamDefinition(
            "damaged",
            "damaged",
            RecordFormat.BLOCK,
            2,
            new Schema(
                    List.of(
                            new Field("id", FieldType.LONG, false),
                            new Field("at", FieldType.TIMESTAMP, false),
                            new Field("note", FieldType.STRING, true),
                            new Field("real", FieldType.DOUBLE, true),
                            new Field("price", FieldType.decimal(18, 2), true)),
                    new KeySpec.Ordered("id"),
                    "at"));

    private static final List<String> STATEMENTS = List.of(
            "SELECT note, COUNT(*) AS n, SUM(real) FROM damaged WHERE id BETWEEN 5 AND 90 GROUP BY note ORDER BY 2 DESC"
                    + " LIMIT 5",
            "SELECT id, CAST(price AS DOUBLE) / 3, UPPER(note) || 'x' FROM damaged WHERE at >= TIMESTAMP '1970-01-01"
                    + " 00:00:01' AND note LIKE 'n%' ORDER BY id LIMIT 10",
            "SELECT a.id, b.note FROM damaged a JOIN damaged b ON a.id = b.id WHERE a.real > 1e3 LIMIT 3",
            "WITH t AS (SELECT id, ROW_NUMBER() OVER (PARTITION BY note ORDER BY at) AS r FROM damaged) SELECT * FROM t"
                    + " WHERE r = 1 LIMIT 3",
            "EXPLAIN SELECT COUNT(DISTINCT note) FROM damaged WHERE id IN (1, 2, 3) OR note IS NULL",
            "SHOW STREAMS");
    private static final List<String> QUESTIONS = List.of("""
            {"stream": "damaged", "where": "id > 5 AND upper(note) LIKE 'N%' OR real / 2 < 1.5", "limit": 10,
             "key_ranges": [{"low": "1", "high": "90"}], "orderBy": [{"field": "id", "descending": true}],
             "allow_partial": true, "timeoutMillis": 2000}
            """, """
            {"stream": "damaged", "timeoutMillis": 2000, "aggregates": [{"function": "sum", "field": "id", "name": "x"}],
             "groupBy": [{"expression": "note", "name": "n"}]}
            """, """
            {"sql": "SELECT id FROM damaged WHERE note = ? AND at < ? LIMIT 4", "timeoutMillis": 2000,
             "parameters": ["n", {"time": "2021-10-07T12:30:00Z"}]}
            """);
    /** Of this stream no damage makes the other, whose rows are counted. */
    private static final byte[] POINTS = """
            spoilt,note=a id=1i,real=-1.5e3,price=12.50 1633608001000000000
            # a comment
            spoilt id=2u,note="a, \\"note\\"" 1633608001000000001
            """.getBytes(UTF_8);

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final WaterwheelClient client;
    private final Gateway gateway;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private long rows;
    /** By partition, the end of these rows. */
    private final Map<Integer, Long> positions = new HashMap<>();

    private int taken;
    private int refused;

    DamagedByHttp(WaterwheelClient client) throws IOException {
        this.client = client;
        this.gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        gateway.serve(client);
    }

    /** @param as what it was, to be told when the answer is wrong */
    private record Sent(String kind, String as, CompletableFuture<HttpResponse<String>> answer) {}

    void noneIsADefectAndWhatIsTakenIsThere() throws Exception {
        client.createStream(STREAM);
        client.createStream(
                new StreamDefinition("spoilt", "spoilt", RecordFormat.BLOCK, 1, STREAM.schema(), STREAM.policy()));
        namesOfNoStreamAreTold();
        List<Sent> open = new ArrayList<>();
        for (int request = 0; request < REQUESTS; request++) {
            open.add(send(request));
            if (open.size() == AT_ONCE || request == REQUESTS - 1) {
                for (Sent sent : open) {
                    check(sent);
                }
                open.clear();
            }
        }
        assertThat(taken).as("taken, seed %s", seed).isGreaterThan(REQUESTS / 20);
        assertThat(refused).as("refused, seed %s", seed).isGreaterThan(REQUESTS / 5);
        // The next good post is answered as ever, and nothing is there that was not said to be.
        HttpResponse<String> last = post("/v1/streams/damaged/rows?wait=visible", "text/csv", text(RecordFormat.CSV))
                .join();
        assertThat(last.statusCode()).as(last.body()).isEqualTo(200);
        JsonNode told = new ObjectMapper().readTree(last.body());
        assertThat(told.get("visible").asBoolean()).as(last.body()).isTrue();
        reached(told);
        assertThat(client.count(Query.of("damaged").withAtLeast(positions)))
                .as("seed %s", seed)
                .isEqualTo(rows + told.get("rows").asLong());
        client.drop("damaged");
        client.drop("spoilt");
    }

    /** ZooKeeper has no path with such characters: that was taken for an outage, and told as one to come again. */
    private void namesOfNoStreamAreTold() {
        HttpResponse<String> points = post("/write?db=d", "text/plain", "damaged\rpoints id=1i 1\n".getBytes(UTF_8))
                .join();
        assertThat(points.statusCode()).as(points.body()).isEqualTo(400);
        assertThat(points.body()).contains("there is no stream");
        for (String name : List.of("a%0Db", "a%00b", "%ED%A0%80", "a%2Fb", ".%2E.")) {
            HttpResponse<String> rows = refused("/v1/streams/" + name + "/rows", "text/csv", text(RecordFormat.CSV));
            assertThat(rows.statusCode()).as("%s: %s", name, rows.body()).isIn(400, 404);
            HttpResponse<String> asked =
                    refused("/v1/query", "application/x-www-form-urlencoded", ("stream=" + name).getBytes(UTF_8));
            assertThat(asked.statusCode()).as("%s: %s", name, asked.body()).isIn(400, 404);
        }
    }

    /**
     * The answer to what may be refused before its body has come, such as a path by Jetty itself, which then ends the
     * connection. What of the body comes behind that may take the answer with it, and what is sent next on that
     * connection is lost. So both are asked again.
     */
    private HttpResponse<String> refused(String target, String type, byte[] body) {
        for (int attempt = 1; ; attempt++) {
            try {
                return post(target, type, body).join();
            } catch (CompletionException e) {
                if (attempt == MOST_ATTEMPTS || !(e.getCause() instanceof IOException)) {
                    throw e;
                }
            }
        }
    }

    private Sent send(int request) throws IOException {
        return switch (request % 6) {
            case 0 -> {
                byte[] sent = DamagedBytes.of(POINTS, POINTS, random);
                yield sent("points", request, "/write?db=d", "text/plain", sent);
            }
            case 1 -> {
                byte[] good = QUESTIONS.get(random.nextInt(QUESTIONS.size())).getBytes(UTF_8);
                yield sent("question", request, "/v1/query", "application/json", DamagedBytes.of(good, good, random));
            }
            case 2 -> {
                String good = STATEMENTS.get(random.nextInt(STATEMENTS.size()));
                byte[] sent = random.nextInt(4) == 0
                        ? DamagedBytes.of(good.getBytes(UTF_8), good.getBytes(UTF_8), random)
                        : shuffled(good).getBytes(UTF_8);
                yield sent("question", request, "/v1/query?timeout=2", "application/sql", sent);
            }
            default -> rows(request);
        };
    }

    /** Words are left out, doubled, exchanged, or replaced by those of another statement. */
    private String shuffled(String statement) {
        List<String> words = new ArrayList<>(Arrays.asList(statement.split("(?<=\\W)|(?=\\W)", -1)));
        String[] others = STATEMENTS.get(random.nextInt(STATEMENTS.size())).split("(?<=\\W)|(?=\\W)", -1);
        for (int change = random.nextInt(3); change >= 0 && !words.isEmpty(); change--) {
            int at = random.nextInt(words.size());
            switch (random.nextInt(4)) {
                case 0 -> words.remove(at);
                case 1 -> words.add(at, words.get(random.nextInt(words.size())));
                case 2 -> words.set(at, words.get(random.nextInt(words.size())));
                default -> words.set(at, others[random.nextInt(others.length)]);
            }
        }
        return String.join("", words);
    }

    private Sent rows(int request) throws IOException {
        int form = random.nextInt(4);
        byte[] good = body(form);
        byte[] others = body(form);
        String encoding = Packed.ENCODINGS.get(random.nextInt(Packed.ENCODINGS.size()));
        byte[] sent = Packed.damaged(encoding, good, others, random);
        String type =
                switch (form) {
                    case 0 -> "text/csv";
                    case 1 -> "application/x-ndjson";
                    case 2 -> "application/vnd.waterwheel.block";
                    default -> "application/vnd.apache.arrow.stream";
                };
        String target = "/v1/streams/damaged/rows" + (random.nextBoolean() ? "?partial=allow" : "");
        List<String> headers = new ArrayList<>();
        if (!encoding.equals("identity")) {
            headers.addAll(List.of("Content-Encoding", encoding));
        }
        if (random.nextInt(4) == 0) {
            headers.addAll(List.of("Idempotency-Key", "damaged-" + request));
        }
        return sent("rows", request, target, type, sent, headers.toArray(String[]::new));
    }

    private byte[] body(int form) throws IOException {
        return switch (form) {
            case 0 -> text(RecordFormat.CSV);
            case 1 -> text(RecordFormat.JSON);
            case 2 ->
                BlockCodec.encode(
                        new RowDecoder(STREAM, RecordFormat.JSON, false, new PushBudget(1 << 20, "rows").lease())
                                .decode(text(RecordFormat.JSON), RowDecoder.Header.ABSENT)
                                .tuples(),
                        true);
            default -> ArrowRows.stream(1 + random.nextInt(10));
        };
    }

    private byte[] text(RecordFormat format) {
        StringBuilder text = new StringBuilder();
        for (int r = random.nextInt(10); r >= 0; r--) {
            int id = random.nextInt(100);
            text.append(
                    format == RecordFormat.CSV
                            ? id + ",1633608001000,\"a, \"\"note\"\"\",-1e3,12.50\n"
                            : "{\"id\": " + id + ", \"at\": 1633608001000, \"note\": \"a \\\"n\\u00f6te\\\"\","
                                    + " \"real\": 1.5, \"price\": 12.50}\n");
        }
        return text.toString().getBytes(UTF_8);
    }

    private Sent sent(String kind, int request, String target, String type, byte[] body, String... headers) {
        String as = "seed " + seed + ", request " + request + ", " + target + ", " + type + " " + Arrays.asList(headers)
                + ", " + new String(body, UTF_8);
        return new Sent(kind, as, post(target, type, body, headers));
    }

    private CompletableFuture<HttpResponse<String>> post(String target, String type, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(gateway.url() + target))
                .timeout(PATIENCE)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
    }

    private void reached(JsonNode told) {
        told.get("positions")
                .properties()
                .forEach(entry -> positions.merge(
                        Integer.valueOf(entry.getKey()), entry.getValue().asLong(), Math::max));
    }

    private void check(Sent sent) throws IOException {
        HttpResponse<String> answer;
        try {
            answer = sent.answer().join();
        } catch (RuntimeException e) {
            throw new AssertionError(sent.as(), e);
        }
        int status = answer.statusCode();
        String as = sent.as() + ": " + status + " " + answer.body();
        if (status < 300) {
            taken++;
            if (sent.kind().equals("rows")) {
                JsonNode told = new ObjectMapper().readTree(answer.body());
                rows += told.get("rows").asLong();
                reached(told);
            }
        } else if (status < 500) {
            refused++;
        } else {
            // A question may ask for what takes longer than it allows.
            assertThat(sent.kind()).as(as).isEqualTo("question");
            assertThat(status).as(as).isEqualTo(504);
        }
    }

    @Override
    public void close() {
        gateway.close();
    }
}
