package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TopicIndexTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    /** Notes which streams' entries are read. */
    private static final class Watched extends ForwardingCatalogStore {
        private final List<String> read = new ArrayList<>();
        /** Done once, before nodes of the index are read. */
        private Runnable meanwhile = () -> {};
        /** Done once, when an entry has been read. */
        private Runnable beforeEntry = () -> {};

        Watched() {
            super(new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()));
        }

        @Override
        public Optional<Node> read(String path) {
            if (path.startsWith("/streams/")) {
                read.add(path);
                Optional<Node> entry = super.read(path);
                Runnable now = beforeEntry;
                beforeEntry = () -> {};
                now.run();
                return entry;
            }
            return super.read(path);
        }

        @Override
        public List<Optional<Node>> readAll(List<String> paths) {
            if (!paths.isEmpty() && paths.get(0).startsWith("/topics/")) {
                Runnable now = meanwhile;
                meanwhile = () -> {};
                now.run();
            }
            return paths.stream().map(this::read).toList();
        }
    }

    private final Watched store = new Watched();
    private final Namespace namespace = new Namespace(store);

    private StreamInfo create(String name, String topic) {
        return namespace.create(name, SCHEMA, RecordFormat.CSV, topic, new long[1], 1);
    }

    /** Tuple blocks are of one layout: another stream of the topic would make dead letters of them. */
    @Test
    void blocksAreSharedByStreamsThatCanReadThem() {
        Schema blocks = text(SCHEMA, true);
        Schema others = text(
                new Schema(List.of(new Field("u", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("u"), "u"), true);
        namespace.create("a", blocks, RecordFormat.CSV, "t", new long[1], 1);
        assertThat(namespace
                        .create("b", blocks, RecordFormat.BLOCK, "t", new long[1], 1)
                        .sharesTopic())
                .isTrue();
        Schema indexed = text(
                new Schema(
                        List.of(new Field("t", FieldType.TIMESTAMP, false, TimestampUnit.SECONDS, false)),
                        new KeySpec.Ordered("t"),
                        "t"),
                true);
        assertThat(namespace
                        .create("unit", indexed, RecordFormat.BLOCK, "t", new long[1], 1)
                        .sharesTopic())
                .isTrue();
        for (Schema wrong : List.of(SCHEMA, others)) {
            assertThatThrownBy(() -> namespace.create("c", wrong, RecordFormat.CSV, "t", new long[1], 1))
                    .hasMessageStartingWith("rows of stream a are tuple blocks in topic t, which stream c cannot read");
        }
        create("text", "u");
        assertThatThrownBy(() -> namespace.create("c", blocks, RecordFormat.CSV, "u", new long[1], 1))
                .hasMessageStartingWith("rows of stream c are tuple blocks in topic u, which stream text cannot read");
        assertThat(namespace.find("c")).isEmpty();
        // Once the first is dropped, the next is compared with those that still read the topic.
        namespace.drop("a");
        assertThat(holder("t")).isIn("~b", "~unit");
        namespace.drop(holder("t").substring(1));
        assertThatThrownBy(() -> create("c", "t")).hasMessageContaining("are tuple blocks in topic t, which stream c");
        assertThat(namespace
                        .create("d", blocks, RecordFormat.CSV, "t", new long[1], 1)
                        .sharesTopic())
                .isFalse();
        assertThat(holder("t")).isEqualTo("d");
        namespace.drop("d");
        namespace.drop(holder("t").substring(1));
        assertThat(store.children("/topics")).containsExactly("u");
        assertThat(create("c", "t").sharesTopic()).isFalse();
    }

    private static Schema text(Schema schema, boolean blocks) {
        return new Schema(schema.fields(), schema.key(), schema.timeField(), RecordText.DEFAULT.withBlocks(blocks));
    }

    /** That a new stream of the topic shares it; the new one is dropped again. */
    private void assertShared(String topic) {
        assertThat(create("new", topic).sharesTopic()).isTrue();
        assertThat(namespace.find("new").orElseThrow().sharesTopic()).isTrue();
        namespace.drop("new");
    }

    private String holder(String topic) {
        return new String(store.read("/topics/" + topic).orElseThrow().data(), StandardCharsets.UTF_8);
    }

    private void commit(CatalogStore.Op... ops) throws Exception {
        store.commit(List.of(ops));
    }

    private CatalogStore.Op write(String path, String data) {
        return new CatalogStore.Op.Set(
                path,
                data.getBytes(StandardCharsets.UTF_8),
                store.read(path).orElseThrow().version());
    }

    /** What a release without an index would have left. */
    private void forgetIndex() throws Exception {
        for (String topic : store.children("/topics")) {
            commit(new CatalogStore.Op.Delete("/topics/" + topic, CatalogStore.Op.Delete.ANY_VERSION));
        }
        commit(write("/topics", ""));
    }

    @Test
    void whoCreatesAStreamReadsNoOther() {
        for (int s = 0; s < 100; s++) {
            create("s" + s, "t" + s);
        }
        store.read.clear();
        create("one-more", "another");
        assertThat(store.read).isEmpty();
        create("shares", "t7");
        assertThat(store.read).containsOnly("/streams/s7");
    }

    @Test
    void aTopicIsFreeOnceItsStreamIsDropped() {
        create("s", "t");
        namespace.drop("s");
        assertThat(store.children("/topics")).isEmpty();
        assertThat(create("other", "t").sharesTopic()).isFalse();
        assertShared("t");
        assertThatThrownBy(() -> create("other", "t")).hasMessageContaining("exists already");
    }

    @Test
    void eachOfSeveralStreamsOfATopicComesAndGoesAlone() {
        StreamInfo a = create("a", "t");
        StreamInfo b = create("b", "t");
        StreamInfo c = create("c", "t");
        assertThat(List.of(a.sharesTopic(), b.sharesTopic(), c.sharesTopic())).containsExactly(false, true, true);
        assertThat(namespace.streams()).containsExactlyInAnyOrder(a, b, c);
        // A release that reads a topic for one stream only must refuse the others' entries, and no more.
        assertThat(new String(store.read("/streams/a").orElseThrow().data(), StandardCharsets.UTF_8))
                .contains("\"layout\":5")
                .doesNotContain("sharesTopic");
        assertThat(new String(store.read("/streams/b").orElseThrow().data(), StandardCharsets.UTF_8))
                .contains("\"layout\":6", "\"sharesTopic\":true");
        StreamInfo changed = namespace.changePolicy("b", old -> old.withRetention(Retention.parse("30d")));
        assertThat(changed.sharesTopic()).isTrue();
        assertThat(namespace.find("b")).contains(changed);
        namespace.drop("b");
        assertThat(holder("t")).isEqualTo("a");
        namespace.drop("a");
        assertThat(holder("t")).isEqualTo("~c");
        assertThat(namespace.find("c")).contains(c);
        // What was kept beside the topic under the name that a had is free, and c has names of its own.
        assertThat(create("d", "t").sharesTopic()).isFalse();
        assertShared("t");
        assertThat(holder("t")).isEqualTo("d");
    }

    /** Most who create a stream name no topic: its records must not get into another stream's topic by chance. */
    @Test
    void aStreamOfTheTopicsNameDoesNotShareIt() {
        create("trips", "rides");
        assertThatThrownBy(() -> create("rides", "rides"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("TOPIC_TAKEN"))
                .hasMessageContaining("topic rides is read by another stream already");
        assertThat(namespace.find("rides")).isEmpty();
        namespace.drop("trips");
        assertThat(create("rides", "rides").sharesTopic()).isFalse();
    }

    /** The first goes while the second is created. */
    @Test
    void whoFindsATopicTakenCommitsOnlyWhileItIs() {
        create("a", "t");
        store.beforeEntry = () -> namespace.drop("a");
        StreamInfo b = create("b", "t");
        assertThat(b.sharesTopic()).isFalse();
        assertThat(holder("t")).isEqualTo("b");
    }

    @Test
    void whoCompletesTheIndexNamesTheStreamThatWasFirst() throws Exception {
        create("z", "t");
        create("a", "t");
        create("b", "shared");
        create("c", "shared");
        namespace.drop("b");
        forgetIndex();
        create("x", "tx");
        assertThat(holder("t")).isEqualTo("z");
        assertThat(store.children("/topics")).containsExactlyInAnyOrder("t", "tx");
        assertShared("t");
        assertThat(create("d", "shared").sharesTopic()).isFalse();
    }

    @Test
    void streamsOfAReleaseWithoutAnIndexAreFoundAndReadOnce() throws Exception {
        create("a", "ta");
        create("b", "tb");
        forgetIndex();
        assertShared("tb");
        assertThat(store.children("/topics")).containsExactly("ta", "tb");
        create("c", "tc");
        store.read.clear();
        create("d", "td");
        assertThat(store.read).isEmpty();

        // It raises the next id and writes an entry, nothing else.
        StreamInfo late = create("late", "tl");
        commit(new CatalogStore.Op.Delete("/topics/tl", CatalogStore.Op.Delete.ANY_VERSION));
        commit(write("/topics", String.valueOf(late.id())));
        assertShared("tl");
        assertShared("ta");
    }

    /** Who completes it knows entries that are older than the nodes. */
    @Test
    void whatOthersWriteWhileTheIndexIsCompletedStays() throws Exception {
        create("s", "t");
        forgetIndex();
        store.meanwhile = () -> {
            namespace.drop("s");
            create("s2", "t");
        };
        create("x", "tx");
        assertShared("t");
        assertShared("tx");
    }

    @Test
    void aNodeThatADropOfSuchAReleaseLeftTakesNoTopic() throws Exception {
        create("s", "t");
        namespace.drop("s");
        commit(new CatalogStore.Op.Create("/topics/t", "s".getBytes(StandardCharsets.UTF_8)));
        create("other", "t");
        assertShared("t");
        namespace.drop("other");
        // The name came back with another topic.
        commit(new CatalogStore.Op.Create("/topics/t", "s".getBytes(StandardCharsets.UTF_8)));
        create("s", "elsewhere");
        create("third", "t");
        assertShared("t");
    }

    @Test
    void whatAnEntryThatCannotBeReadMayFeedIsTaken() throws Exception {
        create("s", "t");
        commit(write("/streams/s", "damaged"));
        assertShared("t");
        create("other", "free");
        forgetIndex();
        assertThatThrownBy(() -> create("new", "anything"))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("TOPIC_UNSURE"))
                .hasMessageContaining("/streams/s cannot be read");
        assertThat(namespace.find("new")).isEmpty();
    }

    @Test
    void anyNameOfATopicIsANode() {
        for (String topic : List.of(".", "..", "...a", "a/b", "ä b", "a.b-c_D")) {
            assertThat(TopicIndex.path(topic).substring("/topics/".length()))
                    .doesNotContain("/")
                    .doesNotStartWith(".");
        }
        assertThat(TopicIndex.path("a.b-c_D")).isEqualTo("/topics/a.b-c_D");
    }
}
