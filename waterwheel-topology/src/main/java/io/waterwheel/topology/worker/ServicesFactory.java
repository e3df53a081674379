package io.waterwheel.topology.worker;

import io.waterwheel.topology.config.WaterwheelConfig;
import java.io.Serializable;

/** Rides in the topology to its workers and opens their services there. Thread-safe. */
public interface ServicesFactory extends Serializable {
    /**
     * The services of a worker, opened at the first call; every call is matched by one close.
     *
     * @param worker names one life of a worker: those who name the same get the same
     */
    WorkerServices open(String worker, WaterwheelConfig config);

    /** Closes what tasks of a worker of this process have left open. None is opened for it from then on. */
    default void closeLeft(String worker) {}
}
