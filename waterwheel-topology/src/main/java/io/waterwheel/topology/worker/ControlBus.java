package io.waterwheel.topology.worker;

import io.waterwheel.protocol.Control;
import java.util.function.Predicate;

/**
 * Carries control messages between tasks, in this worker or another. Bounded; may drop any message; never waits.
 * Thread-safe.
 */
public interface ControlBus {
    /**
     * Makes a task of this worker reachable.
     *
     * @param receiver takes a message, or refuses it; called on any thread, must not wait
     * @return closing it makes the task unreachable
     */
    AutoCloseable register(Role role, int index, Predicate<Control> receiver);

    /** Sends to one task. */
    void send(Role role, int index, Control message);

    /** Sends to every task of the role that is known. */
    void broadcast(Role role, Control message);
}
