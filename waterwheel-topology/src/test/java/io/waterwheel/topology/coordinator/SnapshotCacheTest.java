package io.waterwheel.topology.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.ForwardingCatalogStore;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SnapshotCacheTest {
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    @TempDir
    Path folder;

    private final Watched store = new Watched();
    private final Namespace namespace = new Namespace(store);
    private final StreamInfo stream = namespace.create("s", SCHEMA, RecordFormat.CSV, "s", new long[1], 1);
    private final Map<Integer, StreamInfo> present = Map.of(stream.id(), stream);
    private final ArrayDeque<Runnable> due = new ArrayDeque<>();
    private long now;
    private SnapshotCache cache;

    @BeforeEach
    void open() throws IOException {
        cache = new SnapshotCache(
                store, new LocalChunkStore(folder), namespace::find, () -> present, due::add, () -> now);
    }

    /** Counts watches; what is under a stream's id cannot be read while it is away. */
    private static final class Watched extends ForwardingCatalogStore {
        private boolean away;
        private int reads;
        private int watches;
        private Runnable beforeWatch = () -> {};

        Watched() {
            super(new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()));
        }

        @Override
        public Optional<Node> read(String path) {
            if (path.startsWith("/data/")) {
                reads++;
                if (away) {
                    throw new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "away");
                }
            }
            return super.read(path);
        }

        @Override
        public AutoCloseable watch(String path, Runnable onChange) {
            beforeWatch.run();
            watches++;
            AutoCloseable watch = super.watch(path, onChange);
            return () -> {
                watches--;
                watch.close();
            };
        }
    }

    private boolean report() {
        return cache.onReport(new Control.Report(
                stream.id(),
                0,
                new Control.Progress(1, 0, new long[1], 1, false),
                new Control.Unflushed(null, 0),
                0,
                new Control.Memory(0, 1, 0),
                Control.Templates.NONE));
    }

    private void runDue() {
        while (!due.isEmpty()) {
            due.removeFirst().run();
        }
    }

    @Test
    void aStreamThatCannotBeReadLeavesNoWatch() {
        store.away = true;
        for (int i = 0; i < 20; i++) {
            assertThat(report()).isFalse();
            runDue();
            assertThatThrownBy(() -> cache.refreshed("s")).hasMessage("away");
            now += SnapshotCache.MAX_RETRY_NANOS;
        }
        assertThat(store.watches).isZero();
        store.away = false;
        runDue();
        assertThat(cache.refreshed("s").orElseThrow().edit()).isEqualTo(1);
        assertThat(store.watches).isEqualTo(1);
        cache.close();
        assertThat(store.watches).isZero();
    }

    @Test
    void reportsTryAgainLessAndLessOften() {
        store.away = true;
        int tries = 0;
        // Four reports a second, for ten minutes.
        for (int i = 0; i < 4 * 600; i++) {
            int before = store.reads;
            report();
            runDue();
            tries += store.reads > before ? 1 : 0;
            now += 250_000_000;
        }
        assertThat(tries).isBetween(600 / 31, 600 / 30 + 6);
        store.away = false;
        now += SnapshotCache.MAX_RETRY_NANOS;
        assertThat(report()).as("it is followed by this one").isFalse();
        runDue();
        assertThat(report()).isTrue();
        assertThat(cache.lastReports(stream.id())).containsOnlyKeys(0);
    }

    @Test
    void aQueryTriesAtOnceAndItsSuccessEndsTheWaiting() {
        store.away = true;
        report();
        runDue();
        store.away = false;
        assertThat(cache.snapshot("s").orElseThrow().edit()).isEqualTo(1);
        assertThat(report()).isTrue();
    }

    @Test
    void whatAnAnswerHasShownIsKeptForTheNext() {
        cache.shown(stream.id(), 0, new long[] {9});
        report();
        runDue();
        report();
        cache.shown(stream.id(), 0, new long[] {7});
        cache.shown(stream.id(), 0, new long[] {5});
        assertThat(cache.reports(stream.id()).get(0).shown())
                .as("what was not followed yet is not")
                .containsExactly(7);
    }

    @Test
    void whatCameBeforeTheWatchIsSeen() {
        store.beforeWatch = () -> new StreamCatalog(store, stream).startIndexer(0);
        assertThat(cache.snapshot("s").orElseThrow().edit()).isEqualTo(1);
        runDue();
        assertThat(cache.snapshot("s").orElseThrow().edit()).isEqualTo(2);
    }
}
