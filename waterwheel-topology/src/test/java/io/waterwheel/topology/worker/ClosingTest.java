package io.waterwheel.topology.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.queryserver.QueryServerBolt;
import io.waterwheel.topology.spout.SourceSpout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.metrics2.StormMetricRegistry;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a task owns is closed to the last, whatever the first says. */
final class ClosingTest {
    private final List<String> closed = new ArrayList<>();

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
    void aSpoutGivesItsServicesBackWhateverFails() {
        WorkerServices services = services();
        SourceSpout spout = new SourceSpout(conf -> services, Duration.ofMillis(100));
        spout.open(Map.of(), context(Role.SPOUT), new SpoutOutputCollector(null));
        spout.close();
        assertThat(closed).containsExactly("address", "source", "services");
    }

    @Test
    void aBoltGivesItsServicesBackWhateverFails() {
        WorkerServices services = services();
        QueryServerBolt bolt = new QueryServerBolt(conf -> services);
        bolt.prepare(Map.of(), context(Role.QUERY_SERVER), new OutputCollector(null));
        bolt.cleanup();
        assertThat(closed).containsExactly("address", "services");
    }

    private static TopologyContext context(Role role) {
        Map<Integer, String> components = Map.of(1, role.component(), 2, Role.DISPATCHER.component());
        return new TopologyContext(
                new StormTopology(Map.of(), Map.of(), Map.of()),
                Map.of(),
                components,
                Map.of(role.component(), List.of(1), Role.DISPATCHER.component(), List.of(2)),
                Map.of(),
                new ConcurrentHashMap<>(),
                "closing",
                "",
                "",
                1,
                1,
                List.of(1, 2),
                Map.of(),
                Map.of(),
                new HashMap<>(),
                new HashMap<>(),
                new AtomicBoolean(),
                new StormMetricRegistry());
    }
}
