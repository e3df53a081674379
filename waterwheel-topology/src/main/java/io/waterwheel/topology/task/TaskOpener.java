package io.waterwheel.topology.task;

import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.worker.Role;
import java.io.Serializable;

/** Opens the tasks of a topology; rides in it to its workers. Thread-safe. */
public interface TaskOpener extends Serializable {
    /**
     * Opens a task, which may take seconds.
     *
     * @param worker names one life of a worker; its tasks share their services
     */
    Task open(Role role, String worker, WaterwheelConfig config, TaskContext context);

    /** The worker has ended in this process: what its tasks have left open is closed, and none is opened for it. */
    default void end(String worker) {}
}
