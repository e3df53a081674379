package io.waterwheel.topology.worker;

/**
 * All that the tasks of one worker share. One a worker process; shells get it in {@code prepare}, hand to their task
 * the part that it needs, and give it back in {@code cleanup}. Thread-safe.
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
