package io.waterwheel.query.run;

/**
 * Is told by a sink when it begins to wait for its client, and when it no longer does. Called by the thread that hands
 * over rows.
 */
public interface ClientWait {
    /**
     * The client takes nothing for now.
     *
     * @param end ends the wait, from any thread: what the sink was asked to do fails
     */
    void begin(Runnable end);

    /**
     * The wait has ended, in whatever way.
     *
     * @throws io.waterwheel.error.WaterwheelException when the answer ends because it waited
     */
    void end();
}
