package io.waterwheel.topology.task;

import io.waterwheel.topology.worker.Role;

/** What a task is told of itself and of the others, and how it reaches them. Thread-safe. */
public interface TaskContext {
    /** Its number among the tasks of its role, from 0. */
    int index();

    /** How many tasks of a role there are. */
    int tasks(Role role);

    /**
     * Sends a message to a task of the next role ({@link Role#next}). One thread's messages to one task come in their
     * order. May wait until the receiver has room.
     *
     * @param task its number
     * @throws IllegalStateException when it cannot be handed over
     */
    void send(int task, Object message);

    /** Says that the task can do no more. Waits for nothing. */
    void failed(Throwable cause);
}
