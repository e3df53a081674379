package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.SourceTopics.TopicState;
import io.waterwheel.topology.worker.TopicRecords;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Of which topics records are deleted, and up to where, with the streams of two namespaces. */
final class IndexedRecordsDeletionTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
    private static final long END = 1_000;

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final CatalogStore otherStore = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    private final Namespace other = new Namespace(otherStore);
    private final Metrics metrics = new Metrics(10);
    /** By name the id of the topic that is there now. */
    private final Map<String, String> ids = new HashMap<>();

    private final Map<String, Long> begins = new TreeMap<>();
    private long clock = 1_000_000;
    private long end = END;
    private int epoch = 1;
    private PartitionTrouble trouble = PartitionTrouble.NONE;
    private boolean wanted;
    private final Map<String, Map<Integer, Long>> deleted = new LinkedHashMap<>();

    private StreamInfo create(Namespace in, String name, String topic, boolean made) {
        ids.putIfAbsent(topic, "id of " + topic);
        return in.create(
                name,
                SCHEMA,
                RecordFormat.CSV,
                new StartOfTopic(
                        topic,
                        new long[] {begins.getOrDefault(topic, 0L)},
                        LogIdentity.first(ids.getOrDefault(topic, "")),
                        made),
                1,
                StreamPolicy.DEFAULT);
    }

    private static void flush(CatalogStore in, StreamInfo stream, long upTo) {
        StreamCatalog catalog = new StreamCatalog(in, stream);
        StreamCatalog.IndexerStart start = catalog.startIndexer(0);
        assertThat(catalog.commitFlush(
                        0,
                        start.nodeVersion(),
                        new IndexerCheckpoint(
                                start.checkpoint().epoch(), start.checkpoint().flushed() + 1, new long[] {upTo}, 0),
                        List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
    }

    /** What was wrong at the last look. */
    private String told = "";

    private Map<String, Map<Integer, Long>> look(Duration stay) {
        deleted.clear();
        IndexedRecordsDeletion deletion =
                new IndexedRecordsDeletion(services(), this::reports, stay, () -> Instant.ofEpochMilli(clock));
        deletion.look();
        // The first has made a mark, which is old enough for the second.
        clock += 2_000;
        told = deletion.look();
        return deleted;
    }

    private Map<Integer, Control.PartitionReport> reports(int stream) {
        return Map.of(
                0, new Control.PartitionReport(stream, 0, new Control.Positions(0, 0, 0, 0, 0), 0, trouble, 1, ""));
    }

    private CoordinatorServices services() {
        return (CoordinatorServices) Proxy.newProxyInstance(
                CoordinatorServices.class.getClassLoader(),
                new Class<?>[] {CoordinatorServices.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "config" -> WaterwheelConfig.parse("test", "", List.of("source.check-interval=100 ms"));
                    case "catalogStore" -> store;
                    case "namespace" -> namespace;
                    case "metrics" -> metrics;
                    case "requireCatalog" -> null;
                    case "topicRecords" -> new Records();
                    case "topicStates" -> states((Collection<?>) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Map<Integer, TopicState> states(Collection<?> asked) {
        Map<Integer, TopicState> states = new HashMap<>();
        for (Object one : asked) {
            StreamInfo stream = (StreamInfo) one;
            String id = ids.get(stream.topic());
            if (id != null) {
                states.put(
                        stream.id(),
                        new TopicState(
                                id,
                                new long[] {begins.getOrDefault(stream.topic(), 0L)},
                                new long[] {end},
                                new int[] {epoch},
                                ""));
            }
        }
        return states;
    }

    private final class Records implements TopicRecords {
        @Override
        public <T, E extends Exception> T keepingAll(Work<T, E> work) throws E {
            return work.run();
        }

        @Override
        public void unlessAllAreWanted(Runnable deletion) {
            if (!wanted) {
                deletion.run();
            }
        }

        @Override
        public void deleteBefore(String topic, Map<Integer, Long> before) {
            deleted.put(topic, before);
            begins.put(topic, before.getOrDefault(0, 0L));
        }

        @Override
        public Set<String> topicsOfOthers() {
            return other.streams().stream().map(StreamInfo::topic).collect(Collectors.toSet());
        }
    }

    @Test
    void onlyOfTopicsThatWereMadeAndUpToWhereAllStreamsAre() {
        StreamInfo own = create(namespace, "own", "own", true);
        StreamInfo there = create(namespace, "there", "there", false);
        flush(store, own, 400);
        flush(store, there, 400);
        wanted = true;
        assertThat(look(Duration.ZERO)).as("somebody reads all").isEmpty();
        wanted = false;
        assertThat(look(Duration.ofHours(2))).as("they stay for a while").isEmpty();
        assertThat(look(Duration.ZERO)).containsExactly(Map.entry("own", Map.of(0, 400L)));
        assertThat(look(Duration.ZERO)).as("nothing more").isEmpty();

        StreamInfo second = create(namespace, "second", "own", false);
        flush(store, own, 900);
        flush(store, second, 700);
        assertThat(look(Duration.ZERO)).containsExactly(Map.entry("own", Map.of(0, 700L)));
        create(other, "foreign", "own", false);
        flush(store, second, 800);
        assertThat(look(Duration.ZERO))
                .as("a stream of another namespace reads it")
                .isEmpty();
        other.drop("foreign");
        assertThat(look(Duration.ZERO)).containsExactly(Map.entry("own", Map.of(0, 800L)));
    }

    @Test
    void aLogThatWasCutKeepsItsNewRecords() {
        StreamInfo own = create(namespace, "own", "own", true);
        flush(store, own, END);
        end = 800;
        assertThat(look(Duration.ZERO)).as("cut").isEmpty();
        // Filled up by producers that go on; the stream stands still.
        end = 5_000;
        epoch = 2;
        trouble = PartitionTrouble.of(PartitionTrouble.Kind.LOG_TRUNCATED);
        assertThat(look(Duration.ZERO)).isEmpty();
        assertThat(look(Duration.ofHours(2))).isEmpty();
        LogIdentity log = new StreamCatalog(store, own)
                .changeLog(0, LogIdentity.first("id of own"), "id of own", 800)
                .route()
                .log();
        trouble = PartitionTrouble.NONE;
        assertThat(look(Duration.ZERO))
                .as("it has none of the records in chunks yet")
                .isEmpty();
        flush(store, own, log.base() + 900);
        assertThat(look(Duration.ZERO)).containsExactly(Map.entry("own", Map.of(0, 900L)));
        flush(store, own, log.base() + 950);
        assertThat(look(Duration.ofMillis(1_500))).containsExactly(Map.entry("own", Map.of(0, 950L)));
        flush(store, own, log.base() + 990);
        epoch = 3;
        assertThat(look(Duration.ofHours(2))).as("marks of another leader").isEmpty();
    }

    @Test
    void aStreamThatSaysKeepKeepsTheTopic() {
        StreamInfo own = create(namespace, "own", "own", true);
        StreamInfo second = create(namespace, "second", "own", false);
        flush(store, own, 400);
        flush(store, second, 400);
        namespace.changePolicy("second", policy -> policy.withIndexedRecords(IndexedRecords.KEEP));
        assertThat(look(Duration.ZERO)).isEmpty();
        namespace.drop("second");
        assertThat(look(Duration.ZERO)).containsExactly(Map.entry("own", Map.of(0, 400L)));
        namespace.changePolicy("own", policy -> policy.withIndexedRecords(IndexedRecords.KEEP));
        flush(store, own, 500);
        assertThat(look(Duration.ZERO)).isEmpty();
    }

    @Test
    void aTopicThatOutlivesItsStreamOrWasMadeAnewIsLeftAlone() throws Exception {
        StreamInfo own = create(namespace, "own", "own", true);
        flush(store, own, 400);
        ids.put("own", "another");
        assertThat(look(Duration.ZERO)).as("made anew by somebody").isEmpty();
        ids.put("own", "id of own");
        namespace.drop("own");
        assertThat(store.children("/data")).isEmpty();
        StreamInfo later = create(namespace, "own", "own", false);
        flush(store, later, 400);
        assertThat(look(Duration.ZERO)).isEmpty();

        StreamInfo made = create(namespace, "made", "made", true);
        flush(store, made, 10);
        assertThat(look(Duration.ZERO)).containsOnlyKeys("made");
        assertThat(told).isEmpty();
        StreamInfo damaged = create(namespace, "damaged", "damaged", true);
        String marks = "/data/" + damaged.id() + "/topic";
        store.commit(List.of(new CatalogStore.Op.Set(marks, "{".getBytes(StandardCharsets.UTF_8), 0)));
        flush(store, made, 15);
        assertThat(look(Duration.ZERO)).as("others go on").containsOnlyKeys("made");
        assertThat(told)
                .startsWith("no records are deleted from topic damaged (")
                .contains(marks);
        flush(store, made, 20);
        store.commit(List.of(new CatalogStore.Op.Create("/streams/broken", "{".getBytes(StandardCharsets.UTF_8))));
        assertThatThrownBy(() -> look(Duration.ZERO))
                .as("it may read any topic")
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(IndexedRecordsDeletion.trouble("topics", e))
                                .startsWith("no records are deleted from topics (TOPIC_UNSURE): ")
                                .contains("[broken] cannot be read"));
    }
}
