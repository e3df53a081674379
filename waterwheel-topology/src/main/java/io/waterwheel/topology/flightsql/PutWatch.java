package io.waterwheel.topology.flightsql;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts a thread that waits too long for what a client sends: Flight's own wait for it has no end. One thread
 * serves all of a process.
 */
final class PutWatch {
    private static final ScheduledThreadPoolExecutor TIMER = timer();
    /** Of a thread that is watched. */
    private static final ThreadLocal<PutWatch> CURRENT = new ThreadLocal<>();

    private final ScheduledFuture<?> late;
    /** Guarded by this. */
    private boolean ended;
    /** Guarded by this. */
    private boolean interrupted;

    private PutWatch(Duration patience) {
        Thread waiting = Thread.currentThread();
        late = TIMER.schedule(() -> interrupt(waiting), patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "waterwheel-put-watch");
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** From now on this thread is watched. */
    static PutWatch begin(Duration patience) {
        PutWatch watch = new PutWatch(patience);
        CURRENT.set(watch);
        return watch;
    }

    /** All that the client of this thread sends has come: what follows takes the time that it takes. */
    static void received() {
        PutWatch watch = CURRENT.get();
        if (watch != null && watch.end()) {
            throw new IllegalStateException("the client's time was up");
        }
    }

    private synchronized void interrupt(Thread waiting) {
        if (!ended) {
            interrupted = true;
            waiting.interrupt();
        }
    }

    /** No longer; whether the time was up. Called by the thread, any number of times. */
    synchronized boolean end() {
        if (!ended) {
            ended = true;
            CURRENT.remove();
            late.cancel(false);
            if (interrupted) {
                boolean unused = Thread.interrupted();
            }
        }
        return interrupted;
    }
}
