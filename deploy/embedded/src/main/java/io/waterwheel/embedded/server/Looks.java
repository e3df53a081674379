package io.waterwheel.embedded.server;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that looks, every second or two, and more often where that is needed, whether the disk has room and
 * whether the parts of servers are up: one for all of a process, which ends when there is nothing to look at. A look
 * may take some milliseconds: what follows from it and takes longer is done on other threads. A disk that does not even
 * say how full it is holds up all looks, and what they look at as well.
 */
final class Looks {
    private static final Logger LOG = LoggerFactory.getLogger(Looks.class);
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
     * @param look may throw: that is logged, and it looks again
     * @return to be cancelled
     */
    static ScheduledFuture<?> every(long millis, Runnable look) {
        return THREAD.scheduleWithFixedDelay(() -> once(look), millis, millis, TimeUnit.MILLISECONDS);
    }

    /** What throws is never run again, and where memory is out a line of the log may. */
    private static void once(Runnable look) {
        try {
            try {
                look.run();
            } catch (RuntimeException | Error e) {
                LOG.warn("a look failed; the next one follows", e);
            }
        } catch (RuntimeException | Error e) {
            // The next look may be told of.
        }
    }
}
