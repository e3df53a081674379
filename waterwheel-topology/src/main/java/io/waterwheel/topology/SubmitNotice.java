package io.waterwheel.topology;

import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;

/** What is said to those who submit a topology: where its parts are and what to type next, or why it is refused. */
public final class SubmitNotice {
    private SubmitNotice() {}

    /** The lines once Nimbus has taken the topology; commands stand alone on theirs. */
    public static List<String> of(WaterwheelConfig config) {
        String name = config.get(Keys.TOPOLOGY_NAME);
        String namespace = config.get(Keys.NAMESPACE);
        String zooKeeper = config.get(Keys.ZOOKEEPER_CONNECT) + config.get(Keys.ZOOKEEPER_ROOT);
        String where = " --zookeeper " + zooKeeper + " --namespace " + namespace;
        return List.of(
                "submitted topology " + name + ", namespace " + namespace,
                "  workers    " + config.get(Keys.TOPOLOGY_WORKERS) + ", with tasks: "
                        + config.get(Keys.SPOUT_TASKS) + " spout, "
                        + config.get(Keys.DISPATCHER_TASKS) + " dispatcher, "
                        + config.get(Keys.INDEXER_TASKS) + " indexer, "
                        + config.get(Keys.QUERY_SERVER_TASKS) + " query-server, "
                        + config.get(Keys.COORDINATOR_TASKS) + " coordinator",
                "  ZooKeeper  " + zooKeeper,
                "  Kafka      " + config.get(Keys.KAFKA_BOOTSTRAP),
                "  chunks     " + config.get(Keys.CHUNK_STORE_URI),
                "Storm starts the workers now, which can take a minute. Next:",
                "  waterwheel status" + where,
                "  waterwheel stream create SCHEMA.yaml" + where,
                "If status finds no coordinator: 'storm list' says whether workers were given to " + name
                        + ", and their logs are on the Supervisors, in logs/workers-artifacts/" + name + "-*.");
    }

    /**
     * Why a topology is refused whose name is taken.
     *
     * @param status of the topology that has the name, as Nimbus calls it; empty when it is not known
     */
    public static String taken(String name, String status) {
        return "topology " + name + " is there already" + (status.isEmpty() ? "" : ", " + status)
                + (status.equals("KILLED")
                        ? "; wait until it is gone"
                        : "; drain or kill it first, or take another topology.name and namespace");
    }
}
