package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.Zstd;
import io.waterwheel.Packed;
import io.waterwheel.Waiting;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.DeadLetter;
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
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StatusJson;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Rows that are sent to a gateway in front of a whole server, and what queries then see. */
final class PushedByHttp implements AutoCloseable {
    private static final int POSTS = 120;
    private static final int ROWS = 50;
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, true)),
            new KeySpec.Ordered("id"),
            "at");

    private final WaterwheelClient client;
    private final Gateway gateway;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    PushedByHttp(WaterwheelClient client) throws IOException {
        this.client = client;
        this.gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        gateway.serve(client);
    }

    private record Answer(int status, JsonNode body) {}

    private CompletableFuture<Answer> post(
            String stream, String parameters, String type, byte[] body, String... headers) {
        return post(gateway, stream, parameters, type, body, headers);
    }

    private CompletableFuture<Answer> post(
            Gateway at, String stream, String parameters, String type, byte[] body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(at.url() + "/v1/streams/" + stream + "/rows" + parameters))
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8))
                .thenApply(response -> {
                    try {
                        return new Answer(response.statusCode(), new ObjectMapper().readTree(response.body()));
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(response.body(), e);
                    }
                });
    }

    private void create(String name, RecordFormat format) {
        client.createStream(new StreamDefinition(name, name, format, 2, SCHEMA));
    }

    /** The greatest positions of the rows of all these. */
    private static Map<Integer, Long> positions(List<Answer> answers) {
        Map<Integer, Long> ends = new HashMap<>();
        for (Answer answer : answers) {
            answer.body()
                    .get("positions")
                    .properties()
                    .forEach(entry -> ends.merge(
                            Integer.valueOf(entry.getKey()), entry.getValue().asLong(), Math::max));
        }
        return ends;
    }

    /** As a query counts that demands the rows of these. */
    private long count(String stream, List<Answer> answers) {
        Map<Integer, Long> seen = positions(answers);
        assertThat(seen).isNotEmpty();
        return client.count(Query.of(stream).withAtLeast(seen));
    }

    /** It announces itself a second after it began to serve. */
    void theStatusListsTheGateway() {
        String place = "127.0.0.1:" + gateway.port();
        String version = ServerReport.version(Gateway.class);
        Waiting.until(
                "the status lists " + place,
                () -> StatusJson.read(client.status().json()).gateways().stream()
                        .anyMatch(found -> found.place().equals(place)
                                && found.version().equals(version)
                                && found.startedMillis() > 0));
        assertThat(client.status().text()).contains("gateway " + place + ", version " + version + ", since 2");
    }

    /** Many at once, in every form; each row is there once, and those that wait for it see their own. */
    void everyRowIsThereOnce() throws IOException {
        create("pushed", RecordFormat.BLOCK);
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        long sum = 0;
        for (int p = 0; p < POSTS; p++) {
            int form = p % 5;
            StringBuilder rows = new StringBuilder(form == 1 ? "note,at,id\n" : "");
            for (int r = 0; r < ROWS; r++) {
                int id = p * ROWS + r;
                sum += id;
                rows.append(
                        switch (form) {
                            case 0, 3 -> id + ",1000,\"a note, " + id + "\"\n";
                            case 1 -> "n,1000," + id + "\r\n";
                            default -> "{\"id\": " + id + ", \"at\": 1000}\n";
                        });
            }
            byte[] text = rows.toString().getBytes(UTF_8);
            byte[] body = form < 3 ? text : block(form == 3 ? RecordFormat.CSV : RecordFormat.JSON, text);
            String type =
                    switch (form) {
                        case 0, 1 -> "text/csv";
                        case 2 -> "application/x-ndjson";
                        default -> "application/vnd.waterwheel.block";
                    };
            answers.add(
                    switch (p % 4) {
                        case 1 -> post("pushed", "", type, Packed.gzip(body), "Content-Encoding", "gzip");
                        case 3 -> post("pushed", "", type, Zstd.compress(body), "Content-Encoding", "zstd");
                        default -> post("pushed", p % 4 == 0 ? "?wait=visible" : "", type, body);
                    });
        }
        for (CompletableFuture<Answer> each : answers) {
            Answer answer = each.join();
            assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
            assertThat(answer.body().get("rows").asInt()).isEqualTo(ROWS);
            assertThat(answer.body().get("rejected").asInt()).isZero();
            assertThat(answer.body().path("visible").asBoolean(true)).isTrue();
        }
        Answer last = answers.get(POSTS - 1).join();
        JsonNode visible = answers.get(POSTS - 4).join().body();
        assertThat(visible.get("visible").asBoolean()).isTrue();
        assertThat(count("pushed", List.of(last))).isLessThanOrEqualTo(POSTS * ROWS);
        Answer end = post("pushed", "?wait=visible", "text/csv", "-1,1000,\n".getBytes(UTF_8))
                .join();
        List<Answer> all = new ArrayList<>(List.of(end));
        answers.forEach(answer -> all.add(answer.join()));
        assertThat(count("pushed", all)).isEqualTo(POSTS * ROWS + 1);
        try (var rows = client.query("pushed")
                .aggregate("sum(id) AS ids", "count(DISTINCT id) AS n")
                .rows()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getLong("ids")).isEqualTo(sum - 1);
            assertThat(rows.getLong("n")).isEqualTo(POSTS * ROWS + 1);
        }
        Answer none = post("pushed", "?wait=none", "text/csv", "-2,1000,\n".getBytes(UTF_8))
                .join();
        assertThat(none.status()).isEqualTo(202);
        Waiting.until(
                "the row is visible", () -> client.query("pushed").keys(-2, -2).count() == 1);
        client.drop("pushed");
    }

    /** What waits for the rows of a post waits for no partition that none of them is in. */
    void positionsAreThoseOfThePost() {
        create("turns", RecordFormat.BLOCK);
        for (int round = 0; round < 2; round++) {
            Map<Integer, Long> before = Map.of();
            for (int row = 0; row < 4; row++) {
                // Each is a record by itself, and records go to the partitions in turn.
                byte[] body = (row + ",1000,\n").getBytes(UTF_8);
                Answer answer = round == 0
                        ? post("turns", "", "text/csv", body).join()
                        : post("turns", "", "text/csv", body, "Idempotency-Key", "row-" + row)
                                .join();
                Map<Integer, Long> positions = positions(List.of(answer));
                assertThat(positions).as("%s", answer.body()).hasSize(1);
                assertThat(positions)
                        .as("%s", answer.body())
                        .doesNotContainKeys(before.keySet().toArray(new Integer[0]));
                before = positions;
            }
        }
        Answer none = post("turns", "?wait=visible", "text/csv", new byte[0], "Idempotency-Key", "none")
                .join();
        assertThat(none.body().get("positions")).as("%s", none.body()).isEmpty();
        assertThat(none.body().get("visible").asBoolean()).isTrue();
        client.drop("turns");
    }

    /** A tuple block of these rows. */
    private static byte[] block(RecordFormat format, byte[] rows) {
        StreamDefinition stream = new StreamDefinition("pushed", "pushed", RecordFormat.BLOCK, 2, SCHEMA);
        return BlockCodec.encode(
                new RowDecoder(stream, format, false, new PushBudget(1 << 20, "rows").lease())
                        .decode(rows, RowDecoder.Header.ABSENT)
                        .tuples(),
                true);
    }

    /** What is sent again under a key, also to another gateway, is there once and has one place. */
    void keysAreStoredOnce() throws IOException {
        create("keyed", RecordFormat.BLOCK);
        try (Gateway other = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            other.serve(client);
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int p = 0; p < POSTS; p++) {
                StringBuilder rows = new StringBuilder();
                for (int r = 0; r < ROWS; r++) {
                    rows.append(p * ROWS + r).append(",1000,\n");
                }
                byte[] body = rows.toString().getBytes(UTF_8);
                String key = "post-" + p;
                for (int again = 0; again < 3; again++) {
                    // The first half to one gateway; the others to both, one of which sends on to the other.
                    Gateway at = p >= POSTS / 2 && again == 1 ? other : gateway;
                    answers.add(
                            again == 2
                                    ? post(at, "keyed", "?wait=visible", "text/csv", body, "Idempotency-Key", key)
                                    : post(
                                            at,
                                            "keyed",
                                            "",
                                            "text/csv",
                                            Packed.gzip(body),
                                            "Idempotency-Key",
                                            key,
                                            "Content-Encoding",
                                            "gzip"));
                }
            }
            for (int i = 0; i < answers.size(); i++) {
                Answer answer = answers.get(i).join();
                assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
                assertThat(answer.body().get("positions"))
                        .isEqualTo(answers.get(i - i % 3).join().body().get("positions"));
            }
            Answer conflict = post(
                            other, "keyed", "", "text/csv", "7,7,\n".getBytes(UTF_8), "Idempotency-Key", "post-1")
                    .join();
            assertThat(conflict.status()).isEqualTo(409);
            assertThat(conflict.body().get("code").asText()).isEqualTo("KEY_REUSED");
            Answer bad = post(other, "keyed", "", "text/csv", "x,7,\n".getBytes(UTF_8), "Idempotency-Key", "bad")
                    .join();
            assertThat(bad.status()).isEqualTo(422);
            Answer mended = post(
                            other,
                            "keyed",
                            "?wait=visible",
                            "text/csv",
                            "-1,7,\n".getBytes(UTF_8),
                            "Idempotency-Key",
                            "bad")
                    .join();
            assertThat(mended.status()).as("nothing was stored under the key").isEqualTo(200);
            keysOfNoRowsAreRemembered(other);
            assertThat(sentOn(gateway) + sentOn(other))
                    .as("the gateway that has not the lanes sends on")
                    .isPositive();
            assertThat(post(
                                    gateway,
                                    "keyed",
                                    "",
                                    "text/csv",
                                    "1,7,\n".getBytes(UTF_8),
                                    "Idempotency-Key",
                                    "x".repeat(256))
                            .join()
                            .status())
                    .isEqualTo(400);
            List<Answer> all = new ArrayList<>(List.of(mended));
            answers.forEach(answer -> all.add(answer.join()));
            assertThat(count("keyed", all)).isEqualTo(POSTS * ROWS + 1);
            try (var rows =
                    client.query("keyed").aggregate("count(DISTINCT id) AS n").rows()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong("n")).isEqualTo(POSTS * ROWS + 1);
            }
        }
        client.drop("keyed");
    }

    /** How many requests this one had another gateway answer. */
    private int sentOn(Gateway at) throws IOException {
        try (var metrics = URI.create(at.url() + "/metrics").toURL().openStream()) {
            return new String(metrics.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("waterwheel_gateway_keyed_requests_total{outcome=\"sent-on\"}"))
                    .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                    .sum();
        }
    }

    /** A key whose body had no rows, or bad ones alone, stands for that body and no other, as each key does. */
    private void keysOfNoRowsAreRemembered(Gateway other) {
        for (String body : List.of("", "x,y,\n")) {
            String key = "no rows of " + body.length();
            Answer first = keyed(gateway, key, body);
            assertThat(first.status()).as("%s", first.body()).isEqualTo(200);
            assertThat(first.body().get("rows").asInt()).isZero();
            assertThat(first.body().get("rejected").asInt()).isEqualTo(body.isEmpty() ? 0 : 1);
            assertThat(keyed(other, key, body)).isEqualTo(first);
            for (Gateway at : List.of(gateway, other)) {
                Answer changed = keyed(at, key, "-7,7,\n");
                assertThat(changed.status()).as("%s", changed.body()).isEqualTo(409);
                assertThat(changed.body().get("code").asText()).isEqualTo("KEY_REUSED");
            }
        }
    }

    private Answer keyed(Gateway at, String key, String body) {
        return post(at, "keyed", "?partial=allow", "text/csv", body.getBytes(UTF_8), "Idempotency-Key", key)
                .join();
    }

    /** Points of InfluxDB's writers are rows of the streams that have their names, or that the configuration names. */
    void pointsAreRows() throws Exception {
        create("temperature", RecordFormat.BLOCK);
        // Of a stream that has blocks beside lines.
        client.createStream(SchemaFile.read(
                "others",
                DefinitionYaml.of(new StreamDefinition("others", "others", RecordFormat.CSV, 2, SCHEMA))
                        + "records: {blocks: true}\n"));
        create("lines", RecordFormat.CSV);
        try (Gateway at =
                Gateway.start(GatewaySettings.DEFAULT.withPort(0).withInflux(Map.of("db/humidity", "others")))) {
            at.serve(client);
            HttpResponse<String> good = write(
                    at,
                    "/write?db=db&precision=ms",
                    "# a comment\n\ntemperature,host=a id=1i,note=\"x\ny\" 1000\nhumidity id=2i 2000\n");
            assertThat(good.statusCode()).as(good.body()).isEqualTo(204);
            assertThat(good.body()).isEmpty();
            HttpResponse<String> some = write(
                    at,
                    "/api/v2/write?bucket=db&org=o",
                    "temperature id=3i 3000000000\ntemperature id=x\ntemperature id=\"x\"\nnowhere,t=1 v=1\nlines id=1i\n");
            assertThat(some.statusCode()).isEqualTo(400);
            JsonNode told = new ObjectMapper().readTree(some.body());
            assertThat(told.get("message").asText())
                    .startsWith("partial write: line 2: ")
                    .contains("line 3: id: ", "line 4: there is no stream 'nowhere'", "line 5: stream 'lines'")
                    .endsWith(" dropped=4");
            assertThat(told.get("schema").asText()).startsWith("name: nowhere\n");
            HttpResponse<String> bad = write(at, "/write?db=db&precision=x", "temperature id=1i\n");
            assertThat(bad.statusCode()).isEqualTo(400);
            assertThat(new ObjectMapper().readTree(bad.body()).get("error").asText())
                    .startsWith("precision: ");
            assertThat(write(at, "/query?q=CREATE+DATABASE+%22telegraf%22", "").statusCode())
                    .isEqualTo(200);
            assertThat(write(at, "/query?q=SHOW+TABLES", "").statusCode()).isEqualTo(400);
        }
        Waiting.until(
                "the points are visible", () -> client.query("temperature").count() == 2);
        Waiting.until(
                "the point is visible", () -> client.query("others").keys(2, 2).count() == 1);
        try (var rows = client.query("temperature").keys(1, 1).rows()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString("note")).isEqualTo("x\ny");
            assertThat(rows.getLong("at")).isEqualTo(1000);
        }
        client.drop("temperature");
        client.drop("others");
        client.drop("lines");
    }

    private HttpResponse<String> write(Gateway at, String target, String body) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(at.url() + target))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString(UTF_8));
    }

    /** Bad rows keep all of a request out, or become dead letters with their text. */
    void badRowsAreToldAndKept() {
        for (RecordFormat format : List.of(RecordFormat.CSV, RecordFormat.BLOCK)) {
            String name = "mixed-" + format.name().toLowerCase(java.util.Locale.ROOT);
            create(name, format);
            byte[] rows = "1,1000,a\nx,1000,b\n2,1000,c\n".getBytes(UTF_8);
            Answer refused = post(name, "", "text/csv", rows).join();
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.body().get("code").asText()).isEqualTo("ROWS_REJECTED");
            assertThat(refused.body().get("at").asText()).isEqualTo("line 2");
            assertThat(refused.body().get("errors").get(0).get("field").asText())
                    .isEqualTo("id");
            Answer allowed =
                    post(name, "?partial=allow&wait=visible", "text/csv", rows).join();
            assertThat(allowed.status()).as("%s", allowed.body()).isEqualTo(200);
            assertThat(allowed.body().get("rows").asInt()).isEqualTo(2);
            assertThat(allowed.body().get("rejected").asInt()).isEqualTo(1);
            assertThat(allowed.body().get("errors").get(0).get("line").asInt()).isEqualTo(2);
            assertThat(count(name, List.of(allowed))).isEqualTo(2);
            List<DeadLetter> letters = new ArrayList<>();
            client.deadLetters(name, 10, letters::add);
            assertThat(letters).hasSize(1);
            assertThat(new String(letters.get(0).raw(), UTF_8)).isEqualTo("x,1000,b");
            if (format == RecordFormat.BLOCK) {
                byte[] lines = "[ERROR] disk\n{\"id\":1,\"at\":1000}\n".getBytes(UTF_8);
                assertThat(post(name, "?partial=allow", "application/x-ndjson", lines)
                                .join()
                                .body()
                                .get("rows")
                                .asInt())
                        .as("lines, though they begin as an array does")
                        .isEqualTo(1);
                assertThat(post(name, "?partial=allow", "application/json", lines)
                                .join()
                                .status())
                        .isEqualTo(400);
            }
            client.drop(name);
        }
    }

    /** What is no request for rows has a status of its own. */
    void refusals() {
        create("refusing", RecordFormat.CSV);
        assertThat(post("refusing", "", "application/x-ndjson", "{}".getBytes(UTF_8))
                        .join()
                        .status())
                .isEqualTo(415);
        assertThat(post("refusing", "", "text/xml", "<a/>".getBytes(UTF_8))
                        .join()
                        .status())
                .isEqualTo(415);
        assertThat(post("refusing", "?wait=long", "text/csv", new byte[0])
                        .join()
                        .status())
                .isEqualTo(400);
        assertThat(post("refusing", "", "text/csv", "1,2,3".getBytes(UTF_8), "Content-Encoding", "gzip")
                        .join()
                        .status())
                .isEqualTo(400);
        assertThat(post("nowhere", "", "text/csv", "1,2,3".getBytes(UTF_8))
                        .join()
                        .status())
                .isEqualTo(404);
        Answer nothing = post("refusing", "", "text/csv", new byte[0]).join();
        assertThat(nothing.status()).isEqualTo(200);
        assertThat(nothing.body().get("rows").asInt()).isZero();
        client.drop("refusing");
    }

    /**
     * Who follows a stream so slowly that the topic has its rows no longer is told which, once, and gets the others.
     */
    void whoIsTooSlowIsToldWhatItMissed(String kafka) throws Exception {
        client.createStream(new StreamDefinition("slow", "slow", RecordFormat.BLOCK, 1, SCHEMA));
        for (int row = 0; row < 3; row++) {
            assertThat(put(row)).isEqualTo(row + 1);
        }
        String first;
        try (EventReader reader = events("?from=earliest", null)) {
            EventReader.Event event = reader.next();
            while (!event.data().contains("\"id\":0")) {
                event = reader.next();
            }
            first = event.id();
        }
        client.flush("slow");
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka))) {
            admin.deleteRecords(Map.of(new TopicPartition("slow", 0), RecordsToDelete.beforeOffset(3)))
                    .all()
                    .get(5, TimeUnit.MINUTES);
        }
        long from = Long.parseLong(first.substring(first.indexOf("@0:") + 3));
        assertThat(from).isBetween(1L, 3L);
        String again = missed("?from=earliest", null, 0);
        if (from < 3) {
            missed("", first, from);
        }
        // What was told is not told again, and what follows comes.
        assertThat(put(3)).isEqualTo(4);
        try (EventReader reader = events("", again)) {
            EventReader.Event event = reader.next();
            assertThat(event.name()).isEmpty();
            assertThat(event.data()).isEqualTo("[{\"id\":3,\"at\":1000,\"note\":null}]");
        }
        client.drop("slow");
    }

    /** Appends a row that queries see; returns the offset behind it. */
    private long put(int row) {
        Answer stored = post("slow", "?wait=visible", "text/csv", (row + ",1000,\n").getBytes(UTF_8))
                .join();
        assertThat(stored.body().path("visible").asBoolean())
                .as("%s", stored.body())
                .isTrue();
        return stored.body().get("positions").get("0").asLong();
    }

    private EventReader events(String parameters, @Nullable String last) throws IOException {
        return new EventReader(gateway.url() + "/v1/streams/slow/tail" + parameters, last);
    }

    /** Is told that the rows from there to 3 are missed; returns the id behind that. */
    private String missed(String parameters, @Nullable String last, long from) throws IOException {
        try (EventReader reader = events(parameters, last)) {
            EventReader.Event event = reader.next();
            assertThat(event.name()).as("%s", event).isEqualTo("missed");
            JsonNode told = new ObjectMapper().readTree(event.data());
            assertThat(told.get("partition").asInt()).isZero();
            assertThat(told.get("from").asLong()).isEqualTo(from);
            assertThat(told.get("to").asLong()).isEqualTo(3);
            assertThat(told.get("reason").asText()).isEqualTo("the topic no longer has them");
            return reader.idBehind();
        }
    }

    @Override
    public void close() {
        gateway.close();
    }
}
