package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.NamedAppender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.admin.Verification;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.schema.SchemaFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** One topic that several streams index by different keys: each by itself, beside a list of the records. */
final class SharedTopic {
    private static final String TOPIC = "shared.rides";
    private static final int PARTITIONS = 3;
    private static final String SCHEMA = """
            name: %s
            topic: shared.rides
            format: json
            fields:
              - {name: at, type: timestamp}
              - {name: rider, type: long}
              - {name: fare, type: long%s}
              - {name: lon, type: double}
              - {name: lat, type: double}
            key: %s
            time: at
            """;

    /** @param fare null in records that one of the streams refuses */
    private record Ride(long at, long rider, Long fare, double lon, double lat) {
        byte[] json() {
            return ("{\"at\": " + at + ", \"rider\": " + rider + (fare == null ? "" : ", \"fare\": " + fare)
                            + ", \"lon\": " + lon + ", \"lat\": " + lat + "}")
                    .getBytes(UTF_8);
        }
    }

    private final WaterwheelClient client;
    private final String kafka;
    private final Random random;
    private final long seed = Long.getLong("seed", 41);
    private final List<Ride> rides = new ArrayList<>();
    /** By partition, one after the last record that was written there, as an offset. */
    private final Map<Integer, Long> ends = new HashMap<>();

    SharedTopic(WaterwheelClient client, String kafka) {
        this.client = client;
        this.kafka = kafka;
        this.random = new Random(seed);
    }

    private Ride next(boolean fare) {
        Ride ride = new Ride(
                1_633_608_000_000L + random.nextInt(3_600_000),
                random.nextInt(50),
                fare ? (long) random.nextInt(1_000) : null,
                Math.rint(random.nextDouble() * 3600 - 1800) / 10,
                Math.rint(random.nextDouble() * 1800 - 900) / 10);
        rides.add(ride);
        return ride;
    }

    private void produce(int count, int nth) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                byte[] value = next(i % nth != 0).json();
                var sent = producer.send(new ProducerRecord<>(TOPIC, i % PARTITIONS, null, value));
                ends.merge(i % PARTITIONS, sent.get().offset() + 1, Math::max);
            }
        }
    }

    private void create(String name, String fare, String key) {
        client.createStream(SchemaFile.read(name, SCHEMA.formatted(name, fare, key)));
    }

    private void took(Map<Integer, Long> positions) {
        positions.forEach((partition, end) -> ends.merge(partition, end, Math::max));
    }

    private long expected(Predicate<Ride> of) {
        return rides.stream().filter(of).count();
    }

    /** Random questions of both, each up to the end of the topic, beside the list. */
    private void agree(List<String> streams) {
        for (int round = 0; round < 5; round++) {
            long low = random.nextInt(50);
            long high = low + random.nextInt(20);
            double west = random.nextInt(300) - 180;
            double east = west + random.nextInt(60);
            for (String stream : streams) {
                Predicate<Ride> taken = stream.equals("by_rider") ? ride -> true : ride -> ride.fare != null;
                assertThat(client.query(stream)
                                .where("rider >= " + low + " AND rider <= " + high)
                                .atLeast(ends)
                                .count())
                        .as("seed %s, %s, riders %s to %s", seed, stream, low, high)
                        .isEqualTo(expected(taken.and(ride -> ride.rider >= low && ride.rider <= high)));
                assertThat(client.query(stream)
                                .where("lon >= " + west + " AND lon <= " + east)
                                .atLeast(ends)
                                .count())
                        .as("seed %s, %s, from %s to %s", seed, stream, west, east)
                        .isEqualTo(expected(taken.and(ride -> ride.lon >= west && ride.lon <= east)));
            }
        }
    }

    private List<DeadLetter> letters(String stream) {
        List<DeadLetter> letters = new ArrayList<>();
        client.deadLetters(stream, 10_000, letters::add);
        return letters;
    }

    private void verified(String stream) {
        Verification outcome = client.verify(stream, Duration.ofMinutes(5));
        assertThat(outcome.differences()).as("%s", outcome).isEmpty();
        assertThat(outcome.topicFingerprint()).isEqualTo(outcome.answerFingerprint());
        assertThat(outcome.topicTuples())
                .isEqualTo(expected(stream.equals("by_rider") ? ride -> true : ride -> ride.fare != null));
    }

    void eachStreamHasAllOfTheTopicAndPositionsOfItsOwn() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        produce(300, 10);
        create("by_rider", ", nullable: true", "{field: rider}");
        agree(List.of("by_rider"));
        // It begins with what the topic has, while the first has it in memory.
        create("by_place", "", "{longitude: lon, latitude: lat}");
        create("by_fare", "", "{field: fare}");
        List<String> all = List.of("by_rider", "by_place", "by_fare");
        agree(all);
        assertThat(client.describe("by_rider").topic().shared()).isFalse();
        assertThat(client.describe("by_place").topic().shared()).isTrue();
        produce(300, 10);
        agree(all);
        assertThat(letters("by_rider")).isEmpty();
        for (String stream : List.of("by_place", "by_fare")) {
            assertThat(letters(stream))
                    .hasSize((int) expected(ride -> ride.fare == null))
                    .allSatisfy(letter -> assertThat(letter.reason()).contains("fare"));
        }
    }

    void whatIsWrittenThroughOneIsInAll() throws Exception {
        try (Appender appender = client.appender("by_place")) {
            for (int i = 0; i < 100; i++) {
                appender.appendRecord(next(true).json());
            }
            took(appender.flush());
        }
        Ride inserted = next(true);
        try (var answer = client.sql(
                "INSERT INTO by_fare VALUES (?, ?, ?, ?, ?)",
                Instant.ofEpochMilli(inserted.at),
                inserted.rider,
                inserted.fare,
                inserted.lon,
                inserted.lat)) {
            assertThat(answer.next()).isTrue();
            assertThat(answer.getLong("rows")).isEqualTo(1);
            String[] position = answer.getString("positions").split(":", -1);
            assertThat(position[0]).isEqualTo("by_fare");
            took(Map.of(Integer.valueOf(position[1]), Long.valueOf(position[2])));
        }
        StreamDetails place = client.describe("by_place");
        StreamDetails rider = client.describe("by_rider");
        try (NamedAppender named = NamedAppender.open(place, AppenderSettings.DEFAULT, "a name")) {
            named.appendRecord(next(true).json());
            took(named.commit("one".getBytes(UTF_8)));
        }
        // A name is the topic's: what was appended under it is in all streams, and is not appended through another.
        try (NamedAppender named = NamedAppender.open(rider, AppenderSettings.DEFAULT, "a name")) {
            assertThat(named.progress()).hasValueSatisfying(note -> assertThat(new String(note, UTF_8))
                    .isEqualTo("one"));
        }
        agree(List.of("by_rider", "by_place", "by_fare"));
    }

    private CompletableFuture<JsonNode> push(HttpClient http, Gateway at, String stream, String key, byte[] row) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(at.url() + "/v1/streams/" + stream + "/rows"))
                .header("Content-Type", "application/x-ndjson")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofByteArray(row))
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()).thenApply(response -> {
            try {
                assertThat(response.statusCode())
                        .as("%s", new String(response.body(), UTF_8))
                        .isEqualTo(200);
                return new ObjectMapper().readTree(response.body());
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    /** Keys are a stream's: what two streams get under one key is two requests; neither takes the other's lanes. */
    void keysOfEachAreStoredOnce() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
                Gateway other = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            gateway.serve(client);
            other.serve(client);
            List<CompletableFuture<JsonNode>> answers = new ArrayList<>();
            for (int p = 0; p < 40; p++) {
                for (String stream : List.of("by_rider", "by_place")) {
                    byte[] row = next(true).json();
                    for (int again = 0; again < 2; again++) {
                        // The last to both, which then take the lanes of a stream from each other.
                        Gateway at = p >= 35 && again == 1 ? other : gateway;
                        answers.add(push(http, at, stream, "push-" + p, row));
                    }
                }
            }
            for (int i = 0; i < answers.size(); i += 2) {
                JsonNode positions = answers.get(i).join().get("positions");
                assertThat(positions).isEqualTo(answers.get(i + 1).join().get("positions"));
                positions
                        .properties()
                        .forEach(one -> ends.merge(
                                Integer.valueOf(one.getKey()), one.getValue().asLong(), Math::max));
            }
            agree(List.of("by_rider", "by_place", "by_fare"));
        }
    }

    void oneIsDroppedAndTheOthersGoOn() throws Exception {
        client.flush("by_rider");
        verified("by_rider");
        verified("by_place");
        client.drop("by_rider");
        produce(100, 10);
        agree(List.of("by_place", "by_fare"));
        client.flush("by_place");
        client.drop("by_fare");
        verified("by_place");
        assertThat(letters("by_place")).hasSize((int) expected(ride -> ride.fare == null));
        assertThatThrownBy(() -> client.query("by_rider").count()).hasMessageContaining("by_rider");
        // The topic's records are still there: made anew it has all of them.
        create("by_rider", ", nullable: true", "{field: rider}");
        agree(List.of("by_rider", "by_place"));
        verified("by_rider");
        client.drop("by_rider");
        client.drop("by_place");
    }
}
