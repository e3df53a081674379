package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.decode.registry.RegistryAccess;
import io.waterwheel.decode.registry.TestRegistry;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Topics that other programs have filled, from the topic to the answer by {@code stream create --like-topic}. */
final class TopicsAsTheyAre {
    private final String url;
    private final String kafka;
    private final Path folder;

    TopicsAsTheyAre(String url, String kafka, Path folder) {
        this.url = url;
        this.kafka = kafka;
        this.folder = folder;
    }

    private CliResult run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--server", url));
        int code = Main.run(
                all.toArray(String[]::new),
                new Terminal(
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        false));
        return new CliResult(code, out.toString(UTF_8), err.toString(UTF_8));
    }

    private void produce(String topic, List<byte[]> values) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < values.size(); i++) {
                var unused = producer.send(new ProducerRecord<>(topic, i % 2, null, values.get(i)));
            }
        }
    }

    private String created(String topic, String... options) throws Exception {
        return created(() -> {}, topic, options);
    }

    /** @param between is done before the stream is there */
    private String created(Runnable between, String topic, String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("stream", "create", "--like-topic", topic));
        words.addAll(List.of(options));
        CliResult proposed = run(words.toArray(String[]::new));
        assertThat(proposed.code()).as("%s", proposed).isZero();
        Path file = Files.writeString(folder.resolve(topic + ".yaml"), proposed.out());
        between.run();
        CliResult created = run("stream", "create", file.toString());
        assertThat(created.code()).as("%s\n%s", created, proposed.out()).isZero();
        return proposed.out();
    }

    private void counts(String stream, long rows, Map<Integer, Long> positions) {
        String atLeast = positions.get(0) + "," + positions.get(1);
        CliResult counted =
                run("query", stream, "--count", "--at-least", "0:" + positions.get(0) + ",1:" + positions.get(1));
        assertThat(counted.out()).as("%s at least %s", counted, atLeast).isEqualTo(rows + "\n");
    }

    void aTopicIsTakenWithNothingEdited() throws Exception {
        List<byte[]> json = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            json.add(("{\"order\": {\"id\": \"o-" + i % 7 + "\", \"cents\": " + i + "},\n \"at\": "
                            + (1_633_608_000_000L + i) + "}\n")
                    .getBytes(UTF_8));
        }
        json.add(null);
        json.add("no JSON".getBytes(UTF_8));
        produce("shop.seen", json);
        assertThat(created("shop.seen"))
                .startsWith("""
                        # Topic shop.seen has 2 partitions. All 102 records were looked at.
                        # 1 have no value: they will be dead letters.
                        """)
                .contains(
                        "name: shop.seen\ntopic: shop.seen\nformat: json\n",
                        "{name: order_cents, type: long, nullable: true, from: '$.order.cents'}",
                        "# 1 of 101 records are no tuples of it and will be dead letters, the first: topic shop.seen,"
                                + " record ");
        counts("shop.seen", 100, Map.of(0, 51L, 1, 51L));

        List<byte[]> csv = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            csv.add(("2021-10-07T12:00:" + (i + 10) + "Z;k" + i % 5 + ";" + i + ",5").getBytes(UTF_8));
        }
        produce("plain_lines", csv);
        assertThat(created("plain_lines", "--name", "named", "--columns", "at,key,x"))
                .contains("name: named\ntopic: plain_lines\nformat: csv\n", "delimiter: ';'", "{name: x, type: double")
                .endsWith("# All records that were looked at are tuples of it.\n");
        counts("named", 50, Map.of(0, 25L, 1, 25L));
    }

    /** Records of a topic in batches of each codec, with fields that Kafka has of them. */
    void whatKafkaHasOfARecordIsAField() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka))) {
            // Its records say 2021: by default Kafka deletes them when it looks next, some minutes later.
            NewTopic kept = new NewTopic("devices", 1, (short) 1).configs(Map.of("retention.ms", "-1"));
            admin.createTopics(List.of(kept)).all().get();
        }
        List<String> codecs = List.of("none", "gzip", "snappy", "lz4", "zstd");
        StringBuilder expected = new StringBuilder("at,device,codec,nr,v\n");
        int nr = 0;
        for (String codec : codecs) {
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", kafka, "compression.type", codec, "linger.ms", 50),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                for (int i = 0; i < 20; i++) {
                    long at = 1_633_608_000_000L + nr;
                    boolean header = i % 2 == 0;
                    var unused = producer.send(new ProducerRecord<>(
                            "devices",
                            0,
                            at,
                            ("d-" + i).getBytes(UTF_8),
                            ("{\"v\": " + i + "}").getBytes(UTF_8),
                            header ? List.of(new RecordHeader("codec", codec.getBytes(UTF_8))) : List.of()));
                    expected.append(at).append(",d-" + i + "," + (header ? codec : "") + "," + nr + "," + i + "\n");
                    nr++;
                }
            }
        }
        Path file = Files.writeString(folder.resolve("devices.yaml"), """
                name: devices
                format: json
                fields:
                  - {name: at, type: timestamp, from: kafka.timestamp}
                  - {name: device, type: string, from: kafka.key}
                  - {name: codec, type: string, nullable: true, from: kafka.headers.codec}
                  - {name: nr, type: long, from: kafka.offset}
                  - {name: v, type: int}
                key: {field: device}
                time: at
                """);
        assertThat(run("stream", "create", file.toString()).code()).isZero();
        CliResult rows = run(
                "query", "devices", "--order-by", "nr", "--limit", "1000", "--format", "csv", "--at-least", "0:" + nr);
        assertThat(rows.out()).as("%s", rows).isEqualTo(expected.toString());
        CliResult tail = run(
                "tail", "devices", "--from", "earliest", "--limit", "" + nr, "--format", "csv", "--where", "nr >= 0");
        assertThat(tail.out()).as("%s", tail).isEqualTo(expected.toString());
        // Its values hold no time, and nothing that is called like a key.
        assertThat(created("devices", "--name", "proposed"))
                .contains(
                        "{name: kafka_timestamp, type: timestamp, from: kafka.timestamp}",
                        "key: {field: kafka_key}",
                        "time: kafka_timestamp\n")
                .endsWith("# All records that were looked at are tuples of it.\n");
        assertThat(run("query", "proposed", "--key", "d-3", "--count", "--at-least", "0:" + nr)
                        .out())
                .isEqualTo(codecs.size() + "\n");
        run("flush", "devices");
        CliResult verified = run("verify", "devices");
        assertThat(verified.code()).as("%s", verified).isZero();
        Path lines = Files.writeString(folder.resolve("devices.json"), "{\"v\": 1}\n");
        assertThat(run("append", "devices", lines.toString()).toString()).contains("device: the record has no key");
        Path csv = Files.writeString(folder.resolve("devices.csv"), "v\n1\n");
        assertThat(run("append", "devices", csv.toString()).err())
                .contains("its records are appended as they are: the file must be json");
    }

    /** Two generations of producers, and a registry that is away at first; it is the tests' own. */
    void avroOfARegistryIsReadBesideAnOutage() throws Exception {
        try (TestRegistry registry = new TestRegistry()) {
            registry.register(1, "AVRO", """
                    {"type": "record", "name": "Trip", "fields": [
                      {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                      {"name": "taxi", "type": "string"}]}""");
            registry.register(2, "AVRO", """
                    {"type": "record", "name": "Trip", "fields": [
                      {"name": "fare", "type": ["null", "int"]},
                      {"name": "taxi", "type": "string"},
                      {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}}]}""");
            registry.answer(503, "{\"error_code\": 50301, \"message\": \"no leader\"}");
            Path file = Files.writeString(folder.resolve("trips.yaml"), """
                    name: trips
                    format: avro
                    partitions: 1
                    fields:
                      - {name: at, type: timestamp}
                      - {name: taxi, type: string}
                      - {name: fare, type: int, nullable: true}
                      - {name: nr, type: long, from: kafka.offset}
                    key: {field: taxi}
                    time: at
                    records: {registry: 'REGISTRY'}
                    """.replace("REGISTRY", registry.address()));
            CliResult created = run("stream", "create", file.toString());
            assertThat(created.code()).as("%s", created).isZero();
            StringBuilder expected = new StringBuilder("at,taxi,fare,nr\n");
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", kafka), new ByteArraySerializer(), new ByteArraySerializer())) {
                for (int i = 0; i < 30; i++) {
                    int id = i == 15 ? 99 : 1 + i % 2;
                    ByteBuffer record = ByteBuffer.allocate(100).put((byte) 0).putInt(id);
                    long at = 1_633_608_000_000L + i;
                    if (id == 2) {
                        avro(record.put((byte) 2), i);
                    } else {
                        avro(record, at);
                    }
                    record.put((byte) 4).put((byte) 't').put((byte) ('0' + i % 3));
                    if (id == 2) {
                        avro(record, at * 1_000);
                    }
                    byte[] value = Arrays.copyOf(record.array(), record.position());
                    var unused = producer.send(new ProducerRecord<>("trips", 0, null, value));
                    if (id != 99) {
                        expected.append(at + ",t" + i % 3 + "," + (id == 2 ? i : "") + "," + i + "\n");
                    }
                }
            }
            Waiting.until("the status says that it waits", () -> run("status")
                    .out()
                    .contains("stands still: waits before offset 0: schema 1 of the registry " + registry.address()
                            + ": it answered with status 503, no leader. It is asked again every second"));
            registry.answer(200, "");
            CliResult rows = run(
                    "query", "trips", "--order-by", "nr", "--limit", "100", "--format", "csv", "--at-least", "0:30");
            assertThat(rows.out()).as("%s", rows).isEqualTo(expected.toString());
            CliResult tail = run("tail", "trips", "--from", "earliest", "--limit", "29", "--format", "csv");
            assertThat(tail.out()).as("%s", tail).isEqualTo(expected.toString());
            assertThat(run("dead-letters", "trips").out())
                    .contains("the registry " + registry.address() + " has no schema 99");
            CliResult verified = run("verify", "trips");
            assertThat(verified.code()).as("%s", verified).isZero();
            Path csv = Files.writeString(folder.resolve("trips.csv"), "at,taxi\n1,t\n");
            assertThat(run("append", "trips", csv.toString()).err())
                    .contains("the records of stream trips are avro, which programs write to its topic themselves");
        }
    }

    /**
     * Avro of two generations and Protocol Buffers, from the topic to the answer, with nothing edited.
     *
     * @param registry that wants a password, which the server has by its configuration
     */
    void topicsOfARegistryAreTaken(TestRegistry registry) throws Exception {
        Runnable guarded = () -> registry.guard("Basic cmVhZGVyOnNlY3JldA==");
        registry.guard("");
        registry.register(11, "AVRO", """
                {"type": "record", "name": "Trip", "fields": [
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                  {"name": "taxi", "type": "string"},
                  {"name": "place", "type": {"type": "record", "name": "Place", "fields": [
                    {"name": "lon", "type": "double"}, {"name": "lat", "type": "double"}]}},
                  {"name": "fare", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                  {"name": "raw", "type": "bytes"}]}""");
        registry.register(12, "AVRO", """
                {"type": "record", "name": "Trip", "fields": [
                  {"name": "note", "type": ["null", "string"]},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                  {"name": "taxi", "type": "string"},
                  {"name": "place", "type": {"type": "record", "name": "Place", "fields": [
                    {"name": "lon", "type": "double"}, {"name": "lat", "type": "double"}]}},
                  {"name": "fare", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                  {"name": "raw", "type": "bytes"}]}""");
        List<byte[]> avro = new ArrayList<>();
        long fares = 0;
        for (int i = 0; i < 60; i++) {
            ByteBuffer record = ByteBuffer.allocate(100).put((byte) 0).putInt(11 + i % 2);
            if (i % 2 == 1) {
                record.put((byte) 2).put((byte) 2).put((byte) 'n');
            }
            avro(record, 1_633_608_000_000_000L + i);
            record.put((byte) 4).put((byte) 't').put((byte) ('0' + i % 3));
            record.order(ByteOrder.LITTLE_ENDIAN).putDouble(13 + i / 100.0).putDouble(52 + i / 100.0);
            record.put((byte) 4).put((byte) (i / 10)).put((byte) i);
            fares += ((i / 10) << 8) + i;
            record.put((byte) 4).put((byte) 0).put((byte) i);
            avro.add(Arrays.copyOf(record.array(), record.position()));
        }
        produce("registered.avro", avro);
        registry.guard("Basic cmVhZGVyOnNlY3JldA==");
        CliResult refused =
                run("stream", "create", "--like-topic", "registered.avro", "--registry", registry.address());
        assertThat(refused.err()).contains("it wants a password or a token", "[SCHEMA_REGISTRY_UNAVAILABLE]");
        registry.guard("");
        String proposed = created(guarded, "registered.avro", "--registry", registry.address(), "--name", "registered");
        assertThat(proposed)
                .contains(
                        "# Their schemas, of the registry " + registry.address()
                                + ": 11 of subject of-11, 12 of subject of-12.",
                        "name: registered\ntopic: registered.avro\nformat: avro\n",
                        "{name: at, type: timestamp_us}",
                        "{name: place_lon, type: double, from: '$.place.lon'}",
                        "{name: fare, type: 'decimal(9, 2)', nullable: true}",
                        "{name: raw, type: bytes, nullable: true}",
                        "{name: note, type: string, nullable: true}",
                        "key: {longitude: place_lon, latitude: place_lat",
                        "records:\n  registry: '" + registry.address() + "'\n")
                .endsWith("# All records that were looked at are tuples of it.\n");
        counts("registered", 60, Map.of(0, 30L, 1, 30L));
        CliResult sums = run(
                "query",
                "registered",
                "--agg",
                "sum(fare) AS f,count(note) AS n,max(place_lat) AS l",
                "--format",
                "csv",
                "--at-least",
                "0:30,1:30");
        assertThat(sums.out())
                .as("%s", sums)
                .isEqualTo("f,n,l\n" + BigDecimal.valueOf(fares, 2).toPlainString() + ",30,52.59\n");
        CliResult verified = run("verify", "registered");
        assertThat(verified.code()).as("%s", verified).isZero();
        try (WaterwheelClient let = WaterwheelClient.connect(url)) {
            let.useRegistryAccess(
                    RegistryAccess.of("of the test", "env:LINES", name -> registry.address() + " basic reader:secret"));
            try (Tail tail = let.tail("registered", TailSettings.NOW.fromEarliest())) {
                assertThat(tail.poll(Duration.ofMinutes(5))).isNotNull();
            }
        }

        registry.guard("");
        registry.register(21, "PROTOBUF", """
                syntax = "proto3";
                import "google/protobuf/timestamp.proto";
                message Other { string x = 1; }
                message Ride {
                  google.protobuf.Timestamp started = 1;
                  message Rider { string name = 1; optional int32 age = 2; }
                  Rider rider = 2;
                  double fare = 3;
                  bytes raw = 4;
                  enum Kind { CAR = 0; BIKE = 1; }
                  Kind kind = 5;
                  map<string, string> tags = 6;
                }
                """);
        List<byte[]> rides = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ByteBuffer record = ByteBuffer.allocate(100).put((byte) 0).putInt(21);
            record.put((byte) 2).put((byte) 2); // the message at place 1
            record.put((byte) 0x0A).put((byte) 9).put((byte) 0x08);
            varint(record, 1_633_608_000L + i);
            record.put((byte) 0x10).put((byte) 0xE8).put((byte) 0x07); // 1000 ns
            record.put((byte) 0x12)
                    .put((byte) 4)
                    .put((byte) 0x0A)
                    .put((byte) 2)
                    .put((byte) 'r')
                    .put((byte) ('0' + i % 4));
            record.put((byte) 0x19).order(ByteOrder.LITTLE_ENDIAN).putDouble(i / 4.0);
            record.put((byte) 0x28).put((byte) (i % 2));
            rides.add(Arrays.copyOf(record.array(), record.position()));
        }
        produce("registered.rides", rides);
        proposed = created(guarded, "registered.rides", "--registry", registry.address());
        assertThat(proposed)
                .contains(
                        "format: protobuf\n",
                        "{name: started, type: timestamp_us}",
                        "{name: rider_name, type: string, from: '$.rider.name'}",
                        "{name: fare, type: double, nullable: true}",
                        "{name: raw, type: bytes, nullable: true}",
                        "{name: kind, type: string, nullable: true}",
                        "key: {field: rider_name}",
                        "time: started\n")
                .endsWith("# All records that were looked at are tuples of it.\n");
        CliResult rows = run(
                "query",
                "registered.rides",
                "--key",
                "r1",
                "--where",
                "kind = 'BIKE'",
                "--agg",
                "count(*) AS n,sum(fare) AS f,min(started) AS t",
                "--format",
                "csv",
                "--at-least",
                "0:20,1:20");
        assertThat(rows.out()).as("%s", rows).isEqualTo("n,f,t\n10,47.5,1633608001000001\n");
    }

    private static void varint(ByteBuffer out, long value) {
        long left = value;
        while (left > 0x7F) {
            out.put((byte) ((left & 0x7F) | 0x80));
            left >>>= 7;
        }
        out.put((byte) left);
    }

    /** A number as Avro has it. */
    private static void avro(ByteBuffer out, long value) {
        long zigzag = (value << 1) ^ (value >> 63);
        while ((zigzag & ~0x7FL) != 0) {
            out.put((byte) ((zigzag & 0x7F) | 0x80));
            zigzag >>>= 7;
        }
        out.put((byte) zigzag);
    }

    void whatCannotBeReadIsSaid() throws Exception {
        List<byte[]> framed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            framed.add(new byte[] {0, 0, 0, 0, 7, (byte) i, 2, 3});
        }
        produce("framed", framed);
        CliResult refused = run("stream", "create", "--like-topic", "framed");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err())
                .contains("topic framed: of 10 records most begin with a zero byte and the number of a schema, as"
                        + " serialisers with a schema registry write: say where that is, by --registry")
                .contains("[BAD_TOPIC]");
        try (TestRegistry registry = new TestRegistry()) {
            assertThat(run("stream", "create", "--like-topic", "framed", "--registry", registry.address())
                            .err())
                    .contains("none can be read by the schemas of the registry " + registry.address()
                            + ": the registry " + registry.address() + " has no schema 7");
            assertThat(run(
                                    "stream",
                                    "create",
                                    "--like-topic",
                                    "framed",
                                    "--registry",
                                    "http://me:secret@" + registry.address().substring(7))
                            .err())
                    .contains("--registry: expected an address such as http://registry:8081, without a user")
                    .contains("got '...@")
                    .doesNotContain("secret");
            registry.register(7, "JSON", "{}");
            assertThat(run("stream", "create", "--like-topic", "framed", "--registry", registry.address())
                            .err())
                    .contains("schema 7 is of type json, and a stream reads avro and protobuf behind such a prefix");
        }
        assertThat(run("stream", "create", "--like-topic", "nowhere").err())
                .contains("has no topic 'nowhere' [BAD_TOPIC]");
        assertThat(run("stream", "create", "--like-topic", "framed", "--like", "x.csv")
                        .code())
                .isEqualTo(2);
    }
}
