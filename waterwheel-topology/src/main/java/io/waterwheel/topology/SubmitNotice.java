package io.waterwheel.topology;

import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;

/** What {@code storm jar} says once Nimbus has taken the topology: where its parts are, and what to type next. */
final class SubmitNotice {
    private SubmitNotice() {}

    /** The lines; commands stand alone on theirs. */
    static List<String> of(WaterwheelConfig config) {
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
}
