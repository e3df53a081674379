package io.waterwheel.topology.queryserver;

import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.WorkerServices;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A query server: makes the worker's chunk reader reachable under a name. Subqueries and answers go beside the data
 * flow; no message of a task comes to it.
 */
public final class QueryServerTask implements Task {
    private static final Logger LOG = LoggerFactory.getLogger(QueryServerTask.class);

    private final WorkerServices services;
    private final AutoCloseable hosting;

    /**
     * Opens one.
     *
     * @param services closed with it
     */
    public QueryServerTask(WorkerServices services, TaskContext context) {
        this.services = services;
        this.hosting = services.hostQueryServer(context.index());
    }

    @Override
    public void close() {
        Closing.all(LOG, "query-server", hosting, services);
    }
}
