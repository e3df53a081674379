package io.waterwheel.embedded;

import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.SourceTask;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Role;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The smallest tasks: a source that counts and dispatchers that tell how far they have seen it count. */
public final class CountingTasks implements TaskOpener {
    private static final long serialVersionUID = 1;

    public static final AtomicLong SEEN = new AtomicLong();

    @Override
    public Task open(Role role, String worker, WaterwheelConfig config, TaskContext context) {
        return role == Role.SPOUT ? new Count(context) : new See();
    }

    /** Sends 1, 2, 3 ... unhurriedly. */
    private static final class Count implements SourceTask {
        private final TaskContext context;
        private long next;

        Count(TaskContext context) {
            this.context = context;
        }

        @Override
        public void next() {
            next++;
            context.send((int) (next % context.tasks(Role.DISPATCHER)), next);
            LockSupport.parkNanos(1_000_000);
        }

        @Override
        public void stand() {}

        @Override
        public void goOn() {}

        @Override
        public void close() {}
    }

    /** Notes the largest number. */
    private static final class See implements Task {
        @Override
        public void take(Object message) {
            SEEN.accumulateAndGet((Long) message, Math::max);
        }

        @Override
        public void close() {}
    }
}
