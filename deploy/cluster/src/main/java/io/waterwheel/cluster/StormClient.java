package io.waterwheel.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.storm.generated.ExecutorSummary;
import org.apache.storm.generated.KillOptions;
import org.apache.storm.generated.Nimbus;
import org.apache.storm.generated.SupervisorSummary;
import org.apache.storm.generated.TopologySummary;
import org.apache.storm.utils.NimbusClient;
import org.apache.storm.utils.Utils;

/** Asks Nimbus over Thrift, a connection a question. */
final class StormClient {
    private final ClusterLayout.Address nimbus;
    private final int socketMillis;
    /** Empty until the first question: commands that ask none are spared reading Storm's defaults. */
    private Map<String, Object> conf = Map.of();

    StormClient(ClusterLayout.Address nimbus, int socketMillis) {
        this.nimbus = nimbus;
        this.socketMillis = socketMillis;
    }

    private synchronized Map<String, Object> conf() {
        if (conf.isEmpty()) {
            Map<String, Object> read = new HashMap<>(Utils.readDefaultConfig());
            read.put("nimbus.seeds", List.of(nimbus.host()));
            read.put("nimbus.thrift.port", nimbus.port());
            read.put("storm.nimbus.retry.times", 1);
            conf = read;
        }
        return conf;
    }

    private interface Question<T> {
        T ask(Nimbus.Iface nimbus) throws Exception;
    }

    private <T> T ask(Question<T> question) throws Exception {
        try (NimbusClient client =
                NimbusClient.Builder.withConf(conf()).withTimeout(socketMillis).build()) {
            return question.ask(client.getClient());
        }
    }

    /** Whether Nimbus answers. */
    boolean answers() {
        try {
            return ask(nimbus -> nimbus.getLeader() != null);
        } catch (Exception e) {
            return false;
        }
    }

    /** Hosts of the Supervisors that Nimbus has heard of. */
    Set<String> supervisors() {
        try {
            return ask(nimbus -> nimbus.getClusterInfo().get_supervisors().stream()
                    .map(SupervisorSummary::get_host)
                    .collect(Collectors.toSet()));
        } catch (Exception e) {
            return Set.of();
        }
    }

    List<TopologySummary> topologies() throws Exception {
        return ask(nimbus -> nimbus.getTopologySummaries());
    }

    /** Where a topology's executors run, as Nimbus last heard: component, host, port. */
    List<ExecutorSummary> executors(String topologyId) throws Exception {
        return ask(nimbus -> nimbus.getTopologyInfo(topologyId).get_executors());
    }

    void kill(String topology) throws Exception {
        KillOptions now = new KillOptions();
        now.set_wait_secs(0);
        Boolean unused = ask(nimbus -> {
            nimbus.killTopologyWithOpts(topology, now);
            return true;
        });
    }
}
