package io.waterwheel.topology.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.topology.WaterwheelTopology;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.SourceTask;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Role;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.storm.Constants;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.metrics2.StormMetricRegistry;
import org.apache.storm.spout.ISpoutOutputCollector;
import org.apache.storm.spout.SpoutOutputCollector;
import org.apache.storm.task.GeneralTopologyContext;
import org.apache.storm.task.IOutputCollector;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.tuple.TupleImpl;
import org.junit.jupiter.api.Test;

/** What Storm does with a task's shell comes to the task, and the other way round. */
final class ShellsTest {
    /** The second dispatcher is task 3 of the topology, and the indexers are 4 and 5. */
    private static final Map<String, List<Integer>> TASKS =
            Map.of("spout", List.of(1), "dispatcher", List.of(2, 3), "indexer", List.of(4, 5));

    private final List<String> seen = new ArrayList<>();

    /** Notes what it is asked for. */
    private final class Noting implements TaskOpener, SourceTask {
        private static final long serialVersionUID = 1;

        private transient TaskContext context;

        @Override
        public Task open(Role role, String worker, WaterwheelConfig config, TaskContext told) {
            seen.add("open " + role.address(told.index()) + " of " + worker + ", " + told.tasks(Role.SPOUT) + " spout, "
                    + told.tasks(Role.INDEXER) + " indexers, " + told.tasks(Role.COORDINATOR) + " coordinators");
            context = told;
            return this;
        }

        @Override
        public void take(Object message) {
            seen.add("take " + message);
            context.send(1, "a block");
        }

        @Override
        public void next() {
            seen.add("next");
            context.send(0, "a batch");
        }

        @Override
        public void stand() {
            seen.add("stand");
        }

        @Override
        public void goOn() {
            seen.add("go on");
        }

        @Override
        public void close() {
            seen.add("close");
        }
    }

    @Test
    void aBoltHandsOnWhatComesAndSendsByStormsNumbers() {
        TaskBolt bolt = new TaskBolt(Role.DISPATCHER, new Noting());
        bolt.prepare(conf(), context(3), collector());
        bolt.execute(tuple("spout", "default", "a batch"));
        // A cluster's storm.yaml may have them sent to the bolts of every topology (topology.tick.tuple.freq.secs).
        bolt.execute(tuple(Constants.SYSTEM_COMPONENT_ID, Constants.SYSTEM_TICK_STREAM_ID, "a tick"));
        bolt.cleanup();
        bolt.execute(tuple("spout", "default", "a batch after the end"));
        assertThat(seen)
                .containsExactly(
                        "open dispatcher-1 of life-1, 1 spout, 2 indexers, 0 coordinators",
                        "take a batch",
                        "emitDirect [5, blocks, null, [a block]]",
                        "close");
    }

    /** A worker that ends may clean up a task that is still being prepared. */
    @Test
    void aBoltThatIsCleanedUpTooEarlyIsClosedWhenItIsOpen() {
        TaskBolt bolt = new TaskBolt(Role.DISPATCHER, new Noting());
        bolt.cleanup();
        assertThat(seen).isEmpty();
        bolt.prepare(conf(), context(3), collector());
        assertThat(seen).last().isEqualTo("close");
    }

    @Test
    void aTaskThatCannotTakeAMessageFailsTheBolt() {
        TaskBolt bolt = new TaskBolt(Role.COORDINATOR, (role, worker, config, context) -> () -> {});
        bolt.prepare(conf(), context(3), collector());
        assertThatThrownBy(() -> bolt.execute(tuple("spout", "default", "a batch")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("takes no messages");
    }

    @Test
    void aSpoutIsCalledAsStormCallsIt() {
        SourceSpout spout = new SourceSpout(new Noting());
        spout.nextTuple();
        spout.open(conf(), context(1), spoutCollector());
        spout.nextTuple();
        spout.deactivate();
        spout.activate();
        spout.close();
        spout.nextTuple();
        assertThat(seen)
                .containsExactly(
                        "open spout-0 of life-1, 1 spout, 2 indexers, 0 coordinators",
                        "next",
                        "emitDirect [2, records, [a batch], null]",
                        "stand",
                        "go on",
                        "close");
    }

    private static Map<String, Object> conf() {
        Map<String, Object> conf = new HashMap<>(WaterwheelTopology.stormConf(WaterwheelConfig.defaults()));
        conf.put("storm.id", "life-1");
        return conf;
    }

    /** Notes what a task emits, with Storm's words for it. */
    private OutputCollector collector() {
        return new OutputCollector((IOutputCollector) Proxy.newProxyInstance(
                ShellsTest.class.getClassLoader(), new Class<?>[] {IOutputCollector.class}, this::note));
    }

    private SpoutOutputCollector spoutCollector() {
        return new SpoutOutputCollector((ISpoutOutputCollector) Proxy.newProxyInstance(
                ShellsTest.class.getClassLoader(), new Class<?>[] {ISpoutOutputCollector.class}, this::note));
    }

    private Object note(Object proxy, java.lang.reflect.Method method, Object[] args) {
        List<Object> words = new ArrayList<>(java.util.Arrays.asList(args));
        seen.add(method.getName() + " " + words);
        return null;
    }

    private static Tuple tuple(String component, String stream, Object value) {
        Map<String, Map<String, Fields>> streams = Map.of(component, Map.of(stream, new Fields("value")));
        GeneralTopologyContext context = new GeneralTopologyContext(
                new StormTopology(), Map.of(), Map.of(1, component), Map.of(), streams, "test");
        return new TupleImpl(context, List.of(value), component, 1, stream);
    }

    private static TopologyContext context(int task) {
        Map<Integer, String> components = new HashMap<>();
        TASKS.forEach((component, tasks) -> tasks.forEach(each -> components.put(each, component)));
        return new TopologyContext(
                new StormTopology(Map.of(), Map.of(), Map.of()),
                Map.of(),
                components,
                TASKS,
                Map.of(),
                new ConcurrentHashMap<>(),
                "shells",
                "",
                "",
                task,
                1,
                List.copyOf(components.keySet()),
                Map.of(),
                Map.of(),
                new HashMap<>(),
                new HashMap<>(),
                new AtomicBoolean(),
                new StormMetricRegistry());
    }
}
