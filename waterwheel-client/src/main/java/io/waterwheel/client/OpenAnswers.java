package io.waterwheel.client;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The answers of a client that are not closed yet. What they need is given back when the client and all of them are
 * closed, so that no reader loses the memory that it reads. Thread-safe.
 */
final class OpenAnswers {
    private final Runnable release;

    /** Guarded by this. */
    private final Set<Cancellation> open = new HashSet<>();

    /** Guarded by this. */
    private boolean closed;

    /** @param release gives back what the answers share; called once */
    OpenAnswers(Runnable release) {
        this.release = release;
    }

    /** Notes an answer that is about to begin. */
    synchronized void begin(Cancellation answer) {
        if (closed) {
            throw new IllegalStateException("the client is closed");
        }
        open.add(answer);
    }

    /** The answer was closed, or never began. */
    void end(Cancellation answer) {
        boolean last;
        synchronized (this) {
            last = open.remove(answer) && closed && open.isEmpty();
        }
        if (last) {
            release.run();
        }
    }

    /** Cancels what is open. */
    void close() {
        List<Cancellation> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(open);
        }
        left.forEach(answer -> answer.cancel("the client was closed"));
        if (left.isEmpty()) {
            release.run();
        }
    }
}
