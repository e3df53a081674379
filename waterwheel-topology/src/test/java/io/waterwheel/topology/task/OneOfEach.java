package io.waterwheel.topology.task;

import io.waterwheel.topology.worker.Role;

/** What the only task of its role is told where there is one of each. What it sends is dropped. */
public final class OneOfEach implements TaskContext {
    @Override
    public int index() {
        return 0;
    }

    @Override
    public int tasks(Role role) {
        return 1;
    }

    @Override
    public void send(int task, Object message) {}

    @Override
    public void failed(Throwable cause) {}
}
