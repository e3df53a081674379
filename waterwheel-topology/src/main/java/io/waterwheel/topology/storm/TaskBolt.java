package io.waterwheel.topology.storm;

import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Role;
import java.util.Map;
import org.apache.storm.Constants;
import org.apache.storm.task.OutputCollector;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.topology.OutputFieldsDeclarer;
import org.apache.storm.topology.base.BaseRichBolt;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.jspecify.annotations.Nullable;

/** The shell of a task that takes messages, or none: Storm places it, starts it and starts it again. */
public final class TaskBolt extends BaseRichBolt {
    private static final long serialVersionUID = 1;
    /** On which a dispatcher sends. */
    public static final String BLOCKS = "blocks";

    private final Role role;
    private final TaskOpener opener;
    /* Written under the lock of this: a worker that ends may clean a task up that is still being prepared. */
    private transient volatile @Nullable Task task;
    private transient boolean ended;

    public TaskBolt(Role role, TaskOpener opener) {
        this.role = role;
        this.opener = opener;
    }

    @Override
    public void prepare(Map<String, Object> conf, TopologyContext context, OutputCollector collector) {
        Task opened = StormTaskContext.open(
                opener,
                role,
                conf,
                new StormTaskContext(role, context, (to, message) -> collector.emitDirect(to, BLOCKS, message)));
        synchronized (this) {
            if (!ended) {
                task = opened;
                return;
            }
        }
        // The worker ended meanwhile: its successor needs the ports.
        opened.close();
    }

    /** Takes a task's messages, and ignores Storm's own, such as ticks that a cluster may have sent to every bolt. */
    @Override
    public void execute(Tuple tuple) {
        Task now = task;
        if (now == null || Constants.SYSTEM_COMPONENT_ID.equals(tuple.getSourceComponent())) {
            return;
        }
        try {
            now.take(tuple.getValue(0));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void cleanup() {
        Task now;
        synchronized (this) {
            ended = true;
            now = task;
            task = null;
        }
        if (now != null) {
            now.close();
        }
    }

    @Override
    public void declareOutputFields(OutputFieldsDeclarer declarer) {
        if (role == Role.DISPATCHER) {
            declarer.declareStream(BLOCKS, true, new Fields("block"));
        }
    }
}
