package io.waterwheel.topology;

import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.SpoutHeartbeats;
import io.waterwheel.topology.config.ConfigException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.message.BlockMessage;
import io.waterwheel.topology.message.BlockMessageSerializer;
import io.waterwheel.topology.message.ChannelHeartbeatsSerializer;
import io.waterwheel.topology.message.LiveBatchSerializer;
import io.waterwheel.topology.message.SpoutHeartbeatsSerializer;
import io.waterwheel.topology.storm.SourceSpout;
import io.waterwheel.topology.storm.TaskBolt;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Role;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.storm.Config;
import org.apache.storm.StormSubmitter;
import org.apache.storm.generated.AlreadyAliveException;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.generated.TopologySummary;
import org.apache.storm.thrift.TException;
import org.apache.storm.topology.BoltDeclarer;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.utils.NimbusClient;
import org.apache.storm.utils.Utils;

/**
 * The topology of a namespace, and the main class by which it is submitted:
 *
 * <pre>
 * storm jar waterwheel-topology.jar io.waterwheel.topology.WaterwheelTopology --config waterwheel.yaml key=value
 *
 * spout --records--> dispatcher --blocks--> indexer        coordinator, query-server: beside the data
 * </pre>
 */
public final class WaterwheelTopology {
    /** Storm's script sets it to what stands behind its {@code --config}. */
    private static final String STORM_FILE = "storm.conf.file";

    private WaterwheelTopology() {}

    /** The topology for this configuration; the same wherever Storm runs it. */
    public static StormTopology build(WaterwheelConfig config) {
        return build(config, new Tasks());
    }

    /** A topology with these tasks. */
    public static StormTopology build(WaterwheelConfig config, TaskOpener tasks) {
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout(Role.SPOUT.component(), new SourceSpout(tasks), Role.SPOUT.tasks(config));
        bolt(builder, Role.DISPATCHER, tasks, config).directGrouping(Role.SPOUT.component(), SourceSpout.RECORDS);
        bolt(builder, Role.INDEXER, tasks, config).directGrouping(Role.DISPATCHER.component(), TaskBolt.BLOCKS);
        bolt(builder, Role.QUERY_SERVER, tasks, config);
        bolt(builder, Role.COORDINATOR, tasks, config);
        return builder.createTopology();
    }

    private static BoltDeclarer bolt(TopologyBuilder builder, Role role, TaskOpener tasks, WaterwheelConfig config) {
        return builder.setBolt(role.component(), new TaskBolt(role, tasks), role.tasks(config));
    }

    /** What Storm must know of the topology, whatever else its configuration says. */
    public static Config stormConf(WaterwheelConfig config) {
        Config conf = new Config();
        conf.putAll(config.toStormConf());
        conf.setNumWorkers(config.get(Keys.TOPOLOGY_WORKERS));
        conf.put(
                Config.TOPOLOGY_WORKER_CHILDOPTS,
                WorkerJvm.options(config, conf.get(Config.TOPOLOGY_WORKER_CHILDOPTS)));
        // Offsets are the truth; nothing is acknowledged by Storm.
        conf.setNumAckers(0);
        conf.setFallBackOnJavaSerialization(false);
        // By default a bolt that waits would first park a thousand times for as short as the system can, which took
        // more CPU than handing the blocks over, and then sleep a millisecond at a time for ever.
        waitIdly(conf, Config.TOPOLOGY_BOLT_WAIT_STRATEGY, "topology.bolt.wait.");
        waitIdly(conf, Config.TOPOLOGY_SPOUT_WAIT_STRATEGY, "topology.spout.wait.");
        // Every sample adds up all of a task's statistics; its tuples are blocks, a thousand rows each.
        conf.putIfAbsent(Config.TOPOLOGY_STATS_SAMPLE_RATE, 0.01);
        conf.registerSerialization(LiveBatch.class, LiveBatchSerializer.class);
        conf.registerSerialization(SpoutHeartbeats.class, SpoutHeartbeatsSerializer.class);
        conf.registerSerialization(BlockMessage.class, BlockMessageSerializer.class);
        conf.registerSerialization(ChannelHeartbeats.class, ChannelHeartbeatsSerializer.class);
        return conf;
    }

    /** Sets our strategy, unless the configuration sets one, or tunes Storm's. */
    private static void waitIdly(Config conf, String strategy, String keys) {
        if (conf.keySet().stream().noneMatch(key -> key.startsWith(keys))) {
            conf.put(strategy, IdleWait.class.getName());
        }
    }

    /**
     * Submits the topology, and says on standard error what was started and what is next. Arguments: {@code --config
     * FILE} and any number of {@code key=value} ({@link SubmitArguments}). Storm's own keys are given by {@code storm
     * jar -c}, which Storm's submitter reads itself.
     */
    public static void main(String[] arguments) throws Exception {
        WaterwheelConfig config;
        try {
            SubmitArguments words = SubmitArguments.parse(arguments, System.getProperty(STORM_FILE, ""));
            if (words.fromStorm()) {
                System.clearProperty(STORM_FILE);
            }
            config = words.file() == null
                    ? WaterwheelConfig.parse("the command line", "", words.settings())
                    : WaterwheelConfig.load(words.file(), words.settings());
        } catch (ConfigException | IllegalArgumentException | UncheckedIOException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        String name = config.get(Keys.TOPOLOGY_NAME);
        // Storm's submitter ends with a stack trace when the name is taken.
        Optional<String> taken = taken(name, stormConf(config));
        if (taken.isEmpty()) {
            try {
                StormSubmitter.submitTopology(name, stormConf(config), build(config));
            } catch (AlreadyAliveException meanwhile) {
                taken = Optional.of("");
            }
        }
        if (taken.isPresent()) {
            System.err.println(SubmitNotice.taken(name, taken.get()));
            System.exit(1);
        }
        SubmitNotice.of(config).forEach(System.err::println);
    }

    /** The status of the topology of this name, if Nimbus has one. */
    private static Optional<String> taken(String name, Map<String, Object> conf) throws TException {
        Map<String, Object> all = new HashMap<>(Utils.readStormConfig());
        all.putAll(conf);
        try (NimbusClient nimbus = NimbusClient.Builder.withConf(all).build()) {
            return nimbus.getClient().getTopologySummaries().stream()
                    .filter(there -> there.get_name().equals(name))
                    .map(TopologySummary::get_status)
                    .findFirst();
        }
    }
}
