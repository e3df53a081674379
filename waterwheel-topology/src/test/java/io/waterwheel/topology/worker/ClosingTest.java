package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.topology.Tasks;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.OneOfEach;
import io.waterwheel.topology.task.Task;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a task owns is closed to the last, whatever the first says. */
final class ClosingTest {
    private final List<String> closed = new ArrayList<>();
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void end() {
        executor.shutdownNow();
    }

    private AutoCloseable part(String name, Throwable failure) {
        return () -> {
            closed.add(name);
            ClosingTest.<Exception>sneak(failure);
        };
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        if (failure != null) {
            throw (E) failure;
        }
    }

    @Test
    void aPartThatFailsKeepsNoneBehindItOpen() {
        Closing.all(
                LoggerFactory.getLogger(ClosingTest.class),
                "test",
                part("a", new IllegalStateException("planted")),
                null,
                part("b", new NoClassDefFoundError("planted")),
                part("c", new InterruptedException("planted")),
                () -> closed.add(Thread.currentThread().isInterrupted() ? "interrupted" : "d"),
                part("e", new Exception("planted")));
        assertThat(closed).containsExactly("a", "b", "c", "d", "e");
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Services of which nothing can be closed but themselves. */
    private WorkerServices services() {
        InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        StreamDirectory streams = new StreamDirectory(store, new Namespace(store), executor);
        ControlBus bus = (ControlBus) Proxy.newProxyInstance(
                ClosingTest.class.getClassLoader(),
                new Class<?>[] {ControlBus.class},
                (proxy, method, args) -> part("address", new IllegalStateException("planted")));
        LogSource source = (LogSource) Proxy.newProxyInstance(
                ClosingTest.class.getClassLoader(), new Class<?>[] {LogSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("close")) {
                        part("source", new IllegalStateException("planted")).close();
                    }
                    return method.getName();
                });
        return (WorkerServices) Proxy.newProxyInstance(
                ClosingTest.class.getClassLoader(),
                new Class<?>[] {WorkerServices.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "config" -> WaterwheelConfig.defaults();
                    case "controlBus" -> bus;
                    case "metrics" -> Metrics.unread();
                    case "streams" -> streams;
                    case "openLogSource" -> source;
                    case "hostQueryServer" -> part("address", new NoClassDefFoundError("planted"));
                    case "close" -> {
                        closed.add("services");
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Test
    void aSourceGivesItsServicesBackWhateverFails() {
        open(Role.SPOUT).close();
        assertThat(closed).containsExactly("address", "source", "services");
    }

    @Test
    void aTaskGivesItsServicesBackWhateverFails() {
        open(Role.QUERY_SERVER).close();
        assertThat(closed).containsExactly("address", "services");
    }

    /** These services have nothing that an indexer needs. */
    @Test
    void aTaskThatDoesNotOpenGivesItsServicesBack() {
        assertThatThrownBy(() -> open(Role.INDEXER)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(closed).containsExactly("services");
    }

    private Task open(Role role) {
        WorkerServices services = services();
        return new Tasks((worker, config) -> services)
                .open(role, "a worker", WaterwheelConfig.defaults(), new OneOfEach());
    }
}
