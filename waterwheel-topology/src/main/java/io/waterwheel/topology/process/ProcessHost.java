package io.waterwheel.topology.process;

import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Uninterrupted;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All tasks of a topology in this process. When one of them fails, all are closed in order and opened again, as a
 * worker of Storm would be: nothing can be known of a task that threw, and to the protocol it is a restart like any
 * other (docs/decisions/0068-tasks-in-one-process.md). Thread-safe.
 */
public final class ProcessHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessHost.class);

    /** How long it waits between two lives. */
    record Pauses(long firstMillis, long longestMillis, long soundNanos) {
        /** After a life of a minute the next death is not taken for the same trouble. */
        static final Pauses DEFAULT = new Pauses(100, 10_000, TimeUnit.MINUTES.toNanos(1));

        /** The pause after a life, when the one before it was so long; 0 before the first. */
        long after(long lifeNanos, long lastMillis) {
            return lastMillis == 0 || lifeNanos > soundNanos ? firstMillis : Math.min(2 * lastMillis, longestMillis);
        }
    }

    /** Longer than a life takes to end, whatever its tasks do. */
    private static final long CLOSE_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final WaterwheelConfig config;
    private final TaskOpener opener;
    private final String name;
    private final Pauses pauses;
    private final Thread keeper;
    private final AtomicInteger lives = new AtomicInteger();
    private volatile String trouble = "";
    private volatile boolean closing;
    /** Of the life that is on. Guarded by this. */
    private @Nullable String death;

    private ProcessHost(String name, WaterwheelConfig config, TaskOpener opener, Pauses pauses) {
        this.name = name;
        this.config = config;
        this.opener = opener;
        this.pauses = pauses;
        this.keeper = new Thread(this::keep, "tasks-keeper");
        keeper.setDaemon(true);
    }

    /**
     * Starts a topology's tasks; they run until {@link #close}. They come up a moment later, and what they fail with is
     * {@link #trouble}.
     *
     * @param name of the topology
     * @param config how many tasks there are of each role, and what they are told
     */
    public static ProcessHost start(String name, WaterwheelConfig config, TaskOpener opener) {
        return start(name, config, opener, Pauses.DEFAULT);
    }

    static ProcessHost start(String name, WaterwheelConfig config, TaskOpener opener, Pauses pauses) {
        ProcessHost host = new ProcessHost(name, config, opener, pauses);
        host.keeper.start();
        return host;
    }

    private void keep() {
        long pause = 0;
        while (!closing) {
            long begun = System.nanoTime();
            String why = live();
            if (why == null) {
                return;
            }
            trouble = why;
            pause = pauses.after(System.nanoTime() - begun, pause);
            log("all tasks were closed, since " + why + "; they are started again in " + pause + " ms", null);
            pause(pause);
        }
    }

    /** One life to its end: what it has died of; null when the host closes. */
    private @Nullable String live() {
        synchronized (this) {
            death = null;
        }
        // A name of its own: what an earlier life left open must not be taken for this one's.
        Life life = new Life(
                name + "-" + lives.incrementAndGet() + "-" + Long.toHexString(System.nanoTime()),
                config,
                opener,
                this::died);
        try {
            life.start();
            return awaitDeath();
        } catch (RuntimeException | Error e) {
            // Memory for a thread among it; without the keeper no life would ever follow.
            return "the tasks could not be started: " + e;
        } finally {
            end(life);
        }
    }

    private static void end(Life life) {
        try {
            life.close();
        } catch (RuntimeException | Error e) {
            log("the tasks were not closed in order", e);
        }
    }

    /** Where memory is out, a line of a log may fail too. */
    private static void log(String line, @Nullable Throwable cause) {
        try {
            LOG.error(line, cause);
        } catch (OutOfMemoryError e) {
            // The next one may be written.
        }
    }

    private synchronized void died(String why) {
        if (death == null) {
            death = why;
            notifyAll();
        }
    }

    private synchronized @Nullable String awaitDeath() {
        while (death == null && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.debug("the keeper of tasks is interrupted, and goes on", e);
            }
        }
        return closing ? null : death;
    }

    private synchronized void pause(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis;
                left > 0 && !closing;
                left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())) {
            try {
                wait(left);
            } catch (InterruptedException e) {
                LOG.debug("the keeper of tasks is interrupted, and goes on", e);
            }
        }
    }

    /** What the last life died of; empty when none has died. */
    public String trouble() {
        return trouble;
    }

    /** How many lives there have been. */
    public int lives() {
        return lives.get();
    }

    /** Takes a moment: tasks end in order. Waits for that also on a thread that is interrupted. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        if (!Uninterrupted.join(keeper, CLOSE_MILLIS)) {
            LOG.warn("the tasks of {} have not ended, and are left behind", name);
        }
    }
}
