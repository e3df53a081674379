package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.ForwardingCatalogStore;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a worker knows of the scales of its streams. */
final class StreamDirectoryTest {
    private static List<Dimension> dimensions(String cut) {
        return List.of(
                new Dimension("a", 2, List.of(), List.of(cut)), new Dimension("b", 2, List.of("0", "100"), List.of()));
    }

    /** A thousand partitions ask for the scales that a routing table names, each with the stream as it began. */
    @Test
    void scalesThatHaveBeenSeenAreNotReadAgain() {
        Schema schema = new Schema(
                List.of(
                        new Field("a", FieldType.LONG, false),
                        new Field("b", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Dimensions(dimensions("10"), List.of()),
                "t");
        AtomicInteger syncs = new AtomicInteger();
        ForwardingCatalogStore store =
                new ForwardingCatalogStore(new InMemoryCatalogStore(new InMemoryCatalogStore.Tree())) {
                    @Override
                    public void sync() {
                        syncs.incrementAndGet();
                        super.sync();
                    }
                };
        Namespace namespace = new Namespace(store);
        StreamInfo stream = namespace.create("s", schema, RecordFormat.CSV, "s", new long[2], 2);
        StreamCatalog catalog = new StreamCatalog(store, stream);
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        try (StreamDirectory directory = new StreamDirectory(store, namespace, executor)) {
            RoutingTable even = RoutingTable.even(1, KeyScheme.of(schema).domain(2), 2);
            assertThat(catalog.changeScales(1, dimensions("20"), even.boundaries(), even.indexers()))
                    .isPresent();
            Waiting.until(
                    "the new scales are seen",
                    () -> directory.streams().containsKey(stream.id())
                            && Objects.requireNonNull(directory.streams().get(stream.id()))
                                            .scales()
                                    == 2);
            int before = syncs.get();
            assertThat(directory.scaled(stream, 2)).isSameAs(directory.streams().get(stream.id()));
            assertThat(directory.scaled(stream, 1).scales()).isEqualTo(2);
            assertThat(syncs.get()).as("syncs before a read").isEqualTo(before);
            assertThatThrownBy(() -> directory.scaled(stream, 3)).isInstanceOf(CorruptCatalogException.class);
        } finally {
            executor.shutdownNow();
        }
    }
}
