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
import io.waterwheel.schema.Schema;
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

        Watched() {
            super(new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()));
        }

        @Override
        public Optional<Node> read(String path) {
            if (path.startsWith("/streams/")) {
                read.add(path);
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

    private void assertTaken(String topic, String by) {
        assertThatThrownBy(() -> create("new", topic))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("TOPIC_TAKEN"))
                .hasMessageContaining(" feed")
                .hasMessageContaining("stream " + by + " already");
        assertThat(namespace.find("new")).isEmpty();
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
        assertTaken("t7", "s7");
        assertThat(store.read).containsOnly("/streams/s7", "/streams/new");
    }

    @Test
    void aTopicIsFreeOnceItsStreamIsDropped() {
        create("s", "t");
        namespace.drop("s");
        assertThat(store.children("/topics")).isEmpty();
        create("other", "t");
        assertTaken("t", "other");
        assertThatThrownBy(() -> create("other", "t")).hasMessageContaining("exists already");
    }

    @Test
    void streamsOfAReleaseWithoutAnIndexAreFoundAndReadOnce() throws Exception {
        create("a", "ta");
        create("b", "tb");
        forgetIndex();
        assertTaken("tb", "b");
        assertThat(store.children("/topics")).containsExactly("ta", "tb");
        create("c", "tc");
        store.read.clear();
        create("d", "td");
        assertThat(store.read).isEmpty();

        // It raises the next id and writes an entry, nothing else.
        StreamInfo late = create("late", "tl");
        commit(new CatalogStore.Op.Delete("/topics/tl", CatalogStore.Op.Delete.ANY_VERSION));
        commit(write("/topics", String.valueOf(late.id())));
        assertTaken("tl", "late");
        assertTaken("ta", "a");
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
        assertTaken("t", "s2");
        assertTaken("tx", "x");
    }

    @Test
    void aNodeThatADropOfSuchAReleaseLeftTakesNoTopic() throws Exception {
        create("s", "t");
        namespace.drop("s");
        commit(new CatalogStore.Op.Create("/topics/t", "s".getBytes(StandardCharsets.UTF_8)));
        create("other", "t");
        assertTaken("t", "other");
        namespace.drop("other");
        // The name came back with another topic.
        commit(new CatalogStore.Op.Create("/topics/t", "s".getBytes(StandardCharsets.UTF_8)));
        create("s", "elsewhere");
        create("third", "t");
        assertTaken("t", "third");
    }

    @Test
    void whatAnEntryThatCannotBeReadMayFeedIsTaken() throws Exception {
        create("s", "t");
        commit(write("/streams/s", "damaged"));
        assertTaken("t", "s");
        create("other", "free");
        forgetIndex();
        assertTaken("anything", "s");
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
