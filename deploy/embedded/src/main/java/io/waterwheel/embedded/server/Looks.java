package io.waterwheel.embedded.server;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread that looks, several times a second, whether the disk has room and whether the parts of servers are up: one
 * for all of a process, which ends when there is nothing to look at. A look may take some milliseconds: what follows
 * from it and takes longer is done on other threads. A disk that does not even say how full it is holds up all looks,
 * and what they look at as well.
 */
final class Looks {
    private static final int REST_SECONDS = 10;

    private static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "server-watch");
        thread.setDaemon(true);
        return thread;
    });

    static {
        THREAD.setKeepAliveTime(REST_SECONDS, TimeUnit.SECONDS);
        THREAD.allowCoreThreadTimeOut(true);
        THREAD.setRemoveOnCancelPolicy(true);
    }

    private Looks() {}

    /**
     * Looks again and again.
     *
     * @param look throws nothing, or it is the last
     * @return to be cancelled
     */
    static ScheduledFuture<?> every(long millis, Runnable look) {
        return THREAD.scheduleWithFixedDelay(look, millis, millis, TimeUnit.MILLISECONDS);
    }
}
