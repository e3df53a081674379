package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
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
        List<String> words = new ArrayList<>(List.of("stream", "create", "--like-topic", topic));
        words.addAll(List.of(options));
        CliResult proposed = run(words.toArray(String[]::new));
        assertThat(proposed.code()).as("%s", proposed).isZero();
        Path file = Files.writeString(folder.resolve(topic + ".yaml"), proposed.out());
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

    void whatCannotBeReadIsSaid() throws Exception {
        List<byte[]> framed = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            framed.add(new byte[] {0, 0, 0, 0, 7, (byte) i, 2, 3});
        }
        produce("framed", framed);
        CliResult refused = run("stream", "create", "--like-topic", "framed");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err())
                .contains("topic framed: of 10 records 10 begin with a zero byte and four more, as serialisers with a"
                        + " schema registry write")
                .contains("[BAD_TOPIC]");
        assertThat(run("stream", "create", "--like-topic", "nowhere").err())
                .contains("has no topic 'nowhere' [BAD_TOPIC]");
        assertThat(run("stream", "create", "--like-topic", "framed", "--like", "x.csv")
                        .code())
                .isEqualTo(2);
    }
}
