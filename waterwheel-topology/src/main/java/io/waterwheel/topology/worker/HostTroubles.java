package io.waterwheel.topology.worker;

import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What is wrong with the process that a worker runs in, by the word of its host. A server in one process knows why its
 * Kafka is away, and its worker only that it is. The two share a configuration, and no object. Thread-safe.
 */
public final class HostTroubles {
    /** By topology: a process may have several. */
    private static final Map<String, Supplier<List<String>>> HOSTS = new ConcurrentHashMap<>();

    private HostTroubles() {}

    private static String name(WaterwheelConfig config) {
        return config.get(Keys.TOPOLOGY_NAME) + " " + config.get(Keys.ZOOKEEPER_CONNECT) + " "
                + config.get(Keys.KAFKA_BOOTSTRAP);
    }

    /**
     * Tells them until it is closed.
     *
     * @param config of the topology
     * @param troubles in sentences for people, each time anew; called on any thread
     */
    public static AutoCloseable tell(WaterwheelConfig config, Supplier<List<String>> troubles) {
        String name = name(config);
        HOSTS.put(name, troubles);
        return () -> HOSTS.remove(name, troubles);
    }

    /** Of the process of this topology; none where it has no host, or nothing is wrong. */
    public static List<String> of(WaterwheelConfig config) {
        return HOSTS.getOrDefault(name(config), List::of).get();
    }
}
