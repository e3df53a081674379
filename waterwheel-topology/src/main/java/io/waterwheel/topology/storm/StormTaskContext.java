package io.waterwheel.topology.storm;

import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Role;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.storm.task.TopologyContext;
import org.apache.storm.tuple.Values;

/** What a task of Storm is told. */
final class StormTaskContext implements TaskContext {
    /** How Storm takes a message. */
    interface Emitter {
        /** Emits to one task by its number in the topology. */
        void emit(int task, Values message);
    }

    private final int index;
    private final Map<Role, List<Integer>> tasks = new EnumMap<>(Role.class);
    /** Storm's numbers of those to whom this task sends. */
    private final List<Integer> next;

    private final Emitter out;

    StormTaskContext(Role role, TopologyContext context, Emitter out) {
        this.index = context.getThisTaskIndex();
        for (Role each : Role.values()) {
            tasks.put(each, context.getComponentTasks(each.component()));
        }
        this.next = role == Role.SPOUT || role == Role.DISPATCHER ? known(role.next()) : List.of();
        this.out = out;
    }

    /** Opens a task as Storm's configuration says, for the worker that Storm names. */
    static Task open(TaskOpener opener, Role role, Map<String, Object> conf, TaskContext context) {
        return opener.open(role, String.valueOf(conf.get("storm.id")), WaterwheelConfig.fromStormConf(conf), context);
    }

    private List<Integer> known(Role role) {
        return tasks.getOrDefault(role, List.of());
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public int tasks(Role role) {
        return known(role).size();
    }

    @Override
    public void send(int task, Object message) {
        out.emit(next.get(task), new Values(message));
    }

    /** Storm hears of it by the next message that it hands over, and ends the worker. */
    @Override
    public void failed(Throwable cause) {}
}
