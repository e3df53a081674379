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
 * All tasks of a topology in this process. When one of them fails, all are closed in order and opened again: nothing
 * can be known of a task that threw, and to the protocol it is a restart like any other
 * (docs/decisions/0068-tasks-in-one-process.md). Thread-safe.
 */
public final class ProcessHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessHost.class);

    /** How long it waits between two lives, and {@code closeMillis} at most for tasks that are being closed. */
    record Pauses(long firstMillis, long longestMillis, long soundNanos, long closeMillis) {
        /** After a life of a minute the next death is not taken for the same trouble. */
        static final Pauses DEFAULT =
                new Pauses(100, 10_000, TimeUnit.MINUTES.toNanos(1), TimeUnit.MINUTES.toMillis(1));

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
    /** The keeper's. */
    private long pauseMillis;

    private volatile String trouble = "";
    private volatile boolean closing;
    /** The task that the life which is on has died of. Guarded by this. */
    private @Nullable String died;
    /** What it failed with. Guarded by this. */
    private @Nullable Throwable cause;

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
        while (!closing) {
            long begun = System.nanoTime();
            try {
                live();
            } catch (Throwable e) {
                // Without the keeper no life would ever follow.
                log("the tasks could not be kept up as they should be", e);
            }
            pauseMillis = pauses.after(System.nanoTime() - begun, pauseMillis);
            pause(pauseMillis);
        }
    }

    /** One life to its end, whatever it dies of. */
    private void live() {
        synchronized (this) {
            died = null;
            cause = null;
        }
        Life life = null;
        try {
            // A name of its own: what an earlier life left open must not be taken for this one's.
            String id = name + "-" + lives.incrementAndGet() + "-" + Long.toHexString(System.nanoTime());
            life = new Life(id, config, opener, this::died, pauses.closeMillis());
            life.start();
            awaitDeath();
        } catch (RuntimeException | Error e) {
            // Memory for a thread among it.
            died("the start of all tasks", e);
        }
        try {
            // Before they are closed, which may last.
            tell();
        } finally {
            if (life != null) {
                life.close();
            }
        }
    }

    private void tell() {
        String task;
        Throwable of;
        synchronized (this) {
            if (closing) {
                return;
            }
            task = died;
            of = cause;
        }
        // Without the lock: what it failed with makes its own words.
        String why = words(task, of);
        trouble = why;
        log("all tasks are closed and opened again, since " + why, null);
    }

    private static String words(@Nullable String task, @Nullable Throwable cause) {
        try {
            return task + " failed: " + cause;
        } catch (RuntimeException | Error e) {
            return "a task failed with what cannot be put into words";
        }
    }

    /** Where memory is out, a line of a log may fail too. */
    private static void log(String line, @Nullable Throwable cause) {
        try {
            LOG.error(line, cause);
        } catch (RuntimeException | Error e) {
            // The next one may be written.
        }
    }

    /** What is known of it is put into words by the keeper: whose memory is out tells nothing. */
    private synchronized void died(String task, Throwable of) {
        if (died == null) {
            died = task;
            cause = of;
            notifyAll();
        }
    }

    private synchronized void awaitDeath() {
        while (died == null && !closing) {
            try {
                wait();
            } catch (InterruptedException e) {
                LOG.debug("the keeper of tasks is interrupted, and goes on", e);
            }
        }
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
