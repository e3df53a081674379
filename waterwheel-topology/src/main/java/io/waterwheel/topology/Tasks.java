package io.waterwheel.topology;

import io.waterwheel.index.TreeWarmUp;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.coordinator.CoordinatorTask;
import io.waterwheel.topology.dispatcher.DispatcherTask;
import io.waterwheel.topology.indexer.IndexerHost;
import io.waterwheel.topology.queryserver.QueryServerTask;
import io.waterwheel.topology.spout.SourceReader;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.wiring.SharedServices;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.ServicesFactory;
import io.waterwheel.topology.worker.WorkerServices;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tasks of Waterwheel's topology, by their roles. Knows no Storm. */
public final class Tasks implements TaskOpener {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Tasks.class);

    private final ServicesFactory factory;

    /** Tasks with the services that the configuration says. */
    public Tasks() {
        this(services());
    }

    /** Tasks with other services than their own. */
    public Tasks(ServicesFactory factory) {
        this.factory = factory;
    }

    /** What opens a worker's services, as the configuration says. */
    public static ServicesFactory services() {
        return new SharedServices();
    }

    @Override
    public Task open(Role role, String worker, WaterwheelConfig config, TaskContext context) {
        if (role == Role.INDEXER) {
            // While another task opens the services.
            TreeWarmUp.once();
        }
        WorkerServices services = factory.open(worker, config);
        try {
            return switch (role) {
                case SPOUT -> new SourceReader(services, context);
                case DISPATCHER -> DispatcherTask.open(services, context);
                case INDEXER -> IndexerHost.open(services, context);
                case QUERY_SERVER -> new QueryServerTask(services, context);
                case COORDINATOR -> new CoordinatorTask(services, context);
            };
        } catch (RuntimeException | Error e) {
            Closing.all(LOG, role.address(context.index()), services);
            throw e;
        }
    }

    @Override
    public void end(String worker) {
        factory.closeLeft(worker);
    }
}
