package io.waterwheel.topology.task;

/**
 * A task of the topology that is open. Works on threads of its own; any thread may hand messages to it and close it.
 */
public interface Task extends AutoCloseable {
    /**
     * Takes a message of a task of the role before, after all that the same sender has handed over before it. Waits
     * while there is no room. What comes after the task is closed is dropped.
     *
     * @throws IllegalArgumentException when no task sends it that
     * @throws IllegalStateException when the task has failed
     */
    default void take(Object message) throws InterruptedException {
        throw new IllegalArgumentException(getClass().getName() + " takes no messages");
    }

    /** Ends it, gives back its services, and throws nothing. */
    @Override
    void close();
}
