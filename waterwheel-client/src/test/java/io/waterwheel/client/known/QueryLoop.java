package io.waterwheel.client.known;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Asks questions on a thread of its own as long as it is open, with a rest between them: others want the processor. */
public final class QueryLoop implements AutoCloseable {
    private final Thread thread;
    private volatile boolean ending;
    private volatile @Nullable RuntimeException failure;

    /**
     * Begins to ask.
     *
     * @param rest between an answer and the next question
     */
    public QueryLoop(AnswerCheck check, Feed feed, Duration timeout, Duration rest) {
        this.thread = new Thread(
                () -> {
                    try {
                        while (!ending) {
                            var unused = check.askOne(feed, timeout);
                            LockSupport.parkNanos(rest.toNanos());
                        }
                    } catch (RuntimeException e) {
                        failure = e;
                    }
                },
                "asking");
        thread.start();
    }

    /** Fails when an answer was wrong. */
    public void checkFailure() {
        RuntimeException e = failure;
        if (e != null) {
            throw new IllegalStateException("while the fault lasted: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        ending = true;
        thread.join();
        checkFailure();
    }
}
