package io.waterwheel.topology.worker;

/**
 * All that the tasks of one worker share. One a worker process; a task gets it when it is opened, uses the part that it
 * needs, and gives it back when it is closed. Thread-safe.
 */
public interface WorkerServices
        extends SpoutServices,
                DispatcherServices,
                IndexerServices,
                QueryServerServices,
                CoordinatorServices,
                AutoCloseable {
    @Override
    void close();
}
