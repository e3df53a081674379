package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TaskDirectoryTest {
    private static final String COORDINATOR = "/coordinators/0";
    private static final String TASK = "/live/t/indexer-0";

    private final InMemoryCatalogStore.Tree tree = new InMemoryCatalogStore.Tree();
    private final InMemoryCatalogStore others = new InMemoryCatalogStore(tree);
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
    private final AtomicInteger reads = new AtomicInteger();
    private final CatalogStore counted = counted(new InMemoryCatalogStore(tree));

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private CatalogStore counted(CatalogStore store) {
        return (CatalogStore)
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {CatalogStore.class}, (p, m, a) -> {
                    if (m.getName().equals("read")) {
                        reads.incrementAndGet();
                    }
                    try {
                        return m.invoke(store, a);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A process that was cut off takes a node of the same name with it when it dies. */
    @Test
    void whatIsGoneIsAnnouncedAgainInWhateverFolder() throws Exception {
        others.ensure("/coordinators");
        TaskDirectory directory = new TaskDirectory(counted, "t", executor, 5);
        try (AutoCloseable coordinator = directory.announceAt(COORDINATOR, "there:1");
                AutoCloseable task = directory.announce("indexer-0", "here:1")) {
            for (String path : List.of(COORDINATOR, TASK, COORDINATOR)) {
                delete(path);
                Waiting.until(path, () -> others.read(path).isPresent());
            }
            assertThat(content(COORDINATOR)).isEqualTo("there:1");
            assertThat(content(TASK)).isEqualTo("here:1");
        }
        assertThat(others.read(COORDINATOR)).isEmpty();
        assertThat(others.read(TASK)).isEmpty();
        directory.close();
    }

    /** Each read is one of the catalog's, of which a server that rests should not take any. */
    @Test
    void whatIsThereIsNotReadEachTime() throws Exception {
        others.ensure("/coordinators");
        AtomicInteger looks = new AtomicInteger();
        TaskDirectory directory = new TaskDirectory(counted, "t", executor, 1);
        try (AutoCloseable coordinator = directory.announceAt(COORDINATOR, "there:1")) {
            // As many looks, between which the executor runs this.
            var counting = executor.scheduleWithFixedDelay(looks::incrementAndGet, 0, 1, TimeUnit.MILLISECONDS);
            int before = reads.get();
            Waiting.until("sixty looks", () -> looks.get() >= 60);
            counting.cancel(false);
            assertThat(reads.get() - before).as("reads in about 60 looks").isLessThan(30);
        }
        directory.close();
    }

    private void delete(String path) throws CatalogStore.ConflictException {
        others.commit(List.of(new CatalogStore.Op.Delete(path, CatalogStore.Op.Delete.ANY_VERSION)));
    }

    private String content(String path) {
        return new String(others.read(path).orElseThrow().data(), StandardCharsets.UTF_8);
    }
}
