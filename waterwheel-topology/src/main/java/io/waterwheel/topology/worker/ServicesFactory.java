package io.waterwheel.topology.worker;

import java.io.Serializable;
import java.util.Map;

/** Rides in the topology to its workers and opens their services there. */
public interface ServicesFactory extends Serializable {
    /**
     * The services of this worker, opened at the first call; every call is matched by one close.
     *
     * @param stormConf the topology's configuration
     */
    WorkerServices open(Map<String, Object> stormConf);
}
