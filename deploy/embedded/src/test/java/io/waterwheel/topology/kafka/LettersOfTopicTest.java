package io.waterwheel.topology.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.DeadLetterReader;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.ingest.dispatch.RefusedRow;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.status.DeadLetterText;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which of the letters on a topic are shown: those of the stream, of its namespace, and not more than fit. */
@Tag("embedded")
@Timeout(900)
final class LettersOfTopicTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @TempDir
    static Path folder;

    private static EmbeddedKafka kafka;
    private static KafkaTopics topics;

    @BeforeAll
    static void start() throws Exception {
        kafka = EmbeddedKafka.start(folder, 0);
        topics = new KafkaTopics(kafka.bootstrap());
    }

    @AfterAll
    static void stop() {
        topics.close();
        kafka.close();
    }

    /** Stores a letter for each offset from {@code from} on. */
    private static void store(String topic, String namespace, int stream, long from, List<byte[]> values)
            throws Exception {
        List<RefusedRow> rows = IntStream.range(0, values.size())
                .mapToObj(i -> new RefusedRow(
                        from + i, -1, RefusalKind.VALUE, "of " + namespace, ByteBuffer.wrap(values.get(i))))
                .toList();
        CompletableFuture<Exception> done = new CompletableFuture<>();
        try (KafkaDeadLetters letters =
                new KafkaDeadLetters(kafka.bootstrap(), "w", namespace, id -> topic, topics::ensureDeadLetters)) {
            letters.store(stream, 0, rows, done::complete);
            assertThat(done.get(5, TimeUnit.MINUTES)).isNull();
        }
    }

    private static List<DeadLetterText> shown(String namespace, Map<Integer, String> streams) throws Exception {
        List<DeadLetterText> found = new ArrayList<>();
        new KafkaLetters(kafka.bootstrap(), "r", namespace).read(streams, () -> {}, found::add);
        return found;
    }

    private static List<Long> offsets(List<DeadLetterText> letters) {
        return letters.stream().map(DeadLetterText::offset).toList();
    }

    private static List<DeadLetter> read(String topic, int stream, String namespace) {
        StreamDefinition definition = new StreamDefinition("s", topic, RecordFormat.CSV, 1, SCHEMA);
        StreamDetails details = new StreamDetails(
                stream,
                definition,
                new StreamDetails.Topic(kafka.bootstrap(), false, Map.of(), Map.of(), namespace, ""));
        List<DeadLetter> found = new ArrayList<>();
        DeadLetterReader.read(details, 100, found::add);
        return found;
    }

    /** Streams of two namespaces may have one topic and, as each namespace counts for itself, one id. */
    @Test
    void aNamespaceHasItsOwnLetters() throws Exception {
        topics.ensure("shared", 1);
        store("shared", "a", 1, 5, List.of("mine".getBytes(UTF_8)));
        store("shared", "b", 1, 5, List.of("theirs".getBytes(UTF_8)));
        store("shared", "a", 2, 5, List.of("another stream's".getBytes(UTF_8)));

        assertThat(shown("a", Map.of(1, "shared")))
                .extracting(DeadLetterText::text)
                .containsExactly("mine");
        assertThat(shown("b", Map.of(1, "shared")))
                .extracting(DeadLetterText::text)
                .containsExactly("theirs");
        assertThat(shown("a", Map.of(1, "shared", 2, "shared")))
                .extracting(DeadLetterText::text)
                .containsExactly("mine", "another stream's");
        assertThat(shown("c", Map.of(1, "shared"))).isEmpty();

        assertThat(read("shared", 1, "a")).extracting(DeadLetter::reason).containsExactly("of a");
        assertThat(read("shared", 1, "b")).extracting(DeadLetter::reason).containsExactly("of b");
    }

    @Test
    void theLastRecordsAreShown() throws Exception {
        topics.ensure("many", 1);
        List<byte[]> values = IntStream.range(0, KafkaLetters.LAST + 100)
                .mapToObj(i -> ("row " + i).getBytes(UTF_8))
                .toList();
        store("many", "a", 1, 0, values);
        List<DeadLetterText> found = shown("a", Map.of(1, "many"));
        // Transactions have a place on the topic too.
        assertThat(found).hasSizeBetween(KafkaLetters.LAST - 10, KafkaLetters.LAST);
        int left = values.size() - found.size();
        assertThat(offsets(found))
                .containsExactlyElementsOf(
                        LongStream.range(left, values.size()).boxed().toList());
        assertThat(found.get(0).text()).isEqualTo("row " + left);
    }

    /** Each topic has as large a part of the bytes that are read; a step is read whole. */
    @Test
    void longLettersAreFewer() throws Exception {
        byte[] value = "x".repeat(200_000).getBytes(UTF_8);
        List<byte[]> values = IntStream.range(0, 60).mapToObj(i -> value).toList();
        Map<Integer, String> streams = new TreeMap<>();
        // One 64th of 64 MiB: a topic has 1 MiB, five letters, which are in the first step of ten.
        for (int stream = 1; stream <= 64; stream++) {
            String topic = stream == 1 ? "long" : "long-" + stream;
            topics.ensureDeadLetters(topic);
            streams.put(stream, topic);
        }
        store("long", "a", 1, 0, values);
        List<DeadLetterText> few = shown("a", streams);
        assertThat(few).hasSizeBetween(5, 10);
        assertThat(offsets(few))
                .containsExactlyElementsOf(
                        LongStream.range(60 - few.size(), 60).boxed().toList());
        assertThat(few).allSatisfy(letter -> {
            assertThat(letter.length()).isEqualTo(200_000);
            assertThat(letter.text()).hasSize(KafkaLetters.CHARACTERS);
        });
        assertThat(shown("a", Map.of(1, "long"))).hasSize(60);
    }
}
