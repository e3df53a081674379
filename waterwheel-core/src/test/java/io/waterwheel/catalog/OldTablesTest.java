package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.tuple.LostRange;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Routing tables stay as long as a route names them, and no longer. */
final class OldTablesTest {
    private static final int PARTITIONS = 3;
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    private final StreamInfo stream = namespace.create(
            "s",
            SCHEMA,
            RecordFormat.CSV,
            new StartOfTopic("s", new long[PARTITIONS], LogIdentity.first("one")),
            1,
            StreamPolicy.DEFAULT);
    private final StreamCatalog catalog = new StreamCatalog(store, stream);

    private Set<Integer> named() {
        Set<Integer> named = new TreeSet<>();
        for (int p = 0; p < PARTITIONS; p++) {
            catalog.route(p).route().versions().forEach(version -> named.add(version.version()));
        }
        return named;
    }

    private Set<Integer> kept() {
        return store.children(Namespace.dataPath(stream.id()) + "/tables").stream()
                .map(Integer::parseInt)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void route(int indexers) {
        long[] boundaries = IntStream.range(1, indexers).mapToLong(i -> i * 10L).toArray();
        catalog.changeRouting(boundaries, IntStream.range(0, indexers).toArray());
    }

    /** Moves an indexer's checkpoint to somewhere at or above where it is. */
    private void flush(int indexer, Random random) {
        StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
        long[] watermarks = start.checkpoint().watermarks().clone();
        for (int p = 0; p < PARTITIONS; p++) {
            long limit = catalog.route(p).route().limit();
            watermarks[p] += limit > watermarks[p] ? random.nextLong(limit - watermarks[p] + 1) : 0;
        }
        IndexerCheckpoint next = new IndexerCheckpoint(
                start.checkpoint().epoch(), start.checkpoint().flushed() + 1, watermarks, 0);
        assertThat(catalog.commitFlush(indexer, start.nodeVersion(), next, List.of()))
                .isInstanceOf(StreamCatalog.CommitOutcome.Done.class);
    }

    @Test
    void exactlyThoseThatARouteNamesAreLeftByAChange() {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            for (int step = 0; step < 60; step++) {
                int p = random.nextInt(PARTITIONS);
                long limit = catalog.route(p).route().limit();
                boolean changed = false;
                switch (random.nextInt(6)) {
                    case 0 -> catalog.raiseLimit(p, limit + random.nextInt(50), LogIdentity.first("one"));
                    case 1 -> {
                        route(1 + random.nextInt(3));
                        changed = true;
                    }
                    case 2 -> catalog.giveUp(new LostRange(p, limit, limit + 1 + random.nextInt(5), "gone"));
                    default ->
                        flush(
                                random.nextInt(store.children(Namespace.dataPath(stream.id()) + "/indexers")
                                        .size()),
                                random);
                }
                assertThat(kept()).as("seed %d step %d", seed, step).containsAll(named());
                if (changed) {
                    assertThat(kept()).as("seed %d step %d", seed, step).isEqualTo(named());
                }
            }
        }
    }

    @Test
    void whoReadItsRouteTooLongAgoIsToldToReadItAgain() {
        int old = catalog.route(0).route().firstVersion();
        raiseAndCover();
        route(2);
        raiseAndCover();
        route(1);
        assertThat(kept()).isEqualTo(named()).doesNotContain(old);
        assertThat(catalog.findTable(old)).isEmpty();
        assertThatThrownBy(() -> catalog.table(old)).isInstanceOfSatisfying(WaterwheelException.class, e -> {
            assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
            assertThat(e.code()).isEqualTo("TABLE_GONE");
        });
        namespace.drop("s");
        assertThatThrownBy(() -> catalog.findTable(old)).isInstanceOf(StreamGoneException.class);
    }

    private void raiseAndCover() {
        for (int p = 0; p < PARTITIONS; p++) {
            catalog.raiseLimit(p, catalog.route(p).route().limit() + 100, LogIdentity.first("one"));
        }
        int indexers =
                store.children(Namespace.dataPath(stream.id()) + "/indexers").size();
        for (int indexer = 0; indexer < indexers; indexer++) {
            StreamCatalog.IndexerStart start = catalog.startIndexer(indexer);
            long[] watermarks = new long[PARTITIONS];
            for (int p = 0; p < PARTITIONS; p++) {
                watermarks[p] = catalog.route(p).route().limit();
            }
            var unused = catalog.commitFlush(
                    indexer,
                    start.nodeVersion(),
                    new IndexerCheckpoint(
                            start.checkpoint().epoch(), start.checkpoint().flushed() + 1, watermarks, 0),
                    List.of());
        }
    }
}
