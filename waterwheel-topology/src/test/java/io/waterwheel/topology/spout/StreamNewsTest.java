package io.waterwheel.topology.spout;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.topology.worker.StreamDirectory;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class StreamNewsTest {
    /** Far beyond the test's own time. */
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);

    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    @Test
    void aNewStreamEndsTheWaitAlsoWhereItCameBefore() throws Exception {
        InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        Namespace namespace = new Namespace(store);
        try (StreamDirectory streams = new StreamDirectory(store, namespace, executor);
                StreamNews news = new StreamNews(streams)) {
            create(namespace, "before");
            news.await(LONG_NANOS);
            assertThat(streams.streams()).hasSize(1);
            Thread creating = new Thread(() -> create(namespace, "meanwhile"));
            creating.start();
            news.await(LONG_NANOS);
            assertThat(streams.streams()).hasSize(2);
            creating.join();
        }
    }

    @Test
    void aThreadThatIsInterruptedDoesNotWait() throws Exception {
        InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        try (StreamDirectory streams = new StreamDirectory(store, new Namespace(store), executor);
                StreamNews news = new StreamNews(streams)) {
            Thread.currentThread().interrupt();
            news.await(LONG_NANOS);
            assertThat(Thread.interrupted()).as("still").isTrue();
        }
    }

    private static void create(Namespace namespace, String name) {
        Schema schema = new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");
        namespace.create(
                name,
                schema,
                RecordFormat.CSV,
                new StartOfTopic(name, new long[1], LogIdentity.first("one")),
                1,
                StreamPolicy.DEFAULT);
    }
}
