package io.waterwheel.topology.spout;

import io.waterwheel.topology.worker.StreamDirectory;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets a task without a stream wait until the list of streams changes. Any threads tell; one waits. */
final class StreamNews implements AutoCloseable {
    private final Semaphore news = new Semaphore(0);
    private final AutoCloseable following;

    StreamNews(StreamDirectory streams) {
        this.following = streams.onChange(news::release);
    }

    /** Waits for a change since the last call, so long at most; not at all on a thread that is interrupted. */
    void await(long nanos) {
        try {
            if (news.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                int unused = news.drainPermits();
            }
        } catch (InterruptedException e) {
            // Its host ends the task then.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws Exception {
        following.close();
    }
}
