package io.waterwheel.embedded.storm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.storm.Config;
import org.apache.storm.cluster.ClusterStateContext;
import org.apache.storm.cluster.IStateStorage;
import org.apache.storm.cluster.StateStorageFactory;

/** Gives a worker of Storm, which makes its own by a class name in its configuration, the state that is kept for it. */
public final class StormStateFactory implements StateStorageFactory {
    /** By the root that the configuration names, which is no node of ZooKeeper here. */
    private static final Map<String, StormState> STATES = new ConcurrentHashMap<>();

    /** A new state for the configuration, until {@link #forget}. */
    static StormState of(Map<String, Object> conf, String root) {
        StormState state = new StormState();
        STATES.put(root, state);
        conf.put(Config.STORM_CLUSTER_STATE_STORE, StormStateFactory.class.getName());
        conf.put(Config.STORM_ZOOKEEPER_ROOT, root);
        return state;
    }

    static void forget(String root) {
        STATES.remove(root);
    }

    @Override
    public IStateStorage mkStore(
            Map<String, Object> config, Map<String, Object> authConf, ClusterStateContext context) {
        String root = String.valueOf(config.get(Config.STORM_ZOOKEEPER_ROOT));
        StormState state = STATES.get(root);
        if (state == null) {
            throw new IllegalStateException("no worker has the state " + root);
        }
        return state;
    }
}
