package io.waterwheel.topology.task;

/** A task with which messages begin. It has no thread: one thread of its host calls what is here, all but close. */
public interface SourceTask extends Task {
    /** Reads, waiting a moment for news, and sends what may be sent. Called again and again. */
    void next();

    /** {@link #next} is not called from now on, until {@link #goOn}. */
    void stand();

    /** {@link #next} is called again. */
    void goOn();
}
